"""Path and query parameters: their types, once, with what is accepted said in the error and in the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, TypeAlias
from urllib.parse import unquote_to_bytes

from fastapi import Path, Query
from pydantic import AfterValidator

from headwater.collector.derive.subsets import parse_partition
from headwater.shared import times

MAX_PAGE = 1000
MAX_LISTED = 10_000
"""Entries of one page of a Marquez list. Who asks for more, which Marquez does not refuse, gets that many; the total
says how many there are."""
MAX_DEPTH = 1000
"""Who asks for more, which Marquez does not refuse either, gets that."""
_MAX_INT = 2**31 - 1
MAX_REACHED = 100_000


def unquoted(segment: str) -> str:
    """A path segment, percent-decoded once. Raises ValueError where that gives no UTF-8."""
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeDecodeError as error:
        raise ValueError("its percent-encoding must give UTF-8") from error


def canonical_time(text: str) -> str:
    """As `headwater.shared.times.parse`. A ``+`` that the query's own encoding turned into a space is put back."""
    try:
        return times.parse(text)
    except ValueError:
        if " " not in text:
            raise
    return times.parse(text.replace(" ", "+"))


Segment: TypeAlias = Annotated[str, Path(description="Percent-encoded, `/` as `%2F`."), AfterValidator(unquoted)]
Limit: TypeAlias = Annotated[
    int,
    Query(ge=0, le=_MAX_INT, description=f"At most this many entries, and never more than {MAX_LISTED:,}."),
    AfterValidator(lambda limit: min(limit, MAX_LISTED)),
]
Offset: TypeAlias = Annotated[int, Query(ge=0, le=_MAX_INT, description="Leaves out that many first.")]
Generation: TypeAlias = Annotated[
    str | None, Query(min_length=1, description="A version of the dataset; the current one if left out.")
]
OneWayDepth: TypeAlias = Annotated[
    int | None,
    Query(ge=0, le=_MAX_INT, description=f"Job hops that way, at most {MAX_DEPTH:,}."),
    AfterValidator(lambda depth: None if depth is None else min(depth, MAX_DEPTH)),
]
MarquezDepth: TypeAlias = Annotated[
    int,
    Query(ge=-(2**31), le=_MAX_INT, description=f"Hops to walk. Below 0 counts as 0, above {MAX_DEPTH:,} as that."),
    AfterValidator(lambda depth: min(max(depth, 0), MAX_DEPTH)),
]
Depth: TypeAlias = Annotated[int, Query(ge=0, le=MAX_DEPTH, description="Hops to walk.")]
AsOf: TypeAlias = Annotated[
    str | None,
    Query(
        alias="asOf",
        description="ISO 8601 time: what was committed and said of generations later than that does not count.",
    ),
    AfterValidator(lambda text: None if text is None else canonical_time(text)),
]
Partition: TypeAlias = Annotated[
    list[str],
    Query(max_length=20, description="Follow one partition: `dimension=value`, once for each dimension."),
    AfterValidator(lambda texts: texts if not texts else (parse_partition(texts), texts)[1]),
]
Time: TypeAlias = Annotated[
    str | None,
    Query(description="ISO 8601 time, for example 2026-01-01T00:00:00Z."),
    AfterValidator(lambda text: None if text is None else canonical_time(text)),
]
