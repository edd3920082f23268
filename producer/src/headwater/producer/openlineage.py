"""Lets any OpenLineage Python integration (dbt, Airflow, ...) ship through headwater's spool.

Set ``OPENLINEAGE__TRANSPORT__TYPE=headwater.producer.openlineage.HeadwaterTransport``. Where the events go is
headwater's configuration, or the transport's own: ``OPENLINEAGE__TRANSPORT__URL``, ``..._SPOOL_DIR`` and the other
settings of ``configure``.
"""

from __future__ import annotations

from typing import Any

import attr
from openlineage.client.transport.transport import Config, Transport

from headwater.shared.errors import ConfigurationError

from ._default import DEFAULT
from ._producer import LineageProducer

_UNBOUNDED_S = 30.0


@attr.define
class HeadwaterConfig(Config):
    """``settings`` are those of ``headwater.producer.configure``; none means the default producer's."""

    settings: dict[str, Any] = attr.field(factory=dict)

    @classmethod
    def from_dict(cls, params: dict[str, Any]) -> HeadwaterConfig:
        """``transports`` is what openlineage-python adds by itself where OPENLINEAGE_URL is set beside us."""
        return cls({str(key).lower(): value for key, value in params.items() if key not in ("type", "transports")})


class HeadwaterTransport(Transport):
    """``emit`` puts the event into the spool and returns; headwater's sender delivers it, or the next process does."""

    kind = "headwater"
    config_class = HeadwaterConfig

    def __init__(self, config: HeadwaterConfig) -> None:
        """A setting that is wrong turns lineage off with one warning: this is called deep within an integration."""
        self._producer = LineageProducer() if config.settings else DEFAULT
        if config.settings:
            try:
                self._producer.configure(**config.settings)
            except ConfigurationError as error:
                self._producer.turn_off(error)

    def emit(self, event: Any) -> bool:
        """True when the event is in the spool, where it survives a SIGKILL of the process. Never raises."""
        return self._producer.emit(event)

    def close(self, timeout: float = -1) -> bool:
        """Waits until the spool is sent, at most ``timeout`` seconds; 30 where it is negative, which OpenLineage reads
        as for ever. What is not sent by then stays in the spool. False if something is left."""
        return self._producer.flush(_UNBOUNDED_S if timeout < 0 else timeout)
