"""Whether a manifest still says what the store says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from headwater.collector.exports.differences import Difference, differences
from headwater.collector.exports.manifest import FORMAT, MAX_EVENTS, NotPublishedError, manifest_of, subject_of
from headwater.collector.questions import Questions
from headwater.collector.questions.shapes import Json
from headwater.shared.codec import decode, loads_strict
from headwater.shared.errors import InvalidEventError
from headwater.shared.limits import Limits

MAX_BYTES: Final = 64 * 1024 * 1024
"""Of a manifest's file."""
_PARTS: Final[Mapping[str, type]] = {
    "subject": dict,
    "run": dict,
    "logicalRun": dict,
    "code": dict,
    "environment": dict,
    "parameters": dict,
    "inputs": list,
    "edges": list,
    "outputs": list,
    "events": list,
}


class MalformedManifestError(ValueError):
    """This is no manifest; the text says why."""


@dataclass(slots=True)
class Checked:
    """What came of a check."""

    differences: list[Difference] = field(default_factory=list)
    """From the manifest to the store."""
    missing: list[str] = field(default_factory=list)
    """Events of the manifest that the store does not hold."""
    altered: list[str] = field(default_factory=list)
    """Events whose stored bytes are no longer what their id was made of."""
    unpublished: str | None = None
    """Why the store has no manifest of this generation at all."""

    @property
    def holds(self) -> bool:
        """Whether the store bears the manifest out, whole."""
        return not (self.differences or self.missing or self.altered or self.unpublished)

    def as_dict(self) -> Json:
        """JSON-ready, with stable keys."""
        return {
            "holds": self.holds,
            "unpublished": self.unpublished,
            "differences": [each.as_dict() for each in self.differences],
            "missingEvents": self.missing,
            "alteredEvents": self.altered,
        }


def parse_manifest(raw: bytes) -> Json:
    """A manifest from its file's bytes. Raises MalformedManifestError."""
    if len(raw) > MAX_BYTES:
        raise MalformedManifestError(f"{len(raw):,} bytes: a manifest has {MAX_BYTES:,} at most")
    try:
        found = loads_strict(raw, Limits(max_event_bytes=MAX_BYTES))
    except InvalidEventError as error:
        raise MalformedManifestError(str(error)) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        said = found.get("format") if isinstance(found, dict) else type(found).__name__
        raise MalformedManifestError(f"format {said!r}: must be {FORMAT!r}")
    for part, shape in _PARTS.items():
        if not isinstance(found.get(part), shape):
            raise MalformedManifestError(f"{part}: must be {'an object' if shape is dict else 'a list'}")
    name, generation = found["subject"].get("dataset"), found["subject"].get("generation")
    texts = isinstance(name, dict) and all(isinstance(name.get(key), str) for key in ("namespace", "name"))
    if not texts or set(name) != {"namespace", "name"} or not isinstance(generation, str):
        raise MalformedManifestError("subject: must name a dataset and a generation")
    if not all(isinstance(each, dict) and isinstance(each.get("id"), str) for each in found["events"]):
        raise MalformedManifestError("events: each must have an id")
    if len(found["events"]) > MAX_EVENTS:
        raise MalformedManifestError(f"events: {MAX_EVENTS} at most")
    return found


async def check(questions: Questions, manifest: Mapping[str, Any]) -> Checked:
    """Makes the manifest again from the store and compares; and reads each event that the manifest rests on."""
    done = Checked()
    try:
        now = await manifest_of(questions, *subject_of(manifest))
        done.differences = differences(manifest, now)
    except NotPublishedError as error:
        done.unpublished = str(error)
    for each in manifest["events"]:
        document = await questions.event(each["id"])
        if document is None:
            done.missing.append(each["id"])
        elif _id_of(document.raw) != each["id"]:
            done.altered.append(each["id"])
    return done


def _id_of(raw: bytes) -> str | None:
    try:
        return decode(raw).event_id
    except InvalidEventError:
        return None
