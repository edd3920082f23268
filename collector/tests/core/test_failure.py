"""Which facet says why a run failed."""

from __future__ import annotations

from headwater.collector.derive.failure import error_of

STANDARD = {"message": "no such column", "programmingLanguage": "SQL"}
OF_SPARK = {"message": "Job aborted due to stage failure", "stackTrace": "org.apache.spark.SparkException: ..."}


def test_the_standard_facet_goes_first() -> None:
    assert error_of({"spark.exception": OF_SPARK, "errorMessage": STANDARD}) == STANDARD


def test_the_facet_of_spark_s_agent_stands_in() -> None:
    assert error_of({"spark.exception": OF_SPARK, "parent": {}}) == OF_SPARK


def test_a_run_that_says_nothing_has_none() -> None:
    assert error_of({"parent": {}}) is None
