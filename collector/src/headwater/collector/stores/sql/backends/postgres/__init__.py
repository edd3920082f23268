"""PostgreSQL 14 and later, by psycopg 3."""

from headwater.collector.stores.sql.backends.postgres.backend import PostgresBackend

__all__ = ["PostgresBackend"]
