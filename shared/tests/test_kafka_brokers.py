"""Topics that a cluster refuses to make, for now or for good."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from headwater.shared.errors import PermanentError, TransientError
from headwater.shared.log.kafka import KafkaSettings
from headwater.shared.log.kafka.brokers import Brokers


class Refusing:
    """An admin client whose cluster answers every creation with one code."""

    def __init__(self, code: int, told: str) -> None:
        self._code, self._told = code, told

    async def describe_cluster(self) -> dict[str, Any]:
        return {"brokers": []}

    async def describe_configs(self, resources: Any) -> list[Any]:
        return []

    async def create_topics(self, topics: Any) -> Any:
        return SimpleNamespace(topic_errors=[(topic.name, self._code, self._told) for topic in topics])


@pytest.mark.parametrize(
    ("code", "told", "kind"),
    [
        (38, "Unable to replicate the partition 1 time(s): All brokers are currently fenced.", TransientError),
        (7, "", TransientError),
        (41, "This is not the correct controller for this cluster.", TransientError),
        (29, "", PermanentError),
        (44, "no such policy", PermanentError),
    ],
)
async def test_a_topic_that_cannot_be_made_now_is_not_given_up(code: int, told: str, kind: type[Exception]) -> None:
    pytest.importorskip("aiokafka")
    brokers = Brokers(KafkaSettings(("localhost:9092",)))
    with pytest.raises(kind, match="topic events cannot be made: ") as caught:
        await brokers._create(Refusing(code, told), ["events"])
    assert type(caught.value) is kind
