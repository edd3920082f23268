"""A member that gets nothing although records wait, told from one that has nothing to get."""

from __future__ import annotations

from headwater.shared.log.kafka.watch import Watch

PATIENCE_S = 120.0


def idle(watch: Watch, start_s: float, end_s: float, waiting: int, *, progress: int = 0) -> None:
    """Asks every second and looks every two."""
    for second in range(int(start_s), int(end_s) + 1):
        watch.asked(float(second))
        if second % 2 == 0:
            watch.seen(waiting, float(second), progress=progress)


def test_nothing_waits() -> None:
    watch = Watch()
    idle(watch, 0, 1000, 0)
    assert watch.stalled(PATIENCE_S) == 0


def test_records_wait_in_vain() -> None:
    watch = Watch()
    idle(watch, 0, 100, 0)
    idle(watch, 101, 220, 7)
    assert watch.stalled(PATIENCE_S) == 0
    idle(watch, 221, 224, 7)
    assert watch.stalled(PATIENCE_S) == 7


def test_what_comes_begins_anew() -> None:
    watch = Watch()
    idle(watch, 0, 100, 7)
    watch.got()
    idle(watch, 101, 200, 7)
    assert watch.stalled(PATIENCE_S) == 0


def test_a_caller_that_was_away_did_not_wait() -> None:
    watch = Watch()
    idle(watch, 0, 100, 7)
    idle(watch, 400, 410, 7)
    assert watch.stalled(PATIENCE_S) == 0


def test_a_single_look_is_no_sign() -> None:
    watch = Watch()
    watch.asked(0.0)
    watch.seen(7, 0.0)
    for second in range(1, 1000):
        watch.asked(float(second))  # the brokers do not answer any more
    assert watch.stalled(PATIENCE_S) == 0


def test_a_group_that_moves_on_needs_no_help() -> None:
    watch = Watch()
    for minute in range(20):
        idle(watch, 60 * minute, 60 * minute + 59, 7, progress=minute)
    assert watch.stalled(PATIENCE_S) == 0
