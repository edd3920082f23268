"""The pipeline: orders and rates land, are cleaned and joined, and a revenue table is published by revision.

Where headwater comes in, it is a decorator, and a line on the run at hand that says which version was read or written.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal

from headwater.producer import LineageDataset, current_run

from .feeds import Order
from .instruments import run, track_lineage
from .warehouse import Row, Warehouse

RAW_ORDERS = LineageDataset(namespace="shop", name="raw_orders")
RATES = LineageDataset(namespace="shop", name="exchange_rates")
CLEAN_ORDERS = LineageDataset(namespace="shop", name="clean_orders")
ORDERS_EUR = LineageDataset(namespace="shop", name="orders_eur")
REVENUE = LineageDataset(namespace="shop", name="revenue")

MAX_CHANGE = Decimal("0.5")
"""A country's revenue that changes by more than this from one day to the next is not published."""


class ReleaseRefusedError(Exception):
    """The revenue does not look right, so readers keep the revision they have."""


@track_lineage(job_name="land_orders", outputs=[RAW_ORDERS])
def land_orders(warehouse: Warehouse, day: str, orders: Sequence[Order]) -> str:
    """Keeps the feed as it came. Returns the snapshot's version."""
    version = warehouse.land(RAW_ORDERS.name, day, Order._fields, orders)
    if here := current_run():
        here.output(RAW_ORDERS, version=version)
        here.output_stats(RAW_ORDERS, rows=len(orders))
    return version


@track_lineage(job_name="clean_orders", inputs=[RAW_ORDERS], outputs=[CLEAN_ORDERS])
async def clean_orders(warehouse: Warehouse, day: str, raw: str) -> str:
    """Drops duplicates and orders that were not paid."""
    rows = await asyncio.to_thread(warehouse.read, RAW_ORDERS.name, raw)
    kept = {row["order_id"]: row for row in rows if row["status"] == "paid"}
    columns = ("order_id", "country", "currency", "amount")
    version = warehouse.land(CLEAN_ORDERS.name, day, columns, ([row[one] for one in columns] for row in kept.values()))
    if here := current_run():
        here.input(RAW_ORDERS, version=raw)
        here.output(CLEAN_ORDERS, version=version)
        here.output_stats(CLEAN_ORDERS, rows=len(kept))
    return version


@track_lineage(job_name="convert_orders", inputs=[CLEAN_ORDERS, RATES], outputs=[ORDERS_EUR])
async def convert_orders(warehouse: Warehouse, day: str, clean: str) -> str:
    """Joins orders and rates. It reads whatever rates are newest and does not say which: headwater infers that."""
    orders, rates = await asyncio.gather(
        asyncio.to_thread(warehouse.read, CLEAN_ORDERS.name, clean),
        asyncio.to_thread(warehouse.read, RATES.name, warehouse.newest(RATES.name)),
    )
    in_eur = {rate["currency"]: Decimal(rate["eur"]) for rate in rates}
    rows = [(row["order_id"], row["country"], Decimal(row["amount"]) * in_eur[row["currency"]]) for row in orders]
    version = warehouse.land(ORDERS_EUR.name, day, ("order_id", "country", "amount_eur"), rows)
    if here := current_run():
        here.input(CLEAN_ORDERS, version=clean)
        here.output(ORDERS_EUR, version=version)
        here.output_stats(ORDERS_EUR, rows=len(rows))
    return version


async def publish_revenue(warehouse: Warehouse, day: str, orders: str) -> str:
    """Adds the day to the published revenue and releases both as a new revision. Raises ReleaseRefusedError."""
    async with run("publish_revenue", logical_key=f"publish_revenue/{day}") as attempt:
        attempt.facet("nominalTime", {"nominalStartTime": f"{day}T00:00:00Z", "nominalEndTime": f"{day}T23:59:59Z"})
        attempt.input(ORDERS_EUR, version=orders)
        before: list[Row] = []
        if published := warehouse.current(REVENUE.name):
            attempt.input(REVENUE, version=published)
            before = warehouse.revision(REVENUE.name, published)
        revision = warehouse.next_revision(REVENUE.name)
        attempt.output(REVENUE, version=revision)

        today = _revenue(warehouse.read(ORDERS_EUR.name, orders))
        rows = _with_day(before, day, today)
        warehouse.stage(REVENUE.name, revision, ("day", "country", "revenue_eur"), rows)
        _check(today, before)
        warehouse.publish(REVENUE.name, revision)
        attempt.commit(REVENUE, version=revision)
        attempt.output_stats(REVENUE, rows=len(rows))
        return revision


def replay_revenue(warehouse: Warehouse, day: str, orders: str, published: str) -> list[Row]:
    """What ``publish_revenue`` makes of these versions of its inputs, without releasing it."""
    rows = _with_day(
        warehouse.revision(REVENUE.name, published), day, _revenue(warehouse.read(ORDERS_EUR.name, orders))
    )
    return [dict(zip(("day", "country", "revenue_eur"), row, strict=True)) for row in rows]


@track_lineage(job_name="daily_revenue")
async def daily_revenue(warehouse: Warehouse, day: str, orders: Sequence[Order]) -> str:
    """One day from the feed to the release; its steps are child runs. Returns the published revision."""
    raw = land_orders(warehouse, day, orders)
    clean = await clean_orders(warehouse, day, raw)
    return await publish_revenue(warehouse, day, await convert_orders(warehouse, day, clean))


def _with_day(before: list[Row], day: str, today: dict[str, Decimal]) -> list[tuple[str, str, str]]:
    rows = [(row["day"], row["country"], row["revenue_eur"]) for row in before if row["day"] != day]
    return rows + [(day, country, str(amount)) for country, amount in sorted(today.items())]


def _revenue(orders: list[Row]) -> dict[str, Decimal]:
    totals: dict[str, Decimal] = defaultdict(Decimal)
    for row in orders:
        totals[row["country"]] += Decimal(row["amount_eur"])
    return {country: amount.quantize(Decimal("0.01")) for country, amount in totals.items()}


def _check(today: dict[str, Decimal], before: list[Row]) -> None:
    if not before:
        return
    last_day = max(row["day"] for row in before)
    for row in before:
        was, now = Decimal(row["revenue_eur"]), today.get(row["country"], Decimal(0))
        if row["day"] == last_day and abs(now - was) > was * MAX_CHANGE:
            raise ReleaseRefusedError(f"revenue of {row['country']} went from {was} to {now} EUR in one day")
