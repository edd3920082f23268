"""The seal policy: a collector seals what its stores keep, now and then, so that nobody has to remember to."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Final

from headwater.collector.audit.sealing import GRACE_S, Sealer
from headwater.collector.background import every, go_on
from headwater.collector.maintenance.parties import party_of
from headwater.collector.settings import Settings
from headwater.collector.sparse import SparseLog
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.sealing import Sealable
from headwater.shared.clock import Clock
from headwater.shared.errors import HeadwaterError

FIRST_S: Final = 60.0
"""The first round waits so long, if rounds are not more frequent: what is younger is not sealed anyway."""


class SealPolicy:
    """Of the stores of one collector. Several may seal one store: each seal is made by one of them."""

    def __init__(self, stores: CompositeLineageStore, clock: Clock) -> None:
        self._stores, self._clock = stores, clock
        self._lines = SparseLog(clock)

    async def round(self) -> int:
        """How many events were sealed. A store that fails, or that another collector seals, waits for the next round
        and is told of."""
        sealed = 0
        for member in self._stores.members.values():
            if member.opened:
                try:
                    sealed += await self._seal(member.store)
                except HeadwaterError as error:
                    self._lines.warning("sealing_waits", of=member.name, error=str(error))
        return sealed

    async def _seal(self, store: LineageStoreProtocol) -> int:
        if not isinstance(store, Sealable) or (party := party_of(store)) is None:
            return 0
        done = await Sealer(store.trail(), party.ids, grace_s=GRACE_S, clock=self._clock).run()
        return done.events


def seal_now_and_then(stack: AsyncExitStack, settings: Settings, stores: CompositeLineageStore, clock: Clock) -> None:
    """Lets the policy seal until the end of ``stack``; nothing where ``seal_every_s`` is 0."""
    every_s = settings.lineage.collector.seal_every_s
    if every_s:
        policy = SealPolicy(stores, clock)
        go_on(stack, every(every_s, policy.round, first_s=min(FIRST_S, every_s)), "headwater seals")
