"""Help: every command has an example, and asking for it costs next to nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from headwater.collector.cli.app import app

from .conftest import Cli

COMMANDS = [info.name for info in app.registered_commands if info.name]
DLQ = ["list", "show", "replay", "purge"]


def test_the_commands_of_the_interface_are_there(cli: Cli) -> None:
    page = cli("--help").out
    for command in (
        "up",
        "collect",
        "serve",
        "emit",
        "lineage",
        "runs",
        "run",
        "evidence",
        "impact",
        "mark",
        "stale",
        "dlq",
        "stores",
        "reconcile",
        "rebuild",
        "sync",
        "reset",
        "fingerprint",
        "doctor",
    ):
        assert f"\n  {command} " in page
    assert "..." not in page.replace("[ARGS]...", "")


@pytest.mark.parametrize("command", [*([name] for name in COMMANDS), *(["dlq", name] for name in DLQ)])
def test_each_command_has_an_example_and_says_what_its_options_do(cli: Cli, command: list[str]) -> None:
    ended = cli(*command, "--help")
    assert ended.status == 0
    assert f"Example: headwater {' '.join(command)}" in " ".join(ended.out.split())


def test_no_command_is_help(cli: Cli) -> None:
    assert "evidence" in cli().out + cli().err


def test_version(cli: Cli) -> None:
    assert cli("--version").out.startswith("headwater ")


def test_help_loads_nothing_heavy() -> None:
    heavy = ["asyncio", "rich", "sqlalchemy", "pydantic", "fastapi", "uvicorn", "structlog", "httpx", "orjson"]
    code = (
        "import sys\n"
        "from headwater.collector.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr.strip() == "[]"


def test_python_dash_m() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "headwater.collector.cli", "--version"], capture_output=True, text=True, check=True
    )
    assert ended.stdout.startswith("headwater ")
