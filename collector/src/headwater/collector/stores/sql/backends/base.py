"""What differs between databases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from sqlalchemy.engine import Connection, Engine

from headwater.collector.merging.merge import Merged
from headwater.collector.stores.reading import Hit, Search
from headwater.collector.stores.sql.backends.guard import Guard
from headwater.collector.stores.sql.seldom import Seldom
from headwater.shared.errors import PermanentError, TransientError

T = TypeVar("T")
DocumentRow = tuple[Any, ...]
"""In the order of the table ``document``, without ``seq``."""


class Backend(Protocol):
    """One database. Methods block and run in the store's threads."""

    location: str
    """For messages; no secret in it."""
    remedy: str
    """What to do where the tables are of another version."""
    remote: bool
    """Whether a server does the work."""
    deadline_s: float
    """After so long a call is cut off."""
    errors: tuple[type[Exception], ...]
    """What driver and SQLAlchemy raise; everything else is a defect."""

    def check(self, *, read_only: bool) -> None:
        """Before anything connects. Raises ConfigurationError."""
        ...

    def engine(self, *, writing: bool) -> Engine:
        """Connects when first used."""
        ...

    def create_tables(self, connection: Connection) -> None:
        """Makes what is missing. Several processes may do so at once: the others wait until this transaction ends."""
        ...

    def run(self, engine: Engine, work: Callable[[Connection], T], guard: Guard) -> T:
        """``work`` in one transaction, which is durable afterwards. It may be run again, after a deadlock or where a
        pooled connection turned out to be dead."""
        ...

    def onlooker(self) -> Engine | None:
        """An engine for ``describe`` that changes nothing; None where there is no database to look at yet."""
        ...

    def describe(self, connection: Connection) -> str:
        """Product, version, place and state of the tables. Raises ConfigurationError if they are of another version."""
        ...

    def ping(self, connection: Connection) -> None:
        """Raises TransientError, or one of ``errors``, if no write can be taken now."""
        ...

    def write_batch(self, connection: Connection, merged: Merged, documents: Sequence[DocumentRow]) -> None:
        """All rows of a batch and what is derived from them, in the connection's transaction."""
        ...

    def will_look_up(self, connection: Connection) -> Seldom | None:
        """Until the transaction ends rows are mostly looked up by key, or listed in the order of an index. Returns what
        could be learned on the way; None where that would have to be asked."""
        ...

    def streaming(self, connection: Connection) -> Connection:
        """The connection, reading large results a part at a time."""
        ...

    def search(self, connection: Connection, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
        """See ``Reader.search``."""
        ...

    def failure(self, error: Exception, store: str) -> TransientError | PermanentError:
        """One of ``errors`` in our two words: permanent is only what the batch is to blame for."""
        ...
