"""The page that answers: which run, which code and which exact inputs made this?"""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from .facts import Facts, listing
from .run import code_of, error_of, runs_table
from .words import duration_of, name_of, plain, text, version_of, word

Answer = dict[str, Any]


def evidence_page(answer: Answer) -> list[RenderableType]:
    """The evidence of one generation, its sources below it, and the diagnostics last."""
    page: list[RenderableType] = [_title(answer), Padding(_facts(answer).table, (0, 0, 0, 2))]
    for source in answer.get("sources") or []:
        page += ["", Text("made from", style="dim"), *(Padding(part, (0, 0, 0, 2)) for part in evidence_page(source))]
    diagnostics = _diagnostics(answer)
    if diagnostics:
        page += ["", Text("Diagnostics: attempts and candidates, never the parents of published data", style="bold")]
        page += [Padding(part, (0, 0, 0, 2)) for part in diagnostics]
    return page


def _title(answer: Answer) -> Text:
    return text(answer["dataset"]["name"], "bold").append(f"  {plain(answer['dataset']['namespace'])}", style="dim")


def _facts(answer: Answer) -> Facts:
    facts = Facts()
    generation = version_of(answer.get("generation")).append("  ", style="default").append_text(word(answer["status"]))
    if answer.get("current"):
        generation.append("  current", style="green")
    facts.add("revision", generation)
    if part := answer.get("partition"):
        facts.add("partition", plain(part_text(part)))
        older = [one["version"] for one in answer["writers"] if one["possible"]]
        facts.add("perhaps newer", plain(", ".join(older)))
    facts.add("wrote", plain(part_text(answer["subset"])) if answer.get("subset") else None)
    facts.add("as of", plain(answer.get("asOf") or ""))
    facts.add("committed", plain(answer.get("committedAt") or ""))
    for kind, style in (("withdrawn", "yellow"), ("bad", "bold red")):
        if mark := answer.get(kind):
            facts.add(kind, text(mark_line(mark), style))
    if behind := answer.get("taintedBy"):
        told = ", ".join(f"{name_of(one['dataset'])} {plain(one['version'])}" for one in behind)
        facts.add("tainted by", text(told, "bold red"))
    if answer.get("conflict"):
        told = ", ".join(plain(run) for run in answer["conflict"])
        facts.add("conflict", Text(f"committed by more than one run: {told}", style="bold red"))
    if run := answer.get("run"):
        _add_run(facts, run, answer)
    facts.add("inputs", edges_table(answer.get("edges") or []))
    facts.add("schema", plain(", ".join(_field(one) for one in answer.get("schema") or [])))
    facts.add("columns", columns_table(answer.get("columns") or {}))
    if answer.get("columns") and (unknown := answer.get("unknownColumns")):
        facts.add("unknown", plain(", ".join(unknown)))
    return facts


def _add_run(facts: Facts, run: Answer, answer: Answer) -> None:
    took = duration_of(run.get("started"), run.get("ended"))
    line = text(run["runId"], "bold").append("  ", style="default").append_text(word(run["state"]))
    facts.add("run", line.append(f" in {took}", style="default") if took else line)
    facts.add("job", name_of(run.get("job")))
    if run.get("logicalKey"):
        attempts = len((answer.get("diagnostics") or {}).get("attempts") or [])
        total = f" of {attempts}" if attempts else ""
        facts.add("attempt", plain(f"{run.get('attempt') or '?'}{total}, logical run {run['logicalKey']}"))
    facts.add("code", code_of(run.get("code")) or Text("the run did not say (sourceCodeLocation)", style="dim"))
    facts.add("error", text(error_of(run), "red") if run.get("error") else None)


def _field(field: Answer) -> str:
    return f"{field['name']} {field['type']}" if field.get("type") else str(field["name"])


def part_text(part: Answer) -> str:
    """``date=2026-01-31, region=eu; s3://bucket/part``."""
    parts = [", ".join(f"{name}={value}" for name, value in each.items()) for each in part["partitions"]]
    return "; ".join([*parts, *part["locations"], *(["a part that nobody knows"] if part["unknown"] else [])])


def read_text(edge: Answer) -> str:
    """Which part of an input was read, and where, if anything says so."""
    told = [part_text(edge["subset"])] if edge.get("subset") else []
    for position in edge.get("positions") or []:
        where = " ".join(str(position[key]) for key in ("kind", "partition") if key in position)
        span = " to ".join(str(position[key]) for key in ("from", "to") if key in position)
        told.append(f"{where} {span}".strip())
    return f"  {plain('; '.join(told))}" if told else ""


def mark_line(mark: Answer) -> str:
    """``since 2026-01-01T06:00:00Z: half a file (ann)``."""
    line = f"since {mark['since']}"
    line += f": {mark['reason']}" if mark.get("reason") else ""
    return line + (f" ({mark['author']})" if mark.get("author") else "")


def marks_of(generation: Answer) -> Text:
    """What was said of a generation in a list, in a word each."""
    said = [kind for kind in ("withdrawn", "bad") if generation.get(kind)]
    return Text(f"  {', '.join(said)}" if said else "", style="bold red")


def edges_table(edges: list[Answer]) -> RenderableType | None:
    """The pinned inputs of one output, with both grades; None where there are none."""
    if not edges:
        return None
    table = listing("dataset", "generation", "pin", "edge")
    for edge in edges:
        table.add_row(
            name_of(edge["dataset"]),
            version_of(edge.get("version")).append_text(marks_of(edge)).append(read_text(edge), style="dim"),
            word(edge.get("pin", "")),
            word(edge["grade"]),
        )
    return table


def columns_table(columns: dict[str, list[Answer]]) -> RenderableType | None:
    """Each column with the columns that it comes from; None where nothing is said."""
    if not columns:
        return None
    table = listing("column", "comes from", "how")
    of_all, own = shared_sources(columns)
    for column, sources in (*own.items(), *((("every column", of_all),) if of_all else ())):
        for position, source in enumerate(sources):
            table.add_row(text(column if position == 0 else ""), *source_cells(source))
    return table


def shared_sources(columns: dict[str, list[Answer]]) -> tuple[list[Answer], dict[str, list[Answer]]]:
    """What every column depends on alike (joins, filters, groupings), told once, and what each has of its own."""
    every = list(columns.values())
    if len(every) < 2:
        return [], columns
    of_all = [source for source in every[0] if all(source in sources for sources in every[1:])]
    return of_all, {
        column: [source for source in sources if source not in of_all] for column, sources in columns.items()
    }


def source_cells(source: Answer) -> tuple[Text, Text]:
    """``orders.amount`` and ``DIRECT AGGREGATION``."""
    where = text(f"{source['dataset']['name']}.{source['field']}")
    if not source.get("resolved", True):
        where.append("  unresolved: no run lists this dataset", style="yellow")
    how = " ".join(str(source[key]) for key in ("type", "subtype") if source.get(key))
    return where, text(how, "dim")


def _diagnostics(answer: Answer) -> list[RenderableType]:
    diagnostics = answer.get("diagnostics") or {}
    parts: list[RenderableType] = []
    if len(diagnostics.get("attempts") or []) > 1:
        parts.append(runs_table(diagnostics["attempts"]))
    candidates = diagnostics.get("candidates") or []
    if candidates:
        table = listing("candidate", "run", "state", "error")
        for one in candidates:
            table.add_row(version_of(one.get("version")), text(one["runId"]), word(one["state"]), error_of(one))
        parts += ["", table] if parts else [table]
    return parts
