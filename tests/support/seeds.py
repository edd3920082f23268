"""One seed for a whole test run, printed at its head: ``HEADWATER_SEED=n`` repeats it, CI always uses the same one."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

IN_CI = bool(os.environ.get("CI"))
FULL = bool(os.environ.get("HEADWATER_FULL"))
"""Full counts (200 kills and so on) also in the everyday suite."""

SEED = int(os.environ.get("HEADWATER_SEED") or (20261129 if IN_CI else random.SystemRandom().randrange(2**31)))


def rng(*parts: object) -> random.Random:
    """Randomness of one place, the same whatever other tests ran."""
    return random.Random(f"{SEED}:" + ":".join(map(str, parts)))


def some(of_these: Sequence[T], count: int, *parts: object) -> list[T]:
    """So many of them, drawn for one place; all with HEADWATER_FULL."""
    return list(of_these) if FULL else rng("some", *parts).sample(list(of_these), min(count, len(of_these)))
