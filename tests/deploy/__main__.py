"""``python -m tests.deploy``: builds what the tests of deploy/ need and this machine lacks."""

from __future__ import annotations

import sys

from tests.deploy.tools import RECIPES, tool
from tests.servers.errors import ServersError

if __name__ == "__main__":
    try:
        for program in RECIPES:
            print(f"{program:9} {tool(program, build=True)}", flush=True)
    except ServersError as error:
        sys.exit(str(error))
