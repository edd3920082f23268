"""The envelope: which of the three kinds an event is, and what every consumer needs of it.

Tolerant where senders differ (nulls, missing producer and schemaURL, the case of eventType), strict where a graph could
not stand without it. Facets are not looked at here. Source: OpenLineage 2-0-2.
"""

from __future__ import annotations

from typing import Any, NoReturn

from . import times
from .errors import InvalidFieldError
from .event import DatasetMention, Kind, LineageEvent, Name
from .limits import Limits
from .runid import run_uuid


def read_envelope(raw: bytes, event_id: str, body: Any, limits: Limits) -> LineageEvent:
    """The event around a parsed body. Raises InvalidFieldError naming the field."""
    if type(body) is not dict:
        _refuse("", f"an event is a JSON object, not {_kind_of(body)}")
    run, job, dataset = body.get("run"), body.get("job"), body.get("dataset")
    run_id: str | None = None
    job_name: Name | None = None
    mention: DatasetMention | None = None
    kind: Kind
    if run is not None:
        kind, run_id, job_name = "run", _run_id(run, limits), _name(job, "/job", limits)
    elif job is not None:
        kind, job_name = "job", _name(job, "/job", limits)
    elif dataset is not None:
        kind, mention = "dataset", _mention(dataset, "/dataset", "", limits)
    else:
        _refuse("", "has neither run and job, nor job, nor dataset: one of them must be there")
    return LineageEvent(
        raw,
        event_id,
        kind,
        _event_type(body.get("eventType")),
        _event_time(body.get("eventTime")),
        run_id,
        job_name,
        mention,
        _mentions(body.get("inputs"), "inputs", "inputFacets", limits),
        _mentions(body.get("outputs"), "outputs", "outputFacets", limits),
        body,
    )


def _event_type(value: Any) -> str | None:
    if value is None:
        return None
    if type(value) is not str:
        _refuse("/eventType", f"must be text, not {_kind_of(value)}")
    return value.strip().upper() or None


def _event_time(value: Any) -> str:
    if type(value) is not str:
        _refuse("/eventTime", "is missing" if value is None else f"must be text, not {_kind_of(value)}")
    try:
        return times.parse(value)
    except ValueError as error:
        _refuse("/eventTime", str(error))


def _run_id(run: Any, limits: Limits) -> str:
    if type(run) is not dict:
        _refuse("/run", f"must be an object, not {_kind_of(run)}")
    return run_uuid(_text(run, "runId", "/run", limits))


def _name(value: Any, where: str, limits: Limits) -> Name:
    if type(value) is not dict:
        _refuse(where, "is missing" if value is None else f"must be an object, not {_kind_of(value)}")
    return Name(_text(value, "namespace", where, limits), _text(value, "name", where, limits))


def _text(value: dict[str, Any], key: str, where: str, limits: Limits) -> str:
    text = value.get(key)
    if type(text) is not str:
        _refuse(f"{where}/{key}", "is missing" if text is None else f"must be text, not {_kind_of(text)}")
    if not text or text.isspace():
        _refuse(f"{where}/{key}", "is blank")
    if len(text) > limits.max_name_chars:
        _refuse(f"{where}/{key}", f"has {len(text):,} characters, at most {limits.max_name_chars:,} are accepted")
    return text


def _mentions(value: Any, key: str, own: str, limits: Limits) -> tuple[DatasetMention, ...]:
    if not value and (value is None or type(value) is list):
        return ()
    where = f"/{key}"
    if type(value) is not list:
        _refuse(where, f"must be a list, not {_kind_of(value)}")
    if len(value) > limits.max_datasets:
        _refuse(where, f"has {len(value):,} datasets, at most {limits.max_datasets:,} are accepted")
    return tuple([_mention(item, f"{where}/{i}", own, limits) for i, item in enumerate(value)])


def _mention(value: Any, where: str, own: str, limits: Limits) -> DatasetMention:
    name = _name(value, where, limits)
    return DatasetMention(name, _facets(value.get("facets")), _facets(value.get(own)))


def _facets(value: Any) -> dict[str, Any]:
    """A map of facets; null or another kind is none (the projection reports the other kind as a problem)."""
    return value if type(value) is dict else {}


def _kind_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    return "text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def _refuse(where: str, message: str) -> NoReturn:
    raise InvalidFieldError(message, where=where)
