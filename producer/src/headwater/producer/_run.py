"""The handle of one run: behind the decorator, behind ``run()``, and for use by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextvars import Token
from types import TracebackType
from typing import Any, Protocol

from headwater.shared.clock import Clock
from headwater.shared.facets import (
    ATTEMPT,
    COMMIT,
    DEP_MISS,
    ERROR_MESSAGE,
    LINEAGE,
    OUTPUT_STATISTICS,
    PARENT,
    QUEUED,
    WANTS,
)

from ._context import CURRENT, ancestry_here
from ._dataset import DatasetLike, several
from ._errors import ends_as, error_facet
from ._event_time import EventTimes
from ._facets import EVENT_SCHEMA_URL, facet
from ._guard import guarded
from ._ids import new_run_id
from ._mentions import Mentions, render
from ._parent import Ancestry, RunRef
from ._wants import WantLike, partition_names, spawned, want_ids

_NONE: tuple[str, ...] = ()


class RunHost(Protocol):
    """What a run needs of the producer it belongs to."""

    producer_uri: str
    clock: Clock

    def publish(self, event: dict[str, Any]) -> bool:
        """Emits an event of the run. Never raises."""
        ...

    def standing_facets(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Run facets and job facets that every run of this process carries."""
        ...


class Run:
    """One run of a job. A context manager, sync and async alike: START on entry, COMPLETE, FAIL or ABORT on exit.

    What is said about inputs, outputs and facets accumulates and goes out with the next event of the run. No method
    raises; all of them may be called from any thread. Where lineage is off the handle does nothing.
    """

    def __init__(
        self,
        host: RunHost | None,
        namespace: str,
        name: str,
        *,
        run_id: str | None = None,
        logical_key: str | None = None,
        inputs: Sequence[DatasetLike] = (),
        outputs: Sequence[DatasetLike] = (),
        run_facets: Mapping[str, object] | None = None,
        job_facets: Mapping[str, object] | None = None,
        wants: Sequence[WantLike] = (),
    ) -> None:
        self.run_id = run_id or new_run_id()
        self.job_namespace, self.job_name, self.logical_key = namespace, name, logical_key
        self._host = host
        self._pid = os.getpid()
        self._state = "NEW"
        self._token: Token[Run | None] | None = None
        self._above: Ancestry | None = None
        if host is None:
            return
        self._times = EventTimes(host.clock)
        self._inputs, self._outputs = Mentions("input"), Mentions("output")
        self._edges: dict[tuple[str, str], list[dict[str, str]]] = {}
        self._run_facets: dict[str, Any] = {}
        self._job_facets: dict[str, Any] = {}
        self._describe(logical_key, inputs, outputs, run_facets, job_facets)
        self.serves(wants)

    @guarded(None)
    def _describe(
        self,
        logical_key: str | None,
        inputs: Sequence[DatasetLike],
        outputs: Sequence[DatasetLike],
        run_facets: Mapping[str, object] | None,
        job_facets: Mapping[str, object] | None,
    ) -> None:
        if logical_key is not None:
            self.facet(ATTEMPT, {"logicalKey": str(logical_key)})
        for given, take in ((inputs, self.input), (outputs, self.output)):
            for one in several(given):
                take(one)
        for name, value in (run_facets or {}).items():
            self.facet(name, value)
        for name, value in (job_facets or {}).items():
            self.job_facet(name, value)

    @property
    def live(self) -> bool:
        """Whether the run has started and not ended, in the process that started it, with lineage on."""
        return self._host is not None and self._state == "RUNNING" and self._pid == os.getpid()

    def as_ancestry(self) -> Ancestry:
        """What a run started within this one has above it."""
        me = RunRef(self.job_namespace, self.job_name, self.run_id)
        return Ancestry(me, self._above.root if self._above else me)

    # What the run reads, writes and is ---------------------------------------------------------------------------

    @guarded(None)
    def input(
        self,
        dataset: DatasetLike,
        version: str | None = None,
        *,
        facets: Mapping[str, object] | None = None,
        input_facets: Mapping[str, object] | None = None,
    ) -> None:
        """The run reads ``dataset``; ``version`` pins the generation it reads."""
        if self._host is None:
            return
        mention = self._inputs.add(dataset, version)
        mention.facets.update(facets or {})
        mention.own_facets.update(input_facets or {})

    @guarded(None)
    def output(
        self,
        dataset: DatasetLike,
        version: str | None = None,
        *,
        inputs: Sequence[DatasetLike] | None = None,
        facets: Mapping[str, object] | None = None,
        output_facets: Mapping[str, object] | None = None,
    ) -> None:
        """The run writes ``dataset``. ``inputs`` says that it was made from exactly these (the standard ``lineage``
        facet); an empty list that it was made from none; None leaves it unsaid."""
        if self._host is None:
            return
        mention = self._outputs.add(dataset, version)
        mention.facets.update(facets or {})
        mention.own_facets.update(output_facets or {})
        if inputs is None:
            return
        sources = [self._inputs.add(one) for one in several(inputs)]
        self._edges[mention.namespace, mention.name] = [
            {"namespace": one.namespace, "name": one.name, "type": "DATASET"} for one in sources
        ]

    @guarded(None)
    def facet(self, name: str, value: object) -> None:
        """Sets a run facet: a dict, or openlineage-python's facet object."""
        if self._host is not None:
            self._run_facets[name] = facet("run", name, value, self._host.producer_uri)

    @guarded(None)
    def job_facet(self, name: str, value: object) -> None:
        """Sets a job facet: a dict, or openlineage-python's facet object."""
        if self._host is not None:
            self._job_facets[name] = facet("job", name, value, self._host.producer_uri)

    @guarded(None)
    def serves(self, wants: Sequence[WantLike]) -> None:
        """The run is scheduled for these wants, by their ids: besides those named before."""
        if self._host is None or not wants:
            return
        before = (self._run_facets.get(WANTS) or {}).get("wants", [])
        self.facet(WANTS, {"wants": want_ids([*before, *want_ids(wants)])})

    @guarded(None)
    def output_stats(self, dataset: DatasetLike, rows: int | None = None, size: int | None = None) -> None:
        """How many rows and bytes the run wrote to an output (the standard ``outputStatistics`` facet)."""
        if self._host is None:
            return
        said = {key: int(value) for key, value in (("rowCount", rows), ("size", size)) if value is not None}
        for mention in self._outputs.of(dataset):
            mention.own_facets[OUTPUT_STATISTICS] = {**mention.own_facets.get(OUTPUT_STATISTICS, {}), **said}

    # Events ------------------------------------------------------------------------------------------------------

    @guarded(None)
    def commit(self, output: DatasetLike, version: str | None = None) -> None:
        """The output is published now, whatever becomes of the run: a RUNNING event with the ``headwater_commit``
        output facet on it, and the inputs named so far. Outputs of this run that are never committed stay
        candidates."""
        if self._host is None or not self.live:
            return
        mention = self._outputs.add(output, version)
        mention_now = render(mention, "output", self._host.producer_uri)
        own = mention_now.setdefault("outputFacets", {})
        own[COMMIT] = facet("output", COMMIT, {}, self._host.producer_uri)
        self._emit("RUNNING", outputs=[mention_now])

    @guarded(None)
    def queued(self) -> None:
        """The run waits to be started: an event without a state, and the ``headwater_queued`` facet on it. A scheduler
        says it, and whoever starts the run, here or elsewhere, gives the same ``run_id``."""
        if self._host is None or self._state != "NEW":
            return
        waits = facet("run", QUEUED, {}, self._host.producer_uri)
        self._emit("OTHER", run_facets={**self._run_facets, QUEUED: waits})

    @guarded(_NONE)
    def dep_miss(
        self, missing: Sequence[DatasetLike] = (), wants: Sequence[WantLike | Mapping[str, Any]] | None = None
    ) -> tuple[str, ...]:
        """The run cannot go on before the ``missing`` partitions are there, and ends: ABORT with the
        ``headwater_dep_miss`` facet. ``wants`` asks for them: ids of wants, or mappings with ``partitions`` and, if
        given, ``id`` and ``comment``, which say a want at once; None asks for all that is missing by one new want.
        Returns the ids of the wants."""
        try:
            asked = spawned(wants, missing)
            if self._host is not None and self.live:
                said = {"missing": partition_names(missing), "wants": asked}
                self._run_facets[DEP_MISS] = facet("run", DEP_MISS, said, self._host.producer_uri)
        finally:  # whatever is wrong with what it said: it must not look like a success
            self._end("ABORT")
        return tuple(each["id"] for each in asked)

    @guarded(None)
    def start(self) -> None:
        """Emits START. Entering the context manager does it."""
        if self._host is None or self._state != "NEW":
            return
        self._above = ancestry_here()
        if self._above is not None:
            self._run_facets[PARENT] = facet("run", PARENT, self._above.as_facet(), self._host.producer_uri)
        standing_run, standing_job = self._host.standing_facets()
        self._run_facets = {**standing_run, **self._run_facets}
        self._job_facets = {**standing_job, **self._job_facets}
        self._state = "RUNNING"
        self._emit("START")

    @guarded(None)
    def complete(self) -> None:
        """Emits COMPLETE, once; a run that has ended stays as it ended."""
        self._end("COMPLETE")

    @guarded(None)
    def fail(self, error: BaseException | str) -> None:
        """Emits FAIL with the ``errorMessage`` facet."""
        if self.live and self._host is not None:
            self._run_facets[ERROR_MESSAGE] = facet("run", ERROR_MESSAGE, error_facet(error), self._host.producer_uri)
        self._end("FAIL")

    @guarded(None)
    def abort(self) -> None:
        """Emits ABORT: given up, by the application's own wish or its user's."""
        self._end("ABORT")

    def end(self, error: BaseException | None) -> None:
        """COMPLETE, FAIL or ABORT, by how the work ended."""
        match ends_as(error):
            case "COMPLETE":
                self.complete()
            case "ABORT":
                self.abort()
            case _:
                self.fail(error or "")

    def _end(self, event_type: str) -> None:
        if self.live:
            self._state = event_type
            self._emit(event_type)

    def _emit(
        self,
        event_type: str,
        outputs: list[dict[str, Any]] | None = None,
        run_facets: dict[str, Any] | None = None,
    ) -> None:
        host = self._host
        assert host is not None
        uri = host.producer_uri
        job_facets = self._job_facets
        if self._edges:
            entries = [
                {"namespace": namespace, "name": name, "type": "DATASET", "inputs": sources}
                for (namespace, name), sources in list(self._edges.items())
            ]
            job_facets = {**job_facets, LINEAGE: facet("job", LINEAGE, {"entries": entries}, uri)}
        host.publish(
            {
                "eventType": event_type,
                "eventTime": self._times.next(),
                "run": {"runId": self.run_id, "facets": self._run_facets if run_facets is None else run_facets},
                "job": {"namespace": self.job_namespace, "name": self.job_name, "facets": job_facets},
                "inputs": self._inputs.rendered(uri),
                "outputs": self._outputs.rendered(uri) if outputs is None else outputs,
                "producer": uri,
                "schemaURL": EVENT_SCHEMA_URL,
            }
        )

    # The current run ---------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Makes this the current run of the context it is called in."""
        if self._host is not None:
            self._token = CURRENT.set(self)

    def leave(self) -> None:
        """Undoes ``enter``."""
        token, self._token = self._token, None
        if token is None:
            return
        try:
            CURRENT.reset(token)
        except ValueError:  # left in another context than entered (an async fixture, say): nothing to undo there
            CURRENT.set(token.old_value if token.old_value is not Token.MISSING else None)

    def __enter__(self) -> Run:
        self.start()
        self.enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.leave()
        self.end(error)

    async def __aenter__(self) -> Run:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)

    def __repr__(self) -> str:
        return f"<Run {self.job_namespace} {self.job_name} {self.run_id} {self._state if self._host else 'off'}>"
