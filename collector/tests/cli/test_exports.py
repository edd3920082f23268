"""``evidence --format``, ``evidence verify``, ``evidence keygen``, ``manifest diff`` and ``manifest verify``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Cli
from .processes import Command


def saved(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


def manifest(cli: Cli, told: Path, tmp_path: Path, generation: str) -> Path:
    ended = cli("evidence", "shop", "revenue", "-g", generation, "--format", "manifest", "--dir", told)
    assert ended.status == 0, ended.err
    return saved(tmp_path / f"{generation}.json", ended.out)


def test_a_manifest_is_made_compared_and_verified(cli: Cli, told: Path, tmp_path: Path) -> None:
    first, last = (manifest(cli, told, tmp_path, each) for each in ("rev-1", "rev-3"))
    good = cli("manifest", "verify", last, "--dir", told)
    assert (good.status, good.out) == (0, "holds: the store says the same, and 2 events are there unaltered\n")
    assert cli("manifest", "diff", last, last).out == "the same\n"
    ended = cli("manifest", "diff", first, last)
    assert ended.status == 1
    assert '~ subject.generation: "rev-1" -> "rev-3"' in ended.out.splitlines()
    assert '~ inputs[shop/orders].generation: "snap-1" -> "snap-2"' in ended.out.splitlines()
    assert cli("manifest", "diff", first, last, "--json").json["same"] is False


def test_a_forged_manifest_does_not_hold(cli: Cli, told: Path, tmp_path: Path) -> None:
    path = manifest(cli, told, tmp_path, "rev-3")
    forged = saved(tmp_path / "forged.json", path.read_text().replace("snap-2", "snap-1"))
    ended = cli("manifest", "verify", forged, "--dir", told)
    assert ended.status == 1
    assert '~ inputs[shop/orders].generation: "snap-1" -> "snap-2"' in ended.out.splitlines()
    assert cli("manifest", "verify", forged, "--dir", told, "--json").json["holds"] is False


def test_an_attestation_is_signed_and_verified(cli: Cli, told: Path, tmp_path: Path) -> None:
    key = tmp_path / "release.key"
    assert cli("evidence", "keygen", key).status == 0
    ended = cli("evidence", "shop", "revenue", "--format", "intoto", "--sign-key", key, "--dir", told)
    assert ended.status == 0, ended.err
    assert ended.json["payloadType"] == "application/vnd.in-toto+json"
    path = saved(tmp_path / "revenue.intoto.json", ended.out)
    alone = cli("evidence", "verify", path, "--key", f"{key}.pub")
    assert alone.status == 0
    assert "store:     not asked" in alone.out
    asked = cli("evidence", "verify", path, "--key", f"{key}.pub", "--dir", told, "--json")
    assert (asked.status, asked.json["verified"], asked.json["store"]["holds"]) == (0, True, True)
    assert asked.json["generation"] == {"namespace": "shop", "name": "revenue", "generation": "rev-3"}
    forged = json.loads(path.read_text())
    forged["payload"] = "e30="
    ended = cli("evidence", "verify", saved(tmp_path / "forged.json", json.dumps(forged)), "--key", f"{key}.pub")
    assert ended.status == 1
    assert "NOT good" in ended.out


def test_a_key_that_others_may_read_is_refused(cli: Cli, told: Path, tmp_path: Path) -> None:
    key = tmp_path / "release.key"
    cli("evidence", "keygen", key)
    key.chmod(0o644)
    ended = cli("evidence", "shop", "revenue", "--format", "intoto", "--sign-key", key, "--dir", told)
    assert (ended.status, ended.out) == (2, "")
    assert "chmod 600" in ended.err
    assert cli("evidence", "keygen", key).status == 2, "an existing key is never overwritten"


def test_prov(cli: Cli, told: Path) -> None:
    found = cli("evidence", "shop", "revenue", "--format", "prov", "--depth", 3, "--dir", told).json
    assert len(found["activity"]) == 2


@pytest.mark.parametrize(("format_", "status"), [("manifest", 1), ("intoto", 1), ("prov", 0)])
def test_of_a_candidate_there_is_no_manifest(cli: Cli, told: Path, format_: str, status: int) -> None:
    ended = cli("evidence", "shop", "revenue", "-g", "rev-2", "--format", format_, "--dir", told)
    assert ended.status == status
    assert ("status candidate" in ended.err) == bool(status)


def test_wrong_usage(cli: Cli, told: Path, tmp_path: Path) -> None:
    assert cli("evidence", "shop", "revenue", "--sign-key", "x", "--dir", told).status == 2
    assert cli("evidence", "shop", "revenue", "--format", "pdf", "--dir", told).status == 2
    assert cli("manifest", "verify", tmp_path / "nowhere", "--dir", told).status == 2
    assert cli("manifest", "diff", saved(tmp_path / "x", "{}"), tmp_path / "x").status == 2
    assert "--format manifest" in cli("manifest", "diff", tmp_path / "x", tmp_path / "x").err


def test_a_namespace_may_be_called_like_a_subcommand(cli: Cli, told: Path) -> None:
    ended = cli("evidence", "--dir", told, "--", "verify", "revenue")
    assert ended.status == 1
    assert "no dataset revenue in namespace verify" in ended.err


@pytest.mark.parametrize(
    "command",
    [["evidence"], ["evidence", "verify"], ["evidence", "keygen"], ["manifest", "diff"], ["manifest", "verify"]],
)
def test_help(cli: Cli, command: list[str]) -> None:
    ended = cli(*command, "--help")
    assert ended.status == 0
    assert f"Example: headwater {' '.join(command)} " in " ".join(ended.out.split())


def test_over_http(cli: Cli, told: Path, tmp_path: Path, start: Callable[..., Command]) -> None:
    here = manifest(cli, told, tmp_path, "rev-3")
    up = start("up", "--port", "0", "--dir", str(shutil.copytree(told, tmp_path / "copy")))
    url = up.await_output(r"http://127\.0\.0\.1:\d+")
    assert cli("manifest", "verify", here, "--api", url, "--json").json["holds"] is True
    forged = saved(tmp_path / "forged.json", here.read_text().replace("snap-2", "snap-1"))
    assert cli("manifest", "verify", forged, "--api", url).status == 1
    assert cli("evidence", "shop", "revenue", "-g", "rev-2", "--format", "manifest", "--api", url).status == 1
    assert up.terminate() == 0
