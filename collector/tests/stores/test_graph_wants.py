"""Statements about wants and readers start at an index of Neo4j's, and none looks at all nodes of a kind."""

from __future__ import annotations

from typing import Any

from neo4j import AsyncGraphDatabase

from headwater.collector.stores.graph import read_generations, wants
from headwater.collector.stores.graph.store import Neo4jLineageStore

STATEMENTS: dict[str, str] = {
    **{f"{kind}, page": page for kind, (page, _) in wants._LINKS.items()},
    **{f"{kind}, count": count for kind, (_, count) in wants._LINKS.items()},
    "wants": wants._WANTS,
    "readers": read_generations._READERS,
    "readers, count": read_generations._COUNT_READERS,
    "commits, count": read_generations._COUNT_COMMITS,
}


async def test_no_statement_scans(graph: Neo4jLineageStore, neo4j_url: str) -> None:
    parameters: dict[str, Any] = {"rows": [], "limit": 1, "reads": [], "named": [], "time": "", "run": ""}
    async with AsyncGraphDatabase.driver(neo4j_url, notifications_min_severity="OFF") as driver:
        for name, text in STATEMENTS.items():
            explained = await driver.execute_query(f"EXPLAIN {text}", parameters)
            scans = [each for each in _operators(explained.summary.plan) if each.endswith("Scan")]
            assert not scans, name


def _operators(plan: Any) -> list[str]:
    return [
        plan["operatorType"].split("@")[0],
        *(each for child in plan.get("children", ()) for each in _operators(child)),
    ]
