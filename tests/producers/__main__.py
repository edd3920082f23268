"""``python -m tests.producers build|pins [NAME...]``: the environments of the producers, and their pins."""

from __future__ import annotations

import argparse
import sys
import time

from tests.producers.environments import NAMES, compile_pins, environment, spark_jars
from tests.servers.errors import ServersError


def main() -> int:
    """The exit code: 0, or 1 when one could not be had."""
    parser = argparse.ArgumentParser(prog="python -m tests.producers", description="Environments of real producers.")
    parser.add_argument("command", choices=("build", "pins"), help="build: what they need; pins: renew them")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all by default")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in NAMES]:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    for name in options.names or NAMES:
        before = time.monotonic()
        if options.command == "pins":
            compile_pins(name)
        else:
            environment(name)
            if name == "spark":
                spark_jars()
        print(f"{name:12} ready after {time.monotonic() - before:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ServersError as error:
        sys.exit(str(error))
