"""The loop of ``headwater emit`` against sinks that misbehave."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from headwater.collector.cli.emitting.reading import Bad, Good, Place
from headwater.collector.cli.emitting.sending import BATCH_EVENTS, Interrupts, send_all
from headwater.collector.cli.emitting.sinks import Outcome, ServerSink
from headwater.collector.cli.emitting.tally import Tally
from headwater.shared import codec
from headwater.shared.errors import TransientError

from .events import event

NO_DELAYS = (0.0, 0.0)


def good(count: int) -> list[Good | Bad]:
    decoded = codec.from_dict(event("a"))
    return [Good(Place("f", at), decoded.raw, decoded, 0) for at in range(1, count + 1)]


class Script:
    """A sink that answers each batch by the next line of a script."""

    where = "a script"

    def __init__(self, *answers: str) -> None:
        self.answers, self.batches = list(answers), list[int]()

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def send(self, batch: Sequence[Good]) -> Outcome:
        self.batches.append(len(batch))
        match self.answers.pop(0) if self.answers else "taken":
            case "away":
                raise TransientError("away")
            case "first again":
                return Outcome([], [batch[0]])
            case "first refused":
                return Outcome([Bad(batch[0].place, "refused_by_server", "no")], [])
            case "interrupted":
                interrupts_of_test[-1]._on_signal(2, None)
        return Outcome([], [])


interrupts_of_test: list[Interrupts] = []


def sent(sink: Script | ServerSink, events: list[Good | Bad]) -> Tally:
    tally = Tally()
    with asyncio.Runner() as runner, Interrupts() as interrupts:
        interrupts_of_test.append(interrupts)
        try:
            send_all(runner, sink, events, tally, interrupts, delays_s=NO_DELAYS)
        except TransientError:
            tally.reasons["away"] += 1
        finally:
            runner.run(sink.close())
    return tally


def test_a_sink_that_comes_back_gets_the_same_batch() -> None:
    sink = Script("away", "first again")
    tally = sent(sink, good(3))
    assert sink.batches == [3, 3, 1]
    assert (tally.sent, tally.accepted, tally.last) == (3, 3, Place("f", 3))


def test_a_sink_that_stays_away_leaves_the_place() -> None:
    sink = Script("taken", "away", "away", "away")
    tally = sent(sink, good(BATCH_EVENTS + 5))
    assert (tally.accepted, tally.last, tally.reasons["away"]) == (BATCH_EVENTS, Place("f", BATCH_EVENTS), 1)
    assert sent(Script(*["first again"] * 3), good(2)).reasons["away"] == 1


def test_what_the_sink_refuses_is_counted_and_told() -> None:
    tally = sent(Script("first refused"), [*good(2), Bad(Place("f", 3), "not_json", "x")])
    assert (tally.read, tally.sent, tally.accepted) == (3, 2, 1)
    assert dict(tally.reasons) == {"refused_by_server": 1, "not_json": 1}
    assert tally.as_json("x")["refused"] == 2


def test_an_interrupt_lets_the_batch_on_its_way_finish() -> None:
    sink = Script("interrupted")
    tally = sent(sink, good(BATCH_EVENTS * 3))
    assert sink.batches == [BATCH_EVENTS]
    assert (tally.stopped, tally.accepted, tally.last) == (True, BATCH_EVENTS, Place("f", BATCH_EVENTS))


def test_an_interrupt_while_reading_stops_at_what_is_sent() -> None:
    def reading() -> Iterator[Good | Bad]:
        yield from good(BATCH_EVENTS)
        yield from good(3)
        raise KeyboardInterrupt

    tally = sent(Script(), reading())  # type: ignore[arg-type]
    assert (tally.stopped, tally.accepted) == (True, BATCH_EVENTS)


class Openlineage(BaseHTTPRequestHandler):
    """A server that knows no batches, as Marquez does, and refuses every third event."""

    received: list[bytes]

    def do_GET(self) -> None:
        self._answer(404, b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path != "/base/api/v1/lineage":
            self._answer(404, b"<html>")
            return
        self.received.append(body)
        if len(self.received) % 3:
            self._answer(201, b"")
        else:
            self._answer(422, json.dumps({"errors": ["run must not be null"]}).encode())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_a_server_without_batches_gets_them_one_by_one() -> None:
    Openlineage.received = []
    with serving(Openlineage) as url:
        tally = sent(ServerSink(f"{url}/base"), good(4))
    assert (tally.sent, tally.accepted, dict(tally.reasons)) == (4, 3, {"refused_by_server": 1})
    assert tally.refused[0].message == "run must not be null"
    assert len(Openlineage.received) == 4


class Busy(Openlineage):
    """A server that is over its capacity."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(503, b'{"message": "later"}')


def test_a_busy_server_is_tried_again_and_then_told() -> None:
    with serving(Busy) as url:
        tally = sent(ServerSink(url), good(1))
    assert tally.reasons["away"] == 1
    assert tally.last is None


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    with asyncio.Runner() as runner, pytest.raises(TransientError, match=r"127\.0\.0\.1:1"):
        runner.run(ServerSink("http://127.0.0.1:1").open())
