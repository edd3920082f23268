"""What is read ahead in one question to a server: a trip takes longer than most of what is asked on it.

Whoever asks for runs mostly asks for their claims next, and after datasets for their drops and candidates; these come
with them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy.engine import Connection

from headwater.collector.merging.keys import run_key
from headwater.collector.stores.reading import Claim, DatasetFacts, Drop, RunFacts
from headwater.collector.stores.sql import read_catalog, read_entities, read_generations, read_runs
from headwater.collector.stores.sql.selecting import keys_of
from headwater.shared.event import Name


class Ahead:
    """In one view of the store, and of no use after it. Its methods are read functions, see ``read_runs`` and others.
    ``eager``: what follows is read with what is asked; else only what was asked for is remembered."""

    def __init__(self, *, eager: bool) -> None:
        self._eager: Final = eager
        self._claims: dict[str, list[Claim]] = {}
        self._drops: dict[Name, list[Drop]] = {}
        self._unpublished: set[Name] = set()
        """Of the datasets whose drops are known."""

    @property
    def claims(self) -> Mapping[str, Sequence[Claim]]:
        """All that these runs claim."""
        return self._claims

    def runs(
        self,
        connection: Connection,
        wanted: Collection[str],
        io: bool,
        facets: Collection[str] | None,
        described: Collection[str] | None,
    ) -> dict[str, RunFacts]:
        if not self._eager:
            return read_runs.runs(connection, wanted, io, facets, described)
        found, (rows,) = read_runs.runs_beside(connection, wanted, io, facets, described, read_generations.OF_RUNS)
        self._learn(wanted, read_generations.claims_from(connection, rows))
        return found

    def claims_of_runs(self, connection: Connection, runs: Collection[str]) -> list[Claim]:
        if fresh := [run for run in runs if run not in self._claims]:
            self._learn(fresh, read_generations.claims_of_runs(connection, fresh))
        return [claim for run in dict.fromkeys(runs) for claim in self._claims[run]]

    def _learn(self, runs: Collection[str], claims: Collection[Claim]) -> None:
        of_key: dict[bytes, list[Claim]] = {}
        for run in runs:
            self._claims[run] = of_key.setdefault(run_key(run), [])
        for claim in claims:
            of_key[run_key(claim.run)].append(claim)

    def datasets(self, connection: Connection, names: Collection[Name]) -> dict[Name, DatasetFacts]:
        if not self._eager:
            return read_entities.datasets(connection, names)
        beside = (read_entities.DROPS, read_catalog.UNPUBLISHED)
        found, (drops, unpublished) = read_entities.datasets_beside(connection, names, *beside)
        by_key = keys_of(names)
        self._drops.update((name, []) for name in names)
        for drop in read_entities.drops_from(by_key, drops):
            self._drops[drop.dataset].append(drop)
        self._unpublished |= read_catalog.unpublished_from(by_key, unpublished)
        return found

    def drops(self, connection: Connection, datasets: Collection[Name]) -> list[Drop]:
        if not self._drops.keys() >= set(datasets):
            return read_entities.drops(connection, datasets)
        return [drop for name in dict.fromkeys(datasets) for drop in self._drops[name]]

    def unpublished(self, connection: Connection, datasets: Collection[Name]) -> set[Name]:
        if not self._drops.keys() >= set(datasets):
            return read_catalog.unpublished(connection, datasets)
        return self._unpublished.intersection(datasets)
