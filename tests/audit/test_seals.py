"""Seals: whatever is altered or removed behind headwater's back is found, and which event it is."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import pytest

from headwater.collector.audit.sealing import Sealed, Sealer, append_removal, entries_of, next_seal
from headwater.collector.audit.verifying import Anchor, Verified, Verifier
from headwater.collector.stores.sealing import Seal
from headwater.shared.clock import SystemClock
from headwater.shared.codec import decode
from tests.evidence.story import event
from tests.support.seeds import rng
from tests.support.worlds import projected

from .places import PLACES, Place


@pytest.fixture(params=PLACES)
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    async with PLACES[request.param]() as made:
        yield made


def raws(count: int, first: int = 0) -> list[bytes]:
    return [json.dumps(event(f"run {number}", "COMPLETE", 1, "job")).encode() for number in range(first, first + count)]


def some(items: list[bytes], size: int = 1000) -> Iterator[list[bytes]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


async def store(place: Place, events: list[bytes]) -> list[str]:
    for batch in some(events):
        await place.store.write([projected(raw) for raw in batch])
    return [decode(raw).event_id for raw in events]


async def seal(place: Place, *, sweep: bool = False) -> Sealed:
    return await Sealer(place.trail, place.ids, grace_s=0).run(sweep=sweep)


async def verify(place: Place, *anchors: Anchor) -> Verified:
    return await Verifier(place.trail, place.ids, anchors=anchors).run()


def anchor(seal: Seal | None) -> Anchor:
    assert seal is not None
    return Anchor(seal.number, seal.hash.hex())


async def test_what_was_not_touched_is_intact(place: Place) -> None:
    assert (await verify(place)).as_dict()["intact"] is True, "an empty store is intact"
    ids = await store(place, raws(30))
    done = await seal(place)
    assert (done.events, done.seals, done.late) == (30, 1, 0)
    assert (await seal(place)).seals == 0, "nothing new, nothing to seal"
    await store(place, raws(30))
    await store(place, [json.dumps(json.loads(raws(1)[0]), indent=2).encode()])  # the same event, spelled otherwise
    checked = await verify(place, anchor(done.head))
    assert (checked.intact, checked.anchored, checked.events, checked.unsealed) == (True, True, len(ids), 0)
    await store(place, raws(5, 100))
    assert (await verify(place)).unsealed == 5
    assert (await seal(place)).events == 5
    assert (await verify(place)).intact


async def test_an_altered_and_a_removed_event_are_named(place: Place) -> None:
    ids = await store(place, raws(40))
    await seal(place)
    place.tamper.alter(ids[17], b"COMPLETE", b"FAIL")
    place.tamper.remove(ids[23])
    checked = await verify(place)
    assert {(each.kind, each.event_id) for each in checked.findings} == {("altered", ids[17]), ("missing", ids[23])}
    assert not checked.intact


async def test_an_altered_chain_is_told(place: Place) -> None:
    for number in range(4):
        await store(place, raws(3, number * 10))
        done = await seal(place)
    place.tamper.alter_seal(2)
    checked = await verify(place)
    assert [(each.kind, each.seal) for each in checked.findings] == [("chain", 2)]
    place.tamper.remove_seals(3)
    cut = await verify(place, anchor(done.head))
    assert ("anchor", 4) in {(each.kind, each.seal) for each in cut.findings}
    assert cut.unsealed == 3, "what the lost seals named is not sealed"


async def test_a_chain_made_anew_shows_against_a_kept_head(place: Place) -> None:
    ids = await store(place, raws(10))
    kept = anchor((await seal(place)).head)
    place.tamper.alter(ids[3], b"COMPLETE", b"FAIL")
    place.tamper.remove_seals(0)
    await seal(place)
    assert (await verify(place)).intact, "without a head that was kept elsewhere nothing shows"
    assert [each.kind for each in (await verify(place, kept)).findings] == ["anchor"]


async def test_late_events_are_swept_in(place: Place) -> None:
    """As where two writers overlap: the one with the lesser place is seen later."""
    await store(place, raws(10))
    ids = await store(place, raws(1, 50))
    await seal(place)
    first = (await place.trail.seals(0, 10))[0]
    assert first.size == 11
    # The same chain, as if one event had not been visible when it was made.
    place.tamper.remove_seals(0)
    pairs = [(each.hex(), content) for each, content in first.pairs() if each.hex() != ids[0]]
    forged = next_seal(None, "events", entries_of(pairs), through=first.through, reason="", sealed_at=first.sealed_at)
    assert await place.trail.append(forged)
    checked = await verify(place)
    assert (checked.intact, checked.unsealed, checked.late) == (True, 1, 1)
    done = await seal(place)
    assert (done.swept, done.late, done.events) == (True, 1, 1)
    checked = await verify(place)
    assert (checked.intact, checked.unsealed, checked.late) == (True, 0, 0)


async def test_what_is_taken_away_on_purpose_is_no_finding(place: Place) -> None:
    ids = await store(place, raws(10))
    await seal(place)
    await append_removal(place.trail, SystemClock(), ids[:3], "runs older than 90 days")
    for event_id in ids[:3]:
        place.tamper.remove(event_id)
    checked = await verify(place)
    assert (checked.intact, checked.events, checked.removed) == (True, 10, 3)
    await store(place, raws(1))
    checked = await verify(place)
    assert [(each.kind, each.event_id) for each in checked.findings] == [("returned", ids[0])]


async def test_young_events_wait(place: Place) -> None:
    await store(place, raws(5))
    assert (await Sealer(place.trail, place.ids, grace_s=3600).run()).head is None
    assert (await verify(place)).unsealed == 5


async def test_of_two_sealers_one_makes_each_seal(place: Place) -> None:
    await store(place, raws(5))
    done = await seal(place)
    assert done.head is not None
    assert not await place.trail.append(done.head)
    assert (await verify(place)).seals == 1


@pytest.mark.soak
async def test_one_tampered_event_of_100_000_is_found() -> None:
    random = rng("tamper")
    async with PLACES["sqlite"]() as place:
        ids = await store(place, raws(100_000))
        head = (await seal(place)).head
        altered, removed = random.sample(ids, 2)
        place.tamper.alter(altered, b"2026-03-02T02:01:00Z", b"2026-03-02T02:01:01Z")
        place.tamper.remove(removed)
        checked = await verify(place, anchor(head))
    assert {(each.kind, each.event_id) for each in checked.findings} == {("altered", altered), ("missing", removed)}
    assert checked.events == 100_000
