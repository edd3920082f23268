"""Neo4j's community database with its Bolt connector, without authentication."""

from __future__ import annotations

from tests.servers.kinds.jars import JavaServer
from tests.servers.server import address
from tests.support.seeds import FULL

# What the database's own start script opens for it.
_OPENED = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)


class Neo4j(JavaServer):
    """One database, ``neo4j``: the community edition has no others."""

    name = "neo4j"
    product = "Neo4j 5.26.30 community"
    default_port = 27687
    stop_timeout_s = 30

    @property
    def url(self) -> str:
        return f"bolt://{address(self.port)}"

    @staticmethod
    def ask(url: str) -> None:
        """RETURN 1."""
        from neo4j import GraphDatabase

        with GraphDatabase.driver(url, connection_timeout=3, max_transaction_retry_time=0) as driver:
            driver.execute_query("RETURN 1", database_="neo4j")

    def _prepare(self) -> list[str]:
        configuration = self.directory / "neo4j.conf"
        settings = {
            "server.bolt.enabled": "true",
            "server.bolt.listen_address": address(self.port),
            "server.bolt.advertised_address": address(self.port),
            "server.memory.pagecache.size": "256m",
            "dbms.security.auth_enabled": "false",
            "dbms.usage_report.enabled": "false",
            "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",  # else every stop takes ten seconds
            "db.tx_log.preallocate": "false",  # 256 MiB at every new database else
        }
        if not self._detached and not FULL:
            # Tests empty and fill the graph all the time, and whenever its size has changed the server would make its
            # plans anew: half of what a scenario costs. Long runs see the graph grow, and need that.
            settings["dbms.cypher.min_replan_interval"] = "600s"
        configuration.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        return self._java("Neo4jServer", str(self.directory), str(configuration))

    def _more_options(self) -> tuple[str, ...]:
        return _OPENED
