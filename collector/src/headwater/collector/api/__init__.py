"""The HTTP API: OpenLineage events in, Marquez's and headwater's own answers out."""

from .accept import IngestLimits
from .app import create_app
from .server import serve
from .services import Readiness, Services

__all__ = ["IngestLimits", "Readiness", "Services", "create_app", "serve"]
