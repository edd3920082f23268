"""From the UUID of a dataset's version, as either of Marquez's two, to the generation that it means."""

from __future__ import annotations

from typing import NamedTuple

from headwater.collector.questions.lookup import Lookup
from headwater.collector.stores.reading import Claim, Reader
from headwater.shared.event import Name

from .versions import SEEN, core_uuid, cores_of

MAX_SCANNED = 10_000
"""Newest generations that are looked through for one whose name is no UUID."""


class Meant(NamedTuple):
    """``claim`` None: the version of a dataset that nobody wrote."""

    dataset: Name
    """The canonical name."""
    claim: Claim | None


async def generation_meant(reader: Reader, dataset: Name, version: str) -> Meant | None:
    """The generation that a version's UUID means, None where there is none. ``dataset``: any of its names."""
    lookup = Lookup(reader)
    canonical = await lookup.canonical(dataset)
    cores = list(cores_of(canonical, version))
    if not cores:
        return None
    if SEEN in cores:
        return Meant(canonical, None)
    named = [(canonical, name) for core in cores for name in (f"~{core}", core)]
    if claims := await lookup.claims(named):
        return Meant(canonical, claims[0])
    for committed in (True, False):
        history = await reader.history(lookup.identity.members(canonical), committed=committed, limit=MAX_SCANNED)
        for claim in history:
            if core_uuid(claim.version) in cores:
                return Meant(canonical, claim)
    return None
