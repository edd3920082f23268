"""The current run: of this task, this thread, and whatever they hand their work to."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from ._calls import is_coroutine_function
from ._guard import guarded
from ._parent import Ancestry, environment_of, process_ancestry

if TYPE_CHECKING:
    from ._run import Run

_NOTHING: dict[str, str] | None = None
P = ParamSpec("P")
R = TypeVar("R")

CURRENT: ContextVar[Run | None] = ContextVar("headwater_current_run", default=None)


def ancestry_here() -> Ancestry | None:
    """What a run that starts here has above it."""
    run = CURRENT.get()
    return run.as_ancestry() if run is not None else process_ancestry()


def child_env() -> dict[str, str]:
    """Environment variables for a process to be started, so that its runs join as sub-runs of the current one:
    ``subprocess.run(cmd, env=os.environ | child_env())``. Empty outside a run."""
    return _child_env() or {}


@guarded(_NOTHING)
def _child_env() -> dict[str, str] | None:
    run = CURRENT.get()
    return environment_of(run.as_ancestry()) if run is not None and run.live else None


def propagate(function: Callable[P, R]) -> Callable[P, R]:
    """The function with the current run carried along: ``pool.submit(propagate(work), item)``. Sync or async."""
    run = CURRENT.get()
    if is_coroutine_function(function):

        @wraps(function)
        async def carried_async(*args: P.args, **kwargs: P.kwargs) -> Any:
            token = CURRENT.set(run)
            try:
                return await cast(Any, function)(*args, **kwargs)
            finally:
                CURRENT.reset(token)

        return cast("Callable[P, R]", carried_async)

    @wraps(function)
    def carried(*args: P.args, **kwargs: P.kwargs) -> R:
        token = CURRENT.set(run)
        try:
            return function(*args, **kwargs)
        finally:
            CURRENT.reset(token)

    return carried
