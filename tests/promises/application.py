"""A child process that is an application: it works, some of its work fails, and lineage goes along as it may. Its last
line is what came of both, as JSON.

    python -m tests.promises.application COUNT [FILE_LIMIT_BYTES]
"""

from __future__ import annotations

import json
import resource
import sys

from headwater.producer import LineageDataset, current_run, run, shutdown, stats, track_lineage

SQUARES = LineageDataset("db", "squares")


@track_lineage("square")
def square(number: int) -> int:
    handle = current_run()
    if handle:
        handle.output(SQUARES, version=str(number))
    if number % 10 == 9:
        raise ValueError(number)
    return number * number


def main(count: int, limit: int | None) -> None:
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    done, failed = [], []
    with run("nightly"):
        for number in range(count):
            try:
                done.append(square(number))
            except ValueError as error:
                failed.append(error.args[0])
    shutdown(0.1)
    print(json.dumps({"done": done, "failed": failed, "lineage": dict(stats())}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
