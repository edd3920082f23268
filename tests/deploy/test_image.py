"""The image's recipe: what stands in it fits the project. It is built nowhere here: there is no container engine."""

from __future__ import annotations

import re
import tomllib

from tests.support.outside import ROOT

TEXT = (ROOT / "deploy" / "Dockerfile").read_text()
EXTRAS = tomllib.loads((ROOT / "collector" / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def test_it_has_what_every_store_and_log_needs() -> None:
    [said] = re.findall(r"\./collector\[([a-z0-9,]+)\]", TEXT)
    wanted = {name for name in EXTRAS if name in ("kafka", "mongo", "neo4j", "openlineage", "postgres")}
    assert set(said.split(",")) == wanted
    assert len(wanted) == 5


def test_what_it_copies_is_let_in() -> None:
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for source in re.findall(r"^COPY (?!--from)(\S+?)/? ", TEXT, re.MULTILINE):
        assert any(path == source or path.startswith(f"{source}/") for path in let_in), source
        assert (ROOT / source).is_dir()
    for path in let_in:
        assert (ROOT / path).exists(), path


def test_packages_are_pinned_and_it_does_not_run_as_root() -> None:
    assert "--require-hashes" in TEXT
    assert "--constraint requirements/dev.txt --build-constraint requirements/dev.txt" in TEXT
    assert len(re.findall(r"^FROM ", TEXT, re.MULTILINE)) == 2
    last = TEXT.rpartition("FROM ")[2]
    assert re.search(r"^USER headwater$", last, re.MULTILINE)
    assert "--uid 10001" in last
    assert re.search(r"^STOPSIGNAL SIGTERM$", last, re.MULTILINE)
    pinned = (ROOT / "requirements" / "dev.txt").read_text()
    for requirement in (r for name in EXTRAS if name in TEXT for r in EXTRAS[name]):
        name = re.split(r"[\[>=<]", requirement)[0]
        assert re.search(rf"^{re.escape(name)}==", pinned, re.MULTILINE), name
