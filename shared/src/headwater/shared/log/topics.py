"""Which topic names the logs accept: Kafka's rule, so that a topic can move between engines."""

from __future__ import annotations

import re

from ..errors import ConfigurationError

_LEGAL = re.compile(r"[a-zA-Z0-9._-]{1,249}", re.ASCII).fullmatch


def check_topic(topic: str) -> str:
    """The topic. Raises ConfigurationError for a name that Kafka would refuse."""
    if topic in (".", "..") or not _LEGAL(topic):
        raise ConfigurationError("topic", topic, "use 1 to 249 letters, digits and any of . _ -")
    return topic
