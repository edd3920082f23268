"""The tree of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from .commands import (
    audit,
    collect,
    columns,
    dlq,
    doctor,
    emit,
    erase,
    evidence,
    fingerprint,
    impact,
    job_run,
    lineage,
    manifest,
    mark,
    partition,
    rebuild,
    reconcile,
    reset,
    retention,
    run,
    runs,
    serve,
    stale,
    stores,
    sync,
    up,
    want,
)

# Plain help: rich's panels would triple the time that `headwater --help` takes.
app = typer.Typer(
    name="headwater",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"headwater {version('headwater-collector')}")
        raise typer.Exit


@app.callback()
def headwater(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Which run, which code and which exact inputs made this data?

    Exit status: 0 done, 1 not found or refused, 2 wrong usage or configuration, 3 a server could not be reached.
    """


app.command("up")(up.up)
app.command("collect")(collect.collect)
app.command("serve")(serve.serve)
app.command("emit")(emit.emit)
app.add_typer(evidence.app, name="evidence")
app.add_typer(manifest.app, name="manifest")
app.add_typer(audit.app, name="audit")
app.command("lineage")(lineage.lineage)
app.command("columns")(columns.columns)
app.command("impact")(impact.impact)
app.add_typer(mark.app, name="mark")
app.command("runs")(runs.runs)
app.command("run")(run.run)
app.command("want")(want.want)
app.command("partition")(partition.partition)
app.command("job-run")(job_run.job_run)
app.add_typer(dlq.app, name="dlq")
app.command("stores")(stores.stores)
app.command("reconcile")(reconcile.reconcile)
app.command("rebuild")(rebuild.rebuild)
app.command("sync")(sync.sync)
app.command("stale")(stale.stale)
app.command("retention")(retention.retention)
app.command("erase")(erase.erase)
app.command("reset")(reset.reset)
app.command("fingerprint")(fingerprint.fingerprint)
app.command("doctor")(doctor.doctor)
