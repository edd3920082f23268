"""A real collector: ``headwater up`` in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STOP_WITHIN_S = 60


def clean_environment(**more: str) -> dict[str, str]:
    """This process' environment without any setting of lineage."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HEADWATER_", "OPENLINEAGE"))}
    return kept | more


@contextmanager
def collector(directory: Path, port: int = 0) -> Iterator[str]:
    """Collects in ``directory`` while the block runs; gives its URL. It must end well."""
    command = [sys.executable, "-m", "headwater.collector.cli", "up", "--port", str(port), "--dir", str(directory)]
    directory.mkdir(parents=True, exist_ok=True)
    with (
        (directory.parent / f"{directory.name}.stderr").open("w") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=clean_environment(), cwd=directory
        ) as process,
    ):
        try:
            assert process.stdout is not None
            found = None
            while found is None and (line := process.stdout.readline()):
                found = re.search(r"http://[\d.]+:\d+", line)
            assert found, f"it does not start: {Path(errors.name).read_text()}"
            yield found.group()
        except BaseException:
            process.kill()
            raise
        process.send_signal(signal.SIGINT)
        assert process.wait(STOP_WITHIN_S) == 0, Path(errors.name).read_text()
