"""Events of real producers: every one is accepted, and both engines read it alike."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from headwater.shared import codec
from headwater.shared.engine import STDLIB, default_engine

CORPUS = Path(os.environ.get("HEADWATER_SHARED", Path(__file__).parents[2].parent / "shared")) / "corpus"


def test_every_event_of_the_corpus_is_accepted() -> None:
    if not CORPUS.is_dir():
        message = f"no corpus at {CORPUS}: set HEADWATER_SHARED to the directory that holds it"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    ids = set()
    count = 0
    for path in sorted(CORPUS.glob("*.ndjson")):
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            body = json.loads(line)["event"]
            loose = json.dumps(body, indent=2).encode()
            events = [codec.decode(loose, engine=engine) for engine in (default_engine(), STDLIB)]
            assert events[0] == events[1], f"{path.name}:{number}"
            assert events[0].body == body
            assert codec.from_dict(body).event_id == events[0].event_id
            ids.add(events[0].event_id)
            count += 1
    assert count == 1017
    assert len(ids) > 1000
