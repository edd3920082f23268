"""Pages about runs: the list, and one run."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .facts import Facts, listing
from .words import duration_of, first_line, name_of, plain, text, truncation_of, version_of, word

Answer = dict[str, Any]


def runs_page(answer: Answer) -> list[RenderableType]:
    """The runs, newest first."""
    if not answer["runs"]:
        return [Text("No run matches.")]
    return [runs_table(answer["runs"]), *truncation_of(answer)]


def runs_table(runs: list[Answer]) -> RenderableType:
    """Runs as rows: what each is, how it went, why it failed."""
    rows: list[dict[str, str | Text]] = [
        {
            "run": text(run["runId"]),
            "job": name_of(run.get("job")),
            "state": word(run["state"]),
            "attempt": str(run.get("attempt") or ""),
            "started": plain(run.get("started") or run.get("firstSeen") or ""),
            "took": duration_of(run.get("started"), run.get("ended")),
            "error": error_of(run),
        }
        for run in runs
    ]
    # Lists carry no attempt and no error where nobody asked for them; an empty column would say that there is none.
    headers = [header for header in rows[0] if header not in ("attempt", "error") or any(row[header] for row in rows)]
    table = listing(*headers)
    for row in rows:
        table.add_row(*(row[header] for header in headers))
    return table


def run_page(run: Answer, logical: Answer | None) -> list[RenderableType]:
    """One run with its attempts, reads, writes and state history."""
    facts = run_facts(run)
    facts.add("started", plain(run.get("started") or ""))
    facts.add("ended", plain(run.get("ended") or ""))
    if run.get("nominalStart"):
        facts.add("nominal", plain(f"{run['nominalStart']} to {run.get('nominalEnd') or '-'}"))
    for label in ("parent", "root"):
        if other := run.get(label):
            facts.add(label, f"{plain(other['runId'])} {name_of(other.get('job'))}")
    facts.add("reads", reads_table(run.get("inputs") or []))
    facts.add("writes", writes_table(run.get("outputs") or []))
    facts.add("history", Text("\n").join(_state_line(entry) for entry in run.get("history") or []))
    page: list[RenderableType] = [facts.table]
    if logical and len(logical["attempts"]) > 1:
        page += ["", Text(f"Attempts of {plain(logical['key'])}", style="bold"), runs_table(logical["attempts"])]
        page += changed_lines(logical)
    return page


def run_facts(run: Answer) -> Facts:
    """What identifies a run: the job, the state, the attempt, the code."""
    facts = Facts()
    facts.add("run", text(run["runId"], "bold"))
    facts.add("job", name_of(run.get("job")))
    state = word(run["state"])
    if took := duration_of(run.get("started"), run.get("ended")):
        state.append(f" in {took}", style="default")
    if run.get("contradiction"):
        state.append("  contradicted by a later event", style="yellow")
    facts.add("state", state)
    facts.add("interrupted", text(run["interruption"], "yellow") if run.get("interruption") else None)
    facts.add("error", text(error_of(run), "red") if run.get("error") else None)
    if run.get("logicalKey"):
        facts.add("attempt", plain(f"{run.get('attempt') or '?'} of {run['logicalKey']}"))
    facts.add("code", code_of(run.get("code")))
    return facts


def code_of(code: Answer | None) -> str | None:
    """``git 1a2b3c https://…``; None where the run did not say."""
    if not code:
        return None
    words = [code.get(key) for key in ("type", "version", "branch", "url", "path")]
    return plain("  ".join(str(one) for one in words if one))


def error_of(run: Answer) -> str:
    """The first line of the run's errorMessage."""
    error = run.get("error") or {}
    return first_line(error.get("message", "")) if error else ""


def reads_table(inputs: list[Answer]) -> RenderableType | None:
    """Inputs with their pins, or None where there are none."""
    if not inputs:
        return None
    table = listing("dataset", "generation", "pin")
    for one in inputs:
        table.add_row(name_of(one["dataset"]), version_of(one.get("version")), word(one.get("grade", "unknown")))
    return table


def writes_table(outputs: list[Answer]) -> RenderableType | None:
    """Outputs with what became of them, or None where there are none."""
    if not outputs:
        return None
    table = listing("dataset", "generation", "status", "committed")
    for one in outputs:
        table.add_row(
            name_of(one["dataset"]),
            version_of(one.get("version")),
            word(one.get("status", "candidate")),
            plain(one.get("committedAt") or ""),
        )
    return table


def changed_lines(logical: Answer) -> list[Text]:
    """The inputs that differ between attempts."""
    numbers = {run["runId"]: run.get("attempt") or index for index, run in enumerate(logical["attempts"], 1)}
    lines = []
    for change in logical.get("changed") or []:
        per_run = sorted(change["versions"].items(), key=lambda item: numbers.get(item[0], 0))
        told = ", ".join(
            f"attempt {numbers.get(run, '?')} read {' and '.join(str(one) for one in versions) or 'none'}"
            for run, versions in per_run
        )
        lines.append(Text(f"Changed input: {name_of(change['dataset'])}: {plain(told)}", style="yellow"))
    return lines


def _state_line(entry: Answer) -> Text:
    return Text(f"{plain(entry['time'])}  {plain(entry['type'])}")
