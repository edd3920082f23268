"""A store in memory, which can be read whole: for tests, and to read how little a store has to do."""

from .merging import key_of, merge
from .store import MemoryLineageStore

__all__ = ["MemoryLineageStore", "key_of", "merge"]
