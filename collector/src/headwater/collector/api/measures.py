"""What the API counts of itself."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.types import Scope

from headwater.shared.names import METRIC_HTTP_REQUEST_SECONDS, METRIC_HTTP_REQUESTS

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_INGEST = ("POST", "/api/v1/lineage")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class HttpMetrics:
    """Requests by route, never by path: a client cannot make new series."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(METRIC_HTTP_REQUESTS, "Requests", ("method", "route", "status"), registry=registry)
        self._seconds = Histogram(
            METRIC_HTTP_REQUEST_SECONDS, "Time of one request", ("method", "route"), buckets=_SECONDS, registry=registry
        )
        self._created = self._requests.labels(*_INGEST, "201")
        self._ingest_seconds = self._seconds.labels(*_INGEST)

    def ingested(self, status: int, seconds: float) -> None:
        """One ``POST /api/v1/lineage``."""
        (self._created if status == 201 else self._requests.labels(*_INGEST, str(status))).inc()
        self._ingest_seconds.observe(seconds)

    def observed(self, scope: Scope, status: int, seconds: float) -> None:
        """Any other request; ``scope`` as the router left it."""
        route = getattr(scope.get("route"), "path", None) or "none"
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)
