"""Which JSON engine is used, and that importing loads nothing but the standard library."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

MODULES = [
    *("canonical", "clock", "codec", "diagnosis", "engine", "envelope", "errors", "event", "facets", "limits", "names"),
    *("runid", "strict", "times", "log", "log.framing", "log.segments", "log.local", "log.memory"),
]


def run(code: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | env, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_importing_loads_no_third_party_module() -> None:
    imports = "; ".join(f"import headwater.shared.{name}" for name in MODULES)
    code = f"""
import sys
before = set(sys.modules)
{imports}
loaded = {{name.partition('.')[0] for name in set(sys.modules) - before}}
print(sorted(loaded - set(sys.stdlib_module_names) - {{'headwater'}}))
"""
    assert run(code) == "[]"


def test_segments_and_codec_load_no_slow_module() -> None:
    code = """
import sys
before = set(sys.modules)
import headwater.shared.log.segments, headwater.shared.codec
slow = {'asyncio', 'dataclasses', 'inspect', 'logging', 'uuid', 'hashlib', 'datetime', 'socket', 'concurrent.futures'}
print(sorted(slow & (set(sys.modules) - before)))
"""
    assert run(code) == "[]"


CHOICE = "from headwater.shared.engine import default_engine; print(default_engine().name)"


@pytest.mark.parametrize("wish", ["stdlib", "orjson", ""])
def test_the_engine_can_be_forced(wish: str) -> None:
    assert run(CHOICE, HEADWATER_JSON=wish) == (wish or "orjson")


def test_an_unknown_engine_is_named() -> None:
    code = f"""
from headwater.shared.errors import ConfigurationError
try:
    {CHOICE}
except ConfigurationError as error:
    print(error)
"""
    assert run(code, HEADWATER_JSON="simplejson") == (
        "HEADWATER_JSON = 'simplejson': use stdlib or orjson, or leave it unset"
    )


def test_the_standard_library_is_the_default_without_orjson() -> None:
    hide = "import sys; sys.modules['orjson'] = None; "
    assert run(hide + CHOICE) == "stdlib"
