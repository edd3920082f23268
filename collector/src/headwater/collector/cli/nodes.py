"""What people type for a job or a dataset: ``job:ns:name``, ``dataset:ns:name`` or ``ns name``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from headwater.collector.splits import splits
from headwater.shared.event import Name

from .exits import NotThereError, UsageError

if TYPE_CHECKING:
    from .sources import NodeKind, Source


class Node(NamedTuple):
    """A job or a dataset that is known."""

    kind: NodeKind
    name: Name


def candidates(words: list[str]) -> list[Node]:
    """Every reading of what was typed, the likeliest first.

    A namespace and a name may both hold colons (``dataset:arn:aws:glue:eu:1:table/db/t``), so each split is a
    candidate, the longest namespace first; after them the same with percent-encoding undone. Raises UsageError.
    """
    if len(words) == 2:
        name = Name(*words)
        return [Node("dataset", name), Node("job", name)]
    if len(words) != 1:
        raise UsageError("expected one NODE, or NAMESPACE NAME", "for example: headwater lineage dataset:db:orders")
    kind, colon, rest = words[0].partition(":")
    if not colon or kind not in ("job", "dataset"):
        raise UsageError(
            f"{words[0]!r} is no node", "write job:NAMESPACE:NAME, dataset:NAMESPACE:NAME or NAMESPACE NAME"
        )
    found = [Node("job" if kind == "job" else "dataset", name) for name in splits(rest, ":")]
    decoded = [Node(node.kind, Name(unquote(node.name.namespace), unquote(node.name.name))) for node in found]
    if not found:
        raise UsageError(f"{words[0]!r} has no namespace and name", f"write {kind}:NAMESPACE:NAME")
    return found + [node for node in decoded if node not in found]


async def look_up(source: Source, words: list[str]) -> tuple[Node, dict[str, Any]]:
    """The first reading that is known, with what is known about it. Raises NotThereError."""
    for node in candidates(words):
        found = await (source.job(node.name) if node.kind == "job" else source.dataset(node.name))
        if found is not None:
            return node, found
    raise NotThereError(
        f"nothing is known by the name {' '.join(words)}",
        "names are case-sensitive; `headwater runs` lists the jobs, `headwater run RUN_ID` their datasets",
    )


async def look_up_dataset(source: Source, namespace: str, name: str) -> dict[str, Any]:
    """A dataset that is known. Raises NotThereError."""
    found = await source.dataset(Name(namespace, name))
    if found is None:
        raise NotThereError(
            f"no dataset {name} in namespace {namespace}",
            "names are case-sensitive; `headwater runs` lists the jobs, `headwater run RUN_ID` their datasets",
        )
    return found
