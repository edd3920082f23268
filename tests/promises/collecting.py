"""A child process that collects a local log until it is killed, or until nothing is left.

python -m tests.promises.collecting DIRECTORY
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from headwater.collector.embedded import Embedded


async def main(directory: Path) -> None:
    embedded = Embedded(directory)
    await embedded.start()
    os.write(1, b"started\n")
    await embedded.drain()
    os.write(1, b"drained\n")
    await embedded.stop()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
