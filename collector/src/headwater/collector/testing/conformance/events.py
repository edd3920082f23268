"""Events to write: plain ones in numbers, spellings that a parser would lose, large ones, random histories."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from headwater.collector.projection import project
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.testing.reference.histories import Event, Historian
from headwater.shared.codec import decode

PRODUCER = "https://example.org/conformance"
SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"


SEEDS = st.integers(0, 2**32 - 1)
"""Of random histories: as a strategy, the seed is much cheaper to draw than the history."""


@lru_cache(maxsize=8192)
def projected(raw: bytes) -> ProjectedEvent:
    """As the pipeline hands it to stores. Projecting is pure, so one projection serves every order."""
    event = decode(raw)
    return ProjectedEvent(event, project(event))


def run_event(number: int, *, word: str = "COMPLETE", time: str = "2026-01-01T00:00:00Z", **more: Any) -> Event:
    """An event of the run of that number."""
    event: Event = {
        "eventType": word,
        "eventTime": time,
        "producer": PRODUCER,
        "schemaURL": SCHEMA,
        "run": {"runId": f"00000000-0000-7000-8000-{number:012x}"},
        "job": {"namespace": "jobs", "name": f"job {number % 20}"},
        "inputs": [{"namespace": "db", "name": f"table {number % 50}"}],
        "outputs": [{"namespace": "db", "name": f"table {(number + 1) % 50}"}],
    }
    return event | more


def many(count: int, *, first: int = 0) -> list[bytes]:
    """Different small events, each of a run of its own."""
    return [
        encoded(run_event(number, time=f"2026-01-{1 + number % 28:02d}T{number % 24:02d}:00:00Z"))
        for number in range(first, first + count)
    ]


def history(source: random.Random, runs: int = 8) -> list[bytes]:
    """A random history of few names, so that everything meets everything; each event once."""
    return list(dict.fromkeys(encoded(event) for event in Historian(source, runs=runs).history()))


def wants(source: random.Random, count: int = 6) -> list[bytes]:
    """Random wants, and runs of ``history`` that serve and spawn them."""
    ids = [f"00000000-0000-4000-8000-{number:012x}" for number in range(count)]
    stamp = {"_producer": PRODUCER, "_schemaURL": PRODUCER}
    found: list[Event] = []
    for number in range(2 * count):
        names = [{"namespace": "db", "name": name} for name in source.sample("abcde", source.randint(1, 3))]
        said = {"headwater_want": {**stamp, "partitions": names, "comment": source.choice([None, "é", "x"])}}
        dataset = {"namespace": "headwater:wants", "name": source.choice(ids), "facets": said}
        time = f"2026-01-0{source.randint(1, 3)}T00:00:00Z"
        found.append({"eventTime": time, "producer": PRODUCER, "schemaURL": SCHEMA, "dataset": dataset})
        run = f"00000000-0000-0000-0000-{0x1000 + source.randrange(count):012x}"
        facets: dict[str, Any] = {"headwater_wants": {**stamp, "wants": source.sample(ids, source.randint(1, 2))}}
        spawned: list[dict[str, Any]] = [{"id": want} for want in source.sample(ids, source.randint(0, 2))]
        if number % 2:
            spawned += [{"id": source.choice(ids), "partitions": names}]
        facets["headwater_dep_miss"] = {**stamp, "missing": names, "wants": spawned}
        word = source.choice(["OTHER", "FAIL", "ABORT", "START"])
        found.append(run_event(number, word=word, time=time, run={"runId": run, "facets": facets}))
    return [encoded(event) for event in found]


def encoded(event: Event) -> bytes:
    return json.dumps(event, ensure_ascii=False).encode()


def spellings() -> list[bytes]:
    """Different events, in JSON that no encoder gives back after parsing, and with parts that cannot be read."""
    odd: dict[str, Any] = {"$where": {"a.b": [[], {}, [[]]]}, "": {"": ""}, "é": "e\u0301", "n": [1.0, -0.0, 1e300]}
    said: dict[str, Any] = {"run": {"runId": f"00000000-0000-7000-8000-{999:012x}", "facets": {"bad": 1, "odd": odd}}}
    plain = [encoded(run_event(1000 + number)).decode() for number in range(6)]
    texts = [
        json.dumps(json.loads(plain[0]), indent=4) + "\n\n",
        json.dumps(dict(reversed(json.loads(plain[1]).items())), separators=(",", ":")),
        plain[2].replace('"job 2"', r'"\u006aob\/2 \ud83d\ude00"'),
        plain[3].replace('{"eventType"', '\r\n{\t"z": 1E+2, "y": 1.10, "x": 123456789012345678, "a": -0 ,"eventType"'),
        plain[4].replace('"COMPLETE"', '"complete"'),
        encoded(run_event(999, **said)).decode(),
    ]
    return [text.encode() for text in texts]


def large(size: int, number: int) -> bytes:
    """An event of exactly so many bytes, in a facet that does not compress well."""
    filler = seeded(size).randbytes(size // 2 + 1).hex()
    event = run_event(number)
    event["run"]["facets"] = {"large": {"_producer": PRODUCER, "_schemaURL": PRODUCER, "text": ""}}
    room = size - len(encoded(event))
    event["run"]["facets"]["large"]["text"] = filler[:room]
    return encoded(event)


def seeded(seed: int) -> random.Random:
    """Randomness that is the same in every run."""
    return random.Random(seed)  # noqa: S311


def cut(events: Sequence[bytes], size: int) -> list[Sequence[bytes]]:
    """Batches of at most ``size``, in order."""
    return [events[start : start + size] for start in range(0, len(events), size)]
