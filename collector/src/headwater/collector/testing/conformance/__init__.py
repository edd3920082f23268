"""The contract of a store as a pytest suite: derive a test class from ``StoreConformance`` and say how a store is made.

    def store(folder, place):
        return AcmeStore(folder / place)

    class TestAcmeStore(StoreConformance):
        @pytest.fixture
        def make_store(self, tmp_path):
            return partial(store, tmp_path)

docs/stores.md tells the rest.
"""

from .capabilities import Faults, Keeps, MakeStore
from .outages import OUTAGE_CHECKS
from .suite import StoreConformance

__all__ = ["OUTAGE_CHECKS", "Faults", "Keeps", "MakeStore", "StoreConformance"]
