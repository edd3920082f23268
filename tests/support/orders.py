"""Orders, duplicates and batches of one set of events: whatever the delivery, the answer must be the same."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Delivery(NamedTuple):
    """One way in which a set of events may come in."""

    how: str
    batches: list[list[bytes]]


def one_by_one(events: Sequence[bytes]) -> list[list[bytes]]:
    return [[event] for event in events]


def cut(events: Sequence[bytes], rng: random.Random, most: int = 5) -> list[list[bytes]]:
    """Batches of 1 to ``most`` events, in order."""
    batches, at = [], 0
    while at < len(events):
        size = rng.randint(1, most)
        batches.append(list(events[at : at + size]))
        at += size
    return batches


def with_duplicates(events: Sequence[bytes], rng: random.Random, share: float = 0.5) -> list[bytes]:
    """Every event once, some of them again at random later places."""
    out = list(events)
    for event in events:
        if rng.random() < share:
            out.insert(rng.randint(0, len(out)), event)
    return out


def shuffled(events: Sequence[bytes], rng: random.Random) -> list[bytes]:
    out = list(events)
    rng.shuffle(out)
    return out


def deliveries(events: Sequence[bytes], rng: random.Random, shuffles: int = 2) -> Iterator[Delivery]:
    """As given and reversed, one by one and in batches, doubled, and shuffled with and without duplicates."""
    backwards = list(reversed(events))
    yield Delivery("as given, one by one", one_by_one(events))
    yield Delivery("as given, one batch", [list(events)])
    yield Delivery("reversed, one by one", one_by_one(backwards))
    yield Delivery("reversed, doubled, one batch", [backwards + backwards])
    yield Delivery("a part, then everything, as after a retry", [list(events[: len(events) // 2]), list(events)])
    for number in range(shuffles):
        mixed = shuffled(events, rng)
        if number % 2 == 0:
            mixed = with_duplicates(mixed, rng)
        batches = one_by_one(mixed) if number % 3 == 1 else cut(mixed, rng)
        yield Delivery(f"shuffle {number}, batches of {[len(batch) for batch in batches]}", batches)
