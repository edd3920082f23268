"""One seed for a whole test run, printed at its head: ``HEADWATER_SEED=n`` repeats it, CI always uses the same one."""

from __future__ import annotations

import os
import random

IN_CI = bool(os.environ.get("CI"))
FULL = bool(os.environ.get("HEADWATER_FULL"))
"""Full counts (200 kills and so on) also in the everyday suite."""

SEED = int(os.environ.get("HEADWATER_SEED") or (20261129 if IN_CI else random.SystemRandom().randrange(2**31)))


def rng(*parts: object) -> random.Random:
    """Randomness of one place, the same whatever other tests ran."""
    return random.Random(f"{SEED}:" + ":".join(map(str, parts)))
