"""The suite is red on stores that are broken on purpose, by the check that is meant for it, and green on the same store
unbroken."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from headwater.collector.testing.conformance import Faults, MakeStore, StoreConformance
from tests.conformance.broken import BROKEN, Broken
from tests.conformance.whole import DEADLINE_S, FileFaults, FileStore

pytest_plugins = ["pytester"]

CHECKS = [name for name in dir(StoreConformance) if name.startswith("test_")]


class OfFile(StoreConformance):
    """Over ``FileStore`` or what is derived from it."""

    store: ClassVar[type[FileStore]] = FileStore
    deadline_s = DEADLINE_S
    grace_s = 5.0
    examples = 30
    large_bytes = (3 << 20,)

    @pytest.fixture
    def make_store(self, tmp_path: Path) -> MakeStore:
        return partial(make, self.store, tmp_path)

    @pytest.fixture
    def faults(self, tmp_path: Path) -> Faults:
        return FileFaults(tmp_path)


def make(store: type[FileStore], folder: Path, place: str) -> FileStore:
    return store(folder / place)


SUITES = {each.store.__name__: type(f"Test{each.store.__name__}", (OfFile,), {"store": each.store}) for each in BROKEN}


class TestFile(OfFile):
    """Nothing is broken in it, so what catches the others is what was broken."""


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.store.__name__}-{broken.check[5:]}")
def test_the_suite_is_red(pytester: pytest.Pytester, broken: Broken) -> None:
    failures = failures_of(pytester, broken, broken.check)
    assert list(failures) == [broken.check], f"{broken.store.__name__} passed {broken.check}"
    assert broken.says in failures[broken.check]


@pytest.mark.soak
@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.store.__name__)
def test_the_whole_suite_is_red(pytester: pytest.Pytester, broken: Broken) -> None:
    failures = failures_of(pytester, broken)
    print(broken.store.__name__, *failures, sep="\n  ")
    assert broken.check in failures


def test_every_check_catches_something() -> None:
    assert {broken.check for broken in BROKEN} == set(CHECKS)


def failures_of(pytester: pytest.Pytester, broken: Broken, check: str | None = None) -> dict[str, str]:
    """Runs the suite, or one check, over a broken store in a pytest of its own: failed checks with their messages."""
    name = broken.store.__name__
    path = pytester.makepyfile(f"from tests.conformance.test_broken import SUITES\nTest{name} = SUITES[{name!r}]\n")
    node = f"{path.name}::Test{name}" + (f"::{check}" if check else "")
    reports = pytester.inline_run("-q", "-p", "no:cacheprovider", "-p", "no:asyncio", node).getreports(
        "pytest_runtest_logreport"
    )
    failed = [report for report in reports if report.failed]  # type: ignore[union-attr]
    assert not [report for report in failed if report.when != "call"], failed
    return {report.nodeid.rpartition("::")[2]: str(report.longrepr) for report in failed}  # type: ignore[union-attr]
