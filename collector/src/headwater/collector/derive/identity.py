"""Rule 10: which names are one dataset, and which of them is its name."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from headwater.collector.stores.reading import Claim, Link
from headwater.shared.event import Name


class Identity:
    """Names to canonical names, for the names it was made with; any other name is its own."""

    def __init__(self) -> None:
        self._canonical: dict[Name, Name] = {}
        self._members: dict[Name, tuple[Name, ...]] = {}

    def add(self, members: Collection[Name], canonical: Name) -> None:
        """Makes ``members`` one dataset."""
        ordered = tuple(sorted(members))
        for member in ordered:
            self._canonical[member] = canonical
        self._members[canonical] = ordered

    def add_alone(self, names: Iterable[Name]) -> None:
        """Each is a dataset of its own."""
        for name in names:
            self._canonical[name] = name
            self._members[name] = (name,)

    def __contains__(self, name: Name) -> bool:
        return name in self._canonical

    def of(self, name: Name) -> Name:
        """The canonical name."""
        return self._canonical.get(name, name)

    def members(self, name: Name) -> tuple[Name, ...]:
        """Every name of the dataset that ``name`` is a name of."""
        return self._members.get(self._canonical.get(name, name), (name,))


def without_twins(claims: Iterable[Claim], identity: Identity) -> list[Claim]:
    """All that runs claim, each generation once: what a run says of one dataset under several names is one claim,
    committed when it first was, and a version declared under one name stands for the generation implied under another,
    commit and all."""
    found: dict[tuple[str, Name], dict[str, Claim]] = {}
    for claim in claims:
        ours = found.setdefault((claim.run, identity.of(claim.dataset)), {})
        ours[claim.version] = _committed_by(claim, ours.get(claim.version, claim).commit_time)
    for ours in found.values():
        implied = next((version for version in ours if version.startswith("~")), None)
        if implied is not None and len(ours) > 1:
            time = ours.pop(implied).commit_time
            ours.update({version: _committed_by(claim, time) for version, claim in ours.items()})
    return [claim for ours in found.values() for claim in ours.values()]


def _committed_by(claim: Claim, time: str | None) -> Claim:
    """The claim, committed at ``time`` if it was not earlier."""
    times = [each for each in (claim.commit_time, time) if each]
    return claim._replace(commit_time=min(times, default=None))


def components(names: Iterable[Name], links: Collection[Link]) -> list[set[Name]]:
    """The sets of names that links join; a name without links is alone."""
    neighbours: dict[Name, set[Name]] = {name: set() for name in names}
    for link in links:
        neighbours.setdefault(link.a, set()).add(link.b)
        neighbours.setdefault(link.b, set()).add(link.a)
    found, seen = [], set()
    for name in neighbours:
        if name in seen:
            continue
        component, todo = {name}, [name]
        while todo:
            for other in neighbours[todo.pop()] - component:
                component.add(other)
                todo.append(other)
        seen |= component
        found.append(component)
    return found


def canonical_name(component: Collection[Name], links: Collection[Link], carriers: Collection[Name]) -> Name:
    """The least name that carries symlinks and was not renamed away, else the target of the latest rename, else the
    least name."""
    renames = [link for link in links if link.renamed_at is not None and link.a in component]
    into = {link.b: link.renamed_at or "" for link in sorted(renames, key=lambda link: link.renamed_at or "")}
    away = {link.a: link.renamed_at or "" for link in sorted(renames, key=lambda link: link.renamed_at or "")}
    gone = {name for name, time in away.items() if into.get(name, "") <= time}
    named = sorted(name for name in component if name in carriers and name not in gone)
    if named:
        return named[0]
    targets = sorted(((time, name) for name, time in into.items() if name not in gone), reverse=True)
    return targets[0][1] if targets else min(component)
