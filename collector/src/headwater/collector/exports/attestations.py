"""Statements read back, and compared with what a store says now."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.parse import unquote

from headwater.collector.exports.checking import MAX_BYTES
from headwater.collector.exports.differences import differences
from headwater.collector.exports.manifest import NotPublishedError
from headwater.collector.exports.statement import BUILD_TYPE, PREDICATE_TYPE, STATEMENT_TYPE, generation_digest
from headwater.collector.questions.shapes import Json
from headwater.shared.codec import loads_strict
from headwater.shared.errors import InvalidEventError
from headwater.shared.event import Name
from headwater.shared.limits import Limits

_URI: Final = "urn:headwater:dataset:"


class MalformedStatementError(ValueError):
    """This is no statement of headwater's; the text says why."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement about one generation."""

    body: Mapping[str, Any]
    dataset: Name
    generation: str

    def generation_json(self) -> Json:
        return {"namespace": self.dataset.namespace, "name": self.dataset.name, "generation": self.generation}


class Exporter(Protocol):
    """What makes statements: ``Questions``, or an API."""

    async def export(self, dataset: Name, generation: str | None, format_: str, *, depth: int = 1) -> Json: ...


def parse_statement(payload: bytes) -> Statement:
    """Raises MalformedStatementError."""
    try:
        body = loads_strict(payload, Limits(max_event_bytes=MAX_BYTES))
    except InvalidEventError as error:
        raise MalformedStatementError(f"the payload is no JSON: {error}") from error
    wanted = {"_type": STATEMENT_TYPE, "predicateType": PREDICATE_TYPE}
    for key, value in wanted.items():
        if not isinstance(body, dict) or body.get(key) != value:
            raise MalformedStatementError(f"{key}: must be {value!r}")
    try:
        if body["predicate"]["buildDefinition"]["buildType"] != BUILD_TYPE:
            raise MalformedStatementError(f"buildType: must be {BUILD_TYPE!r}")
        subject = body["subject"][0]
        namespace, name, generation = (unquote(part) for part in subject["uri"].removeprefix(_URI).split(":"))
        named = generation_digest({"namespace": namespace, "name": name}, generation)
        if subject["digest"]["headwaterGeneration"] != named:
            raise MalformedStatementError("subject: its digest is of another generation than its uri")
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, MalformedStatementError):
            raise
        raise MalformedStatementError("subject: must name a generation") from error
    return Statement(body, Name(namespace, name), generation)


async def compare(source: Exporter, statement: Statement) -> Json:
    """``holds``, or why not: what a store says of the generation now, beside what the statement says."""
    try:
        now = await source.export(statement.dataset, statement.generation, "intoto")
    except NotPublishedError as error:
        return {"holds": False, "reason": str(error), "differences": []}
    found = differences(_comparable(statement.body), _comparable(now))
    places = [each.where for each in found]
    return {"holds": not found, "reason": "what differs" if found else None, "differences": places}


def _comparable(body: Mapping[str, Any]) -> Json:
    """Without the release of headwater that wrote it."""
    copied: Json = json.loads(json.dumps(body))
    copied["predicate"]["runDetails"]["builder"].pop("version", None)
    return copied
