"""What people type for a node."""

from __future__ import annotations

import pytest

from headwater.collector.cli.exits import UsageError
from headwater.collector.cli.nodes import Node, candidates
from headwater.shared.event import Name


def test_two_words_are_a_namespace_and_a_name_of_either_kind() -> None:
    assert candidates(["s3://bucket", "a:b"]) == [
        Node("dataset", Name("s3://bucket", "a:b")),
        Node("job", Name("s3://bucket", "a:b")),
    ]


def test_every_split_is_a_candidate_the_longest_namespace_first() -> None:
    assert [node.name for node in candidates(["dataset:arn:aws:t"])] == [Name("arn:aws", "t"), Name("arn", "aws:t")]


def test_percent_encoding_is_undone_after_the_literal_reading() -> None:
    assert candidates(["job:a%3Ab:c%2Fd"]) == [Node("job", Name("a%3Ab", "c%2Fd")), Node("job", Name("a:b", "c/d"))]


@pytest.mark.parametrize(
    "words", [["run:x:y"], ["plain"], ["job:only"], ["job:"], ["dataset:ns:"], [], ["a", "b", "c"]]
)
def test_anything_else_is_wrong_usage(words: list[str]) -> None:
    with pytest.raises(UsageError):
        candidates(words)
