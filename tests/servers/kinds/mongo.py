"""A server of MongoDB's protocol: FerretDB on SQLite."""

from __future__ import annotations

from pathlib import Path

from tests.servers.cache import built
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
        """Pings, and lists databases, which touches the files."""
        from pymongo import MongoClient

        with MongoClient(url, serverSelectionTimeoutMS=2000, connectTimeoutMS=2000, socketTimeoutMS=2000) as client:
            client.list_database_names()

    def _prepare(self) -> list[str]:
        data = self.directory / "data"
        data.mkdir(exist_ok=True)
        return [str(built("mongo", _compile) / "server"), "-address", address(self.port), "-data", str(data)]


def _compile(place: Path) -> None:
    run_tool([need_tool("go"), "build", "-o", "server", "."], where=place, doing="compiling FerretDB")
