"""The progress bar of commands that work through stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .output import console


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int | None], None]]:
    """On stderr, and only where a person watches. Yields what takes a step's name, how many are done, of how many."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    target = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=target, disable=not target.is_terminal, transient=True) as bar:
        tasks = {}

        def show(step: str, done: int, total: int | None) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=total)
            bar.update(tasks[step], completed=done, total=total)

        yield show
