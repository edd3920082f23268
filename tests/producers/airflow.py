"""One Airflow: a home of its own with a SQLite metadata database, the shop's DAG, and PostgreSQL as the shop's
warehouse."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlsplit

import httpx
import psycopg

from tests.producers.environments import OUR_PACKAGES, PROJECTS
from tests.producers.programs import run_program, surroundings
from tests.servers.ports import free_port
from tests.servers.warden import Warden

NAMESPACE = "airflow-shop"
START_WITHIN_S, STOP_WITHIN_S = 180, 30
TABLES = """
CREATE TABLE orders (order_id int, customer_id int, amount numeric);
CREATE TABLE customers (customer_id int, country text);
INSERT INTO orders VALUES (1, 10, 19.5), (2, 11, 5);
INSERT INTO customers VALUES (10, 'GB'), (11, 'US');
"""


@dataclass
class Airflow:
    """``collector`` is the URL that headwater's transport is told; ``warehouse`` that of a PostgreSQL database."""

    binaries: Path
    home: Path
    collector: str
    warehouse: str

    def __post_init__(self) -> None:
        self.port, self.secret = free_port(), token_hex(32)

    @property
    def landing(self) -> Path:
        return self.home / "landing"

    @property
    def database(self) -> tuple[str, str]:
        """Namespace and first part of the names of the warehouse's tables, as OpenLineage says them."""
        at = urlsplit(self.warehouse)
        return f"postgres://{at.hostname}:{at.port}", at.path.lstrip("/")

    @property
    def env(self) -> dict[str, str]:
        """What is set for every Airflow process, beside the environment of its programs."""
        transport = {
            "type": "headwater.producer.openlineage.HeadwaterTransport",
            "url": self.collector,
            "spool_dir": str(self.home / "spool"),
        }
        at = urlsplit(self.warehouse)
        connection = {
            "conn_type": "postgres", "host": at.hostname, "port": at.port, "login": at.username,
            "schema": at.path.lstrip("/"),
        }  # fmt: skip
        return {
            "AIRFLOW_HOME": str(self.home),
            "AIRFLOW__CORE__DAGS_FOLDER": str(self.home / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{self.port}/execution/",
            "AIRFLOW__CORE__PARALLELISM": "2",
            "AIRFLOW__API_AUTH__JWT_SECRET": self.secret,
            "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1",
            "AIRFLOW__LOGGING__WORKER_LOG_SERVER_HOST": "127.0.0.1",
            "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport),
            "AIRFLOW__OPENLINEAGE__NAMESPACE": NAMESPACE,
            "AIRFLOW_CONN_SHOP": json.dumps(connection),
            "SHOP_LANDING": str(self.landing),
            "PYTHONPATH": OUR_PACKAGES,
            "NO_COLOR": "1",
        }

    def prepare(self) -> None:
        """Makes the home, the metadata database and the tables of the warehouse."""
        shutil.copytree(PROJECTS / "airflow", self.home, dirs_exist_ok=True)
        self.landing.mkdir()
        (self.landing / "orders.csv").write_text("1,10,19.5\n")
        with psycopg.connect(self.warehouse, autocommit=True) as connection:
            connection.execute(TABLES)
        self.run("db", "migrate")

    def run(self, *arguments: str, status: int = 0) -> str:
        """``airflow arguments``, which must end with this status; what it printed."""
        return run_program(self.binaries, ["airflow", *arguments], where=self.home, env=self.env, status=status)

    @contextmanager
    def live(self) -> Iterator[None]:
        """An API server, a DAG processor and a scheduler that runs the tasks, on loopback, while the block runs."""
        api = ["api-server", "--host", "127.0.0.1", "--port", str(self.port), "--workers", "1"]
        with self._staying(api):
            self._await_api()
            with self._staying(["dag-processor"]), self._staying(["scheduler", "--skip-serve-logs"]):
                yield

    def _await_api(self) -> None:
        """A task that cannot reach it fails before it starts."""
        deadline = time.monotonic() + START_WITHIN_S
        while True:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{self.port}/api/v2/version", timeout=10).is_success:
                    return
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.5)

    @contextmanager
    def _staying(self, command: Sequence[str]) -> Iterator[None]:
        """An Airflow process with its children; ended in order, and killed with this process however that ends."""
        with (
            (self.home / f"{command[0]}.log").open("ab") as log,
            subprocess.Popen(
                [str(self.binaries / "airflow"), *command],
                cwd=self.home,
                env=surroundings(self.binaries, self.env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ) as process,
        ):
            warden = Warden(process.pid)
            try:
                yield
            finally:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(STOP_WITHIN_S)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                warden.dismiss()

    def said(self) -> str:
        """The end of what each process that stayed has printed."""
        logs = sorted(self.home.glob("*.log"))
        return "\n".join(f"{log.name}:\n{log.read_text(errors='replace')[-4000:]}" for log in logs)
