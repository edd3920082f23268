"""Names that leave the process: environment variables, topics, headers, metrics. Changing one breaks somebody."""

from __future__ import annotations

# Environment variables -------------------------------------------------------------------------------------------

ENV_URL = "HEADWATER_URL"
"""Where a producer sends: ``kafka://host:9092/topic``, ``http(s)://host:5000``, ``file:///path``, ``console:`` or
``memory:``."""
ENV_DISABLED = "HEADWATER_DISABLED"
"""A true word turns the producer off."""
ENV_SPOOL = "HEADWATER_SPOOL"
"""Directory of the producer's spool; default: the user's state directory, by application."""
ENV_CONFIG = "HEADWATER_CONFIG"
"""Path of ``headwater.toml``; default: the nearest one above the working directory."""
ENV_NAMESPACE = "HEADWATER_NAMESPACE"
"""Namespace of the jobs of this application."""
ENV_APPLICATION = "HEADWATER_APPLICATION"
"""Name of this application: whose spool it is."""
ENV_DIR = "HEADWATER_DIR"
"""The embedded collector's directory; default ``.headwater``."""
ENV_JSON = "HEADWATER_JSON"
"""``stdlib`` or ``orjson``: forces one JSON engine. Default: orjson where it is installed."""
ENV_PARENT_ID = "HEADWATER_PARENT_ID"
"""``namespace/name/runId`` of the run that started this process."""
ENV_ROOT_PARENT_ID = "HEADWATER_ROOT_PARENT_ID"
"""The same, of the outermost run."""
ENV_OPENLINEAGE_PARENT_ID = "OPENLINEAGE_PARENT_ID"
"""OpenLineage's own, read and written."""
ENV_OPENLINEAGE_ROOT_PARENT_ID = "OPENLINEAGE_ROOT_PARENT_ID"
"""OpenLineage's own, read and written."""
ENV_OPENLINEAGE_NAMESPACE = "OPENLINEAGE_NAMESPACE"
"""OpenLineage's own, read where ours is not set."""
ENV_OPENLINEAGE_URL = "OPENLINEAGE_URL"
"""OpenLineage's own, read where ours is not set."""
ENV_OPENLINEAGE_DISABLED = "OPENLINEAGE_DISABLED"
"""OpenLineage's own, honoured beside ours."""

# Topics ----------------------------------------------------------------------------------------------------------

DEFAULT_TOPIC = "platform.lineage.events"
"""Where events are appended unless told otherwise."""


def retry_topic(topic: str, step: int) -> str:
    """Where events wait for their ``step``-th retry, from 1."""
    return f"{topic}.retry.{step}"


def dead_letter_topic(topic: str) -> str:
    """Where events end that cannot be stored, byte for byte."""
    return f"{topic}.dlq"


# Record headers of retries and dead letters ----------------------------------------------------------------------

HEADER_REASON = "headwater-reason"
"""A stable word: ``InvalidEventError.reason``, or what a store refused."""
HEADER_ERROR = "headwater-error"
"""The message, for people. UTF-8."""
HEADER_WHERE = "headwater-where"
"""JSON pointer or ``byte N`` of what was refused."""
HEADER_FAILED_STORES = "headwater-failed-stores"
"""Comma-separated names of the stores that do not have the event; a retry writes to these alone."""
HEADER_ATTEMPT = "headwater-attempt"
"""How often the event has been tried, decimal."""
HEADER_NOT_BEFORE_MS = "headwater-not-before-ms"
"""Unix time in ms before which the retry waits, decimal."""
HEADER_FIRST_FAILED_MS = "headwater-first-failed-ms"
"""Unix time in ms of the first failure, decimal."""
HEADER_ORIGIN = "headwater-origin"
"""``topic/partition/offset`` where the event first stood."""
HEADER_EVENT_ID = "headwater-event-id"
"""The event's id, where it could be read."""

# Metrics ---------------------------------------------------------------------------------------------------------

METRIC_EVENTS_RECEIVED = "headwater_events_received_total"
"""Records read from the log, by topic."""
METRIC_EVENTS_SETTLED = "headwater_events_settled_total"
"""Events settled, by outcome: stored, retry, dead."""
METRIC_EVENTS_DEAD = "headwater_events_dead_total"
"""Events sent to the dead letters, by reason."""
METRIC_EVENTS_RETRIED = "headwater_events_retried_total"
"""Events sent to a retry topic, by step."""
METRIC_FACET_PROBLEMS = "headwater_facet_problems_total"
"""Parts of accepted events that could not be read and are left out of the graph."""
METRIC_STORE_WRITES = "headwater_store_writes_total"
"""Batches written, by store and outcome."""
METRIC_STORE_WRITE_SECONDS = "headwater_store_write_seconds"
"""Time of one batch, by store."""
METRIC_STORE_UP = "headwater_store_up"
"""1 where the store's breaker is closed, else 0."""
METRIC_LOG_LAG = "headwater_log_lag_records"
"""Records appended and not committed, by topic."""
METRIC_LOG_BYTES = "headwater_log_bytes"
"""Bytes of the local log's segments, by topic."""
METRIC_LOG_DAMAGED_BYTES = "headwater_log_damaged_bytes_total"
"""Bytes of damage skipped while reading the local log, by topic."""
METRIC_HTTP_REQUESTS = "headwater_http_requests_total"
"""Requests, by method, route and status."""
METRIC_HTTP_REQUEST_SECONDS = "headwater_http_request_seconds"
"""Time of one request, by method and route."""
METRIC_PRODUCER_EMITTED = "headwater_producer_emitted_total"
"""Events given to ``emit``."""
METRIC_PRODUCER_DELIVERED = "headwater_producer_delivered_total"
"""Events that the transport has delivered."""
METRIC_PRODUCER_SPOOLED = "headwater_producer_spooled"
"""Events that wait in the spool now."""
METRIC_PRODUCER_DROPPED = "headwater_producer_dropped_total"
"""Events dropped, by reason."""
