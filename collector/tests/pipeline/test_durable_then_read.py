"""``accept`` returns once an event is durable; ``readable`` returns once it can be read."""

from __future__ import annotations

import asyncio

from headwater.collector.embedded import Embedded
from headwater.collector.pipeline import Outcome
from headwater.shared.codec import decode
from headwater.shared.errors import TransientError


def run_event(number: int) -> bytes:
    return (
        b'{"eventType":"START","eventTime":"2026-01-01T00:00:00Z","run":{"runId":"01900000-0000-7000-8000-%012d"},'
        b'"job":{"namespace":"jobs","name":"one"}}' % number
    )


async def test_what_was_accepted_is_read_after_readable(tmp_path):
    async with Embedded(tmp_path) as embedded:
        await embedded.ingest([run_event(0)])  # from here on the pipeline knows where it stands
        for number in range(1, 40):
            event = decode(run_event(number))
            settlements = await embedded.accept([event])
            assert [each.outcome for each in settlements] == [Outcome.LOGGED]
            await embedded.readable()
            assert await embedded.questions.run(str(event.run_id)) is not None


async def test_many_who_accept_and_read_at_once(tmp_path):
    async with Embedded(tmp_path) as embedded:

        async def one(number: int) -> bool:
            event = decode(run_event(number))
            await embedded.accept([event])
            await embedded.readable()
            return await embedded.questions.run(str(event.run_id)) is not None

        assert all(await asyncio.gather(*(one(number) for number in range(300))))


async def test_while_a_store_is_down_it_says_what_it_knows_and_reads_do_not_wait(tmp_path):
    async with Embedded(tmp_path) as embedded:
        await embedded.ingest([run_event(0)])
        store = embedded.manager.stores.members["sql"]
        store.defer(TransientError("gone"))
        accepting = asyncio.create_task(embedded.accept([decode(run_event(1))]))
        await asyncio.sleep(0.05)
        assert not accepting.done()
        await embedded.readable()
        settlements = await accepting  # the breaker lets a probe through, and the store is well
        assert [each.outcome for each in settlements] == [Outcome.STORED]
