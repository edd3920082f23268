"""Lineage from application code: never lost, never in the way.

    import asyncio
    from headwater.producer import LineageDataset, configure, current_run, run, track_lineage

    orders = LineageDataset("postgres://shop:5432", "shop.public.orders")
    revenue = LineageDataset("s3://reports", "revenue")

    @track_lineage("reports.revenue", inputs=[orders], outputs=[revenue])
    async def revenue_report(day: str) -> int:
        handle = current_run()
        if handle:
            handle.output(revenue, version=day)
        return 42

    if __name__ == "__main__":
        configure(url="http://127.0.0.1:5000", job_namespace="shop")
        with run("nightly", logical_key="nightly/2026-11-29") as nightly:
            nightly.input(orders, version="snap-48")
            rows = asyncio.run(revenue_report("2026-11-29"))
            nightly.output_stats(revenue, rows=rows)

Events are in a spool on disk when ``emit`` returns; a thread sends them. Without configuration all of this is a no-op
with one warning. Importing loads the standard library only.
"""

from __future__ import annotations

from headwater.shared.errors import ConfigurationError

from ._context import child_env, propagate
from ._dataset import DatasetLike, LineageDataset
from ._default import configure, current_run, emit, flush, run, shutdown, stats, track_lineage, want
from ._producer import LineageProducer
from ._run import Run
from ._stats import Stats

__all__ = [
    "ConfigurationError",
    "DatasetLike",
    "LineageDataset",
    "LineageProducer",
    "Run",
    "Stats",
    "child_env",
    "configure",
    "current_run",
    "emit",
    "flush",
    "propagate",
    "run",
    "shutdown",
    "stats",
    "track_lineage",
    "want",
]
