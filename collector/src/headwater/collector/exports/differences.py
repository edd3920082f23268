"""What differs between two manifests, entry by entry rather than line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from headwater.collector.questions.shapes import Json

MAX_DIFFERENCES: Final = 1000
_ABSENT: Final = object()


class Difference(NamedTuple):
    """One value that is not the same. ``before`` and ``after`` are None where there is none, see ``kind``."""

    where: str
    """Its place, for people and for grep: ``inputs[shop/orders].generation``."""
    kind: str
    """added, removed or changed."""
    before: Any
    after: Any

    def as_dict(self) -> Json:
        return self._asdict()


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Between two manifests, in the order of their parts; at most ``MAX_DIFFERENCES``."""
    found: list[Difference] = []
    for each in _between("", before, after):
        found.append(each)
        if len(found) == MAX_DIFFERENCES:
            break
    return found


def _between(where: str, before: Any, after: Any) -> Iterator[Difference]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from _entries(where, before, after, ".{}")
    elif isinstance(before, list) and isinstance(after, list):
        if (ours := _keyed(before)) is not None and (theirs := _keyed(after)) is not None:
            yield from _entries(where, ours, theirs, "[{}]")
        elif before != after:
            yield Difference(where, "changed", before, after)
    elif before is _ABSENT:
        yield Difference(where, "added", None, after)
    elif after is _ABSENT:
        yield Difference(where, "removed", before, None)
    elif before != after or type(before) is not type(after):
        yield Difference(where, "changed", before, after)


def _entries(where: str, before: Mapping[str, Any], after: Mapping[str, Any], form: str) -> Iterator[Difference]:
    for key in dict.fromkeys((*before, *after)):
        place = (where + form.format(key)).removeprefix(".")
        yield from _between(place, before.get(key, _ABSENT), after.get(key, _ABSENT))


def _keyed(entries: Sequence[Any]) -> dict[str, Any] | None:
    """Entries by what names them, or None where they are plain values. The second of a name has a number."""
    found: dict[str, Any] = {}
    for each in entries:
        key = _key(each)
        if key is None:
            return None
        number = 1
        while (unique := key if number == 1 else f"{key} #{number}") in found:
            number += 1
        found[unique] = each
    return found


def _key(entry: Any) -> str | None:
    if not isinstance(entry, Mapping):
        return None
    if isinstance(name := entry.get("dataset"), Mapping):
        return f"{name.get('namespace')}/{name.get('name')}"
    for key in ("runId", "id", "name"):
        if isinstance(entry.get(key), str):
            return str(entry[key])
    return None
