"""The ``document`` store: every event whole, in MongoDB."""

from headwater.collector.stores.document.store import DocumentLineageStore

__all__ = ["DocumentLineageStore"]
