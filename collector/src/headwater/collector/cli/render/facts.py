"""A page's left column of labels and right column of what they say."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table


class Facts:
    """Rows of label and value; rows without a value are left out."""

    def __init__(self) -> None:
        self.table = Table.grid(padding=(0, 2))
        self.table.add_column(style="dim", no_wrap=True)
        self.table.add_column(overflow="fold")

    def add(self, label: str, value: RenderableType | None) -> Facts:
        """One row. Returns itself."""
        if value is not None and value != "":
            self.table.add_row(label, value)
        return self


def listing(*headers: str) -> Table:
    """A plain table: no frame, so that it pastes well."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold")
    return table
