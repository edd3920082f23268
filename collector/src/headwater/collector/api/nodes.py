"""Marquez's nodeId: ``dataset:NAMESPACE:NAME`` or ``job:NAMESPACE:NAME``, in which nothing is escaped, each with
``#VERSION`` behind it or not.

A namespace and a name may both hold colons, and a name a ``#``, so every reading is a candidate and what exists
decides. Some clients encode the parts, so the decoded parts are candidates too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from headwater.collector.questions.lookup import Lookup
from headwater.collector.splits import splits
from headwater.collector.stores.reading import NodeKind, Reader
from headwater.shared.event import Name
from headwater.shared.limits import DEFAULT_LIMITS

from .answers import Refusal, bad_request, not_found
from .marquez.namespaces import Namespaces

_MAX_NODE_ID_CHARS = 3 * 2 * DEFAULT_LIMITS.max_name_chars + 64
_AT_ONCE = 64
"""Candidates asked about in one fetch."""
_NOUNS: dict[NodeKind, str] = {"job": "Job", "dataset": "Dataset"}


class Node(NamedTuple):
    """A job or dataset that exists."""

    kind: NodeKind
    name: Name
    version: str | None = None
    """As written behind ``#``; whether it exists is not known yet."""


def node_id(kind: NodeKind, name: Name) -> str:
    """As Marquez writes it."""
    return f"{kind}:{name.namespace}:{name.name}"


async def resolve(reader: Reader, text: str | None, kind: str | None, namespace: str | None, name: str | None) -> Node:
    """The node that ``nodeId`` or else ``namespace``, ``name`` and ``kind`` mean. Beside a nodeId namespace and name
    say how it is to be read. Raises Refusal 400 or 404."""
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
    found = await first_known(reader, wanted, _narrowed(readings(rest), namespace, name))
    if found is None:
        found = await first_known(reader, wanted, await _as_sent(reader, rest))
    if found is None:
        raise not_found(f"{_NOUNS[wanted]} '{rest}' not found.")
    return Node(wanted, *found)


async def first_known(
    reader: Reader, kind: NodeKind, candidates: Iterator[tuple[Name, str | None]]
) -> tuple[Name, str | None] | None:
    """The first of the readings whose name exists."""
    while chunk := list(islice(candidates, _AT_ONCE)):
        found = await shown_names(reader, kind, [name for name, _ in chunk])
        for candidate in chunk:
            if candidate[0] in found:
                return candidate
    return None


def readings(rest: str) -> Iterator[tuple[Name, str | None]]:
    """Every reading of ``NAMESPACE:NAME`` with its version, longest namespace first: as it stands, then decoded, then
    with the version behind the last ``#`` taken off."""
    for text, version in versions_of(rest):
        for name in splits(text, ":"):
            yield name, version
        if "%" in text:
            for name in splits(text, ":"):
                yield Name(unquote(name.namespace), unquote(name.name)), version


def _narrowed(
    candidates: Iterator[tuple[Name, str | None]], namespace: str | None, name: str | None
) -> Iterator[tuple[Name, str | None]]:
    for each in candidates:
        if namespace in (None, each[0].namespace) and name in (None, each[0].name):
            yield each


async def _as_sent(reader: Reader, rest: str) -> Iterator[tuple[Name, str | None]]:
    """Readings under namespaces that are shown otherwise than they were sent."""
    sent = await Namespaces(reader).as_sent() if "_" in rest else {}
    return (
        (Name(sent[name.namespace], name.name), version) for name, version in readings(rest) if name.namespace in sent
    )


def versions_of(rest: str) -> Iterator[tuple[str, str | None]]:
    """Without a version, then with what stands behind the last ``#`` as one."""
    yield rest, None
    unversioned, mark, version = rest.rpartition("#")
    if mark and version:
        yield unversioned, version


def no_node_id() -> Refusal:
    """The error in Marquez's words, the message says what else would do."""
    words = "query param nodeId must not be null"
    return Refusal(400, f"{words}: give nodeId, or namespace and name", errors=[words])


async def _by_name(reader: Reader, kind: str | None, namespace: str | None, name: str | None) -> Node:
    if not namespace or not name:
        raise no_node_id()
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
        if await shown_names(reader, each, [wanted]):
            return Node(each, wanted)
    sent = await Namespaces(reader).real_name(namespace)
    if sent not in (None, namespace):
        return await _by_name(reader, kind, sent, name)
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


async def shown_names(reader: Reader, kind: NodeKind, names: Collection[Name]) -> set[Name]:
    """As ``known``, without those that were deleted through the API."""
    found = await known(reader, kind, names)
    if kind == "job":
        return {name for name, facts in (await reader.jobs(found)).items() if not facts.deleted}
    lookup = Lookup(reader)
    await lookup.identify(found)
    members = {name: lookup.identity.members(name) for name in found}
    facts = await reader.datasets({member for each in members.values() for member in each})
    return {name for name in found if any(each in facts and not facts[each].deleted for each in members[name])}
