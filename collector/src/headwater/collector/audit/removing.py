"""Takes events away so that their seals say so: the removal is sealed first, and is durable before anything goes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from headwater.collector.audit.sealing import MAX_ENTRIES, Sealer, append_removal
from headwater.collector.maintenance.parties import party_of
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.forgetting import Forgets, RefersDocuments
from headwater.collector.stores.sealing import Sealable, Trail
from headwater.shared.clock import Clock

GRACE_S: Final = 60.0


class Removals:
    """Of one open store. Where nothing was ever sealed, nothing is sealed now."""

    def __init__(self, store: Forgets, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._trail: Trail | None = None

    async def begin(self) -> None:
        """Finishes a removal that was broken off after its seal, and seals what is not sealed yet, so that every event
        older than ``GRACE_S`` has an entry."""
        if not isinstance(self._store, Sealable) or not isinstance(self._store, RefersDocuments):
            return
        trail = self._store.trail()
        head = await trail.head()
        if head is None:
            return
        if head.kind == "removed":
            await self._store.forget((), [event_id.hex() for event_id, _ in head.pairs()])
        assert isinstance(self._store, LineageStoreProtocol)
        party = party_of(self._store)
        assert party is not None, "it keeps documents"
        await Sealer(trail, party.ids, grace_s=GRACE_S, clock=self._clock).run()
        self._trail = trail

    async def take(self, runs: Collection[str], event_ids: Collection[str], reason: str) -> None:
        """See ``Forgets.forget``; ``reason`` stands in the seal."""
        ids = sorted(event_ids)
        if self._trail is None:
            await self._store.forget(runs, ids)
            return
        for start in range(0, len(ids), MAX_ENTRIES):
            some = ids[start : start + MAX_ENTRIES]
            await append_removal(self._trail, self._clock, some, reason)
            await self._store.forget((), some)
        await self._store.forget(runs, ())
