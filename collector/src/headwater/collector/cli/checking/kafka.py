"""Checks of a Kafka cluster, where ``lineage.url`` names one."""

from __future__ import annotations

from headwater.collector.deadletters import DeadLetters
from headwater.collector.redact import redacted
from headwater.collector.settings import LineageSettings
from headwater.collector.stores.deadline import within
from headwater.collector.topics import Topics
from headwater.shared.errors import ConfigurationError, HeadwaterError
from headwater.shared.log.kafka import KafkaLog, parse_address

from .check import Check, away, misconfigured, ok, wrong
from .topics import KEYS, topic_checks


async def kafka(url: str, lineage: LineageSettings, deadline_s: float) -> list[Check]:
    """The brokers answer, the topics exist, what waits in them and what was given up. Changes nothing, and ends by the
    deadline."""
    try:
        address = parse_address(url)
        log = KafkaLog(lineage.kafka.of(address.servers))
        await log.open()
    except ConfigurationError as error:
        return [misconfigured("kafka", error)]
    topics = Topics(address.topic or lineage.collector_topic)
    servers = ",".join(address.servers)
    try:
        async with within(deadline_s, servers):
            partitions = await log.partitions(topics.main)
            checks = [ok("kafka", f"{servers} answers, {lineage.kafka.of(address.servers).security_protocol}")]
            return [*checks, *await _topics(log, topics, partitions, lineage)]
    except HeadwaterError as error:
        remedy = "start the brokers, or correct lineage.url and [lineage.kafka]"
        return [away("kafka", str(error), remedy, key="lineage.url", value=redacted(url))]
    finally:
        await log.close()


async def _topics(log: KafkaLog, topics: Topics, partitions: int, lineage: LineageSettings) -> list[Check]:
    rungs = range(1, len(lineage.collector.retry.ladder_s) + 1)
    others = (*map(topics.retry, rungs), topics.dead_letters)
    missing = [name for name in (topics.main, *others) if not await log.partitions(name)]
    if missing:
        remedy = "create them, or run `headwater collect --create-topics`"
        return [wrong("topics", f"there is no {', '.join(missing)}", remedy)]
    behind = await log.lag(lineage.collector.group, topics.main)
    seen = f"{topics.main}: {partitions} partitions, {behind} events not collected yet"
    letters = await DeadLetters(log, topics.main).count()
    counts = {name: await log.partitions(name) for name in (topics.main, *others)}
    configs = await log.configured(counts, KEYS)
    note = "`headwater dlq list` says why they were given up" if letters else ""
    return [
        ok("topics", seen, "" if not behind else "`headwater collect` collects them"),
        ok("dead letters", f"{letters} open", note),
        *topic_checks(topics, counts, configs, max(lineage.collector.retry.ladder_s, default=0.0)),
    ]
