"""The last part: the API over what was collected."""

from __future__ import annotations

from headwater.collector.api import create_app, serve
from headwater.collector.embedded import Embedded
from headwater.shared.errors import ConfigurationError

from .story import Story


async def serve_until_interrupted(embedded: Embedded, port: int, story: Story) -> None:
    """Serves on ``port``, or on a free one if that is taken, until Ctrl-C."""
    app = create_app(embedded)
    try:
        await serve(app, port=port, started=story.serving)
    except ConfigurationError as error:
        story.say(f"{error}. Taking a free one.")
        await serve(app, port=0, started=story.serving)
