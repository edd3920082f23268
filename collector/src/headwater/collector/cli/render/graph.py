"""Pages about the graph: the tree around a node, what was made from a dataset, where a column comes from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .evidence import columns_table, mark_line, marks_of, shared_sources, source_cells
from .facts import listing
from .words import name_of, plain, text, truncation_of, version_of, word

Answer = dict[str, Any]

_MAX_INDENT = 20


def lineage_page(answer: Answer, columns: Mapping[str, Answer] | None = None) -> list[RenderableType]:
    """The graph as a tree: what the node comes from first, what it goes into below."""
    nodes = {node["id"]: node for node in answer["nodes"]}
    start = next(node["id"] for node in answer["nodes"] if node["distance"] == 0)
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for edge in answer["edges"]:
        before[edge["destination"]].append(edge["origin"])
        after[edge["origin"]].append(edge["destination"])
    page: list[RenderableType] = [_label(nodes[start], columns, "")]
    for title, following in (("comes from", before), ("goes into", after)):
        branches = list(_branches(start, following, nodes, columns))
        page += [Text(title, style="dim"), *branches] if branches else []
    if len(page) == 1:
        page.append(Text("no lineage in this range", style="dim"))
    return [*page, *truncation_of(answer)]


def _branches(
    start: str, following: Mapping[str, list[str]], nodes: Mapping[str, Answer], columns: Mapping[str, Answer] | None
) -> Iterator[Text]:
    """One line for each node, below and right of the node that leads to it; a node met again is not opened again."""
    seen = {start}
    waiting = [(one, 1) for one in sorted(set(following.get(start, ())), reverse=True)]
    while waiting:
        here, depth = waiting.pop()
        if here not in nodes:
            continue
        # A chain may be longer than a terminal is wide: from some depth on, a number stands for the indent.
        indent = "   " * depth if depth <= _MAX_INDENT else f"{'   ' * _MAX_INDENT}[{depth}] "
        if here in seen:
            yield _label(nodes[here], None, indent).append("  (above)", style="dim")
            continue
        seen.add(here)
        yield _label(nodes[here], columns, indent)
        waiting += [(one, depth + 1) for one in sorted(set(following.get(here, ())), reverse=True)]


def _label(node: Answer, columns: Mapping[str, Answer] | None, indent: str) -> Text:
    job = node["type"] == "JOB"
    label = Text(indent).append("job " if job else "dataset ", style="magenta" if job else "blue")
    label.append(plain(node["name"]), style="bold").append(f"  {plain(node['namespace'])}", style="dim")
    for column, sources in shared_sources((columns or {}).get(node["id"]) or {})[1].items():
        told = ", ".join(dict.fromkeys(f"{source['dataset']['name']}.{source['field']}" for source in sources))
        label.append(f"\n{' ' * len(indent)}  {plain(column)} ", style="default").append(
            f"← {plain(told)}", style="dim"
        )
    return label


def impact_page(answer: Answer) -> list[RenderableType]:
    """What was made from the generation, nearest first."""
    start = answer["start"] if isinstance(answer.get("start"), dict) else {}  # of a partition: who wrote it
    said = {kind: start.get(kind) for kind in ("withdrawn", "bad")}
    page: list[RenderableType] = [
        Text(f"{kind} {plain(mark_line(mark))}", style="bold red") for kind, mark in said.items() if mark
    ]
    page.append(_reached(answer) if answer["reached"] else Text("Nothing published was made from it."))
    if start.get("bad"):
        page.append(Text(f"{answer['tainted']} of {len(answer['reached'])} tainted", style="bold red"))
    if (consumers := answer.get("consumers")) is not None:
        page += ["", Text("read by", style="dim"), _consumers(consumers["runs"])]
        page += [Text("and more", style="yellow")] if consumers["truncated"] else []
    return [*page, *truncation_of(answer)]


def _reached(answer: Answer) -> RenderableType:
    table = listing("distance", "dataset", "generation", "run", "")
    for one in answer["reached"]:
        table.add_row(
            str(one["distance"]),
            name_of(one["dataset"]),
            version_of(one.get("version")).append_text(marks_of(one)),
            plain(one.get("runId") or ""),
            Text(", ".join(_remarks(one)), style="yellow"),
        )
    return table


def _remarks(one: Answer) -> list[str]:
    return [word for word in ("tainted", "possible") if one.get(word)]


def _consumers(runs: list[Answer]) -> RenderableType:
    table = listing("distance", "run", "job", "state", "dataset", "generation")
    for one in runs:
        table.add_row(
            str(one["distance"]),
            plain(one["runId"]),
            name_of(one["job"]),
            word(one["state"]),
            name_of(one["dataset"]),
            version_of(one["version"]),
        )
    return table


def impact_rows(answer: Answer) -> list[list[str]]:
    """The same as rows of a CSV file, the header first."""
    rows = [["distance", "namespace", "name", "generation", "run_id", "possible", "tainted"]]
    for one in answer["reached"]:
        dataset = one["dataset"]
        possible, tainted = ("true" if one.get(key) else "false" for key in ("possible", "tainted"))
        rows.append(
            [
                str(one["distance"]),
                dataset["namespace"],
                dataset["name"],
                one.get("version") or "",
                one.get("runId") or "",
                possible,
                tainted,
            ]
        )
    return rows


def columns_page(columns: dict[str, list[Answer]]) -> list[RenderableType]:
    """The columns of one dataset with what each directly comes from."""
    return [columns_table(columns) or Text("No run says what these columns come from (columnLineage).")]


def dataset_title(dataset: Answer, generation: str | None) -> Text:
    """``revenue  (demo)  rev-3``."""
    title = text(dataset["name"], "bold").append(f"  {plain(dataset['namespace'])}  ", style="dim")
    return title.append_text(version_of(generation))


def column_page(answer: Answer) -> list[RenderableType]:
    """Where one column comes from, step by step, nearest first."""
    if not answer["reached"]:
        return [Text("No run says what this column comes from.")]
    table = listing("distance", "column", "of generation", "how")
    for one in answer["reached"]:
        where, how = source_cells(one)
        table.add_row(str(one["distance"]), where, version_of(one.get("version")), how)
    return [table, *truncation_of(answer)]
