"""What headwater costs an application that only imports it, and one that has it turned off."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

from benchmarks.report import Measured

TITLE = "Import and disabled cost"
ROUNDS = 15
CALLS = 200_000


def run() -> list[Measured]:
    _start("import headwater.producer")  # so that its bytecode is there, as after an installation
    bare, ours = [], []
    for _ in range(ROUNDS):  # in turn, so that a noisy moment hits both
        bare.append(_start("pass"))
        ours.append(_start("import headwater.producer"))
    added = (sorted(ours)[ROUNDS // 2] - sorted(bare)[ROUNDS // 2]) * 1e3
    call = _disabled_call_us()
    return [
        Measured("import headwater.producer adds", f"{added:.1f} ms", "25 ms", added <= 25),
        Measured("a tracked call while disabled adds", f"{call:.2f} µs", "2 µs", call <= 2),
    ]


def _start(code: str) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - began


def _disabled_call_us() -> float:
    """In a process of its own: what is turned off there stays on here."""
    command = [sys.executable, "-c", "from benchmarks.imports import print_disabled_call; print_disabled_call()"]
    done = subprocess.run(command, env=os.environ | {"HEADWATER_DISABLED": "1"}, stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def print_disabled_call() -> None:
    """µs that a tracked call adds to a plain one."""
    from headwater.producer import track_lineage

    def plain(x: int) -> int:
        return x

    tracked = track_lineage("benchmark")(plain)
    print((_per_call(tracked) - _per_call(plain)) * 1e6)


def _per_call(function: Callable[[int], int]) -> float:
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for number in range(CALLS):
            function(number)
        best = min(best, (time.perf_counter() - began) / CALLS)
    return best
