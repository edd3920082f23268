"""The progress bar of ``headwater emit``, on stderr and only where a person watches."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

from rich.progress import BarColumn, DownloadColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from ..output import console
from .reading import Bad, Good, events
from .tally import Tally


class Progress:
    """Counts the bytes of the files themselves; without a known total it pulses."""

    def __init__(self, total_bytes: int) -> None:
        target = console(stderr=True)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[sent]} events"),
            console=target,
            disable=not target.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task("emit", total=total_bytes or None, sent=0)

    def events(self, files: list[str], unwrap: str | None) -> Iterator[Good | Bad]:
        """Everything in the files, in order."""
        for file in files:
            yield from events(file, unwrap=unwrap, moved=self._moved)

    def update(self, tally: Tally) -> None:
        """Shows how many have been sent."""
        self._bar.update(self._task, sent=tally.sent)

    def _moved(self, size: int) -> None:
        self._bar.advance(self._task, size)

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
