"""The ``graph`` store: every fact as a property graph in Neo4j."""

from headwater.collector.stores.graph.store import Neo4jLineageStore

__all__ = ["Neo4jLineageStore"]
