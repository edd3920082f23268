"""What happened on three days in March, as the process that emits. ``python -m examples.demo.days --dir DIR``

2 March   a good release.
3 March   the rates feed is faulty: the release is refused. Correct rates arrive, the retry is released.
4 March   a good release, but the rates loader's COMPLETE is stuck somewhere and arrives after everything else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import uuid
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .calendar import Calendar
from .feeds import Rate, orders_of, rates_of
from .instruments import CALENDAR, configure, emit, flush, shutdown, stats
from .pipeline import RATES, ReleaseRefusedError, daily_revenue
from .warehouse import Warehouse

DAYS = (date(2026, 3, 2), date(2026, 3, 3), date(2026, 3, 4))
LATE_EVENT = "late-event.json"

Event = dict[str, Any]


def load_rates(warehouse: Warehouse, calendar: Calendar, day: date, rates: Sequence[Rate]) -> tuple[Event, Event]:
    """A loader that knows nothing of headwater's Python API: it writes OpenLineage events by hand. Returns them."""
    run_id = str(uuid.uuid4())
    started = calendar.text()
    version = warehouse.land(RATES.name, day.isoformat(), Rate._fields, rates)
    calendar.pass_minutes(1)
    schema = (
        "https://openlineage.io/spec/facets/1-0-1/DatasetVersionDatasetFacet.json#/$defs/DatasetVersionDatasetFacet"
    )
    facet = {"_producer": "https://example.org/rates-loader", "_schemaURL": schema, "datasetVersion": version}
    written = {"namespace": RATES.namespace, "name": RATES.name, "facets": {"version": facet}}
    base = {
        "producer": "https://example.org/rates-loader",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id},
        "job": {"namespace": "shop", "name": "load_rates"},
        "inputs": [],
    }
    start = {**base, "eventType": "START", "eventTime": started, "outputs": []}
    return start, {**base, "eventType": "COMPLETE", "eventTime": calendar.text(), "outputs": [written]}


async def live(directory: Path, calendar: Calendar) -> list[str]:
    """Lives through the days; the event that comes late is left in ``directory``. Returns the published revisions."""
    warehouse = Warehouse(directory / "warehouse")
    published = []
    for day in DAYS:
        calendar.wake(day)
        faulty, last = day == DAYS[1], day == DAYS[-1]
        start, complete = load_rates(warehouse, calendar, day, rates_of(day, faulty=faulty))
        emit(start)
        if last:
            (directory / LATE_EVENT).write_text(json.dumps(complete), encoding="utf-8")
        else:
            emit(complete)
        calendar.pass_minutes(10)
        try:
            published.append(await daily_revenue(warehouse, day.isoformat(), orders_of(day)))
        except ReleaseRefusedError:
            calendar.pass_minutes(90)
            for event in load_rates(warehouse, calendar, day, rates_of(day)):
                emit(event)
            calendar.pass_minutes(10)
            published.append(await daily_revenue(warehouse, day.isoformat(), orders_of(day)))
    return published


def send_late_event(directory: Path) -> None:
    """The stuck event arrives."""
    emit((directory / LATE_EVENT).read_bytes())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, required=True, help="where the warehouse and the log are")
    parser.add_argument("--late", action="store_true", help="only send the event that was stuck")
    arguments = parser.parse_args()
    directory: Path = arguments.dir.resolve()
    configure(url=f"file://{quote(str(directory))}/log", job_namespace="shop", enabled=True)
    if arguments.late:
        send_late_event(directory)
    else:
        asyncio.run(live(directory, CALENDAR))
    delivered = flush(timeout_s=20)
    told = stats()
    shutdown()
    if not delivered or told.dropped:
        raise SystemExit(f"not everything was delivered: {told}")


if __name__ == "__main__":
    main()
