"""The small application of a collector worker: health, readiness, metrics and the dead letters."""

from __future__ import annotations

from fastapi import FastAPI, Request

from headwater.shared.errors import TransientError

from .answers import Answer, unavailable
from .routes import operations
from .services import Operations


def create_probes(operating: Operations) -> FastAPI:
    """The routes for operators alone. Starting and stopping the worker is the caller's."""
    app = FastAPI(title="headwater collector", version="1", openapi_url=None, default_response_class=Answer)
    app.include_router(operations.router(operating))
    app.add_exception_handler(TransientError, _unavailable)
    return app


async def _unavailable(_: Request, error: Exception) -> Answer:
    assert isinstance(error, TransientError)
    return unavailable(error).answer()
