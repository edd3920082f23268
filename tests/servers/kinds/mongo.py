"""A server of MongoDB's protocol: FerretDB on SQLite."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.servers.cache import built
from tests.servers.errors import ServerMissing
from tests.servers.server import Server, address
from tests.servers.tools import need_tool, run_tool


class Mongo(Server):
    """Not MongoDB itself: see the README beside this package for what it lacks."""

    name = "mongo"
    product = "FerretDB 1.24.2 (SQLite)"
    default_port = 27117

    @property
    def url(self) -> str:
        return f"mongodb://{address(self.port)}/"

    def build(self) -> None:
        built("mongo", _compile)

    @staticmethod
    def ask(url: str) -> None:
        """Pings, and looks for a document: for a list of databases FerretDB reads all of its files."""
        from pymongo import MongoClient

        with MongoClient(url, serverSelectionTimeoutMS=2000, connectTimeoutMS=2000, socketTimeoutMS=2000) as client:
            client.admin.command("ping")
            client["headwater"]["anything"].find_one({"_id": "nothing"})

    def _prepare(self) -> list[str]:
        data = self.directory / "data"
        data.mkdir(exist_ok=True)
        return [str(built("mongo", _compile) / "server"), "-address", address(self.port), "-data", str(data)]


def _compile(place: Path) -> None:
    go, module, copy = need_tool("go"), "github.com/FerretDB/FerretDB", place / "ferretdb"
    run_tool([go, "mod", "download", module], where=place, doing="fetching FerretDB")
    source = run_tool([go, "list", "-m", "-f", "{{.Dir}}", module], where=place, doing="finding FerretDB").strip()
    run_tool(["cp", "-r", "--no-preserve=mode", source, str(copy)], where=place, doing="copying FerretDB")
    for correction in json.loads((place / "corrections.json").read_text()):
        path = copy / correction["file"]
        text = path.read_text()
        if text.count(correction["from"]) != 1:
            raise ServerMissing(f"a correction in recipes/mongo does not fit this FerretDB: {correction['why']}")
        path.write_text(text.replace(correction["from"], correction["to"]))
    run_tool([go, "mod", "edit", "-replace", f"{module}=./ferretdb"], where=place, doing="correcting FerretDB")
    run_tool([go, "build", "-o", "server", "."], where=place, doing="compiling FerretDB")
    shutil.rmtree(copy)
