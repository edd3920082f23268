"""What a run says of one input or output: texts in the list ``facets`` of its READS or WRITES.

A relationship for each would cost more than all else that is written; the values are ``Value`` nodes like others.
"""

from __future__ import annotations

from typing import NamedTuple

ABSENT = "-"
"""Instead of a hash, where the facet was taken away."""


class MentionFacet(NamedTuple):
    """One facet of a mention; ``value`` is the hash, or ``ABSENT``."""

    scope: int
    time: str
    event: str
    value: str
    name: str

    def text(self) -> str:
        """As it stands in the list: the name last, since it may hold spaces."""
        return f"{self.scope} {self.time} {self.event} {self.value} {self.name}"


def parsed(text: str) -> MentionFacet:
    """What ``text`` made."""
    scope, time, event, value, name = text.split(" ", 4)
    return MentionFacet(int(scope), time, event, value, name)
