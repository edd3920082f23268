"""Marquez's nodeId: ``dataset:NAMESPACE:NAME`` or ``job:NAMESPACE:NAME``, in which nothing is escaped.

A namespace and a name may both hold colons, so every split is a candidate and what exists decides. Some clients encode
the two parts, so the decoded parts are candidates too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from headwater.collector.questions.lineage import NodeKind
from headwater.collector.questions.lookup import Lookup
from headwater.collector.stores.reading import Reader
from headwater.shared.event import Name
from headwater.shared.limits import DEFAULT_LIMITS

from .answers import bad_request, not_found

_MAX_NODE_ID_CHARS = 3 * 2 * DEFAULT_LIMITS.max_name_chars + 64
_AT_ONCE = 64
"""Candidates asked about in one fetch."""
_NOUNS: dict[NodeKind, str] = {"job": "Job", "dataset": "Dataset"}


class Node(NamedTuple):
    """A job or dataset that exists."""

    kind: NodeKind
    name: Name


def node_id(kind: NodeKind, name: Name) -> str:
    """As Marquez writes it."""
    return f"{kind}:{name.namespace}:{name.name}"


async def resolve(reader: Reader, text: str | None, kind: str | None, namespace: str | None, name: str | None) -> Node:
    """The node that ``nodeId`` or else ``namespace``, ``name`` and ``kind`` mean. Raises Refusal 400 or 404."""
    if text is None:
        return await _by_name(reader, kind, namespace, name)
    if len(text) > _MAX_NODE_ID_CHARS:
        raise bad_request(f"query param nodeId is longer than {_MAX_NODE_ID_CHARS} characters")
    prefix, _, rest = text.partition(":")
    wanted: NodeKind
    if prefix == "dataset":
        wanted = "dataset"
    elif prefix == "job":
        wanted = "job"
    else:
        raise not_found(f"Node '{text}' must be of type dataset or job: dataset:NAMESPACE:NAME or job:NAMESPACE:NAME")
    readings = candidates(rest)
    while chunk := list(islice(readings, _AT_ONCE)):
        found = await known(reader, wanted, chunk)
        for candidate in chunk:
            if candidate in found:
                return Node(wanted, candidate)
    raise not_found(f"{_NOUNS[wanted]} '{rest}' not found.")


def candidates(rest: str) -> Iterator[Name]:
    """Every reading of ``NAMESPACE:NAME``, longest namespace first: as it stands, then decoded, then without the
    ``#version`` that Marquez allows at its end."""
    yield from _splits(rest)
    if "%" in rest:
        for name in _splits(rest):
            yield Name(unquote(name.namespace), unquote(name.name))
    unversioned, mark, _ = rest.rpartition("#")
    if mark:
        yield from candidates(unversioned)


def _splits(rest: str) -> Iterator[Name]:
    at = rest.rfind(":")
    while at > 0:
        if at < len(rest) - 1:
            yield Name(rest[:at], rest[at + 1 :])
        at = rest.rfind(":", 0, at)


async def _by_name(reader: Reader, kind: str | None, namespace: str | None, name: str | None) -> Node:
    if not namespace or not name:
        raise bad_request("query param nodeId must not be null: give nodeId, or namespace and name")
    wanted = Name(namespace, name)
    kinds: tuple[NodeKind, ...]
    if kind is None:
        kinds = ("dataset", "job")
    elif kind.lower() == "dataset":
        kinds = ("dataset",)
    elif kind.lower() == "job":
        kinds = ("job",)
    else:
        raise bad_request("query param kind must be one of [dataset, job]")
    for each in kinds:
        if await known(reader, each, [wanted]):
            return Node(each, wanted)
    raise not_found(f"{_NOUNS[kinds[0]] if len(kinds) == 1 else 'Dataset or job'} '{name}' not found.")


async def known(reader: Reader, kind: NodeKind, names: Collection[Name]) -> set[Name]:
    """Those of the names that exist; a dataset does under each of its names."""
    if kind == "job":
        return set(await reader.jobs(names))
    lookup = Lookup(reader)
    await lookup.identify(names)
    members = {name: lookup.identity.members(name) for name in names}
    found = await reader.datasets({member for each in members.values() for member in each})
    return {name for name, each in members.items() if any(member in found for member in each)}
