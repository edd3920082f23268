"""The tables as PostgreSQL gets them."""

from __future__ import annotations

from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.backends.postgres.tables import METADATA

LEFT_OUT = {"job_name"}
"""What another one does there."""


def test_every_index_is_made() -> None:
    """One of expressions alone names no column, and so no table, by itself."""
    for table in schema.metadata.tables.values():
        wanted = {index.name for index in table.indexes} - LEFT_OUT
        made = {index.name for index in METADATA.tables[table.name].indexes}
        assert wanted <= made, f"{table.name}: {sorted(map(str, wanted - made))}"
