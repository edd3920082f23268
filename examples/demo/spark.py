"""What a Spark application with OpenLineage's listener sends, written by hand to the specification.

One application (the parent run) with two SQL executions. The first joins raw orders and rates into a table, the second
sums revenue by country. Each output carries ``columnLineage`` 1-2-0; the tables are known by their path and, through
``symlinks``, by their name in the metastore.
"""

from __future__ import annotations

import json
import uuid
from typing import Any, NamedTuple

PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark"
SPEC = "https://openlineage.io/spec"
NAMESPACE = "spark"
APPLICATION = "revenue_by_country"
HIVE = "hive://metastore:9083"
DAY = "2026-03-05"

Json = dict[str, Any]


class Table(NamedTuple):
    """A table in the lake: a path, a name in the metastore if it has one, and its columns with their types."""

    path: str
    table: str | None
    columns: dict[str, str]


class Use(NamedTuple):
    """An input column and how the output depends on it."""

    table: Table
    field: str
    type: str
    subtype: str


ORDERS = Table(
    "/lake/raw/orders",
    None,
    {"order_id": "string", "country": "string", "currency": "string", "amount": "decimal(10,2)"},
)
RATES = Table("/lake/raw/rates", None, {"currency": "string", "eur": "decimal(12,5)"})
CONVERTED = Table(
    "/lake/orders_eur", "shop.orders_eur", {"order_id": "string", "country": "string", "amount_eur": "decimal(20,7)"}
)
REVENUE = Table(
    "/lake/revenue_by_country",
    "shop.revenue_by_country",
    {"country": "string", "revenue_eur": "decimal(30,2)", "orders": "bigint"},
)

CONVERTED_LINEAGE = {
    "order_id": [Use(ORDERS, "order_id", "DIRECT", "IDENTITY")],
    "country": [Use(ORDERS, "country", "DIRECT", "IDENTITY")],
    "amount_eur": [Use(ORDERS, "amount", "DIRECT", "TRANSFORMATION"), Use(RATES, "eur", "DIRECT", "TRANSFORMATION")],
}
REVENUE_LINEAGE = {
    "country": [Use(CONVERTED, "country", "DIRECT", "IDENTITY")],
    "revenue_eur": [Use(CONVERTED, "amount_eur", "DIRECT", "AGGREGATION")],
    "orders": [Use(CONVERTED, "order_id", "DIRECT", "AGGREGATION")],
}
JOIN = [Use(ORDERS, "currency", "INDIRECT", "JOIN"), Use(RATES, "currency", "INDIRECT", "JOIN")]
GROUP = [Use(CONVERTED, "country", "INDIRECT", "GROUP_BY")]


def events() -> list[bytes]:
    """The application's events in the order in which Spark sends them."""
    application = _Run(_run_id("application"), APPLICATION, "APPLICATION", None)
    convert = _Run(_run_id("convert"), f"{APPLICATION}.execute_insert.orders_eur", "SQL_JOB", application)
    revenue = _Run(_run_id("revenue"), f"{APPLICATION}.execute_insert.revenue_by_country", "SQL_JOB", application)
    converted = _output(CONVERTED, CONVERTED_LINEAGE, JOIN)
    summed = _output(REVENUE, REVENUE_LINEAGE, GROUP)
    told = [
        application.event("START", "03:00:00.000"),
        convert.event("START", "03:00:04.120", [_dataset(ORDERS), _dataset(RATES)]),
        convert.event("RUNNING", "03:00:05.871", [_dataset(ORDERS), _dataset(RATES)], [converted]),
        convert.event("COMPLETE", "03:00:09.334", [_dataset(ORDERS), _dataset(RATES)], [converted]),
        revenue.event("START", "03:00:10.002", [_dataset(CONVERTED)], [summed]),
        revenue.event("RUNNING", "03:00:10.940"),
        revenue.event("COMPLETE", "03:00:12.517", [], [summed]),
        application.event("COMPLETE", "03:00:13.200"),
    ]
    return [json.dumps(event).encode() for event in told]


class _Run(NamedTuple):
    run_id: str
    job: str
    job_type: str
    parent: _Run | None

    def event(self, type_: str, time: str, inputs: list[Json] | None = None, outputs: list[Json] | None = None) -> Json:
        facets = {"processing_engine": _facet("1-1-1", "ProcessingEngineRunFacet", name="spark", version="3.5.9")}
        if self.parent is not None:
            link = {
                "run": {"runId": self.parent.run_id},
                "job": {"namespace": NAMESPACE, "name": self.parent.job},
            }
            facets["parent"] = _facet("1-2-0", "ParentRunFacet", **link, root=link)
        kind = {"processingType": "BATCH", "integration": "SPARK", "jobType": self.job_type}
        return {
            "eventType": type_,
            "eventTime": f"{DAY}T{time}Z",
            "producer": PRODUCER,
            "schemaURL": f"{SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": self.run_id, "facets": facets},
            "job": {
                "namespace": NAMESPACE,
                "name": self.job,
                "facets": {"jobType": _facet("2-0-4", "JobTypeJobFacet", **kind)},
            },
            "inputs": inputs or [],
            "outputs": outputs or [],
        }


def _run_id(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{PRODUCER}/demo/{name}"))


def _dataset(table: Table) -> Json:
    fields = [{"name": name, "type": kind} for name, kind in table.columns.items()]
    facets = {"schema": _facet("1-2-0", "SchemaDatasetFacet", fields=fields)}
    if table.table:
        names = [{"namespace": HIVE, "name": table.table, "type": "TABLE"}]
        facets["symlinks"] = _facet("1-0-1", "SymlinksDatasetFacet", identifiers=names)
    return {"namespace": "file", "name": table.path, "facets": facets}


def _output(table: Table, columns: dict[str, list[Use]], whole: list[Use]) -> Json:
    fields = {column: {"inputFields": [_use(use) for use in uses]} for column, uses in columns.items()}
    dataset = _dataset(table)
    facet = _facet("1-2-0", "ColumnLineageDatasetFacet", fields=fields, dataset=[_use(use) for use in whole])
    dataset["facets"]["columnLineage"] = facet
    return dataset


def _use(use: Use) -> Json:
    transformation = {"type": use.type, "subtype": use.subtype, "description": "", "masking": False}
    return {"namespace": "file", "name": use.table.path, "field": use.field, "transformations": [transformation]}


def _facet(version: str, name: str, /, **values: Any) -> Json:
    return {"_producer": PRODUCER, "_schemaURL": f"{SPEC}/facets/{version}/{name}.json#/$defs/{name}", **values}
