"""Which part is killed when: drawn from the seed before anything starts."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

PARTS = ("collector", "neo4j", "mongo", "kafka")


class Kill(NamedTuple):
    """A SIGKILL of some parts at once, and their return."""

    at: float
    """When so large a part of the events is settled."""
    parts: tuple[str, ...]
    worker: int
    """Which of the collectors."""
    down_s: float

    def __str__(self) -> str:
        parts = [f"collector {self.worker + 1}" if part == "collector" else part for part in self.parts]
        return f"at {self.at:4.0%}: {' and '.join(parts)}, away for {self.down_s:.1f} s"


def kills(random: Random, each: int, *, workers: int) -> list[Kill]:
    """Every part is killed ``each`` times, in random order, now and then two of them at once."""
    order = [part for part in PARTS for _ in range(each)]
    random.shuffle(order)
    groups: list[tuple[str, ...]] = []
    for part in order:
        if groups and len(groups[-1]) == 1 and groups[-1] != (part,) and random.random() < 0.2:
            groups[-1] = (*groups[-1], part)
        else:
            groups.append((part,))
    step = 0.88 / len(groups)
    return [
        Kill(0.04 + step * (number + random.random()), parts, random.randrange(workers), random.uniform(0.2, 6.0))
        for number, parts in enumerate(groups)
    ]
