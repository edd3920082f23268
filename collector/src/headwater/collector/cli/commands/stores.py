"""``headwater stores``."""

from __future__ import annotations

from ..options import JsonOption
from ..output import show, show_json


def stores(as_json: JsonOption = False) -> None:
    """List the installed stores and where each comes from.

    Example: headwater stores --json
    """
    from headwater.collector.stores.registry import installed

    found = [
        {"name": store.name, "object": store.target, "package": store.distribution, "version": store.version}
        for store in installed()
    ]
    if as_json:
        show_json({"stores": found})
        return
    from ..render.facts import listing
    from ..render.words import plain

    table = listing("store", "object", "from")
    for store in found:
        table.add_row(plain(store["name"]), plain(store["object"]), plain(f"{store['package']} {store['version']}"))
    show(table)
