"""The dead-letter topic cannot be written: the offset is held, whatever happens to the worker, and nothing is lost."""

from __future__ import annotations

from headwater.shared.log.kafka import KafkaLog
from headwater.shared.names import HEADER_REASON
from tests.integration.faults.cluster import Cluster
from tests.integration.faults.events import raw
from tests.integration.faults.evidence import check_once_each
from tests.integration.faults.feeding import alter_topic, feed
from tests.integration.faults.probes import not_ready
from tests.support.kafka import quick_settings

WITHIN_S = 300
POISON = b'{"eventType": "START", "run": "none"'


async def test_the_offset_is_held(cluster: Cluster) -> None:
    cluster.topics.make(cluster.dead_letters, max_message_bytes=1)
    (worker,) = cluster.start_workers(1)
    log = KafkaLog(quick_settings(cluster.servers["kafka"].url))
    events = [raw("held", number) for number in range(80)]
    feed(cluster, events[:40])
    (place,) = feed(cluster, [POISON]).values()
    feed(cluster, events[40:])
    for _ in range(2):
        cluster.await_that(lambda: held(cluster) in not_ready(worker).get("lane main", ""), WITHIN_S, "nothing is held")
        assert cluster.positions()[place[0]] <= place[1], "committed, and nowhere"
        assert cluster.appended(cluster.dead_letters) == 0
        worker.kill()
        worker.start()
    alter_topic(cluster, cluster.dead_letters, max_message_bytes=None)
    cluster.await_drained(WITHIN_S)
    check_once_each(cluster, events)
    letters = await log.read(cluster.dead_letters, 0, max_records=10)
    assert [letter.value for letter in letters] == [POISON]
    assert letters[0].header(HEADER_REASON)
    await log.close()
    worker.stop()


def held(cluster: Cluster) -> str:
    return f"{cluster.dead_letters} cannot be written"
