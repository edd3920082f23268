"""A child process that emits numbered events until it is killed, and tells each that ``emit`` took.

    python -m tests.promises.emitter FAMILY COUNT [flush]

Where to comes from the environment, as in any application: HEADWATER_URL, HEADWATER_SPOOL, HEADWATER_APPLICATION.
"""

from __future__ import annotations

import os
import sys

from headwater.producer import emit, flush, shutdown

from .events import raw


def main(family: str, count: int, wait: bool) -> None:
    for number in range(count):
        if emit(raw(family, number)):
            os.write(1, b"%d\n" % number)
    if wait:
        flush(timeout_s=60)
        shutdown()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), "flush" in sys.argv)
