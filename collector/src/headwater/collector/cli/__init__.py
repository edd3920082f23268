"""The ``headwater`` command. ``main`` is its entry point; the commands are in ``commands``, one a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with the status that ``exits`` tells.

    Nothing heavy is imported before a command needs it: ``headwater --help`` answers at once.
    """
    from .app import app
    from .exits import INTERRUPTED, status_of
    from .output import complain

    try:
        app(args=None if arguments is None else list(arguments), prog_name="headwater")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        known = status_of(error)
        if known is None:
            raise
        status, message = known
        complain(message)
        sys.exit(status)
