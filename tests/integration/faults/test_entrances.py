"""Hostile names, poison and events that are too large meet the same answer at every entrance."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest

from headwater.shared.codec import decode
from headwater.shared.errors import InvalidEventError
from headwater.shared.limits import DEFAULT_LIMITS
from tests.integration.faults.entrances import ENTRANCES, Room
from tests.integration.faults.events import raw
from tests.integration.faults.evidence import undisturbed_fingerprint
from tests.promises.poison import KINDS, poison
from tests.servers.places import KafkaTopics
from tests.support import hostile
from tests.support.seeds import FULL, rng

NAMES = hostile.names(500)
IN_A_FILE = {"empty", "blank", "an array", "two values"}
"""No poison in a file: nothing, an array of events, one after the other."""
MENDED = {"NaN", "Infinity", "lone surrogate", "utf-16", "surrogate bytes"}
"""What JSON cannot say is mended by a producer before it is sent."""
BROKER_BYTES = 400_000


@pytest.fixture
def room(kafka_topics: KafkaTopics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Room:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("HEADWATER_URL", raising=False)
    return Room(tmp_path, kafka_topics)


@pytest.mark.parametrize("name", ENTRANCES)
async def test_hostile_names_come_back_as_they_were(name: str, room: Room) -> None:
    events = [hostile.event(each, number) for number, each in enumerate(NAMES)]
    found = await ENTRANCES[name](room, events)
    assert found.stored == {decode(event).event_id: event for event in events}
    assert not found.reasons
    assert found.fingerprint == await undisturbed_fingerprint(events)


@pytest.mark.parametrize("name", ENTRANCES)
async def test_poison_is_refused_and_takes_nothing_with_it(name: str, room: Room) -> None:
    source = rng("poison at an entrance")
    kinds = [kind for kind in KINDS if kind not in _no_poison_at(name)]
    bad = [KINDS[kind](json.loads(raw("poison", 2 * number)), source) for number, kind in enumerate(kinds)]
    bad.append(too_large(DEFAULT_LIMITS.max_event_bytes + 1))
    for each in bad:
        with pytest.raises(InvalidEventError):
            decode(each)
    good = [raw("good", number) for number in range(60)]
    mixed = good + bad
    source.shuffle(mixed)
    found = await ENTRANCES[name](room, mixed)
    assert found.stored == {decode(event).event_id: event for event in good}
    assert found.reasons.total() == len(bad), found.reasons
    assert found.fingerprint == await undisturbed_fingerprint(good)


def _no_poison_at(name: str) -> set[str]:
    if name == "headwater emit":
        return IN_A_FILE
    if name == "HTTP batch":
        return IN_A_FILE | {"random bytes"}  # joined with commas they are no element of an array, or several
    return MENDED if name.startswith("producer") else set()


OVER = {"HTTP batch": "a failed event", "headwater emit": "refused_by_broker", "producer to Kafka": "refused"}


@pytest.mark.parametrize("name", OVER)
async def test_what_is_over_the_brokers_limit_is_refused_and_takes_nothing_with_it(name: str, room: Room) -> None:
    """headwater would take it, the topic does not: whoever sends it is told so."""
    large = too_large(BROKER_BYTES + 50_000)
    decode(large)
    good = [raw("good", number) for number in range(60)]
    found = await ENTRANCES[name](room._replace(limit_bytes=BROKER_BYTES), [*good[:30], large, *good[30:]])
    assert found.stored == {decode(event).event_id: event for event in good}
    assert found.reasons == {OVER[name]: 1}


def too_large(size: int) -> bytes:
    """An event of this many bytes at least, that no compression makes much smaller."""
    event: dict[str, Any] = json.loads(raw("large", 0))
    event["run"]["facets"]["noise"] = {"noise": base64.b85encode(random.Random(size).randbytes(size)).decode()}
    return json.dumps(event).encode()


@pytest.mark.skipif(not FULL, reason="thousands of poison messages: HEADWATER_FULL=1")
async def test_thousands_of_poison_messages_in_kafka(room: Room) -> None:
    source = rng("much poison")
    bad = [poison(number, source)[1] for number in range(3000)]
    good = [raw("good", number) for number in range(3000)]
    mixed = good + bad
    source.shuffle(mixed)
    found = await ENTRANCES["Kafka"](room, mixed)
    assert len(found.stored) == len(good)
    assert found.reasons.total() == len(bad)
