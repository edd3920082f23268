"""One batch in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.collector.merging.merge import Merged
from headwater.collector.merging.runs import DerivedRun, derive_run, from_batch
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.graph.catalog import write_catalog
from headwater.collector.stores.graph.edges import write_job_edges
from headwater.collector.stores.graph.facets import fresh_facets, mention_facets, write_said, write_values
from headwater.collector.stores.graph.known import Known, read_known
from headwater.collector.stores.graph.marks import write_marks
from headwater.collector.stores.graph.names import write_changes, write_designs, write_symlinks
from headwater.collector.stores.graph.runs import write_generations, write_io, write_runs
from headwater.collector.stores.graph.transaction import Transaction
from headwater.collector.stores.graph.wants import write_wants
from headwater.shared.event import Name


async def write_batch(tx: Transaction, batch: Sequence[ProjectedEvent]) -> None:
    """Locks, reads what is known, derives, writes the difference."""
    merged = Merged()
    for projected in batch:
        merged.add(projected.projection.facts)
    known = await read_known(tx, merged)
    derived = _derive(merged, known)
    fresh = fresh_facets(merged, known)
    values = await write_values(tx, merged, fresh)
    await write_runs(tx, merged, known, derived)
    await write_io(tx, merged, known, derived, mention_facets(merged, known, fresh))
    await write_generations(tx, known, derived)
    await write_said(tx, known, fresh, values)
    await write_designs(tx, merged)
    await write_changes(tx, merged, known, derived)
    await write_symlinks(tx, merged, known)
    await write_marks(tx, merged)
    await write_wants(tx, merged, known)
    await write_job_edges(tx, known, derived)
    await write_catalog(tx, merged, known)
    events = {each.event.event_id: each.event for each in batch}
    await tx.each(_EVENTS, [[key, e.event_type, e.event_time, e.run_id] for key, e in sorted(events.items())])


def _derive(merged: Merged, known: Known) -> dict[bytes, DerivedRun]:
    jobs = known.job_names | {key: Name(row[0], row[1]) for key, row in merged.jobs.items()}
    return {key: derive_run(key, base, jobs[base.job]) for key, base in from_batch(merged, ()).items()}


_EVENTS = """
UNWIND $rows AS row
MERGE (e:Event {id: row[0]}) ON CREATE SET e.type = row[1], e.time = row[2], e.run = row[3]
"""
