"""An application that emits to Kafka: run as a child, so that its log lines and its pace can be seen.

    python -m tests.integration.kafka.application FAMILY COUNT SECONDS

Emits COUNT events over SECONDS, then flushes as long as it takes; prints the slowest emit in ms and the statistics.
"""

from __future__ import annotations

import logging
import sys
import time

from headwater.producer import emit, flush, shutdown, stats
from tests.promises.events import raw


def main(family: str, count: int, seconds: float) -> None:
    logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
    slowest_s = 0.0
    for number in range(count):
        before_s = time.perf_counter()
        assert emit(raw(family, number))
        slowest_s = max(slowest_s, time.perf_counter() - before_s)
        time.sleep(seconds / count)
    done = flush(timeout_s=120)
    shutdown()
    told = stats()
    print(f"{slowest_s * 1000:.1f} {done} {told.emitted} {told.delivered} {sum(told.dropped.values())}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
