"""A child process that ingests batches and single events side by side until it is killed, and tells of each that was
answered as stored.

    python -m tests.promises.ingesting DIRECTORY LIFE
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from headwater.collector.embedded import Embedded
from headwater.collector.pipeline import Outcome

from .events import of_sender

SIZES = (400, 300, 1, 1, 1)


async def send(embedded: Embedded, life: str, place: int, size: int) -> None:
    for number in range(1_000_000):
        sender = f"{life}-{place}-{number}"
        settlements = await embedded.ingest(of_sender(sender, size))
        if all(settlement.outcome is Outcome.STORED for settlement in settlements):
            os.write(1, f"{sender} {size}\n".encode())


async def main(directory: Path, life: str) -> None:
    async with Embedded(directory) as embedded:
        await asyncio.gather(*(send(embedded, life, place, size) for place, size in enumerate(SIZES)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
