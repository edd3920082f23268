"""The pages for people, and the document behind one of them. Nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
import re
from functools import cache
from hashlib import sha256
from importlib.resources import files

from fastapi import APIRouter, FastAPI, Request, Response

from ..answers import SECURITY_HEADERS, Answer
from ..services import Services

_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def router(_: Services) -> APIRouter:
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def get_start() -> Response:
        return _page("start.html")

    @routes.get("/api/docs")
    async def get_docs() -> Response:
        return _page("docs.html")

    @routes.get("/api/openapi.json")
    async def get_openapi(request: Request) -> Answer:
        app: FastAPI = request.app
        return Answer(app.openapi())

    return routes


@cache
def _page(name: str) -> Response:
    text = (files("headwater.collector.api") / "static" / name).read_text(encoding="utf-8")
    scripts = " ".join(f"'sha256-{_hash(script)}'" for script in _SCRIPT.findall(text))
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; "
        f"form-action 'none'; frame-ancestors 'none'; script-src {scripts}"
    )
    headers = {**SECURITY_HEADERS, "content-security-policy": policy, "cache-control": "no-cache"}
    return Response(text, media_type="text/html", headers=headers)


def _hash(script: str) -> str:
    return base64.b64encode(sha256(script.encode()).digest()).decode()
