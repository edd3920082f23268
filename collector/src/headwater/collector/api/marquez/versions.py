"""Marquez names versions by UUID and its clients parse them so; a generation's own name goes beside it.

Marquez has two UUIDs for one version of a dataset: the one in ``currentVersion`` and ``versions``, and the one that
runs name. Both are made here from the generation, by a step that can be taken back, so that either can be looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import md5
from typing import Final

from headwater.shared.event import Name
from headwater.shared.runid import dashed

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FREE: Final = (1 << 128) - 1 - (0xF << 76) - (0x3 << 62)
"""All bits of a UUID but those that say its version and variant."""
_LISTED, _NAMED_BY_RUNS = "dataset version", "dataset version of a run"


def name_uuid(*parts: str) -> str:
    """A version 3 UUID of the parts, the same on every machine, as Java's ``UUID.nameUUIDFromBytes`` makes them."""
    digest = bytearray(md5("\0".join(parts).encode(), usedforsecurity=False).digest())
    digest[6] = digest[6] & 0x0F | 0x30
    digest[8] = digest[8] & 0x3F | 0x80
    return dashed(digest.hex())


SEEN: Final = name_uuid("seen")
"""Stands for the generation of a dataset that nobody wrote, as far as is known."""


@lru_cache(maxsize=16_384)
def generation_uuid(dataset: Name, generation: str | None) -> str:
    """As in ``currentVersion`` and the list of versions; ``dataset`` is the canonical name. None: nobody wrote it."""
    return _shifted(core_uuid(generation), _LISTED, dataset)


@lru_cache(maxsize=16_384)
def run_generation_uuid(dataset: Name, generation: str | None) -> str:
    """As runs name what they read and wrote."""
    return _shifted(core_uuid(generation), _NAMED_BY_RUNS, dataset)


def core_uuid(generation: str | None) -> str:
    """The same for every dataset: the run that an undeclared generation is named by, the generation if it is a UUID,
    else a hash of it."""
    if generation is None:
        return SEEN
    text = generation.removeprefix("~")
    return text if _UUID.fullmatch(text) else name_uuid("generation", generation)


def cores_of(dataset: Name, version: str) -> Iterator[str]:
    """The core UUIDs that a version's UUID may have been made from. Nothing where it is no UUID."""
    if _UUID.fullmatch(version):
        for kind in (_LISTED, _NAMED_BY_RUNS):
            yield _shifted(version, kind, dataset)


def _shifted(core: str, kind: str, dataset: Name) -> str:
    """Its own inverse."""
    return dashed(f"{int(core.replace('-', ''), 16) ^ _mask(kind, dataset):032x}")


@lru_cache(maxsize=16_384)
def _mask(kind: str, dataset: Name) -> int:
    return int(name_uuid(kind, *dataset).replace("-", ""), 16) & _FREE


def is_uuid(text: str) -> bool:
    """In the form that this server writes."""
    return _UUID.fullmatch(text) is not None


def job_version_uuid(job: Name, inputs: Iterable[Name], outputs: Iterable[Name], location: str | None) -> str:
    """The UUID of a job as it reads, writes and is located."""
    return _job_version_uuid(job, tuple(inputs), tuple(outputs), location)


@lru_cache(maxsize=16_384)
def _job_version_uuid(job: Name, inputs: tuple[Name, ...], outputs: tuple[Name, ...], location: str | None) -> str:
    """Remembered: of one version there are many runs."""
    read, written = (["\0".join(each) for each in sorted(set(side))] for side in (inputs, outputs))
    return name_uuid("job", *job, *read, "->", *written, "@", location or "")


def current_job_version_uuid(version: str) -> str:
    """As in a job's ``currentVersion``, which Marquez keeps apart from the version that the job's runs name."""
    return name_uuid("current", version)
