"""``python -m tests [pytest's arguments]``: all tests in three processes, see ``tests/support/lanes.py``.

What the first says is told at once, what the others say when all have ended; the last line sums them up.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from tests.support.bytecode import keep_bytecode
from tests.support.lanes import LANES
from tests.support.seeds import SEED

_NOTHING_TO_RUN = 5
_SUMMARY = re.compile(r"^(?:=+ )?(\d+ .+?) in [\d.]+s", re.MULTILINE)
_NO_RESULT = "deselected"
"""What one process leaves to the others."""


def main(arguments: list[str]) -> int:
    """The worst of the exit statuses."""
    begun_s = time.monotonic()
    keep_bytecode()
    environment = os.environ | {"HEADWATER_SEED": str(SEED), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "pytest", *arguments]
    with ExitStack() as stack:
        processes = [
            # Each writes a cache of its own.
            stack.enter_context(
                _started([*command, "-o", f"cache_dir=.pytest_cache/{lane}", "--lane", lane], environment)
            )
            for lane in LANES
        ]
        reading = stack.enter_context(ThreadPoolExecutor(len(LANES)))
        told = list(reading.map(_output, processes, [True, False, False]))
        statuses = [process.wait() for process in processes]
    for output in told[1:]:
        print(f"\n{output}", end="")
    counts: Counter[str] = sum(map(counted, told), Counter())
    words = ", ".join(f"{count} {word}" for word, count in counts.items()) or "no tests ran"
    print(f"\n{f' {words} in {time.monotonic() - begun_s:.2f}s ':=^120}", flush=True)
    if set(statuses) == {_NOTHING_TO_RUN}:
        return _NOTHING_TO_RUN
    return max(0 if status == _NOTHING_TO_RUN else abs(status) for status in statuses)


@contextmanager
def _started(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Its output goes into a pipe: tests of a full disk bound what a process may write to files."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    try:
        yield process
    finally:
        process.terminate()  # nothing to do where it has ended


def _output(process: subprocess.Popen[bytes], show: bool) -> str:
    """All of it; ``show``: at once, too."""
    assert process.stdout is not None
    said = b""
    while piece := os.read(process.stdout.fileno(), 65536):
        said += piece
        if show:
            sys.stdout.write(piece.decode(errors="replace"))
            sys.stdout.flush()
    return said.decode(errors="replace")


def counted(output: str) -> Counter[str]:
    """From the last summary: passed, failed, ..."""
    summaries = _SUMMARY.findall(output)
    pairs = (part.split(" ", 1) for part in summaries[-1].split(", ")) if summaries else ()
    return Counter({word.removesuffix("s"): int(count) for count, word in pairs if word != _NO_RESULT})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
