"""The pages that the demo prints. Each takes answers of headwater's own questions and adds a sentence or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from headwater.collector.cli.render.evidence import evidence_page
from headwater.collector.cli.render.facts import listing
from headwater.collector.cli.render.graph import column_page, lineage_page
from headwater.collector.cli.render.run import changed_lines, runs_table
from headwater.collector.cli.render.words import name_of, plain, version_of, word

from .proof import ATTESTATION, KEY, MANIFEST, Proof
from .warehouse import Row

Answer = dict[str, Any]


class Story:
    """Prints, in order."""

    def __init__(self, console: Console, directory: str) -> None:
        self._console, self._directory = console, directory

    def title(self, text: str) -> None:
        """A new page."""
        self._console.print()
        self._console.print(Rule(Text(text, style="bold"), align="left"))

    def say(self, text: str) -> None:
        """A sentence."""
        self._console.print()
        self._console.print(Text(text))

    def show(self, parts: Sequence[RenderableType]) -> None:
        """A part of the page, set in."""
        for part in parts:
            self._console.print(Padding(part, (0, 0, 0, 2)))

    def command(self, command: str) -> None:
        """How to ask the same from a shell."""
        self._console.print(Text(f"  $ .venv/bin/headwater {command} --dir {self._directory}", style="cyan"))

    def revenue(self, rows: list[Row], revision: str, published: list[str]) -> None:
        """What readers of the table see."""
        self.say(f"Three days ran: {', '.join(published)} were released. Readers of revenue now see {revision}:")
        countries = sorted({row["country"] for row in rows})
        table = listing("day", *(f"{country} EUR" for country in countries))
        for day in sorted({row["day"] for row in rows}):
            amounts = {row["country"]: row["revenue_eur"] for row in rows if row["day"] == day}
            table.add_row(day, *(amounts.get(country, "") for country in countries))
        self.show([table])

    def evidence(self, answer: Answer) -> None:
        """The answer that headwater is for."""
        self.say("Which run, which code and which inputs made it?")
        self.command("evidence shop revenue")
        self.show(evidence_page(answer))

    def failed(self, refused: Answer, ancestors: Answer) -> None:
        """The refused release is known, and no parent of anything."""
        self.say(
            f"{refused['version']} was refused between two good releases, so it is kept as a candidate, for diagnosis."
            " Everything that the current revision was made from does not contain it:"
        )
        table = listing("steps back", "generations")
        for distance in sorted({one["distance"] for one in ancestors["reached"]}):
            names = [
                f"{one['dataset']['name']} {one['version']}"
                for one in ancestors["reached"]
                if one["distance"] == distance
            ]
            table.add_row(str(distance), plain(",  ".join(names)))
        self.show([table])

    def retry(self, logical: Answer) -> None:
        """What the retry did differently."""
        self.say("The second attempt at the same day was released. What had changed?")
        self.command(f"run {logical['winner']}")
        self.show([runs_table(logical["attempts"]), *changed_lines(logical)])

    def late(self, before: Answer, after: Answer) -> None:
        """An event arrives long after the others and is folded in where it belongs."""
        self.say(
            "convert_orders does not say which exchange rates it read, so headwater infers the generation that was"
            " current when it started. On the last day the loader's COMPLETE arrived after everything else; what had"
            " been inferred without it was put right:"
        )
        table = listing("last day's convert_orders read", "generation", "pin")
        for told, run in (("before the late event", before), ("after it", after)):
            pin = next(one for one in run["inputs"] if one["dataset"]["name"] == "exchange_rates")
            table.add_row(f"{name_of(pin['dataset'])} {told}", version_of(pin["version"]), word(pin["grade"]))
        self.show([table])

    def spark(self, graph: Answer, walk: Answer) -> None:
        """A column of a Spark job's output, walked back."""
        self.say(
            "A Spark application with OpenLineage's listener sent 8 events: two SQL executions under one parent run."
        )
        self.command("lineage dataset:hive://metastore:9083:shop.revenue_by_country")
        self.show(lineage_page(graph))
        self.say(
            "Where does the column revenue_eur come from? By the names of the metastore or by path, it is one table:"
        )
        self.command("columns hive://metastore:9083 shop.revenue_by_country revenue_eur")
        self.show(column_page(walk))

    def proof(self, proof: Proof) -> None:
        """Manifest, attestation and seals, each checked."""
        subject, events = proof.manifest["subject"], len(proof.manifest["events"])
        self.say(
            f"The manifest of {subject['dataset']['name']} {subject['generation']} pins all that its run read. It is"
            " checked against the store, and replayed: the work is done again on the pinned inputs. The attestation"
            " says the same to other tools, signed. The store's events are sealed in a chain of hashes."
        )
        audit = proof.audit
        table = listing("proof", "checked", "result")
        table.add_row("manifest", f"says what the store says, {events} events unaltered", _told(proof.checked["holds"]))
        table.add_row("", "replay on the pinned inputs gives the published rows", _told(proof.replayed))
        table.add_row("attestation", f"signed by key {proof.signed_by[:16]}…", _told(True))
        table.add_row("", "says what the store says", _told(proof.attested["holds"]))
        table.add_row("seals", f"{audit['events']} stored events are what they were", _told(audit["intact"]))
        self.show([table])
        for command in (
            f"manifest verify {self._directory}/{MANIFEST}",
            f"evidence verify {self._directory}/{ATTESTATION} --key {self._directory}/{KEY}.pub",
            "audit verify",
        ):
            self.command(command)

    def serving(self, url: str) -> None:
        """Where to look now."""
        self.title("The API is up; Ctrl-C ends it")
        table = listing("", "")
        for what, path in (
            ("start page", "/"),
            ("evidence of the revenue", "/api/evidence/shop/revenue"),
            ("what the raw orders went into", "/api/impact/shop/raw_orders"),
            ("the graph, as Marquez gives it", "/api/v1/lineage?nodeId=dataset:shop:revenue"),
            ("every endpoint", "/api/docs"),
        ):
            table.add_row(what, f"{url}{path}")
        self.show([table])


def _told(good: bool) -> Text:
    return Text("yes", style="green") if good else Text("NO", style="bold red")
