"""``python -m examples.demo --dir DIR``: runs the pipeline, collects it, asks, and serves (unless ``SERVE=0``)."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from headwater.collector.embedded import DATABASE_FILE, Embedded
from headwater.collector.logs import configure_logs
from headwater.collector.settings import Settings
from headwater.shared.event import Name

from . import days, spark
from .directory import fresh
from .proof import prove
from .story import Story
from .warehouse import Warehouse

REVENUE = Name("shop", "revenue")
SPARK_REVENUE = Name(spark.HIVE, "shop.revenue_by_country")
CHECKOUT = Path(__file__).parents[2]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description=__doc__)
    parser.add_argument("--dir", type=Path, default=Path(".headwater/demo"), help="emptied, if the demo made it")
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "5000")), help="of the API")
    arguments = parser.parse_args()
    configure_logs(style="text", level="WARNING")
    directory = fresh(arguments.dir)
    # Piped, the pages keep a width that a person can read.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    try:
        asyncio.run(demo(directory, Story(console, str(arguments.dir)), arguments.port))
    except KeyboardInterrupt:
        console.print()


async def demo(directory: Path, story: Story, port: int) -> None:
    """All parts, in order."""
    await in_its_own_process(directory)
    embedded = Embedded(directory, settings=_settings(directory))
    await embedded.start()
    try:
        await part_one(embedded, directory, story)
        await part_two(embedded, story)
        story.title("Part 3: proof that others can check")
        story.proof(await prove(embedded.questions, REVENUE, directory, directory / DATABASE_FILE))
        if os.environ.get("SERVE", "1") not in ("0", "false", "no"):
            from .serving import serve_until_interrupted

            await serve_until_interrupted(embedded, port, story)
    finally:
        await embedded.stop()


def _settings(directory: Path) -> Settings:
    """Whatever is configured on this machine, the demo's events stay in its own directory."""
    database = f"sqlite:///{directory / DATABASE_FILE}"
    return Settings(lineage={"store": {"backend": "sql", "sql": {"url": database}}})


async def in_its_own_process(directory: Path, *more: str) -> None:
    """The pipeline is an application like any other: it knows the log's address and nothing of the collector."""
    command = [sys.executable, "-m", f"{__package__}.days", "--dir", str(directory), *more]
    environment = {**os.environ, "HEADWATER_SPOOL": str(directory / "spool")}
    await asyncio.to_thread(subprocess.run, command, cwd=CHECKOUT, env=environment, check=True)


async def part_one(embedded: Embedded, directory: Path, story: Story) -> None:
    """The pipeline, its failed release, its retry and its late event."""
    ask = embedded.questions
    await embedded.drain()
    last_convert = (await ask.runs(job=Name("shop", "convert_orders"), limit=1))["runs"][0]["runId"]
    before = await known_run(embedded, last_convert)
    await in_its_own_process(directory, "--late")
    await embedded.drain()
    after = await known_run(embedded, last_convert)

    warehouse = Warehouse(directory / "warehouse")
    current = warehouse.current(REVENUE.name) or ""
    evidence = await ask.evidence(REVENUE)
    history = await ask.dataset(REVENUE)
    logical = await ask.logical_run(f"publish_revenue/{days.DAYS[1].isoformat()}")
    assert history is not None
    assert logical is not None
    story.title("Part 1: which run, which code and which inputs made this number?")
    story.revenue(warehouse.revision(REVENUE.name, current), current, [one["version"] for one in history["committed"]])
    story.evidence(evidence)
    story.failed(evidence["diagnostics"]["candidates"][0], await ask.upstream(REVENUE, None))
    story.retry(logical)
    story.late(before, after)


async def part_two(embedded: Embedded, story: Story) -> None:
    """What a Spark job sends, down to its columns."""
    await embedded.ingest(spark.events())
    ask = embedded.questions
    story.title("Part 2: where does this column come from?")
    graph = await ask.lineage(SPARK_REVENUE, "dataset", up=5, down=5)
    assert graph is not None
    story.spark(graph, await ask.column_sources(SPARK_REVENUE, None, "revenue_eur"))


async def known_run(embedded: Embedded, run_id: str) -> dict[str, Any]:
    """A run that must be there."""
    run: dict[str, Any] | None = await embedded.questions.run(run_id)
    assert run is not None, run_id
    return run


if __name__ == "__main__":
    main()
