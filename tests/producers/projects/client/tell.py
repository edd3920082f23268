"""Sends the events of an NDJSON file with openlineage-python, its transport configured by the environment.

python tell.py FILE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import parent_run, tags_run


def run_facets(said: dict[str, Any]) -> dict[str, Any]:
    """The client looks into two facets, which must be its own objects: it adds a tag, and keys Kafka messages by the
    parent."""
    facets = dict(said)
    if tags := facets.get("tags"):
        facets["tags"] = tags_run.TagsRunFacet(tags=[tags_run.TagsRunFacetFields(**tag) for tag in tags["tags"]])
    if parent := facets.get("parent"):
        root = parent.get("root")
        facets["parent"] = parent_run.ParentRunFacet(
            parent_run.Run(parent["run"]["runId"]),
            parent_run.Job(**parent["job"]),
            root and parent_run.Root(parent_run.RootRun(root["run"]["runId"]), parent_run.RootJob(**root["job"])),
        )
    return facets


def event(said: dict[str, Any]) -> RunEvent:
    """The client's own object for a run event."""
    run, job = said["run"], said["job"]
    return RunEvent(
        eventType=RunState[said["eventType"]],
        eventTime=said["eventTime"],
        producer=said["producer"],
        run=Run(run["runId"], run_facets(run.get("facets") or {})),
        job=Job(job["namespace"], job["name"], job.get("facets") or {}),
        inputs=[
            InputDataset(*name(one), facets=one.get("facets") or {}, inputFacets=one.get("inputFacets") or {})
            for one in said.get("inputs") or ()
        ],
        outputs=[
            OutputDataset(*name(one), facets=one.get("facets") or {}, outputFacets=one.get("outputFacets") or {})
            for one in said.get("outputs") or ()
        ],
    )


def name(said: dict[str, Any]) -> tuple[str, str]:
    return said["namespace"], said["name"]


def main(file: Path) -> None:
    client = OpenLineageClient()
    for line in file.read_text().splitlines():
        client.emit(event(json.loads(line)))
    if not client.close(60):
        sys.exit("not everything was sent")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
