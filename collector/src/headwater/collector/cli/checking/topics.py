"""Whether the topics' settings on the brokers are such that nothing is lost and nothing gets stuck."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from headwater.collector.topics import Topics
from headwater.shared.limits import DEFAULT_LIMITS
from headwater.shared.log.kafka.brokers import HEADROOM_BYTES

from .check import Check, ok, wrong
from .machine import size_text

_SIZE, _CLEANUP, _RETENTION, _RETENTION_BYTES = "max.message.bytes", "cleanup.policy", "retention.ms", "retention.bytes"
KEYS: Final = (_SIZE, _CLEANUP, _RETENTION, _RETENTION_BYTES)
"""What is asked for."""

_SHORT_MS = 24 * 3_600_000
"""An outage of a night must not cost events."""

Config = Mapping[str, str]


def topic_checks(
    topics: Topics, partitions: Mapping[str, int], configs: Mapping[str, Config], longest_delay_s: float
) -> list[Check]:
    """``partitions`` and ``configs`` by topic, of all that exist; ``longest_delay_s``: how long a retry may wait.

    A setting that loses events or holds an offset for ever is wrong; one that bounds what can be done is told.
    """
    hidden = sorted(set(partitions) - set(configs))
    if hidden:
        names = ", ".join(hidden)
        return [wrong("topic settings", f"cannot be read of {names}", "give this user the right to describe configs")]
    faults = [
        *_cleaned(configs),
        *_sizes(topics, configs),
        *_kept(topics, configs, longest_delay_s),
    ]
    return [*faults, *_told(topics, partitions, configs)]


def _cleaned(configs: Mapping[str, Config]) -> Iterator[Check]:
    for name, config in configs.items():
        if "compact" in config.get(_CLEANUP, ""):
            seen = f"{_CLEANUP}={config[_CLEANUP]}: of the events with one key all but the last are deleted"
            yield wrong(f"topic {name}", seen, f"set {_CLEANUP}=delete")


def _sizes(topics: Topics, configs: Mapping[str, Config]) -> Iterator[Check]:
    """An event that fits the main topic must fit the others with its envelope, or its offset is held for ever."""
    limit = _number(configs[topics.main], _SIZE)
    for name, config in configs.items():
        has = _number(config, _SIZE)
        if name != topics.main and limit is not None and has is not None and has < limit + HEADROOM_BYTES:
            seen = (
                f"takes messages of {size_text(has)}, and {topics.main} takes {size_text(limit)} without the envelope"
            )
            yield wrong(f"topic {name}", seen, f"set {_SIZE}={limit + HEADROOM_BYTES}")


def _kept(topics: Topics, configs: Mapping[str, Config], longest_delay_s: float) -> Iterator[Check]:
    for name, config in configs.items():
        kept_ms, kept_bytes = _number(config, _RETENTION), _number(config, _RETENTION_BYTES)
        if name == topics.dead_letters:
            for key, value in ((_RETENTION, kept_ms), (_RETENTION_BYTES, kept_bytes)):
                if value is not None and value != -1:
                    yield wrong(f"topic {name}", f"{key}={value}: dead letters are deleted unseen", f"set {key}=-1")
        elif name != topics.main and kept_ms is not None and 0 <= kept_ms < longest_delay_s * 1000 + _SHORT_MS:
            seen = f"{_RETENTION}={kept_ms}: an event may be deleted while it waits for its retry"
            yield wrong(f"topic {name}", seen, f"set {_RETENTION}={int(longest_delay_s * 1000) + _SHORT_MS} or more")


def _told(topics: Topics, partitions: Mapping[str, int], configs: Mapping[str, Config]) -> list[Check]:
    main, count = configs[topics.main], partitions[topics.main]
    limit, kept_ms = _number(main, _SIZE), _number(main, _RETENTION)
    notes = []
    if limit is not None and limit < DEFAULT_LIMITS.max_event_bytes:
        ours = size_text(DEFAULT_LIMITS.max_event_bytes)
        notes.append(f"larger events are refused, though headwater takes {ours}: raise {_SIZE}")
    if count == 1:
        notes.append("with one partition only one worker has work")
    narrow = [name for name, n in partitions.items() if n < count and name not in (topics.main, topics.dead_letters)]
    if narrow:
        notes.append(f"fewer partitions have {', '.join(sorted(narrow))}")
    if kept_ms is not None and 0 <= kept_ms < _SHORT_MS:
        notes.append(f"an outage longer than {kept_ms / 3_600_000:g} h loses events: raise {_RETENTION}")
    size = "unknown size" if limit is None else f"up to {size_text(limit)}"
    kept = "unknown time" if kept_ms is None else "ever" if kept_ms < 0 else f"{kept_ms / 3_600_000:g} h"
    return [ok("topic settings", f"{count} partitions, events of {size}, kept for {kept}", "; ".join(notes))]


def _number(config: Config, key: str) -> int | None:
    text = config.get(key, "")
    return int(text) if text.lstrip("-").isdigit() else None
