"""What aiokafka's errors mean for a log. The only place that knows its exceptions."""

from __future__ import annotations

from importlib.util import find_spec

from ...errors import ConfigurationError, HeadwaterError, PermanentError, TransientError

_TOO_LARGE = ("MessageSizeTooLargeError", "RecordListTooLargeError", "RecordTooLargeError")
_REFUSED = (*_TOO_LARGE, "InvalidTopicError")
_LARGE_REMEDY = "raise the topic's max.message.bytes, or send smaller events"


def too_large(error: BaseException) -> bool:
    """The broker, or the client for it, says that a record or its batch is over the limit."""
    return type(error).__name__ in _TOO_LARGE


def translated(error: BaseException, doing: str) -> HeadwaterError:
    """The error in headwater's words. ``doing``: what was tried, for people.

    Permanent is only what the record itself is to blame for. A password, a right or a codec that is missing can be
    mended while events wait, so it is transient.
    """
    if isinstance(error, HeadwaterError):
        return error
    name = type(error).__name__
    said = f"{doing}: {_words(error)}"
    if name in _REFUSED:
        return PermanentError(f"{said}; {_LARGE_REMEDY}" if name in _TOO_LARGE else said)
    if name == "UnsupportedCodecError":
        return TransientError(f"{said}; install what reads lz4, zstd and snappy: pip install cramjam")
    return TransientError(said)


def check_installed() -> None:
    """Loads nothing. Raises ConfigurationError where aiokafka is missing."""
    if find_spec("aiokafka") is None:
        raise ConfigurationError("url", "kafka://…", "needs aiokafka: pip install aiokafka")


def topic_missing(topic: str, servers: tuple[str, ...]) -> TransientError:
    """Says what to do; transient since somebody will."""
    return TransientError(
        f"topic {topic} does not exist on {','.join(servers)}: create it there, "
        "or set create_topics = true in [lineage.kafka]"
    )


def _words(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if text and text != type(error).__name__ else type(error).__name__
