"""What ``headwater doctor`` makes of topics' settings."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.collector.cli.checking.check import Check, Verdict
from headwater.collector.cli.checking.topics import topic_checks
from headwater.collector.topics import Topics

T = Topics("events")
MIB = 1 << 20
WELL = {"cleanup.policy": "delete", "retention.bytes": "-1", "retention.ms": str(7 * 86_400_000)}


def configs(**changed: dict[str, str]) -> dict[str, dict[str, str]]:
    """As `--create-topics` makes them on brokers that take 16 MiB and more; ``changed`` by main, retry or dlq."""
    large, larger = str(17 * MIB), str(17 * MIB + 128 * 1024)
    found = {
        T.main: WELL | {"max.message.bytes": large},
        T.retry(1): WELL | {"max.message.bytes": larger},
        T.dead_letters: WELL | {"max.message.bytes": larger, "retention.ms": "-1"},
    }
    for name, more in changed.items():
        found[{"main": T.main, "retry": T.retry(1), "dlq": T.dead_letters}[name]] |= more
    return found


def checks(partitions: tuple[int, int, int] = (6, 6, 1), **changed: Any) -> list[Check]:
    counts = dict(zip((T.main, T.retry(1), T.dead_letters), partitions, strict=True))
    return topic_checks(T, counts, configs(**changed), 600.0)


def test_topics_as_headwater_makes_them_are_well() -> None:
    [check] = checks()
    assert (check.verdict, check.remedy) == (Verdict.OK, "")
    assert check.seen == "6 partitions, events of up to 17 MiB, kept for 168 h"


@pytest.mark.parametrize(
    ("changed", "topic", "remedy"),
    [
        ({"main": {"cleanup.policy": "compact"}}, T.main, "set cleanup.policy=delete"),
        ({"dlq": {"cleanup.policy": "compact,delete"}}, T.dead_letters, "set cleanup.policy=delete"),
        ({"dlq": {"retention.ms": "604800000"}}, T.dead_letters, "set retention.ms=-1"),
        ({"dlq": {"retention.bytes": "1000"}}, T.dead_letters, "set retention.bytes=-1"),
        ({"dlq": {"max.message.bytes": "1048588"}}, T.dead_letters, "set max.message.bytes=17956864"),
        ({"retry": {"max.message.bytes": str(17 * MIB)}}, T.retry(1), "set max.message.bytes=17956864"),
        ({"retry": {"retention.ms": "3600000"}}, T.retry(1), "set retention.ms=87000000 or more"),
    ],
)
def test_what_loses_events_or_gets_stuck_is_wrong(changed: Any, topic: str, remedy: str) -> None:
    wrong, told = checks(**changed)
    assert (wrong.name, wrong.verdict, wrong.remedy) == (f"topic {topic}", Verdict.WRONG, remedy)
    assert told.verdict is Verdict.OK


@pytest.mark.parametrize(
    ("partitions", "changed", "note"),
    [
        ((6, 6, 1), {"main": {"max.message.bytes": "1048588"}}, "larger events are refused, though headwater takes"),
        ((1, 1, 1), {}, "with one partition only one worker has work"),
        ((6, 2, 1), {}, "fewer partitions have events.retry.1"),
        ((6, 6, 1), {"main": {"retention.ms": "7200000"}}, "an outage longer than 2 h loses events"),
    ],
)
def test_what_bounds_is_told(partitions: tuple[int, int, int], changed: Any, note: str) -> None:
    [check] = checks(partitions, **changed)
    assert check.verdict is Verdict.OK
    assert note in check.remedy


def test_settings_that_may_not_be_read_are_told() -> None:
    [check] = topic_checks(T, {T.main: 1, T.dead_letters: 1}, {T.main: WELL}, 0.0)
    assert check.verdict is Verdict.WRONG
    assert T.dead_letters in check.seen
