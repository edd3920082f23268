"""What leaves the API: JSON bodies, and errors with a message a person can act on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from starlette.responses import Response

from headwater.shared.errors import (
    EventTooLargeError,
    InvalidEventError,
    NotJsonError,
    NotUtf8Error,
    TransientError,
)

SECURITY_HEADERS = {"x-content-type-options": "nosniff", "referrer-policy": "same-origin"}
DEFAULT_RETRY_AFTER_S = 5


class Answer(Response):
    """JSON, nulls written; bytes are JSON already. Numbers and texts of a stored document go out as they came in
    (`orjson.Fragment`)."""

    media_type = "application/json"

    def __init__(self, content: Any = None, status_code: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(content, status_code, {**SECURITY_HEADERS, **(headers or {})})

    def render(self, content: Any) -> bytes:
        if isinstance(content, bytes):
            return content
        return b"" if content is None else orjson.dumps(content)


class Refusal(Exception):
    """A request that is answered with an error; raised anywhere below a route."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[str] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.errors, self.headers = status, message, tuple(errors), dict(headers or {})

    def answer(self) -> Answer:
        body: dict[str, Any] = {"code": self.status, "message": self.message}
        if self.errors:
            body["errors"] = list(self.errors)
        return Answer(body, self.status, self.headers)


def not_found(message: str) -> Refusal:
    return Refusal(404, message)


def bad_request(message: str) -> Refusal:
    return Refusal(400, message, errors=[message])


def unavailable(error: TransientError) -> Refusal:
    """The log or a store cannot serve now: the client should come back."""
    wait_s = max(1, round(error.retry_after_s or DEFAULT_RETRY_AFTER_S))
    return Refusal(503, str(error), headers={"retry-after": str(wait_s)})


def invalid_event(error: InvalidEventError, faults: Sequence[str] = ()) -> Refusal:
    """400 where the bytes are no JSON, 413 where they are too many, 422 where a value is wrong."""
    if isinstance(error, EventTooLargeError):
        return Refusal(413, str(error))
    status = 400 if isinstance(error, NotJsonError | NotUtf8Error) else 422
    return Refusal(status, "; ".join(faults) or str(error), errors=faults or [str(error)])
