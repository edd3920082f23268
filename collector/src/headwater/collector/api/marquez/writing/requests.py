"""The bodies that Marquez's clients write."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from fastapi import Request
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from headwater.shared import codec, times
from headwater.shared.errors import InvalidEventError

from ... import bodies
from ...answers import Refusal, invalid_event

MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_LISTED = 10_000
"""Inputs, outputs, fields, tags or arguments in one body."""

Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]


def _time(value: str | None) -> str | None:
    return None if value is None else times.parse(value)


Time: TypeAlias = Annotated[str | None, AfterValidator(_time)]


class _Body(BaseModel):
    """Fields that are not known are left out, as Marquez does."""

    model_config = ConfigDict(extra="ignore")


class NamespaceBody(_Body):
    """Of ``PUT /namespaces/{namespace}``."""

    ownerName: Text
    description: str | None = None


class SourceBody(_Body):
    """Of ``PUT /sources/{source}``."""

    type: Text
    connectionUrl: Text
    description: str | None = None


class TagBody(_Body):
    """Of ``PUT /tags/{tag}``."""

    description: str | None = None


class FieldBody(_Body):
    """A column."""

    name: Text
    type: str | None = None
    tags: Annotated[list[Text], Field(max_length=MAX_LISTED)] | None = None
    description: str | None = None


class DatasetBody(_Body):
    """Of ``PUT /namespaces/{namespace}/datasets/{dataset}``."""

    type: Annotated[Literal["DB_TABLE", "STREAM"], BeforeValidator(lambda v: v.upper() if isinstance(v, str) else v)]
    physicalName: Text
    sourceName: Text
    schemaLocation: str | None = None
    description: str | None = None
    fields_: Annotated[list[FieldBody], Field(max_length=MAX_LISTED)] | None = Field(default=None, alias="fields")
    tags: Annotated[list[Text], Field(max_length=MAX_LISTED)] | None = None
    runId: str | None = None


class DatasetIdBody(_Body):
    """A dataset by name."""

    namespace: Text
    name: Text


class JobBody(_Body):
    """Of ``PUT /namespaces/{namespace}/jobs/{job}``."""

    type: Annotated[
        Literal["BATCH", "STREAM", "SERVICE"], BeforeValidator(lambda v: v.upper() if isinstance(v, str) else v)
    ]
    inputs: Annotated[list[DatasetIdBody], Field(max_length=MAX_LISTED)] | None = None
    outputs: Annotated[list[DatasetIdBody], Field(max_length=MAX_LISTED)] | None = None
    location: str | None = None
    description: str | None = None
    runId: str | None = None


class RunBody(_Body):
    """Of ``POST /namespaces/{namespace}/jobs/{job}/runs``."""

    id: str | None = None
    nominalStartTime: Time = None
    nominalEndTime: Time = None
    args: Annotated[dict[str, str], Field(max_length=MAX_LISTED)] | None = None


B = TypeVar("B", bound=_Body)


async def read_body(request: Request, model: type[B]) -> B:
    """The body, checked. Raises Refusal: 400 where it is no JSON, 413, 415, 422 naming each field."""
    gzipped = bodies.check_headers(request.scope["headers"], MAX_BODY_BYTES)
    raw = await bodies.read(request.receive, MAX_BODY_BYTES)
    if gzipped:
        raw = bodies.gunzip(raw, MAX_BODY_BYTES)
    try:
        parsed = codec.loads_strict(raw)
    except InvalidEventError as error:
        raise invalid_event(error) from error
    try:
        return model.model_validate(parsed)
    except ValidationError as error:
        faults = [_fault(each) for each in error.errors(include_url=False, include_input=False)]
        raise Refusal(422, "; ".join(faults), errors=faults) from error


def _fault(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "The request body"
    return f"{where} must not be null" if error["type"] == "missing" else f"{where}: {error['msg']}"


def body_schema(model: type[_Body]) -> dict[str, Any]:
    """For the OpenAPI document: routes read the bodies themselves, within their limits."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    definitions = schema.pop("$defs", {})
    inlined = _inlined(schema, definitions)
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": inlined}}}}


def _inlined(value: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        if reference := value.get("$ref"):
            return _inlined(definitions[reference.rpartition("/")[2]], definitions)
        return {key: _inlined(each, definitions) for key, each in value.items()}
    if isinstance(value, list):
        return [_inlined(each, definitions) for each in value]
    return value
