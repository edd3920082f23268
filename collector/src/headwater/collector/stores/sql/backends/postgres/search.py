"""Search for names by what is in them.

``search_name`` holds each name folded as Python folds it. Whoever inserts a name writes it, so it costs when it is new
and never again. A search reads the folded names, unless the extension ``pg_trgm`` is in the database: then trigrams
narrow it.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    Column,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    and_,
    func,
    not_,
    or_,
    select,
    text,
)
from sqlalchemy.engine import Connection

from headwater.collector.catalog import RESERVED
from headwater.collector.stores.reading import MAX_MATCHES, Hit, Search
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.search import fold
from headwater.shared.event import Name

KINDS: Final = {"job": 0, "dataset": 1}
search_metadata: Final = MetaData()
search_name: Final = Table(
    "search_name",
    search_metadata,
    Column("kind", SmallInteger, nullable=False),
    Column("key", LargeBinary, nullable=False),
    Column("name", Text(collation="C"), nullable=False),
    PrimaryKeyConstraint("kind", "key", name="search_name_key"),
)
_TRIGRAMS: Final = (
    "DO $$ BEGIN IF EXISTS (SELECT FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND pg_opclass_is_visible(oid)) "
    "AND to_regclass('search_gram') IS NULL THEN "
    "CREATE INDEX search_gram ON search_name USING gin (name gin_trgm_ops); END IF; END $$"
)


def create_search(connection: Connection) -> None:
    """Makes the table where it is missing, and its index where the extension is there."""
    search_metadata.create_all(connection)
    connection.execute(text(_TRIGRAMS))


def search(connection: Connection, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
    """See ``Reader.search``."""
    found = _matches(where).limit(MAX_MATCHES).cte("found")
    order: list[Any] = [found.c.folded, found.c.namespace, found.c.name, found.c.kind.desc()]
    if where.newest_first:
        order.insert(0, found.c.last_time.desc())
    total = connection.execute(select(func.count()).select_from(found)).scalar_one()
    columns = (found.c.kind, found.c.namespace, found.c.name, found.c.last_time)
    page = connection.execute(select(*columns).order_by(*order).limit(limit).offset(offset))
    return total, [Hit("job" if row[0] == KINDS["job"] else "dataset", Name(row[1], row[2]), row[3]) for row in page]


def _matches(where: Search) -> Any:
    job, dataset, name = schema.job.c, schema.dataset.c, search_name.c
    namespace = func.coalesce(job.namespace, dataset.namespace)
    last = func.coalesce(job.last_time, dataset.last_time)
    gone = func.coalesce(job.deleted, dataset.deleted)
    wanted: list[Any] = [
        name.name.like(f"%{_escaped(fold(where.text))}%", escape="!"),
        func.coalesce(job.first_time, dataset.first_time).isnot(None),
        name.kind.in_([KINDS[kind] for kind in where.kinds]),
        or_(gone.is_(None), gone < last),
        not_(namespace.startswith(RESERVED, autoescape=True)),
    ]
    if where.namespace is not None:
        wanted.append(namespace == where.namespace)
    if where.since is not None:
        wanted.append(last >= where.since)
    if where.before is not None:
        wanted.append(last < where.before)
    return (
        select(
            name.kind,
            namespace.label("namespace"),
            func.coalesce(job.name, dataset.name).label("name"),
            last.label("last_time"),
            name.name.label("folded"),
        )
        .select_from(search_name)
        .outerjoin(schema.job, and_(name.kind == KINDS["job"], job.key == name.key))
        .outerjoin(schema.dataset, and_(name.kind == KINDS["dataset"], dataset.key == name.key))
        .where(*wanted)
    )


def _escaped(part: str) -> str:
    return part.replace("!", "!!").replace("%", "!%").replace("_", "!_")
