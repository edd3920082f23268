"""`make bench`: every benchmark, its ratios taken in one run. `python -m benchmarks NAME...` runs some."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys

NAMES = ("emit", "imports", "collect", "ingest", "lineage")
LONG = ("memory", "servers", "reads", "evidence")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        choices=[[], *NAMES, *LONG],
        default=[],
        metavar="NAME",
        help=f"{', '.join(NAMES)} (the default), or {', '.join(LONG)}",
    )
    names = parser.parse_args().names or NAMES
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}\n")
    missed = 0
    for name in names:
        module = importlib.import_module(f"benchmarks.{name}")
        rows = module.run()
        from benchmarks.report import table

        print(table(module.TITLE, rows), flush=True)
        missed += sum(row.met is False for row in rows)
    if missed:
        print(f"{missed} goals missed", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
