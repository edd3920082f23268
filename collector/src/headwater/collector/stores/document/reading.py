"""A stored document's bytes."""

from __future__ import annotations

from headwater.collector.stores.document.connection import Collection, Document


async def whole(parts: Collection, document: Document) -> bytes:
    """The bytes as received. Raises LookupError if a part is missing: it was replaced while it was read."""
    if "parts" not in document:
        return bytes(document["raw"])
    ids = document["parts"]
    found = {part["_id"]: bytes(part["data"]) async for part in parts.find({"_id": {"$in": ids}})}
    return b"".join([found[each] for each in ids])
