"""Settings of the collector, in one order: argument > environment > file > default.

The file is ``headwater.toml`` or ``[tool.headwater]`` in pyproject.toml. A wrong value raises ConfigurationError, one
line that names the key, the value and what would be accepted. Secrets show in no repr and no error.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from headwater.collector.breaker import BreakerPolicy
from headwater.collector.policy import BatchPolicy, RetryPolicy
from headwater.collector.redact import redacted
from headwater.collector.settings_sources import EnvironmentSource, FileSource
from headwater.shared.errors import ConfigurationError
from headwater.shared.log.segments import DEFAULT_MAX_BYTES, DEFAULT_RETENTION_S, DEFAULT_SEGMENT_BYTES
from headwater.shared.names import DEFAULT_TOPIC

if TYPE_CHECKING:
    from headwater.shared.log.kafka.settings import KafkaSettings


def _split(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""A list, or a text with commas, as an environment variable has it."""
Seconds = Annotated[float, Field(gt=0)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({redacted(self.model_dump(mode='json'))})"

    __str__ = __repr__


class ProducerSettings(_Section):
    """``[lineage.producer]``: the producer's own; the collector reads none of it."""

    model_config = ConfigDict(extra="allow")
    job_namespace: str | None = None
    producer_uri: str | None = None


class StoreSettings(_Section):
    """``[lineage.store]``; every table in it holds the options of the store of that name."""

    model_config = ConfigDict(extra="allow")
    backend: str = "sql"
    """``HEADWATER_STORE``. An installed store, or ``composite`` for all of ``backends``."""
    backends: Names = ()
    deadline_s: Seconds = 30.0
    """Of one call to one store."""

    @model_validator(mode="after")
    def _only_tables(self) -> StoreSettings:
        for key, value in (self.model_extra or {}).items():
            if not isinstance(value, dict):
                accepted = "backend, backends, deadline_s, and a table for each store"
                raise ConfigurationError(
                    f"lineage.store.{key}", redacted(value, key), f"unknown key; accepted are: {accepted}"
                )
        return self

    def options(self, name: str) -> dict[str, Any]:
        """The table ``[lineage.store.<name>]``."""
        return dict((self.model_extra or {}).get(name, {}))


class RetrySettings(_Section):
    """``[lineage.collector.retry]``; see ``RetryPolicy``."""

    tries: Annotated[int, Field(ge=1)] = 3
    backoff_s: Seconds = 0.1
    max_backoff_s: Seconds = 2.0
    ladder_s: Annotated[tuple[Seconds, ...], BeforeValidator(_split)] = (5.0, 60.0, 600.0)
    max_attempts: Annotated[int, Field(ge=1)] = 12

    def policy(self) -> RetryPolicy:
        """As the pipeline takes it."""
        return RetryPolicy(**self.model_dump())


class BreakerSettings(_Section):
    """``[lineage.collector.breaker]``; see ``BreakerPolicy``."""

    failures: Annotated[int, Field(ge=1)] = 5
    open_s: Seconds = 1.0
    growth: Annotated[float, Field(ge=1)] = 2.0
    max_open_s: Seconds = 30.0

    def policy(self) -> BreakerPolicy:
        """As stores take it."""
        return BreakerPolicy(**self.model_dump())


class CollectorSettings(_Section):
    """``[lineage.collector]``."""

    group: str = "headwater"
    """The consumer group."""
    max_records: Annotated[int, Field(ge=1)] = 1000
    """Of one batch."""
    max_bytes: Annotated[int, Field(ge=1)] = 8 * 1024 * 1024
    """Of one batch; a single larger event is a batch of its own."""
    linger_s: Annotated[float, Field(ge=0, le=10)] = 0.1
    prepare_ahead: bool | None = None
    """See ``BatchPolicy``."""
    retry: RetrySettings = RetrySettings()
    breaker: BreakerSettings = BreakerSettings()
    stale_after_s: Annotated[float, Field(ge=60)] | None = None
    """Runs that nothing was heard of for so long are said to be interrupted; not set: never."""
    stale_every_s: Annotated[float, Field(ge=1)] = 300.0
    """How often that is judged."""
    seal_every_s: Annotated[float, Field(ge=0)] = 600.0
    """How often what the stores keep is sealed, see docs/audit.md; 0: never."""

    def batches(self) -> BatchPolicy:
        """As the pipeline takes it."""
        return BatchPolicy(self.max_records, self.max_bytes, linger_s=self.linger_s, prepare_ahead=self.prepare_ahead)


class KafkaSection(_Section):
    """``[lineage.kafka]``; see ``KafkaSettings``, which checks the values. The producer reads it too."""

    security_protocol: str | None = None
    sasl_mechanism: str | None = None
    username: str | None = None
    password: SecretStr | None = None
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    key_password: SecretStr | None = None
    compression: str | None = None
    create_topics: bool | None = None
    partitions: int | None = None
    replication_factor: int | None = None
    min_insync_replicas: int | None = None
    retention_s: float | None = None
    request_timeout_s: float | None = None
    append_timeout_s: float | None = None
    session_timeout_s: float | None = None
    max_poll_interval_s: float | None = None
    metadata_max_age_s: float | None = None

    def of(self, servers: tuple[str, ...]) -> KafkaSettings:
        """For these brokers. Raises ConfigurationError."""
        from headwater.shared.log.kafka.settings import kafka_settings

        table = {key: getattr(self, key) for key in type(self).model_fields}
        plain = {key: v.get_secret_value() if isinstance(v, SecretStr) else v for key, v in table.items()}
        return kafka_settings(servers, plain)


class LogSettings(_Section):
    """``[lineage.log]``: bounds of the local log. Kafka's are the broker's."""

    max_bytes: Annotated[int, Field(ge=1024 * 1024)] = DEFAULT_MAX_BYTES
    """Of one topic."""
    segment_bytes: Annotated[int, Field(ge=64 * 1024)] = DEFAULT_SEGMENT_BYTES
    retention_s: Seconds = DEFAULT_RETENTION_S
    """How long what every consumer has read is kept."""


class LineageSettings(_Section):
    """``[lineage]``."""

    enabled: bool = True
    """The producer's switch; a collector that is started collects."""
    url: str | None = None
    """``HEADWATER_URL``: the log."""
    collector_topic: Annotated[str, Field(min_length=1)] = DEFAULT_TOPIC
    producer: ProducerSettings = ProducerSettings()
    store: StoreSettings = StoreSettings()
    collector: CollectorSettings = CollectorSettings()
    log: LogSettings = LogSettings()
    kafka: KafkaSection = KafkaSection()


class ConnectionSettings(_Section):
    """``[connections.<name>]``: a server, shared by whatever names it. Further keys are the driver's."""

    model_config = ConfigDict(extra="allow")
    uri: str
    user: str | None = None
    password: SecretStr | None = None
    database: str | None = None

    def secret(self) -> str | None:
        """The password in the clear, for the driver."""
        return None if self.password is None else self.password.get_secret_value()


class Settings(BaseSettings):
    """All of it. ``Settings()`` reads the environment and the file; keyword arguments win over both.

    ``Settings(lineage={"store": {"backend": "logging"}})`` changes one key and leaves the others to their sources.
    Raises ConfigurationError.
    """

    model_config = SettingsConfigDict(extra="forbid", frozen=True)
    lineage: LineageSettings = LineageSettings()
    connections: dict[str, ConnectionSettings] = {}
    config_file: Path | None = None
    """The file to read; afterwards the one that was read, if any."""

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _told(error.errors(include_url=False)[0]) from None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The one order."""
        named = init_settings.init_kwargs.get("config_file") if isinstance(init_settings, InitSettingsSource) else None
        file = FileSource(settings_cls, None if named is None else Path(named))
        return init_settings, EnvironmentSource(settings_cls), file

    def connection(self, name: str, *, asked_by: str) -> ConnectionSettings:
        """The connection of that name. ``asked_by``: the key that names it. Raises ConfigurationError."""
        if name not in self.connections:
            known = ", ".join(sorted(self.connections)) or "none"
            raise ConfigurationError(asked_by, name, f"no [connections.{name}]; there are: {known}")
        return self.connections[name]

    def with_default_option(self, store: str, key: str, value: object) -> Settings:
        """A copy in which a store's option has this value unless it is set."""
        present = self.lineage.store
        options = {key: value, **present.options(store)}
        changed = StoreSettings.model_validate({**present.model_dump(), store: options})
        return self.model_copy(update={"lineage": self.lineage.model_copy(update={"store": changed})})

    def __repr__(self) -> str:
        return f"Settings({redacted(self.model_dump(mode='json'))})"

    __str__ = __repr__


def _told(error: ErrorDetails) -> ConfigurationError:
    """pydantic's first complaint as one line."""
    location = [str(part) for part in error["loc"]]
    key = ".".join(location)
    if error["type"] == "extra_forbidden":
        accepted = _accepted(location[:-1])
        close = get_close_matches(location[-1], accepted, n=1)
        remedy = f"unknown key{f'; did you mean {close[0]}?' if close else ''}; accepted are: {', '.join(accepted)}"
    elif error["type"] == "missing":
        return ConfigurationError(key, None, "is required")
    else:
        remedy = error["msg"].removeprefix("Value error, ")
        remedy = remedy[:1].lower() + remedy[1:]
    return ConfigurationError(key, redacted(error["input"], location[-1]), remedy)


def _accepted(section: list[str]) -> list[str]:
    model: Any = Settings
    for part in section:
        field = model.model_fields.get(part) if hasattr(model, "model_fields") else None
        model = ConnectionSettings if field is None else field.annotation
    return sorted(name for name in getattr(model, "model_fields", {}) if name != "config_file")
