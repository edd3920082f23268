"""Retry policy and breaker, without waiting."""

from __future__ import annotations

from random import Random

from headwater.collector.breaker import Breaker, BreakerPolicy, BreakerState
from headwater.collector.policy import RetryPolicy
from headwater.shared.clock import ManualClock

CLOSED, HALF_OPEN, OPEN = BreakerState.CLOSED, BreakerState.HALF_OPEN, BreakerState.OPEN


def test_the_ladder_is_climbed_and_its_last_rung_repeated_up_to_the_limit() -> None:
    policy = RetryPolicy(ladder_s=(5.0, 60.0), max_attempts=5)
    assert [policy.rung(attempt) for attempt in range(1, 7)] == [1, 2, 2, 2, None, None]
    assert policy.delay_s(2) == 60.0
    assert RetryPolicy(ladder_s=()).rung(1) is None


def test_pauses_grow_stay_bounded_and_differ() -> None:
    policy, random = RetryPolicy(backoff_s=1.0, max_backoff_s=8.0), Random(1)
    pauses = {failures: [policy.pause_s(failures, random) for _ in range(50)] for failures in (1, 2, 50)}
    assert max(pauses[1]) <= 1.0 < max(pauses[2]) <= 2.0 < max(pauses[50]) <= 8.0
    assert len(set(pauses[50])) == 50


def test_the_breaker_opens_waits_longer_each_time_and_closes_by_a_success() -> None:
    clock = ManualClock()
    breaker = Breaker(BreakerPolicy(failures=2, open_s=1.0, growth=2.0, max_open_s=3.0), clock)
    breaker.failed()
    assert breaker.state is CLOSED
    breaker.failed()
    for wait_s in (1.0, 2.0, 3.0, 3.0):
        assert (breaker.state, breaker.wait_s()) == (OPEN, wait_s)
        clock.advance(wait_s)
        assert (breaker.state, breaker.wait_s()) == (HALF_OPEN, 0.0)
        breaker.failed()
    breaker.succeeded()
    assert breaker.state is CLOSED
    breaker.failed()
    assert breaker.state is CLOSED


def test_a_success_in_between_starts_the_count_again() -> None:
    breaker = Breaker(BreakerPolicy(failures=2), ManualClock())
    for _ in range(5):
        breaker.failed()
        breaker.succeeded()
    assert breaker.state is CLOSED


def test_after_a_good_probe_it_is_on_probation() -> None:
    clock = ManualClock()
    breaker = Breaker(BreakerPolicy(failures=3, open_s=1.0), clock)
    breaker.trip()
    clock.advance(1.0)
    breaker.probed()
    assert breaker.state is CLOSED
    breaker.failed()
    assert breaker.wait_s() == 2.0
