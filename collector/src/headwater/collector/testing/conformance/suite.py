"""The suite."""

from __future__ import annotations

from headwater.collector.testing.conformance.contract import ContractChecks
from headwater.collector.testing.conformance.documents import RoundTripChecks
from headwater.collector.testing.conformance.durability import DurabilityChecks
from headwater.collector.testing.conformance.graph import GraphChecks
from headwater.collector.testing.conformance.listing import ListingChecks
from headwater.collector.testing.conformance.outages import OutageChecks
from headwater.collector.testing.conformance.sets import SetChecks


class StoreConformance(
    ContractChecks, RoundTripChecks, ListingChecks, SetChecks, GraphChecks, DurabilityChecks, OutageChecks
):
    """Holds a store to ``LineageStoreProtocol``, and its readers to ``stores.reading``.

    A subclass (``class TestAcmeStore(StoreConformance)``) gives the fixture ``make_store``, declares ``keeps``, and
    gives the fixture ``faults`` or excuses the checks that need it. Each check has an event loop of its own; a store is
    opened and closed in one.
    """
