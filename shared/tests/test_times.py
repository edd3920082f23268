"""Times: every form a sender may write becomes one text that sorts as it sorts in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.shared import times
from headwater.shared.clock import ManualClock

instants = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31))
offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2026-01-01", "2026-01-01T00:00:00.000000000Z"),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000000Z"),
        ("2026-01-01t00:00:00z", "2026-01-01T00:00:00.000000000Z"),
        ("2026-01-01 10:00", "2026-01-01T10:00:00.000000000Z"),
        ("2026-01-01T10:00:00.5", "2026-01-01T10:00:00.500000000Z"),
        ("2026-01-01T10:00:00,5", "2026-01-01T10:00:00.500000000Z"),
        ("2026-01-01T10:00:00.000000001Z", "2026-01-01T10:00:00.000000001Z"),
        ("2026-01-01T10:00:00.0000000019Z", "2026-01-01T10:00:00.000000001Z"),
        ("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000000000Z"),
        ("2026-01-01T01:00:00+0130", "2025-12-31T23:30:00.000000000Z"),
        ("2026-01-01T01:00:00 +02", "2025-12-31T23:00:00.000000000Z"),
        ("2026-01-01T01:00:00-00:00", "2026-01-01T01:00:00.000000000Z"),
        ("2026-01-01T01:00:00+00:00[Europe/London]", "2026-01-01T01:00:00.000000000Z"),
        ("20260101T010203Z", "2026-01-01T01:02:03.000000000Z"),
        ("20260101T0102+01", "2026-01-01T00:02:00.000000000Z"),
        ("20260101", "2026-01-01T00:00:00.000000000Z"),
        ("2026-W01-1", "2025-12-29T00:00:00.000000000Z"),
        ("2024-366", "2024-12-31T00:00:00.000000000Z"),
        ("2026-12-31T24:00:00Z", "2027-01-01T00:00:00.000000000Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999999Z"),
        ("2017-01-01T05:29:60.5+05:30", "2016-12-31T23:59:59.999999999Z"),
        ("2024-02-29T12:00:00-12:00", "2024-03-01T00:00:00.000000000Z"),
        ("0001-01-01", "0001-01-01T00:00:00.000000000Z"),
        ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
    ],
)
def test_accepted_forms(text: str, canonical: str) -> None:
    assert times.parse(text) == canonical
    assert times.parse(canonical) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026",
        "2026-13-01",
        "2026-00-01",
        "2026-02-29",
        "2026-04-31",
        "2026-01-00",
        "0000-01-01",
        "2026-366",
        "2026-W60-1",
        "2026-01-01T25:00:00Z",
        "2026-01-01T24:00:01Z",
        "2026-01-01T24:00:00.1Z",
        "2026-01-01T10:60:00Z",
        "2026-01-01T10:00:61Z",
        "2026-01-01T10:00:60Z",
        "2026-01-01T10:00:00+24:00",
        "2026-01-01T10:00:00+01:60",
        "2026-01-01T10:00:00.Z",
        "2026-01-01T10:00:00Z extra",
        "2026-01-01T",
        "٢٠٢٦-01-01",
        "9999-12-31T23:59:59-01:00",
        "0001-01-01T00:00:00+01:00",
        "+12026-01-01T00:00:00Z",
        "1767225600",
        "x" * 100_000,
    ],
)
def test_refused_with_a_short_message(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        times.parse(text)
    assert len(str(caught.value)) < 200


@given(instants, offsets)
def test_any_offset_is_the_same_instant(naive: datetime, zone: timezone) -> None:
    instant = naive.replace(tzinfo=UTC)
    written = instant.astimezone(zone).isoformat()
    assert times.parse(written) == instant.strftime("%Y").zfill(4) + instant.strftime("-%m-%dT%H:%M:%S.%f000Z")


@given(instants, offsets, instants, offsets)
def test_text_order_is_time_order(a: datetime, zone_a: timezone, b: datetime, zone_b: timezone) -> None:
    first, second = a.replace(tzinfo=UTC), b.replace(tzinfo=UTC)
    first_text, second_text = (
        times.parse(first.astimezone(zone_a).isoformat()),
        times.parse(second.astimezone(zone_b).isoformat()),
    )
    assert (first_text < second_text) == (first < second)
    assert (first_text == second_text) == (first == second)


@given(st.integers(-62_135_596_800 * 10**9, 253_402_300_800 * 10**9 - 1))
def test_epoch_nanoseconds_and_display(nanoseconds: int) -> None:
    canonical = times.from_epoch_ns(nanoseconds)
    assert len(canonical) == 30
    assert times.parse(canonical) == canonical
    assert times.parse(times.display(canonical)) == canonical
    assert times.to_epoch_s(canonical) == pytest.approx(nanoseconds / 1e9, abs=2e-5)


@given(st.integers(-(10**19), 10**19), st.integers(-(10**19), 10**19))
def test_epoch_order(a: int, b: int) -> None:
    assert (times.from_epoch_ns(a) < times.from_epoch_ns(b)) == (a < b)


@given(st.text())
def test_any_text_is_a_time_or_a_value_error(text: str) -> None:
    try:
        assert len(times.parse(text)) == 30
    except ValueError:
        pass


def test_display_cuts_zeros() -> None:
    assert times.display("2026-01-01T00:00:00.000000000Z") == "2026-01-01T00:00:00Z"
    assert times.display("2026-01-01T00:00:10.120000000Z") == "2026-01-01T00:00:10.12Z"
    assert times.display("2026-01-01T00:00:00.000000001Z") == "2026-01-01T00:00:00.000000001Z"


def test_now_comes_from_the_clock() -> None:
    clock = ManualClock(1_767_225_600.25)
    assert times.now_text(clock) == "2026-01-01T00:00:00.250000000Z"
    clock.advance(1)
    assert times.now_text(clock) == "2026-01-01T00:00:01.250000000Z"


@pytest.mark.parametrize("nanoseconds", [253_402_300_800 * 10**9, -62_135_596_800 * 10**9 - 1])
def test_years_out_of_range(nanoseconds: int) -> None:
    with pytest.raises(ValueError, match="outside the years"):
        times.from_epoch_ns(nanoseconds)
