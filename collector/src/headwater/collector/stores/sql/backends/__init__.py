"""The databases that the ``sql`` store knows: how to connect, make the tables and write a batch."""

from headwater.collector.stores.sql.backends.base import Backend
from headwater.collector.stores.sql.backends.choosing import backend_of

__all__ = ["Backend", "backend_of"]
