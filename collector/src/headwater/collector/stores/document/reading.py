"""A stored document's bytes."""

from __future__ import annotations

from headwater.collector.stores.document.connection import Collection, Document


async def whole(parts: Collection, document: Document) -> bytes:
    """The bytes as received. Raises LookupError if a part is missing: it was replaced while it was read."""
    if "parts" not in document:
        return bytes(document["raw"])
    found: list[bytes] = []
    for part_id in document["parts"]:
        part = await parts.find_one({"_id": part_id})
        if part is None:
            raise LookupError(part_id)
        found.append(bytes(part["data"]))
    return b"".join(found)
