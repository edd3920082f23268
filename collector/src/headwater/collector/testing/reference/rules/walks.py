"""Rules 12 and 15: what generations come from and what was made from them, and how far a bad one taints."""

from __future__ import annotations

from typing import Any

from .edges import Edges
from .events import Generation


class Walks(Edges):
    def generations(self) -> list[Generation]:
        return [(dataset, version) for dataset in self.datasets() for version in self.committed(dataset)]

    def upstream(self, start: Generation) -> dict[Generation, tuple[int, bool]]:
        return _walk(start, lambda node: [((e.dataset, e.version), e.grade) for e in self.edges_of(node)])

    def downstream(self, start: Generation) -> dict[Generation, tuple[int, bool]]:
        return _walk(start, self.made_from)

    def made_from(self, node: Generation) -> list[tuple[Generation, str]]:
        """(generation, grade) of what was made directly from this one."""
        return [(g, e.grade) for g in self.generations() for e in self.edges_of(g) if (e.dataset, e.version) == node]

    def tainted(self, start: Generation) -> set[Generation]:
        """What was made from a bad generation, other than through one that was cleared since."""
        dataset, version = start
        bad = self.last("bad", dataset, version or "")
        if bad is None or not bad.stands:
            return set()

        def cleared(generation: Generation) -> bool:
            word = self.last("bad", generation[0], generation[1] or "")
            return word is not None and not word.stands and word.time >= bad.time

        return set(_walk(start, lambda node: [(g, grade) for g, grade in self.made_from(node) if not cleared(g)]))

    def tainted_by(self, start: Generation) -> set[Generation]:
        return {source for source in self.upstream(start) if start in self.tainted(source)}


def _walk(start: Generation, next_of: Any) -> dict[Generation, tuple[int, bool]]:
    """Generation to (least distance, only over an unknown edge); one without a version ends the walk."""
    distances = _distances(start, next_of, {"declared", "sole", "unknown"})
    certain = _distances(start, next_of, {"declared", "sole"})
    return {node: (far, node not in certain) for node, far in distances.items() if node != start}


def _distances(start: Generation, next_of: Any, grades: set[str]) -> dict[Generation, int]:
    found, level, far = {start: 0}, [start], 0
    while level:
        far += 1
        after = [other for node in level if node[1] is not None for other, grade in next_of(node) if grade in grades]
        level = [node for node in dict.fromkeys(after) if node not in found]
        found |= dict.fromkeys(level, far)
    return found
