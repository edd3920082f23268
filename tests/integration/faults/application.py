"""An application with the real producer: run as a child.

    python -m tests.integration.faults.application FAMILY COUNT SECONDS FLUSH_S

Emits COUNT events over about SECONDS, flushes for FLUSH_S at most, and prints, as JSON, whether all were flushed and
the accounts.
"""

from __future__ import annotations

import json
import logging
import sys
import time

from headwater.producer import emit, flush, shutdown, stats
from tests.integration.faults.events import raw

_STEP = 20


def main(family: str, count: int, seconds: float, flush_s: float) -> None:
    logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
    begun_s = time.monotonic()
    for number in range(count):
        if number % _STEP == 0:
            time.sleep(max(0.0, begun_s + seconds * number / count - time.monotonic()))
        assert emit(raw(family, number))
    flushed = flush(timeout_s=flush_s)
    told = stats()
    shutdown()
    print(json.dumps({"flushed": flushed, "emitted": told.emitted, "delivered": told.delivered,
                      "spooled": told.spooled, "dropped": sum(told.dropped.values())}))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
