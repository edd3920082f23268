"""LineageProducer: settings, pipe and the runs of one application."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import ConfigurationError
from headwater.shared.facets import PROCESSING_ENGINE, SOURCE_CODE_LOCATION

from . import _encode
from ._calls import name_of
from ._consumption import Consumption
from ._dataset import DatasetLike
from ._decorator import tracked
from ._facets import facet
from ._guard import STATE, guarded, note_internal_error
from ._ids import new_want_id
from ._notice import forget_notices, notice
from ._plain import UnserialisableError
from ._run import Run
from ._stats import TOO_LARGE, UNSERIALISABLE, Stats
from ._wants import WantLike, say_want

if TYPE_CHECKING:
    from ._pipe import Pipe
    from ._settings import Settings
    from .transports import Transport

P = ParamSpec("P")
R = TypeVar("R")


class LineageProducer(Consumption):
    """Emits lineage through a spool on disk. The module's functions are thin over one default instance.

    With arguments it is configured at once and raises ConfigurationError; without it configures itself from the
    environment and the file at first use, and is a no-op with one warning where nothing is configured or something is
    wrong. No other method raises, and none but ``flush`` and ``shutdown`` waits.
    """

    def __init__(self, *, transport: Transport | None = None, clock: Clock | None = None, **settings: Any) -> None:
        self.clock = clock or SystemClock()
        self.producer_uri = ""
        self._on: bool | None = None
        self._settings: Settings | None = None
        self._pipe: Pipe | None = None
        self._capture: list[dict[str, Any]] | None = None
        self._standing: tuple[dict[str, Any], dict[str, Any]] | None = None
        if transport is not None or settings:
            self.configure(transport=transport, **settings)

    # Configuration ---------------------------------------------------------------------------------------------------

    def configure(self, *, transport: Transport | None = None, **settings: Any) -> None:
        """Sets the producer up anew: argument before environment before file before default. Starts the sender, which
        also sends what earlier processes of the application left in the spool.

        Settings: ``url`` (one or a list), ``enabled``, ``collector_topic``, ``job_namespace``, ``producer_uri``,
        ``application``, ``spool_dir``, ``spool_max_bytes``, ``exit_timeout_s``, ``api_key``, ``code_version``,
        ``kafka``.
        ``transport`` takes the place of ``url``. Raises ConfigurationError, and then leaves everything as it was.
        """
        from ._settings import resolve

        resolved = resolve(settings)
        pipe = self._built(resolved, transport)
        forget_notices()
        old = self._pipe
        self._adopt(resolved, pipe)
        if old is not None:
            old.close(resolved.exit_timeout_s, patient=False)
        if pipe is not None:
            pipe.start()

    def _built(self, settings: Settings, transport: Transport | None) -> Pipe | None:
        if not settings.enabled or not (settings.urls or transport):
            return None
        from ._pipe import Pipe  # spool and sender cost nothing where lineage is off
        from .transports import build

        _encode.check_engine()
        return Pipe(settings, transport or build(settings), self.clock)

    def _adopt(self, settings: Settings, pipe: Pipe | None) -> None:
        self._settings, self._pipe = settings, pipe
        self.producer_uri = settings.producer_uri
        self._standing = None
        self._on = pipe is not None or self._capture is not None
        if pipe is None and settings.enabled and self._capture is None:
            notice(
                "unconfigured",
                "headwater is not configured, lineage is off: set HEADWATER_URL or call configure(url=...)",
            )

    def _resolve(self) -> bool:
        """The first use without ``configure``: a wrong setting is told once, and the application goes on."""
        from ._settings import resolve

        self._on = False
        try:
            settings = resolve({})
            self._adopt(settings, self._built(settings, None))
        except ConfigurationError as error:
            self.turn_off(error)
        except Exception as error:
            note_internal_error(error, "the configuration")
        return bool(self._on)

    def is_on(self) -> bool:
        """Whether lineage is on. Configures the producer if that has not been done."""
        on = self._on
        return on if on is not None else self._resolve()

    @property
    def settings(self) -> Settings | None:
        """What the producer runs by; None before the first use, or after a wrong configuration."""
        return self._settings

    # Events ----------------------------------------------------------------------------------------------------------

    @guarded(False)
    def emit(self, event: object) -> bool:
        """Takes an OpenLineage event: a dict, bytes, or an event of openlineage-python. Never raises, never waits for
        the network. True: the event is in the spool and survives a SIGKILL of the application. False: lineage is off,
        or the event was dropped and counted by reason."""
        on = self._on
        if not (on if on is not None else self._resolve()):
            return False
        return self._put(event)

    def _put(self, event: object) -> bool:
        pipe = self._pipe
        try:
            payload = _encode.to_bytes(event)
        except UnserialisableError as error:
            if pipe is not None:
                pipe.drop(UNSERIALISABLE, str(error))
            return False
        if self._capture is not None:
            import json

            self._capture.append(json.loads(payload))
            return True
        if pipe is None:
            return False
        if not _encode.fits(payload):
            pipe.drop(TOO_LARGE, f"{len(payload):,} bytes")
            return False
        return pipe.put(payload)

    def publish(self, event: dict[str, Any]) -> bool:
        """``emit``, for runs."""
        return self.emit(event)

    @guarded(False)
    def flush(self, timeout_s: float = 5.0) -> bool:
        """Waits until everything emitted so far, and what earlier processes left, is delivered or refused. False when
        that took longer than ``timeout_s``; the rest stays in the spool."""
        if not self.is_on() or self._pipe is None:
            return True
        return self._pipe.flush(timeout_s)

    @guarded(Stats())
    def stats(self) -> Stats:
        """What became of the events: emitted = delivered + spooled + dropped."""
        return self._pipe.stats() if self._pipe is not None else Stats(internal_errors=STATE.internal_errors)

    @guarded(False)
    def shutdown(self, timeout_s: float | None = None) -> bool:
        """Flushes, ends the sender and closes files and connections. What is left stays in the spool for the next
        process. A later ``emit`` begins again. Happens by itself at exit."""
        pipe, settings = self._pipe, self._settings
        if pipe is None or settings is None:
            return True
        return pipe.close(settings.exit_timeout_s if timeout_s is None else timeout_s)

    # Runs ------------------------------------------------------------------------------------------------------------

    def run(
        self,
        job_name: str,
        *,
        job_namespace: str | None = None,
        logical_key: str | None = None,
        run_id: str | None = None,
        inputs: Sequence[DatasetLike] = (),
        outputs: Sequence[DatasetLike] = (),
        facets: Mapping[str, object] | None = None,
        job_facets: Mapping[str, object] | None = None,
        wants: Sequence[WantLike] = (),
    ) -> Run:
        """A run of ``job_name`` around a block: ``with run("nightly.load") as r:``, or ``async with``.

        ``logical_key`` names the work that this run is an attempt at: a retry says the same key. ``facets`` are run
        facets. ``run_id`` is for a run that began elsewhere. ``wants``: ids of the wants that it is scheduled for.
        """
        try:
            if self.is_on() and self._settings is not None:
                return Run(
                    self,
                    job_namespace or self._settings.job_namespace,
                    str(job_name),
                    run_id=run_id,
                    logical_key=logical_key,
                    inputs=inputs,
                    outputs=outputs,
                    run_facets=facets,
                    job_facets=job_facets,
                    wants=wants,
                )
        except Exception as error:
            note_internal_error(error, "run")
        return Run(None, job_namespace or "", str(job_name), run_id=run_id)

    def want(
        self, partitions: Sequence[DatasetLike], *, want_id: object | None = None, comment: str | None = None
    ) -> str:
        """Says that these partitions are wanted, each a dataset, and returns the want's id: ``want_id`` or a new UUID.
        Said again under the same id, the last word counts."""
        name = new_want_id()
        try:
            name = name if want_id is None else str(want_id)
            if self.is_on():
                say_want(self, name, partitions, comment)
        except Exception as error:
            note_internal_error(error, "want")
        return name

    @overload
    def track_lineage(self, job_name: Callable[P, R], /) -> Callable[P, R]: ...

    @overload
    def track_lineage(
        self,
        job_name: str | None = None,
        *,
        inputs: Sequence[DatasetLike] = (),
        outputs: Sequence[DatasetLike] = (),
        job_namespace: str | None = None,
        logical_key: str | None = None,
        facets: Mapping[str, object] | None = None,
        job_facets: Mapping[str, object] | None = None,
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...

    def track_lineage(
        self,
        job_name: Any = None,
        *,
        inputs: Sequence[DatasetLike] = (),
        outputs: Sequence[DatasetLike] = (),
        job_namespace: str | None = None,
        logical_key: str | None = None,
        facets: Mapping[str, object] | None = None,
        job_facets: Mapping[str, object] | None = None,
    ) -> Any:
        """Decorates a function: every call is a run. START before, COMPLETE after; FAIL with the ``errorMessage`` facet
        on an exception, which passes untouched; ABORT on cancellation, KeyboardInterrupt and an abandoned generator.

        Sync and async functions, generators and async generators, methods, classmethods and staticmethods. The name
        of the job is the function's own unless given. Within the function ``current_run()`` is the handle.
        """

        if callable(job_name) or isinstance(job_name, (classmethod, staticmethod)):  # without parentheses
            return self.track_lineage()(job_name)

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            inner = function.__func__ if isinstance(function, (classmethod, staticmethod)) else function
            name = job_name if job_name is not None else name_of(inner)
            given: dict[str, Any] = {
                "job_namespace": job_namespace,
                "logical_key": logical_key,
                "inputs": inputs,
                "outputs": outputs,
                "facets": facets,
                "job_facets": job_facets,
            }
            return tracked(function, _TrackedJob(self, name, given))

        return decorate

    def standing_facets(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Run and job facets that every run carries. Found once: the first run reads a few files of the work tree."""
        standing = self._standing
        if standing is None:
            standing = self._standing = self._find_standing_facets()
        return standing

    def _find_standing_facets(self) -> tuple[dict[str, Any], dict[str, Any]]:
        from ._code import processing_engine, source_code_location

        uri = self.producer_uri
        code = source_code_location(self._settings.code_version if self._settings else None, uri)
        return (
            {PROCESSING_ENGINE: facet("run", PROCESSING_ENGINE, processing_engine(), uri)},
            {SOURCE_CODE_LOCATION: facet("job", SOURCE_CODE_LOCATION, code, uri)} if code else {},
        )

    def turn_off(self, error: ConfigurationError) -> None:
        """Lineage is off, told once: for a configuration that is not the application's own call."""
        self._on = self._capture is not None
        notice("configuration", "headwater is wrongly configured, lineage is off: %s", error)

    def forget(self) -> None:
        """Shuts down without waiting and forgets the configuration: the next use finds it anew."""
        pipe, self._pipe = self._pipe, None
        self._on = self._settings = self._standing = None
        forget_notices()
        if pipe is not None:
            pipe.close(0.0, patient=False)

    # Tests -----------------------------------------------------------------------------------------------------------

    def begin_capture(self, events: list[dict[str, Any]]) -> tuple[list[dict[str, Any]] | None, bool | None]:
        """From now on events go to ``events`` instead of the spool; lineage is on. Returns what ``end_capture`` needs.
        See ``headwater.producer.testing``."""
        before = (self._capture, self._on)
        self._capture = events
        if self._settings is None:
            from ._settings import resolve

            self._adopt(resolve({"enabled": True}), None)
        self._on = True
        return before

    def end_capture(self, before: tuple[list[dict[str, Any]] | None, bool | None]) -> None:
        """Back to what was before ``begin_capture``."""
        self._capture, self._on = before
        if self._on is None:
            self._settings = None


class _TrackedJob:
    """What the decorator knows of its job."""

    __slots__ = ("_given", "_name", "_producer")

    def __init__(self, producer: LineageProducer, name: str, given: dict[str, Any]) -> None:
        self._producer, self._name, self._given = producer, name, given

    @property
    def on(self) -> bool:
        on = self._producer._on
        return on if on is not None else self._producer.is_on()

    def open(self) -> Run:
        return self._producer.run(self._name, **self._given)
