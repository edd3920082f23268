"""Marquez names versions by UUID and its clients parse them so; a generation's own name goes beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import md5
from uuid import UUID

from headwater.shared.event import Name

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def name_uuid(*parts: str) -> str:
    """A version 3 UUID of the parts, the same on every machine, as Java's ``UUID.nameUUIDFromBytes`` makes them."""
    digest = md5("\0".join(parts).encode(), usedforsecurity=False).digest()
    return str(UUID(bytes=digest, version=3))


def generation_uuid(dataset: Name, generation: str | None) -> str | None:
    """The UUID of one generation of a dataset (by its canonical name): itself if it is one."""
    if generation is None or _UUID.fullmatch(generation):
        return generation
    return name_uuid("generation", *dataset, generation)


def job_version_uuid(job: Name, inputs: Iterable[Name], outputs: Iterable[Name], location: str | None) -> str:
    """The UUID of a job as it reads, writes and is located."""
    sides = (["\0".join(each) for each in sorted(set(side))] for side in (inputs, outputs))
    return name_uuid("job", *job, *next(sides), "->", *next(sides), "@", location or "")
