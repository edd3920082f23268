"""What the outside world delivers each day, the same on every machine."""

from __future__ import annotations

import random
from datetime import date
from typing import NamedTuple

COUNTRIES = {"DE": "EUR", "FR": "EUR", "GB": "GBP", "US": "USD"}
ORDERS_A_DAY = 400


class Order(NamedTuple):
    """One row of the raw feed, as the shop writes it: texts, with duplicates and cancelled orders among them."""

    order_id: str
    country: str
    currency: str
    amount: str
    status: str


class Rate(NamedTuple):
    """How many euros one unit of a currency is worth."""

    currency: str
    eur: str


def orders_of(day: date) -> list[Order]:
    """The orders of one day."""
    dice = random.Random(day.isoformat())
    rows = []
    for number in range(ORDERS_A_DAY):
        country = dice.choice(sorted(COUNTRIES))
        amount = f"{dice.randint(500, 25_000) / 100:.2f}"
        status = dice.choices(["paid", "cancelled"], [95, 5])[0]
        order = Order(f"{day:%y%m%d}-{number:04}", country, COUNTRIES[country], amount, status)
        rows += [order, order] if dice.random() < 0.02 else [order]
    return rows


def rates_of(day: date, *, faulty: bool = False) -> list[Rate]:
    """The exchange rates of one day. In the ``faulty`` feed a comma went astray."""
    dice = random.Random(f"rates {day}")
    gbp, usd = 1.15 + dice.random() / 50, 0.91 + dice.random() / 50
    return [Rate("EUR", "1"), Rate("GBP", f"{gbp / (1000 if faulty else 1):.5f}"), Rate("USD", f"{usd:.5f}")]
