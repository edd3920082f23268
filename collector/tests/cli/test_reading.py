"""Events out of files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from headwater.collector.cli.emitting.reading import Bad, Good, check_files, events
from headwater.collector.cli.exits import UsageError
from headwater.shared.limits import DEFAULT_LIMITS

from .events import event, facet, lines


def read(path: Path, **options: object) -> list[Good | Bad]:
    return list(events(str(path), **options))  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "events"


def test_good_events_keep_their_bytes(file: Path) -> None:
    odd = b'{ "eventTime":"2026-01-01", "job":{"namespace":"n","name":"j"}, "run":{"runId":"x"}, "producer":"p" }'
    file.write_bytes(lines(odd, event("a")))
    found = read(file)
    assert [type(one) for one in found] == [Good, Good]
    assert isinstance(found[0], Good)
    assert found[0].raw == odd
    assert str(found[1].place) == f"{file}:2"


def test_what_is_refused_says_why_and_where(file: Path) -> None:
    no_job = event("b")
    del no_job["job"]
    file.write_bytes(lines(event("a"), "{not json}", no_job, b'"\xff"', "[1]", event("c")))
    bad = [one for one in read(file) if isinstance(one, Bad)]
    assert [(one.place.line, one.reason) for one in bad[:3]] == [(2, "not_json"), (3, "invalid_field"), (4, "not_utf8")]
    assert "/job" in bad[1].message
    assert len(bad) == 4


def test_problems_are_counted_and_cost_nothing(file: Path) -> None:
    file.write_bytes(lines(event("a", facets={"parent": facet(run="no object")})))
    (good,) = read(file)
    assert isinstance(good, Good)
    assert good.problems > 0


def test_gzip_is_seen_by_its_bytes_not_its_name(file: Path) -> None:
    file.write_bytes(gzip.compress(lines(event("a"), event("b"))))
    assert [type(one) for one in read(file)] == [Good, Good]


def test_a_gzip_file_that_is_cut_off_gives_what_it_has(file: Path) -> None:
    whole = gzip.compress(lines(*(event(f"run {at}") for at in range(2000))), compresslevel=1)
    file.write_bytes(whole[: len(whole) // 2])
    *before, last = read(file)
    assert len(before) > 100
    assert isinstance(last, Bad)
    assert last.reason == "broken_gzip"


def test_unwrap_takes_the_event_out_of_an_object(file: Path) -> None:
    file.write_bytes(lines({"file": "x", "event": event("ä")}, {"file": "y"}, "[]"))
    good, *bad = read(file, unwrap="event")
    assert isinstance(good, Good)
    assert json.loads(good.raw) == event("ä")
    assert [one.reason for one in bad if isinstance(one, Bad)] == ["invalid_field"] * 2


def test_an_event_over_the_limit_is_refused_unread(file: Path) -> None:
    file.write_bytes(lines(event("a", job="x" * 5000), event("b")))
    small = DEFAULT_LIMITS._replace(max_event_bytes=1000)
    assert [one.reason if isinstance(one, Bad) else "good" for one in read(file, limits=small)] == ["too_large", "good"]


def test_progress_adds_up_to_the_file(file: Path) -> None:
    file.write_bytes(gzip.compress(lines(*(event(f"run {at}") for at in range(500)))))
    moved: list[int] = []
    read(file, moved=moved.append)
    assert sum(moved) == file.stat().st_size == check_files([str(file)])
    assert check_files([str(file), "-"]) == 0


def test_files_that_cannot_be_read_are_told_before_anything_is_sent(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        check_files([str(tmp_path / "missing")])
    with pytest.raises(UsageError, match="directory"):
        check_files([str(tmp_path)])
