"""Places on servers where the suite has one database: it is emptied when a place is asked for that it is not yet."""

from __future__ import annotations

import psycopg
from neo4j import GraphDatabase
from psycopg.sql import SQL, Identifier

_EMPTY = "MATCH (n) WHERE NOT n:HeadwaterMeta CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS"


def clear_neo4j(url: str, place: str) -> None:
    """Constraints and indexes stay."""
    with GraphDatabase.driver(url) as driver, driver.session(database="neo4j") as session:
        if session.run("MATCH (p:ConformancePlace) RETURN p.name").value() != [place]:
            session.run(_EMPTY).consume()
            session.run("CREATE (:ConformancePlace {name: $name})", name=place).consume()


def clear_postgres(url: str, place: str) -> None:
    """Tables stay."""
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS conformance_place (name text)")
        if connection.execute("SELECT name FROM conformance_place").fetchall() == [(place,)]:
            return
        for (table,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall():
            if table != "meta":
                connection.execute(SQL("DELETE FROM {}").format(Identifier(table)))
        connection.execute("INSERT INTO conformance_place VALUES (%s)", [place])
