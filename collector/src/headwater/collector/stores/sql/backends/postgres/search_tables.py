"""The tables that a search reads. ``search_name`` holds each name folded as Python folds it, ``search_part`` how it
goes on from each of its words, see ``parts``. Whoever inserts a name writes them, so it costs when it is new and never
again. Where the extension ``pg_trgm`` is in the database, trigrams find the names that no part tells.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, LargeBinary, MetaData, PrimaryKeyConstraint, SmallInteger, Table, Text, text
from sqlalchemy.engine import Connection

KINDS: Final = {"job": 0, "dataset": 1}
_metadata: Final = MetaData()
search_name: Final = Table(
    "search_name",
    _metadata,
    Column("kind", SmallInteger, nullable=False),
    Column("key", LargeBinary, nullable=False),
    Column("name", Text(collation="C"), nullable=False),
    PrimaryKeyConstraint("kind", "key", name="search_name_key"),
)
search_part: Final = Table(
    "search_part",
    _metadata,
    Column("part", Text(collation="C"), nullable=False),
    Column("kind", SmallInteger, nullable=False),
    Column("key", LargeBinary, nullable=False),
    PrimaryKeyConstraint("part", "kind", "key", name="search_part_key"),
)
_PENDING_KB: Final = 256
"""Of new trigrams, which every search reads one by one before they are put into the index."""
_TRIGRAMS: Final = (
    "DO $$ BEGIN IF EXISTS (SELECT FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND pg_opclass_is_visible(oid)) "
    "AND to_regclass('search_gram') IS NULL THEN "
    f"CREATE INDEX search_gram ON search_name USING gin (name gin_trgm_ops) "
    f"WITH (gin_pending_list_limit = {_PENDING_KB}); END IF; END $$"
)


def create_search(connection: Connection) -> None:
    """Makes the tables where they are missing, and the index of trigrams where the extension is there."""
    _metadata.create_all(connection)
    connection.execute(text(_TRIGRAMS))
