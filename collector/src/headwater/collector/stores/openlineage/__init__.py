"""The ``openlineage`` store: hands every event on to Marquez, or to whatever takes OpenLineage over HTTP."""

from headwater.collector.stores.openlineage.store import OpenLineageStore

__all__ = ["OpenLineageStore"]
