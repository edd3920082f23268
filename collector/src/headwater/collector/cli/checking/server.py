"""Checks of a running headwater."""

from __future__ import annotations

import json

from headwater.shared.errors import TransientError

from ..http import Server
from .check import Check, away, ok


async def api(url: str, deadline_s: float) -> Check:
    """It answers, and takes and stores events."""
    server = Server(url, timeout_s=deadline_s)
    try:
        status, body = await server.call("GET", "/readyz")
    except TransientError as error:
        return away("api", str(error), "start `headwater up`, or correct --api")
    finally:
        server.close()
    try:
        told = json.loads(body)
    except ValueError:
        return away("api", f"{url} answered HTTP {status} without JSON", "is this the address of a headwater API?")
    checks = told.get("checks", {}) if isinstance(told, dict) else {}
    if status == 200:
        return ok("api", f"{url} is ready: {', '.join(sorted(checks)) or 'no stores named'}")
    wrong = "; ".join(f"{name}: {seen}" for name, seen in sorted(checks.items()) if seen != "ok")
    return away(
        "api", f"{url} answered HTTP {status}: {wrong or told}", "see its log; it goes on by itself when that is back"
    )
