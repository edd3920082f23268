"""Copies events from one store to another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from random import Random
from typing import Final

from headwater.collector.maintenance.parties import Party, party_of
from headwater.collector.maintenance.reconciling import Progress, Reconciler
from headwater.collector.maintenance.report import Report, Trouble
from headwater.collector.pipeline.letters import Failure
from headwater.collector.pipeline.pace import Pace
from headwater.collector.pipeline.prepare import Preparer
from headwater.collector.pipeline.writing import WritePath
from headwater.collector.policy import RetryPolicy
from headwater.collector.projection import project
from headwater.collector.stores.base import LineageStoreProtocol, ProjectedEvent
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.reading import DocumentReader
from headwater.shared.codec import decode
from headwater.shared.errors import ConfigurationError, TransientError

_BATCH: Final = 200
_BYTES: Final = 8 * 1024 * 1024


async def copy(
    stores: CompositeLineageStore,
    source: LineageStoreProtocol,
    target: LineageStoreProtocol,
    report: Report,
    *,
    retry: RetryPolicy | None = None,
    progress: Progress | None = None,
) -> None:
    """Writes to ``target`` what ``source`` has whole and ``target`` lacks; both are open members of ``stores``. A
    target that cannot be read gets every event. May be broken off and begun again.

    Raises ConfigurationError if the source keeps no event whole, TransientError if a store fails.
    """
    origin = party_of(source)
    if origin is None or origin.documents is None:
        raise ConfigurationError("--from", source.name, "keeps no event whole: name a store that does")
    if party_of(target) is not None:
        await Reconciler(stores, report, only=[target.name], grace_s=0, retry=retry, progress=progress).run()
    else:
        await _copy_all(stores, origin, origin.documents, target.name, report, retry or RetryPolicy(), progress)


async def _copy_all(
    stores: CompositeLineageStore,
    origin: Party,
    documents: DocumentReader,
    target: str,
    report: Report,
    retry: RetryPolicy,
    progress: Progress | None,
) -> None:
    writes, preparer = WritePath(stores, retry, Pace(), Random()), Preparer(decode, project)  # noqa: S311 - jitter
    report.held = {origin.name: 0, target: 0}
    async for batch in _batches(origin, documents, preparer, report):
        report.lacked[target] += len(batch)
        if report.dry_run:
            continue
        written = await writes.write(batch, only=(target,))
        report.repaired[target] += len(batch) - len(written.refused) - len(written.failed)
        for index, errors in written.refused.items():
            report.refused[target] += 1
            report.note("refused", Trouble(batch[index].event.event_id, target, str(errors[target])))
        for failed in written.failed.values():
            raise TransientError(f"{target}: {failed[target]}")
        if progress is not None:
            progress(f"copy to {target}", report.repaired[target], None)
    report.complete = True


async def _batches(
    origin: Party, documents: DocumentReader, preparer: Preparer, report: Report
) -> AsyncIterator[list[ProjectedEvent]]:
    batch: list[ProjectedEvent] = []
    size = 0
    async for event_id in origin.ids.event_ids():
        report.held[origin.name] += 1
        document = await documents.document(event_id)
        if document is None:  # deleted meanwhile
            continue
        result = preparer.prepare_one(document.raw, {}, batch)
        if isinstance(result, Failure):
            report.unreadable += 1
            report.note("unreadable", Trouble(event_id, origin.name, f"{result.reason}: {result.error}"))
            continue
        size += len(document.raw)
        if len(batch) >= _BATCH or size >= _BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
