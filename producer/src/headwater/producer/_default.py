"""The default instance, and the module's functions over it."""

from __future__ import annotations

from ._context import CURRENT
from ._producer import LineageProducer
from ._run import Run

DEFAULT = LineageProducer()
_IDLE = Run(None, "", "")

configure = DEFAULT.configure
emit = DEFAULT.emit
flush = DEFAULT.flush
run = DEFAULT.run
shutdown = DEFAULT.shutdown
stats = DEFAULT.stats
track_lineage = DEFAULT.track_lineage
want = DEFAULT.want


def current_run() -> Run | None:
    """The innermost run that is open here, or None. Tasks inherit it; for threads see ``propagate``.

    Where lineage is off, a handle that does nothing: a decorated function that calls ``current_run().output(...)`` must
    not break when an operator sets HEADWATER_DISABLED.
    """
    run = CURRENT.get()
    return _IDLE if run is None and not DEFAULT.is_on() else run
