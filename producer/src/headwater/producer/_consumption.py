"""Lineage of consumers: what a service that reads messages says about itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.shared.facets import JOB_TYPE

from ._dataset import DatasetLike, several
from ._event_time import EventTimes
from ._facets import EVENT_SCHEMA_URL, facet
from ._guard import guarded
from ._ids import new_run_id
from ._mentions import Mentions

if TYPE_CHECKING:
    from headwater.shared.clock import Clock

    from ._settings import Settings


_NOTHING: str | None = None


class Consumption:
    """The half of LineageProducer that records events by hand. Its methods are coroutines that never wait."""

    clock: Clock
    producer_uri: str

    if TYPE_CHECKING:

        def is_on(self) -> bool: ...
        def publish(self, event: dict[str, Any]) -> bool: ...
        @property
        def settings(self) -> Settings | None: ...

    async def record_consumption(
        self,
        event_type: str,
        job_name: str,
        job_namespace: str | None = None,
        run_id: str | None = None,
        inputs: Sequence[DatasetLike] | None = None,
        outputs: Sequence[DatasetLike] | None = None,
        producer_uri: str | None = None,
    ) -> str | None:
        """Emits one run event: ``event_type`` START, RUNNING, COMPLETE, FAIL, ABORT or OTHER.

        Returns the run's id (a new one unless ``run_id`` is given), to be given again with the next event of the same
        run; None if the event was dropped or lineage is off.
        """
        return self._record(event_type, job_name, job_namespace, run_id, inputs, outputs, producer_uri)

    async def record_message_consumption(self, topic: str, group_id: str, source_namespace: str) -> str | None:
        """A message was consumed: the topic is the input dataset, the consumer group the job, and each message a run
        that is complete. ``source_namespace`` is the topic's, ``kafka://host:9092``. Returns the run's id, None if the
        event was dropped or lineage is off."""
        return self._record("COMPLETE", group_id, None, None, [(source_namespace, topic)], None, None, streaming=True)

    @guarded(_NOTHING)
    def _record(
        self,
        event_type: str,
        job_name: str,
        job_namespace: str | None,
        run_id: str | None,
        inputs: Sequence[DatasetLike] | None,
        outputs: Sequence[DatasetLike] | None,
        producer_uri: str | None,
        *,
        streaming: bool = False,
    ) -> str | None:
        if not self.is_on() or self.settings is None:
            return None
        uri = producer_uri or self.producer_uri
        sides = (Mentions("input"), Mentions("output"))
        for side, given in zip(sides, (inputs, outputs), strict=True):
            for one in several(given):
                side.add(one)
        run_id = run_id or new_run_id()
        kind = {"processingType": "STREAMING", "integration": "HEADWATER", "jobType": "CONSUMER"}
        taken = self.publish(
            {
                "eventType": str(getattr(event_type, "value", event_type)).upper(),
                "eventTime": EventTimes(self.clock).next(),
                "run": {"runId": run_id, "facets": {}},
                "job": {
                    "namespace": job_namespace or self.settings.job_namespace,
                    "name": job_name,
                    "facets": {JOB_TYPE: facet("job", JOB_TYPE, kind, uri)} if streaming else {},
                },
                "inputs": sides[0].rendered(uri),
                "outputs": sides[1].rendered(uri),
                "producer": uri,
                "schemaURL": EVENT_SCHEMA_URL,
            }
        )
        return run_id if taken else None
