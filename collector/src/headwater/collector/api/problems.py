"""How errors stand in the OpenAPI document: every operation may answer with these besides its own."""

from __future__ import annotations

from typing import Any, Final

from .services import Json

_SCHEMA: Final[Json] = {
    "type": "object",
    "required": ["code", "message"],
    "properties": {
        "code": {"type": "integer", "description": "The status."},
        "message": {"type": "string", "description": "For people: what is wrong, and what would be right."},
        "errors": {"type": "array", "items": {"type": "string"}, "description": "Each fault by itself."},
    },
}


def _problem(description: str) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": _SCHEMA}}}


PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    400: _problem("A parameter or the body cannot be read; `errors` names each."),
    404: _problem("Nothing of that name is there."),
    503: _problem("The log or a store cannot serve now; Retry-After says when to come back."),
}

_OF_WRITES: Final = {
    "202": _problem("Durable in the log; it cannot be read yet."),
    "413": _problem("The body is too large."),
    "415": _problem("Content-Type is not JSON, or Content-Encoding neither gzip nor identity."),
    "422": _problem("A value is not what it must be; `errors` names each."),
}


def completed(document: Json) -> Json:
    """What FastAPI cannot know: a wrong parameter gives 400 here and not its 422; a write may be refused for its body,
    which the routes read themselves."""
    for operations in document["paths"].values():
        for method, operation in operations.items():
            told = operation.get("responses", {}).get("422", {})
            schema = told.get("content", {}).get("application/json", {}).get("schema", {})
            if str(schema.get("$ref", "")).endswith("/HTTPValidationError"):
                del operation["responses"]["422"]
            if method in ("put", "post", "delete"):
                operation["responses"] = {**_OF_WRITES, **operation["responses"]}
    schemas = document.get("components", {}).get("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return document
