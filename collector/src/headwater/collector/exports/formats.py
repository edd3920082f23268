"""The formats by name."""

from __future__ import annotations

from typing import Final

from headwater.collector.exports.manifest import manifest_of
from headwater.collector.exports.prov import prov_of
from headwater.collector.exports.statement import statement_of
from headwater.collector.questions import Questions
from headwater.collector.questions.shapes import Json
from headwater.shared.event import Name

FORMATS: Final = ("manifest", "intoto", "prov")


async def export(questions: Questions, dataset: Name, generation: str | None, format_: str, *, depth: int = 1) -> Json:
    """One of ``FORMATS``; ``depth`` is of ``prov`` alone. Raises NotPublishedError where no single run published the
    generation, except for ``prov``, which then says so."""
    if format_ == "prov":
        return prov_of(await questions.evidence(dataset, generation, depth=depth))
    manifest = await manifest_of(questions, dataset, generation)
    return manifest if format_ == "manifest" else statement_of(manifest)
