"""Keys and sort keys as the graph holds them: texts, so that a person can read them and an index can order them.

Neo4j orders texts by code point, as Python and SQLite do. An index takes some 8,000 bytes, so what may be longer is cut
in the sort key, and a query breaks the tie by the whole value.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from headwater.collector.merging.keys import name_key
from headwater.shared.event import Name

RANK_CHARS: Final = 200
"""Of a version, in ``rank``."""
SORT_CHARS: Final = 1000
"""Of namespace NUL name, in ``sort``."""
FOLDED_CHARS: Final = 4000
"""Of a name, in ``folded``."""
ANY_TIME: Final = "!"
"""Greater than no time, less than every canonical time."""
LATEST: Final = "~"
"""Greater than every canonical time."""


def of(name: Name) -> str:
    """Of a job or dataset: 32 hex digits."""
    return name_key(name).hex()


def digest(*parts: str) -> str:
    """32 hex digits for texts without NUL."""
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def recency(first_time: str | None, run: str) -> str:
    """Of a run: by first event time, then by id; a run without events of its own before all others."""
    return f"{first_time or ''} {run}"


def rank(dataset: str, commit_time: str | None, version: str) -> str:
    """Of a claim: by dataset, commit time, version; candidates before committed ones."""
    return f"{dataset} {commit_time or ''} {version[:RANK_CHARS]}"


def at(dataset: str, version: str, pin_time: str | None) -> str:
    """Of a read: the declared version, or the time at which the read is resolved."""
    return f"{dataset} {digest(version)}" if version else f"{dataset}  {pin_time or ''}"


def recent(job: str, last_time: str) -> str:
    """Of a job's edge."""
    return f"{job} {last_time}"


def fold(text: str) -> str:
    """Of a name: upper and lower case made one, for the search; its first ``FOLDED_CHARS`` characters."""
    return text.casefold()[:FOLDED_CHARS]


def sort(name: Name) -> str:
    """Of a job or dataset: by namespace, then by name."""
    return f"{name[0]}\0{name[1]}"[:SORT_CHARS]
