"""Names that mean something to some engine, and must mean nothing to a store."""

from __future__ import annotations

import json
import random
from typing import Any

_FRAGMENTS = (
    "'", '"', "`", "``", "\\", "\\u0027", "$where", "$ne", "$", ".", "a.b", "a..b", "$a.$b", "%", "_", "%s", "{}",
    "{0}",
    "'; DROP TABLE job; --", '" OR 1=1 --', "'}) DETACH DELETE n //", "`) MATCH (n) DELETE n //", "$rows", "${row}",
    "// comment", "/* comment */", "\n", "\r\n", "\t", "\x01", "\x1f", "\x7f", "\u0085", "\u2028", "\u202e", "\u200f",
    "\ufeff", "\u05d0\u05d1\u05d2", "\u0627\u0644", "e\u0301", "\u00e9", "\U0001f600", "\U0010fffd", "\uffff", "ß", "İ",
    " leading", "trailing ", " ", "  ", "null", "NaN", "true", "0", "-0", "1e999", "__proto__", "constructor", "_id",
    "../..", "a/b", "a:b", "a@1", "~", "~x", "!", "urn:x:y", "s3://bucket/key=1/", "x" * 1100, "é" * 1100, "😀" * 1100,
)  # fmt: skip


def names(count: int, source: random.Random) -> list[str]:
    """So many different ones: each fragment, then fragments put together."""
    found = [each for each in _FRAGMENTS if each.strip()]  # a blank name is refused
    while len(found) < count:
        made = "".join(source.choice(_FRAGMENTS[:-3]) for _ in range(source.randint(2, 4)))
        if made.strip() and made not in found:
            found.append(made)
    return found[:count]


def event(name: str, number: int) -> bytes:
    """A run whose namespaces, names, versions, facet names and keys are all ``name``."""
    body: dict[str, Any] = {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-01T00:00:00Z",
        "producer": "https://example.org/hostile",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {
            "runId": f"00000000-0000-7000-8000-{number:012x}",
            "facets": {name: {name: name, "$where": {"a.b": 1}}},
        },
        "job": {"namespace": name, "name": name, "facets": {name: {"$set": name}}},
        "inputs": [{"namespace": name, "name": f"{name}in", "facets": {name: {name: [name]}}}],
        "outputs": [
            {"namespace": name, "name": name, "facets": {name: {"x": 1}, "version": {"datasetVersion": f"v{name}"}}}
        ],
        name: {name: {"$where": "1"}},
    }
    return json.dumps(body, ensure_ascii=False).encode()
