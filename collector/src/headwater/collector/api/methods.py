"""Methods that no route is written for: HEAD is GET without the body, OPTIONS says what a path takes, as in Marquez."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from starlette.routing import BaseRoute, Match
from starlette.types import Scope, Send

from .answers import Answer

_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


def allowed(routes: Iterable[BaseRoute], scope: Scope) -> list[str]:
    """The methods that a path takes, sorted; none where nothing is there."""
    there = list(routes)
    methods = {
        method
        for method in _METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in there)
    }
    if methods:
        methods |= {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    return sorted(methods)


def options(methods: list[str]) -> Answer:
    """Answers OPTIONS."""
    return Answer(None, 200, {"allow": ", ".join(methods)})


def without_body(send: Send) -> Send:
    """Sends what GET would, headers and all, but for the body."""

    async def sent(message: Any) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return sent
