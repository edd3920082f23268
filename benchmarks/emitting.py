"""The measured process of ``benchmarks.emit``: ``python -m benchmarks.emitting KIND DIR`` prints p50 and p99 in µs."""

from __future__ import annotations

import contextlib
import http.server
import json
import mmap
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.events import small_event
from benchmarks.report import percentile

WARM_UP, COUNT = 1_000, 4_000
PEER_COUNT = 1_500
_WARM_BYTES = 1 << 30
BYTES = b"x" * 3_000
"""About as many as one of the events takes."""
OURS = ("headwater", "headwater_kafka")
BROKERS = "HEADWATER_TEST_KAFKA"
"""Environment variable, for the kind ``headwater_kafka``."""
PAUSE_S = 0.0005
"""Between emits, as in an application that also does something."""


def main(kind: str, directory: str) -> None:
    _warm_memory()
    with _emitter(kind, Path(directory)) as emit:
        ours = kind in (*OURS, "floor")
        count = COUNT if ours else PEER_COUNT
        took = []
        for number in range(WARM_UP + count):
            event = small_event(number) if ours else _client_event(small_event(number))
            began = time.perf_counter()
            emit(event)
            passed = time.perf_counter() - began
            if number >= WARM_UP:
                took.append(passed * 1e6)
            time.sleep(PAUSE_S)
    print(json.dumps({"p50": percentile(took, 0.5), "p99": percentile(took, 0.99)}))


def _warm_memory() -> None:
    """On a virtual machine the first touch of a page that the host has taken back costs 150 µs and more, in the page
    cache too. That is the machine's price for growing, whoever writes, and not emit()'s."""
    pages = bytearray(_WARM_BYTES)
    pages[:: mmap.PAGESIZE] = bytes(len(pages[:: mmap.PAGESIZE]))


@contextlib.contextmanager
def _emitter(kind: str, directory: Path) -> Iterator[Callable[[Any], object]]:
    if kind == "floor":
        with (directory / "bare").open("ab", buffering=0) as file:
            yield lambda _: file.write(BYTES)
        return
    if kind in OURS:
        from headwater.producer import LineageProducer

        url = f"file://{directory / 'log'}" if kind == "headwater" else f"kafka://{os.environ[BROKERS]}"
        producer = LineageProducer(url=url, spool_dir=str(directory / "spool"), collector_topic=_topic())
        yield producer.emit
        stats = producer.stats()
        assert not stats.dropped, stats
        producer.shutdown()
        return
    with _sink() as url:
        client = _client(kind, directory, url)
        yield client.emit
        with contextlib.suppress(Exception):
            client.close()


def _client(kind: str, directory: Path, url: str) -> Any:
    from openlineage.client import OpenLineageClient

    settings: dict[str, Any] = {
        "file": {"type": "file", "log_file_path": str(directory / "events"), "append": True},
        "http": {"type": "http", "url": url},
        "async_http": {"type": "async_http", "url": url},
        "kafka": _kafka(flush=True),
        "kafka_no_flush": _kafka(flush=False),
    }[kind]
    return OpenLineageClient(config={"transport": settings})


def _topic() -> str:
    return os.environ.get("BENCHMARK_TOPIC", "lineage")


def _kafka(*, flush: bool) -> dict[str, Any]:
    """A real broker where one is named, else librdkafka's own mock cluster."""
    config = {"bootstrap.servers": "127.0.0.1:1", "test.mock.num.brokers": "1", "log_level": "0"}
    if brokers := os.environ.get(BROKERS):
        config = {"bootstrap.servers": brokers, "log_level": "0"}
    return {"type": "kafka", "config": config, "topic": _topic(), "flush": flush}


def _client_event(event: dict[str, Any]) -> Any:
    """The same event as openlineage-python's objects, made before the clock starts: only its emit() is measured."""
    from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
    from openlineage.client.generated import (
        datasource_dataset,
        job_type_job,
        nominal_time_run,
        processing_engine_run,
        schema_dataset,
        source_code_location_job,
    )

    def dataset(kind: Any, said: dict[str, Any]) -> Any:
        fields = [schema_dataset.SchemaDatasetFacetFields(**each) for each in said["facets"]["schema"]["fields"]]
        source = said["facets"]["dataSource"]
        return kind(
            namespace=said["namespace"],
            name=said["name"],
            facets={
                "schema": schema_dataset.SchemaDatasetFacet(fields=fields),
                "dataSource": datasource_dataset.DatasourceDatasetFacet(name=source["name"], uri=source["uri"]),
            },
        )

    run_facets, job_facets = event["run"]["facets"], event["job"]["facets"]
    code = job_facets["sourceCodeLocation"]
    return RunEvent(
        eventType=RunState[event["eventType"]],
        eventTime=event["eventTime"],
        producer=event["producer"],
        run=Run(
            runId=event["run"]["runId"],
            facets={
                "nominalTime": nominal_time_run.NominalTimeRunFacet(run_facets["nominalTime"]["nominalStartTime"]),
                "processing_engine": processing_engine_run.ProcessingEngineRunFacet(version="3.12", name="Python"),
            },
        ),
        job=Job(
            namespace=event["job"]["namespace"],
            name=event["job"]["name"],
            facets={
                "jobType": job_type_job.JobTypeJobFacet("BATCH", "HEADWATER", "TASK"),
                "sourceCodeLocation": source_code_location_job.SourceCodeLocationJobFacet(code["type"], code["url"]),
            },
        ),
        inputs=[dataset(InputDataset, each) for each in event["inputs"]],
        outputs=[dataset(OutputDataset, each) for each in event["outputs"]],
    )


@contextlib.contextmanager
def _sink() -> Iterator[str]:
    """A local server that answers 201 to everything."""

    class Sink(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(201)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main(*sys.argv[1:])
