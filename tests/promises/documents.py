"""What the documents hold, through the public reader."""

from __future__ import annotations

from headwater.collector.questions import Questions
from headwater.collector.stores.reading import EventFilter


async def stored_ids(questions: Questions) -> list[str]:
    """The id of every stored document, as often as it is stored."""
    found: list[str] = []
    while True:
        total, page = await questions.events(EventFilter(), limit=5000, offset=len(found))
        found += [document.event_id for document in page]
        if not page or len(found) >= total:
            return found
