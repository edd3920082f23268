"""Promise 4: poison never stalls the log; it reaches the dead letters byte for byte, and all else is stored."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from headwater.collector.embedded import Embedded
from headwater.shared.codec import decode
from headwater.shared.errors import InvalidEventError
from headwater.shared.log import Record
from headwater.shared.names import DEFAULT_TOPIC, HEADER_REASON, dead_letter_topic
from tests.support.seeds import FULL, rng

from .documents import stored_ids
from .events import raw
from .poison import KINDS, poison

GOOD, BAD = (20_000, 1_000) if FULL else (4_000, 400)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_poison_is_poison(kind: str) -> None:
    for number in range(3 * len(KINDS)):
        name, message = poison(number, rng("poison", number))
        if name == kind:
            with pytest.raises(InvalidEventError) as refused:
                decode(message)
            assert refused.value.reason
            assert str(refused.value)


async def attack(directory: Path, good: int, bad: int) -> None:
    assert len(KINDS) >= 20
    source = rng("poison among good", good)
    messages = [(raw("good", number), True) for number in range(good)]
    messages += [(poison(number, source)[1], False) for number in range(bad)]
    source.shuffle(messages)
    embedded = Embedded(directory)
    await embedded.start()
    for at in range(0, len(messages), 1000):
        await embedded.log.append(DEFAULT_TOPIC, [Record(message) for message, _ in messages[at : at + 1000]])
    await embedded.drain()
    stored = await stored_ids(embedded.questions)
    letters = await embedded.log.read(dead_letter_topic(DEFAULT_TOPIC), 0, max_records=bad + 1)
    await embedded.stop()
    assert sorted(stored) == sorted(decode(message).event_id for message, fine in messages if fine)
    assert Counter(letter.value for letter in letters) == Counter(message for message, fine in messages if not fine)
    assert all(letter.header(HEADER_REASON) for letter in letters)


async def test_poison_among_good_events(tmp_path: Path) -> None:
    await attack(tmp_path, GOOD, BAD)


@pytest.mark.soak
async def test_a_thousand_poison_messages_among_twenty_thousand(tmp_path: Path) -> None:
    await attack(tmp_path, 20_000, 1_000)
