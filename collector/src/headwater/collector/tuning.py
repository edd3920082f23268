"""Process-wide settings of a collector process. Never called by a library function: the process must be ours."""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 100_000
"""A batch makes some hundred thousand objects, none of them cyclic; Python's default of 700 would walk the living ones
over and over, a third of all CPU time."""


def tune_process() -> None:
    """For processes whose work is collecting: fewer cyclic collections, start-up objects left out of them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 20, 20)
