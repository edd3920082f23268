"""Process-wide settings of a collector process. Never called by a library function: the process must be ours."""

from __future__ import annotations

import gc
import sys

YOUNG_OBJECTS = 100_000
"""A batch makes some hundred thousand objects, none of them cyclic; Python's default of 700 would walk the living ones
over and over, a third of all CPU time."""

SWITCH_S = 0.0001
"""How long a thread that needs the interpreter waits for one that computes. Appending to the log and writing to SQLite
give it up many times in a batch; at Python's default of 5 ms each of those costs 5 ms while events are decoded."""


def tune_process() -> None:
    """For processes whose work is collecting: fewer cyclic collections, start-up objects left out of them, and threads
    that come back soon from the disk."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 20, 20)
    sys.setswitchinterval(SWITCH_S)
