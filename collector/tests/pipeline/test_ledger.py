"""The ledger against a model that keeps plain sets."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.collector.ledger import Ledger
from headwater.shared.log import TopicPartition

PARTITIONS = [TopicPartition("t", 0), TopicPartition("t", 1)]
STEP = st.one_of(
    st.tuples(st.just("track"), st.sampled_from(PARTITIONS), st.lists(st.integers(1, 4), min_size=1, max_size=6)),
    st.tuples(st.just("settle"), st.sampled_from(PARTITIONS), st.lists(st.integers(0, 40), max_size=8)),
    st.tuples(st.just("revoke"), st.sampled_from(PARTITIONS), st.just([])),
)


class Model:
    """All that was read, and all that was settled after it was read."""

    def __init__(self) -> None:
        self.read: dict[TopicPartition, list[int]] = {}
        self.settled: dict[TopicPartition, set[int]] = {}

    def committable(self) -> dict[TopicPartition, int]:
        found = {}
        for partition, offsets in self.read.items():
            following = offsets[0]
            for offset in offsets:
                if offset not in self.settled[partition]:
                    break
                following = offset + 1
            found[partition] = following
        return found


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(STEP, max_size=30))
def test_it_agrees_with_the_model(steps: list[tuple[str, TopicPartition, list[int]]]) -> None:
    ledger, model = Ledger(), Model()
    following = dict.fromkeys(PARTITIONS, 0)
    for what, partition, numbers in steps:
        if what == "track":
            offsets = []
            for gap in numbers:
                following[partition] += gap
                offsets.append(following[partition])
            ledger.track(partition, offsets)
            model.read.setdefault(partition, []).extend(offsets)
            model.settled.setdefault(partition, set())
        elif what == "settle":
            ledger.settle(partition, numbers)
            if partition in model.read:
                model.settled[partition] |= set(numbers) & set(model.read[partition])
        else:
            ledger.revoke(partition)
            model.read.pop(partition, None)
            model.settled.pop(partition, None)
        assert ledger.committable() == model.committable()


def test_a_late_settle_after_a_revoke_does_nothing() -> None:
    ledger, partition = Ledger(), TopicPartition("t", 0)
    ledger.track(partition, [5, 6])
    ledger.revoke(partition)
    ledger.settle(partition, [5, 6])
    assert ledger.committable() == {}
    ledger.track(partition, [6])
    assert ledger.committable() == {partition: 6}
    assert ledger.unsettled() == 1


def test_what_is_read_again_is_tracked_once() -> None:
    ledger, partition = Ledger(), TopicPartition("t", 0)
    ledger.track(partition, [1, 2])
    ledger.settle(partition, [1])
    ledger.track(partition, [1, 2, 3])
    assert ledger.unsettled() == 2
    ledger.revoke_all()
    assert ledger.unsettled() == 0
