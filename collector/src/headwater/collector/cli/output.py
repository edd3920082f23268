"""What leaves on stdout and stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_WIDTH_WHEN_PIPED = 200
"""Wide enough that names and UUIDs stay on one line for grep."""


def console(*, stderr: bool = False) -> Console:
    """A rich console. Names are printed as they are: no markup, no emoji codes, no guessing at numbers."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _WIDTH_WHEN_PIPED
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def show(*renderables: RenderableType) -> None:
    """Prints a page for people."""
    target = console()
    with target.capture() as capture:
        for renderable in renderables:
            target.print(renderable)
    # Tables are padded to the width; nobody wants that in a file or on a clipboard.
    show_lines(line.rstrip() for line in capture.get().splitlines())


def show_json(value: Any) -> None:
    """Prints one JSON document. Always UTF-8, whatever the terminal's encoding."""
    write_bytes(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n")


def show_lines(lines: Iterable[str]) -> None:
    """Prints lines as they are, in UTF-8."""
    write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))


def write_bytes(data: bytes) -> None:
    """Bytes on stdout, after what was printed before."""
    sys.stdout.flush()
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(data.decode("utf-8"))
    else:
        stream.write(data)
    sys.stdout.flush()


def complain(text: str) -> None:
    """One message on stderr."""
    sys.stderr.write(f"headwater: {text}\n")
    sys.stderr.flush()
