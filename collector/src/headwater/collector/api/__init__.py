"""The HTTP API: OpenLineage events in, Marquez's and headwater's own answers out."""

from .accept import IngestLimits
from .app import create_app
from .probes import create_probes
from .server import serve
from .services import Operations, Readiness, Services

__all__ = ["IngestLimits", "Operations", "Readiness", "Services", "create_app", "create_probes", "serve"]
