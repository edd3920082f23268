"""What Marquez's OpenSearch answers: {hits, highlights}, one highlight an hit."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.collector.stores.reading import Reader
from headwater.shared.event import Name

from ..services import Json
from .datasets import dataset_data
from .facets import shown_facets
from .views import RunView, dataset_views, job_views

_MARK = "<em>{}</em>"  # as the web UI expects it
_EVENT_TYPES = {
    "COMPLETED": "COMPLETE",
    "FAILED": "FAIL",
    "ABORTED": "ABORT",
    "RUNNING": "RUNNING",
    "NEW": "START",
    "INTERRUPTED": "ABORT",
}


async def job_hits(reader: Reader, names: Sequence[Name], text: str) -> Json:
    """Each hit {run_id, name, namespace, eventType, type, facets (of the job), runFacets}."""
    views = await job_views(reader, names, runs=1)
    rows = await reader.run_rows([view.latest[0].facts.run for view in views.values() if view.latest])
    hits: list[Json] = []
    for name in names:
        if name not in views:
            continue
        run: RunView | None = views[name].latest[0] if views[name].latest else None
        state = rows[run.facts.run].state if run is not None and run.facts.run in rows else "NEW"
        hits.append(
            {
                "run_id": run.facts.run if run is not None else None,
                "name": name.name,
                "namespace": name.namespace,
                "eventType": _EVENT_TYPES.get(state, state),
                "type": "JOB",
                "facets": shown_facets(views[name].facts.facets),
                "runFacets": shown_facets(run.facts.facets) if run is not None else {},
            }
        )
    return {"hits": hits, "highlights": [_highlight(hit, text) for hit in hits]}


async def dataset_hits(reader: Reader, names: Sequence[Name], text: str) -> Json:
    """Each hit {run_id, name, namespace, eventType, facets}; the run is the one that wrote the current generation."""
    views = await dataset_views(reader, names)
    hits: list[Json] = []
    for name in names:
        if name in views:
            view = views[name]
            hits.append(
                {
                    "run_id": view.current.run if view.current is not None else None,
                    "name": name.name,
                    "namespace": name.namespace,
                    "eventType": "COMPLETE" if view.current is not None else "START",
                    "type": dataset_data(view)["type"],
                    "facets": shown_facets(view.facets),
                }
            )
    return {"hits": hits, "highlights": [_highlight(hit, text) for hit in hits]}


def _highlight(hit: Json, text: str) -> Json:
    name: str = hit["name"]
    at = name.casefold().find(text.casefold())
    if at < 0:
        return {}
    end = at + len(text)
    return {"name": [name[:at] + _MARK.format(name[at:end]) + name[end:]]}
