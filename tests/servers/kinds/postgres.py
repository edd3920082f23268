"""PostgreSQL, the machine's own."""

from __future__ import annotations

import hashlib
import shutil
import signal
import stat
from pathlib import Path
from typing import Any

from tests.servers.server import Server, account, address
from tests.servers.tools import need_tool, run_tool

_ASIDE = Path("/var/tmp/headwater-servers")


class Postgres(Server):
    """User ``postgres``, no password, TCP only. Started by root it runs as the account ``postgres``, since it refuses
    root; its data then may have to live outside a directory that only root may enter."""

    name = "postgres"
    product = "PostgreSQL of the machine"
    default_port = 25432
    stop_signal = signal.SIGINT  # SIGTERM would wait for the clients to leave

    def __init__(self, directory: Path, *, port: int | None = None, detached: bool = False) -> None:
        super().__init__(directory, port=port, detached=detached)
        entered = all(folder.stat().st_mode & stat.S_IXOTH for folder in (self.directory, *self.directory.parents))
        aside = _ASIDE / hashlib.sha256(str(self.directory).encode()).hexdigest()[:12]
        self._data = self.directory / "data" if account() is None or entered else aside

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{address(self.port)}/postgres"

    def build(self) -> None:
        need_tool("postgres")
        need_tool("initdb")

    @staticmethod
    def ask(url: str) -> None:
        """SELECT 1."""
        import psycopg

        with psycopg.connect(url, connect_timeout=2) as connection:
            connection.execute("SELECT 1")

    def remove(self) -> None:
        super().remove()
        shutil.rmtree(self._data, ignore_errors=True)

    def _identity(self) -> dict[str, Any]:
        user = account()
        return {"user": user, "group": user, "extra_groups": [], "cwd": self._data} if user else {}

    def _prepare(self) -> list[str]:
        data = self._data
        if not (data / "PG_VERSION").exists():
            data.mkdir(parents=True, exist_ok=True, mode=0o755)
            data.chmod(0o700)
            if user := account():
                shutil.chown(data, user, user)
            run_tool(
                [need_tool("initdb"), "--pgdata", str(data), "--username=postgres", "--auth=trust", "--encoding=UTF8",
                 "--locale=C.UTF-8", "--no-sync", "--no-instructions"],
                where=data, doing="initdb", identity=self._identity(),
            )  # fmt: skip
        settings = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": ""}
        return [need_tool("postgres"), "-D", str(data), *(f"--{key}={value}" for key, value in settings.items())]
