"""The check that a store is durable before ``write`` returns."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from collections.abc import Sequence

from headwater.collector.testing.conformance.base import Checks
from headwater.collector.testing.conformance.child import KILLED, Orders
from headwater.collector.testing.conformance.events import cut, history, many, seeded
from headwater.collector.testing.conformance.places import Place


class DurabilityChecks(Checks):
    """What a collector commits after ``write`` must outlive the collector."""

    def test_what_was_written_survives_a_kill(self, place: Place) -> None:
        """A process writes, and is killed by SIGKILL as soon as ``write`` returned; another one reads."""
        events = [*history(seeded(4), runs=6), *many(30)]

        async def check() -> None:
            await asyncio.to_thread(self._write_and_die, place, cut(events, 20))
            async with place.opened() as store:
                await self.must_hold(store, events, when="after the writing process was killed")

        self.run(check())

    def _write_and_die(self, place: Place, batches: Sequence[Sequence[bytes]]) -> None:
        module = sys.modules[type(self).__module__]
        try:
            maker = pickle.dumps(place.make_store)
        except Exception as error:  # pickle raises whatever it met
            self.fail(
                f"make_store cannot be handed to another process ({error}): use a function of a module, with "
                "functools.partial for its arguments"
            )
        orders = Orders(sys.path, module.__name__, module.__file__ or "", maker, place.name, batches)
        child = subprocess.run(
            [sys.executable, "-m", "headwater.collector.testing.conformance.child"],
            input=pickle.dumps(tuple(orders)), capture_output=True, timeout=self.check_timeout_s, check=False,
        )  # fmt: skip
        if child.returncode != KILLED:
            self.fail(f"the process that writes failed:\n{child.stderr.decode(errors='replace')}")
