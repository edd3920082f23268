"""The ten lines of docs/stores.md, run over a store that somebody else might have written."""

from __future__ import annotations

import re

import pytest

from headwater.collector.testing.conformance import OUTAGE_CHECKS, StoreConformance
from tests.support.outside import ROOT

pytest_plugins = ["pytester"]


def test_the_lines_of_the_page_are_a_whole_suite(pytester: pytest.Pytester) -> None:
    page = (ROOT / "docs" / "stores.md").read_text()
    (lines,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    pytester.makepyfile(acme_lineage="from tests.conformance.whole import FileStore as AcmeStore\n", test_acme=lines)
    pytester.syspathinsert()
    outcomes = pytester.inline_run("-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "test_acme.py").listoutcomes()
    passed, skipped, failed = map(len, outcomes)
    checks = [name for name in dir(StoreConformance) if name.startswith("test_")]
    assert (passed, skipped, failed) == (len(checks) - len(OUTAGE_CHECKS), len(OUTAGE_CHECKS), 0)
