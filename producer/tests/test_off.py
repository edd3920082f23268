"""Lineage turned off by an operator: the application runs as if headwater were not there."""

from __future__ import annotations

import pytest

from headwater.producer import current_run, track_lineage


@track_lineage("report")
def report() -> int:
    here = current_run()
    assert here is not None
    here.output("report", version="1")
    here.commit("report")
    return 42


@pytest.mark.parametrize("name", ["HEADWATER_DISABLED", "OPENLINEAGE_DISABLED"])
def test_a_decorated_function_may_speak_to_its_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from headwater.producer._default import DEFAULT

    monkeypatch.setenv(name, "true")
    DEFAULT.forget()
    assert report() == 42
    DEFAULT.forget()
