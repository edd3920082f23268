"""Pages about wants, partitions and job runs. A list that was cut ends with how many more there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import RenderableType
from rich.text import Text
from rich.tree import Tree

from .evidence import marks_of
from .facts import Facts, listing
from .run import code_of, error_of
from .words import duration_of, name_of, plain, text, truncation_of, version_of, word

Answer = dict[str, Any]


def want_page(answer: Answer) -> list[RenderableType]:
    """The want as a tree; the wants derived from it are its branches."""
    tree = Tree(_want_title(answer), guide_style="dim")
    _grow(tree, answer)
    return [tree, *truncation_of(answer)]


def _want_title(want: Answer) -> Text:
    title = Text("want ").append(plain(want["id"]), style="bold")
    return title.append(f"  {plain(want['comment'])}" if want.get("comment") else "", style="dim")


def _grow(tree: Tree, want: Answer) -> None:
    _branch(tree, "spawned by", want["spawnedBy"], _run_line)
    _branch(tree, "partitions", want["partitions"], _wanted_line)
    page = want["jobRuns"]
    if page["items"]:
        runs = tree.add(Text("job runs", style="dim"))
        for entry in page["items"]:
            _add_entry(runs, entry)
        _more(runs, page)
    page = want["derivativeWants"]
    if page["items"]:
        below = tree.add(Text("derivative wants", style="dim"))
        for each in page["items"]:
            child = below.add(_want_title(each).append("" if each["expanded"] else "  ..."))
            if each["expanded"]:
                _grow(child, each)
        _more(below, page)


def _branch(tree: Tree, label: str, page: Answer, line: Callable[[Answer], Text]) -> None:
    if page["items"]:
        branch = tree.add(Text(label, style="dim"))
        for each in page["items"]:
            branch.add(line(each))
        _more(branch, page)


def _more(branch: Tree, page: Answer) -> None:
    if line := more_line(page):
        branch.add(line)


def more_line(page: Answer) -> Text | None:
    """``+20 more of 120: --after CURSOR``."""
    if not page["more"] and page["next"] is None:
        return None
    line = f"+{page['more']:,} more of {page['total']:,}"
    return Text(f"{line}: --after {plain(page['next'])}" if page["next"] else line, style="yellow")


def _add_entry(runs: Tree, entry: Answer) -> None:
    """One piece of work, its attempts below it where there are several."""
    attempts = entry["attempts"]
    if attempts["total"] == 1 and attempts["items"]:
        branch = runs.add(_run_line(attempts["items"][0]))
        _built(branch, attempts["items"][0])
        return
    line = Text().append_text(word(entry["status"] or "unknown"))
    line.append(f"  {name_of(entry['job'])}  {plain(entry['logicalKey'] or '')}, {attempts['total']:,} attempts")
    branch = runs.add(line)
    for attempt in attempts["items"]:
        _built(branch.add(_run_line(attempt)), attempt)
    _more(branch, attempts)


def _built(branch: Tree, run: Answer) -> None:
    for one in run["built"]["items"]:
        branch.add(_instance_line(one))
    _more(branch, run["built"])


def _run_line(run: Answer) -> Text:
    line = word(run.get("status", "unknown")).append(f"  {plain(run['runId'])}", style="default")
    line.append(f"  {name_of(run.get('job'))}", style="default")
    took = duration_of(run.get("started"), run.get("ended"))
    return line.append(f"  {took}" if took else "", style="dim")


def _wanted_line(partition: Answer) -> Text:
    instance = partition["instance"]
    line = text(f"{partition['name']} ({partition['namespace']})").append("  ")
    if instance is None:
        return line.append("not built", style="yellow")
    line.append(plain(instance["uuid"]), style="bold").append(f"  {plain(instance['version'])}", style="dim")
    return line.append("" if instance["forThisWant"] else "  (made for another)", style="dim")


def _instance_line(one: Answer) -> Text:
    line = text(f"{one['dataset']['name']} ({one['dataset']['namespace']})").append("  ")
    line.append(plain(one["uuid"] or "-"), style="bold").append(f"  {plain(one['version'] or '')}", style="dim")
    return line.append("" if one.get("committedAt", True) else "  candidate", style="yellow")


def partition_page(answer: Answer) -> list[RenderableType]:
    """The instance, what built it, from what, for whom, and those before it."""
    facts = Facts()
    facts.add("partition", text(name_of(answer["partition"]), "bold"))
    instance = answer["instance"]
    if instance is None:
        facts.add("instance", Text("none was ever built", style="yellow"))
    else:
        line = text(instance["uuid"], "bold").append("  ", style="default").append_text(word(answer["status"]))
        facts.add("instance", line.append("  canonical" if answer["canonical"] else "", style="green"))
        facts.add("generation", version_of(instance["version"]).append_text(marks_of(instance)))
        facts.add("committed", plain(instance["committedAt"] or ""))
    if answer["conflict"]:
        told = ", ".join(plain(run) for run in answer["conflict"])
        facts.add("conflict", Text(f"committed by more than one run: {told}", style="bold red"))
    if built := answer["built_by"]:
        facts.add("built by", _run_line(built))
        facts.add("for wants", _listed(built["wants"], lambda one: text(one["id"])))
        facts.add("it read", _listed(built["read"], _read_line))
    facts.add("upstream", _listed(answer["upstream"], _read_line))
    facts.add("downstream", _listed(answer["downstream"], _consumer_line))
    facts.add("older", _listed(answer["older"], lambda one: _instance_line(one).append_text(marks_of(one))))
    return [facts.table]


def _listed(page: Answer, line: Callable[[Answer], Text]) -> Text | None:
    lines = [line(one) for one in page["items"]]
    if more := more_line(page):
        lines.append(more)
    return Text("\n").join(lines) if lines else None


def _read_line(one: Answer) -> Text:
    return _instance_line(one).append("  ").append_text(word(one["grade"]))


def _consumer_line(run: Answer) -> Text:
    line, made = _run_line(run), run["instances"]
    if made["items"]:
        line.append(f"  made {', '.join(plain(one['dataset']['name']) for one in made['items'][:3])}", style="default")
        line.append(f" +{made['total'] - 3:,} more" if made["total"] > 3 else "", style="yellow")
    return line


def job_run_page(run: Answer) -> list[RenderableType]:
    """What a job run was for, what it read and wrote, and how it went."""
    facts = Facts()
    facts.add("job run", text(run["runId"], "bold"))
    facts.add("job", name_of(run.get("job")))
    facts.add("status", word(run["status"]))
    facts.add("error", text(error_of(run), "red") if run.get("error") else None)
    if run.get("logicalKey"):
        facts.add("attempt", plain(f"{run.get('attempt') or '?'} of {run['logicalKey']}"))
    facts.add("code", code_of(run.get("code")))
    facts.add("for wants", _listed(run["wants"], _id_line))
    facts.add("read", _listed(run["read"], _read_line))
    facts.add("wrote", _listed(run["wrote"], _instance_line))
    facts.add("missing", _listed(run["missing"], lambda one: text(name_of(one), "yellow")))
    facts.add("spawned", _listed(run["derivativeWants"], _id_line))
    history = listing("status", "since")
    for change in run["history"]:
        history.add_row(word(change["status"]), plain(change["time"]))
    facts.add("history", history if run["history"] else None)
    return [facts.table]


def _id_line(want: Answer) -> Text:
    return text(want["id"]).append(f"  {plain(want['comment'])}" if want.get("comment") else "", style="dim")
