"""The accounts as metrics."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from headwater.producer import LineageProducer
from headwater.producer.prometheus import register


def test_the_accounts_are_shown_and_add_up(tmp_path: Path) -> None:
    producer = LineageProducer()
    registry = CollectorRegistry()
    register(registry, producer)
    with pytest.raises(ValueError, match="Duplicated"):
        register(registry, producer)

    def value(name: str, **labels: str) -> float:
        found = registry.get_sample_value(f"headwater_producer_{name}", labels)
        return 0.0 if found is None else found

    assert value("emitted_total") == 0.0
    # Nobody listens there: what is emitted stays in the spool.
    producer.configure(url="http://127.0.0.1:9", job_namespace="n", spool_dir=tmp_path, exit_timeout_s=0.0)
    try:
        with producer.run("job"):
            pass
        assert not producer.emit(object())
        assert value("emitted_total") == 3
        assert value("spooled") == 2
        assert value("delivered_total") == 0
        assert value("dropped_total", reason="unserialisable") == 1
    finally:
        producer.shutdown(0.0)
