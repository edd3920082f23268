"""Partition instances: one generation of a dataset, by a UUID that everybody can work out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID, uuid5

from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.shapes import Json, name_json, time_json
from headwater.collector.stores.reading import Claim
from headwater.shared.event import Name

INSTANCES: Final = UUID("fe5beb81-2237-5bea-abbe-ecaabff515b5")
"""The namespace of the UUIDs, itself version 5 of the URL ``urn:headwater:partition-instance``; never to be changed."""


def instance_id(dataset: Name, version: str) -> str:
    """UUID version 5 (RFC 9562) of ``namespace NUL name NUL version``, the dataset by its canonical name."""
    return str(uuid5(INSTANCES, f"{dataset.namespace}\0{dataset.name}\0{version}"))


def instance_json(dataset: Name, version: str) -> Json:
    """What every mention of an instance begins with."""
    return {"dataset": name_json(dataset), "version": version, "uuid": instance_id(dataset, version)}


def claim_json(lookup: Lookup, claim: Claim) -> Json:
    """An instance that a run wrote; ``committedAt`` None: a candidate."""
    dataset = lookup.identity.of(claim.dataset)
    return {**instance_json(dataset, claim.version), "runId": claim.run, "committedAt": time_json(claim.commit_time)}


def by_run(lookup: Lookup, claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    """What each run wrote, in the order of names and versions."""
    found: dict[str, list[Claim]] = {}
    for claim in sorted(claims, key=lambda claim: (lookup.identity.of(claim.dataset), claim.version)):
        found.setdefault(claim.run, []).append(claim)
    return found
