"""What a stored document looks like, and the indexes that find it.

    _id          the event's id
    kind, type, time, run, job {namespace, name}   the envelope, for people; ``time`` is canonical text
    datasets     [{namespace, name}] of its inputs and outputs, left out where they are too much for a document
    keys         hashes of those datasets' names; ``jobKey``, and ``spaceKey`` of the job's namespace, likewise: names
                 may be longer than an index takes
    problems     [{where, message}] of parts that could not be read, beside ``faulty``; both absent if there are none
    receivedAt   when it was first stored; ``seq`` orders what was stored by arrival
    digest       of the bytes, so that a duplicate is known without reading them
    raw          the bytes as received, or ``parts``: the ids of documents in ``<collection>_parts`` that hold them

The body is bytes and nothing else, so that no key of it (``$where``, ``a.b``) means anything to the database, and no
number, order or spelling of it changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final

from bson import Binary, Int64

from headwater.collector.stores.base import ProjectedEvent
from headwater.shared.event import LineageEvent, Name

PART_BYTES: Final = 8 * 1024 * 1024
"""Of the bytes in one document: MongoDB takes 16 MiB, envelope included."""
MAX_NAMES_CHARS: Final = 1024 * 1024
"""Of all dataset names of an event together, up to which ``datasets`` spells them out."""
INDEXES: Final = {
    "headwater_time": [("time", 1), ("seq", 1)],
    "headwater_type": [("time", 1), ("type", 1)],
    "headwater_namespace": [("spaceKey", 1), ("time", 1), ("seq", 1)],
    "headwater_run": [("run", 1), ("time", 1), ("seq", 1)],
    "headwater_job": [("jobKey", 1), ("time", 1), ("seq", 1)],
    "headwater_faulty": [("faulty", 1)],
    "headwater_dataset": [("keys", 1), ("time", 1), ("seq", 1)],
}


def name_key(name: Name) -> str:
    """32 hex digits for a job's or dataset's name."""
    return blake2b(f"{name.namespace}\0{name.name}".encode(), digest_size=16).hexdigest()


def namespace_key(namespace: str) -> str:
    """32 hex digits for a namespace."""
    return blake2b(namespace.encode(), digest_size=16).hexdigest()


def digest(raw: bytes) -> str:
    """32 hex digits for the bytes."""
    return blake2b(raw, digest_size=16).hexdigest()


def document_of(projected: ProjectedEvent, *, received_at: str, seq: int) -> dict[str, Any]:
    """Without the bytes, see ``with_bytes``."""
    event, problems = projected.event, projected.projection.problems
    names = _datasets(event)
    found: dict[str, Any] = {
        "_id": event.event_id,
        "kind": event.kind,
        "type": event.event_type,
        "time": event.event_time,
        "receivedAt": received_at,
        "seq": Int64(seq),
        "digest": digest(event.raw),
        "keys": [name_key(name) for name in names],
    }
    if event.run_id is not None:
        found["run"] = event.run_id
    if event.job is not None:
        found["job"], found["jobKey"] = event.job._asdict(), name_key(event.job)
        found["spaceKey"] = namespace_key(event.job.namespace)
    if sum(len(name.namespace) + len(name.name) for name in names) <= MAX_NAMES_CHARS:
        found["datasets"] = [name._asdict() for name in names]
    if problems:
        found["faulty"] = True
        found["problems"] = [problem._asdict() for problem in problems[:1000]]
    return found


def _datasets(event: LineageEvent) -> list[Name]:
    mentions = (*event.inputs, *event.outputs, *((event.dataset,) if event.dataset else ()))
    return list(dict.fromkeys(mention.name for mention in mentions))


def parts_of(raw: bytes) -> list[dict[str, Any]]:
    """Documents that hold the bytes, named after them, so that two spellings of one event never mix; none if the bytes
    fit beside the envelope."""
    if len(raw) <= PART_BYTES:
        return []
    name = digest(raw)
    return [
        {"_id": f"{name}:{number}", "data": Binary(raw[start : start + PART_BYTES])}
        for number, start in enumerate(range(0, len(raw), PART_BYTES))
    ]


def body_of(raw: bytes, parts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The fields that say where the bytes are."""
    if ids := [part["_id"] for part in parts]:
        return {"digest": digest(raw), "parts": ids}
    return {"digest": digest(raw), "raw": Binary(raw)}
