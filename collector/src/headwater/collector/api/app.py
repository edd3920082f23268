"""The application: every route, errors as JSON, names kept whole in paths."""

from __future__ import annotations

import time
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from headwater.shared.errors import TransientError

from .accept import IngestLimits, accept_event
from .answers import Answer, Refusal, unavailable
from .measures import HttpMetrics
from .methods import allowed, options, without_body
from .paths import encoded_path
from .problems import PROBLEMS, completed
from .real_paths import real_path
from .routes import (
    column_lineage,
    dataset_writes,
    datasets,
    events,
    evidence,
    execution,
    graph,
    ingest,
    job_versions,
    job_writes,
    jobs,
    lineage,
    namespaces,
    operations,
    pages,
    run_lineage,
    run_writes,
    runs,
    search,
    sources,
    stats,
    tags,
)
from .services import Services

_INGEST = b"/api/v1/lineage"


def create_app(services: Services, *, limits: IngestLimits | None = None) -> FastAPI:
    """The API over a running collector. Starting and stopping the collector is the caller's."""
    return _Api(services, limits or IngestLimits())


class _Api(FastAPI):
    def __init__(self, services: Services, limits: IngestLimits) -> None:
        super().__init__(
            title="headwater",
            version="1",
            summary="Which run, which code and which inputs made this data?",
            openapi_url=None,  # FastAPI's pages would load scripts from elsewhere; routes/pages.py has our own
            default_response_class=Answer,
            responses=PROBLEMS,
            redirect_slashes=False,  # `encoded_path` takes trailing slashes off
        )
        self._services, self._limits = services, limits
        self._metrics = HttpMetrics(services.registry)
        self.include_router(ingest.router(services, limits))
        for part in (lineage, jobs, runs, datasets, namespaces, events, evidence, execution, graph, operations, pages):
            self.include_router(part.router(services))
        for part in (column_lineage, run_lineage, search, stats):
            self.include_router(part.router(services))
        for part in (dataset_writes, job_versions, job_writes, run_writes, sources, tags):
            self.include_router(part.router(services))
        self.add_exception_handler(Refusal, _refused)
        self.add_exception_handler(TransientError, _unavailable)
        self.add_exception_handler(RequestValidationError, _invalid)
        self.add_exception_handler(HTTPException, _http_error)
        self.add_exception_handler(Exception, _bug)

    def openapi(self) -> dict[str, Any]:
        """As this server answers; made once."""
        if not self.openapi_schema:
            self.openapi_schema = completed(super().openapi())
        return self.openapi_schema

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        started_s = time.perf_counter()
        if scope.get("raw_path") == _INGEST and scope["method"] == "POST":
            # The hot path goes round FastAPI's stack; the same function answers in routes/ingest.py.
            answer = await accept_event(self._services, self._limits, scope, receive)
            await answer(scope, receive, send)
            self._metrics.ingested(answer.status_code, time.perf_counter() - started_s)
            return
        scope["path"] = encoded_path(scope)
        if b"%00" in scope.get("query_string", b"") or "%00" in scope["path"]:
            # No name holds a NUL, and not every database takes one as a parameter.
            await Refusal(400, "no path and no parameter may hold a NUL").answer()(scope, receive, send)
            self._metrics.observed(scope, 400, time.perf_counter() - started_s)
            return
        status, sending = 500, send

        async def watched(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await sending(message)

        if scope["method"] == "OPTIONS" and (methods := allowed(self.routes, scope)):
            await options(methods)(scope, receive, send)
            self._metrics.observed(scope, 200, time.perf_counter() - started_s)
            return
        if scope["method"] == "HEAD":
            scope, sending = {**scope, "method": "GET"}, without_body(send)  # the server's own scope says HEAD still
        try:
            if scope["path"].startswith("/api/"):  # what was accepted before this request is seen by it
                await self._services.readable()
                scope["path"] = await real_path(self._services.questions.reader, scope["path"])
            await super().__call__(scope, receive, watched)
        finally:
            self._metrics.observed(scope, status, time.perf_counter() - started_s)


async def _refused(_: Request, error: Exception) -> Answer:
    assert isinstance(error, Refusal)
    return error.answer()


async def _unavailable(_: Request, error: Exception) -> Answer:
    assert isinstance(error, TransientError)
    return unavailable(error).answer()


async def _invalid(request: Request, error: Exception) -> Answer:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    unread = {each["loc"][-1] for each in found if each["type"] == "int_parsing"}
    if request.scope["path"].startswith("/api/v1/") and unread & {"limit", "offset"}:
        return Refusal(404, f"query param {' and '.join(sorted(map(str, unread)))} must be a whole number").answer()
    faults = [_fault(each) for each in found]
    return Refusal(400, "; ".join(faults), errors=faults).answer()


def _fault(error: Any) -> str:
    """In Marquez's words, where it has some."""
    where = f"{error['loc'][0]} param {error['loc'][-1]}"
    if error["type"] == "greater_than_equal":
        return f"{where} must be greater than or equal to {error['ctx']['ge']}"
    if error["type"] == "missing":
        return f"{where} must not be null"
    return f"{where}: {error['msg']}"


async def _http_error(request: Request, error: Exception) -> Answer:
    assert isinstance(error, HTTPException)
    headers = error.headers
    if error.status_code == 404:
        message = f"nothing is at {request.scope['path']}; names in a path are percent-encoded, / as %2F"
    elif error.status_code == 405:
        message = f"{request.method} is not for {request.scope['path']}"
        headers = {"allow": ", ".join(allowed(request.app.routes, request.scope))}
    else:
        message = str(error.detail)
    return Refusal(error.status_code, message, headers=headers).answer()


async def _bug(_: Request, __: Exception) -> Answer:
    return Refusal(500, "an error of the server's own; its log has the details").answer()
