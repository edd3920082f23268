"""Times as text that sorts as it sorts in time.

The canonical form is ``YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ``: 30 characters, UTC, nine digits of a second, years 0001 to
9999. Two canonical times compare as text as they compare in time, so any store orders and folds them without
parsing, to the nanosecond that Java's clients send. Source of the accepted forms: ISO 8601 and RFC 3339.
"""

from __future__ import annotations

import re
from time import gmtime

from .clock import Clock

_USUAL = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[Tt ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?"
    r"(?: ?(?:([Zz])|([+-]\d\d)(?::?(\d\d)(?::?(\d\d))?)?)(?:\[[\w/+-]+\])?)?)?",
    re.ASCII,
).fullmatch
_BASIC_TIME = re.compile(r"(\d\d)(\d\d)(?:(\d\d)([.,]\d+)?)?((?:[Zz]|[+-]).*)?", re.ASCII).fullmatch
_BASIC_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII).fullmatch
_WEEK_DATE = re.compile(r"(\d{4})-?W(\d\d)(?:-?([1-7]))?", re.ASCII).fullmatch
_ORDINAL_DATE = re.compile(r"(\d{4})-?(\d{3})", re.ASCII).fullmatch

_MONTH_DAYS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAY_S = 86_400
_FIRST_S = -62_135_596_800  # 0001-01-01T00:00:00Z
_END_S = 253_402_300_800  # 10000-01-01T00:00:00Z


def parse(text: str) -> str:
    """The canonical form of an ISO 8601 or RFC 3339 time.

    Takes any offset (``Z``, ``+01:00``, ``+0100``, ``+01``), none (read as UTC), a bare date (its midnight), the basic,
    week and ordinal forms, Java's ``[Zone/Name]`` behind an offset, and any number of fraction digits; digits beyond
    the ninth are cut, since rounding could move a time past a later one. 24:00 is the next midnight. A leap second
    (23:59:60 UTC) is the last nanosecond of its minute. Raises ValueError.
    """
    match = _USUAL(text)
    if match is None:
        match = _USUAL(_usual_form(text))
        if match is None:
            raise ValueError(f"{_shown(text)} is not an ISO 8601 time")
    year, month, day, hour, minute, second, fraction, utc, offset, offset_minute, offset_second = match.groups()
    nanos = "000000000" if fraction is None else fraction[:9].ljust(9, "0")
    minute, second = minute or "00", second or "00"
    _check_date(text, int(year), int(month), int(day))
    if hour is None:
        return f"{year}-{month}-{day}T00:00:00.000000000Z"
    if minute > "59" or second > "60" or hour > "24":
        raise ValueError(f"{_shown(text)} has no such time of day")
    if (utc or offset is None) and hour < "24" and second < "60":
        return f"{year}-{month}-{day}T{hour}:{minute}:{second}.{nanos}Z"
    seconds = _days(int(year), int(month), int(day)) * _DAY_S + int(hour) * 3600 + int(minute) * 60
    if offset is not None:
        seconds -= _offset_s(text, offset, offset_minute or "00", offset_second or "00")
    if hour == "24" and (minute, second, nanos) != ("00", "00", "000000000"):
        raise ValueError(f"{_shown(text)} has no such time of day")
    if second == "60":
        if seconds % _DAY_S != _DAY_S - 60:
            raise ValueError(f"{_shown(text)} has a leap second where none can be")
        second, nanos = "59", "999999999"
    return _canonical(seconds + int(second), nanos, text)


def display(canonical: str) -> str:
    """For people and JSON: trailing zeros of the fraction cut, ``2026-01-01T00:00:00Z``."""
    return canonical[:29].rstrip("0").rstrip(".") + "Z" if canonical[28] == "0" else canonical


def from_epoch_ns(nanoseconds: int) -> str:
    """The canonical form of nanoseconds since the Unix epoch. Raises ValueError outside the years 1 to 9999."""
    seconds, nanos = divmod(nanoseconds, 1_000_000_000)
    return _canonical(seconds, f"{nanos:09d}", str(nanoseconds))


def to_epoch_s(canonical: str) -> float:
    """Seconds since the Unix epoch; a double keeps about a quarter of a microsecond of today's times."""
    return _whole_s(canonical) + int(canonical[20:29]) / 1e9


def shifted(canonical: str, seconds: int) -> str:
    """The canonical time so many seconds later. Raises ValueError outside the years 1 to 9999."""
    return _canonical(_whole_s(canonical) + seconds, canonical[20:29], canonical)


def now_text(clock: Clock) -> str:
    """The clock's wall time in canonical form."""
    return from_epoch_ns(int(clock.now_s() * 1_000_000) * 1000)


def _whole_s(canonical: str) -> int:
    days = _days(int(canonical[:4]), int(canonical[5:7]), int(canonical[8:10]))
    return days * _DAY_S + int(canonical[11:13]) * 3600 + int(canonical[14:16]) * 60 + int(canonical[17:19])


def _canonical(seconds: int, nanos: str, text: str) -> str:
    if not _FIRST_S <= seconds < _END_S:
        raise ValueError(f"{_shown(text)} is outside the years 0001 to 9999")
    year, month, day, hour, minute, second, *_ = gmtime(seconds)
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{nanos}Z"


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _check_date(text: str, year: int, month: int, day: int) -> None:
    if 1 <= month <= 12 and 1 <= day <= 28 and year:
        return
    last = 0 if not year or not 1 <= month <= 12 else 29 if month == 2 and _is_leap(year) else _MONTH_DAYS[month]
    if not 1 <= day <= last:
        raise ValueError(f"{_shown(text)} has no such date")


def _days(year: int, month: int, day: int) -> int:
    """Days since the Unix epoch in the Gregorian calendar. By hand, since importing datetime costs a producer 2 ms."""
    if month <= 2:
        year, month = year - 1, month + 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719_469


def _offset_s(text: str, hours: str, minutes: str, seconds: str) -> int:
    if hours[1:] > "23" or minutes > "59" or seconds > "59":
        raise ValueError(f"{_shown(text)} has no such offset")
    size = int(hours[1:]) * 3600 + int(minutes) * 60 + int(seconds)
    return -size if hours[0] == "-" else size


def _usual_form(text: str) -> str:
    """The rarer forms of ISO 8601 rewritten to the usual one; other text as it is, for the caller to refuse."""
    date, mark, time = text.strip().partition("T")
    if mark and (basic := _BASIC_TIME(time)):
        hour, minute, second, fraction, zone = basic.groups()
        time = f"{hour}:{minute}:{second or '00'}{fraction or ''}{zone or ''}"
    if basic := _BASIC_DATE(date):
        date = "-".join(basic.groups())
    elif week := _WEEK_DATE(date):
        date = _week_date(int(week[1]), int(week[2]), int(week[3] or 1))
    elif ordinal := _ORDINAL_DATE(date):
        year, day = int(ordinal[1]), int(ordinal[2])
        if year and 1 <= day <= 365 + _is_leap(year):
            date = _canonical((_days(year, 1, 1) + day - 1) * _DAY_S, "", text)[:10]
    return date + mark + time


def _week_date(year: int, week: int, day: int) -> str:
    import datetime

    return datetime.date.fromisocalendar(year, week, day).isoformat()


def _shown(text: str) -> str:
    """The text quoted for a message, cut where it is absurdly long."""
    return repr(text if len(text) <= 60 else text[:60] + "...")
