"""An application that emits to Kafka: run as a child, so that its log lines and what its calls do can be seen.

    python -m tests.integration.kafka.application FAMILY COUNT SECONDS

Emits COUNT events over SECONDS, then flushes as long as it takes. Prints, as JSON, the accounts and what the calls to
``emit`` did with the network: an audit hook sees every socket that the calling thread makes, connects or sends through,
and every name that it looks up.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from typing import Any

from headwater.producer import emit, flush, shutdown, stats
from tests.promises.events import raw

_NETWORK = ("socket.", "ssl.")


class Watch:
    """What the main thread did with the network while it was inside."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._main, self._inside = threading.get_ident(), False
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._inside and event.startswith(_NETWORK) and threading.get_ident() == self._main:
            self.seen.add(event)

    def __enter__(self) -> None:
        self._inside = True

    def __exit__(self, *error: object) -> None:
        self._inside = False


def main(family: str, count: int, seconds: float) -> None:
    logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
    watch = Watch()
    for number in range(count):
        with watch:
            assert emit(raw(family, number))
        time.sleep(seconds / count)
    flushed = flush(timeout_s=150)
    shutdown()
    told = stats()
    print(json.dumps({"flushed": flushed, "emitted": told.emitted, "delivered": told.delivered,
                      "dropped": sum(told.dropped.values()), "network": sorted(watch.seen)}))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
