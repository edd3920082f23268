"""The in-toto statement, signed by us and verified by securesystemslib and in-toto's own reading of it, and back."""

from __future__ import annotations

import base64
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from google.protobuf.json_format import ParseDict
from in_toto_attestation.predicates.provenance.v1.provenance_pb2 import Provenance
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from headwater.collector.exports.attestations import MalformedStatementError, compare, parse_statement
from headwater.collector.exports.dsse import EnvelopeError, open_envelope, sign
from headwater.collector.exports.keys import make_key, read_public_key, read_signing_key
from headwater.collector.exports.manifest import digest_of, manifest_of
from headwater.collector.exports.statement import PAYLOAD_TYPE, statement_of
from headwater.shared.canonical import canonical_json
from headwater.shared.errors import ConfigurationError
from tests.support.worlds import ENGINES, sqlite_world

from .story import COMMIT, REVENUE, event, mention, run_id, story
from .test_manifest import WHOLE


async def statement() -> dict[str, Any]:
    async with sqlite_world() as world:
        await world.take([story()])
        return await world.questions.export(REVENUE, None, "intoto")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    make_key(tmp_path / "release.key")
    return tmp_path / "release.key"


@pytest.mark.parametrize("engine", WHOLE)
async def test_published_tooling_verifies_it(engine: str, key: Path) -> None:
    async with ENGINES[engine]() as world:
        await world.take([story()])
        made = await world.questions.export(REVENUE, None, "intoto")
        digest = digest_of(await manifest_of(world.questions, REVENUE))
    raw = json.dumps(sign(canonical_json(made), PAYLOAD_TYPE, read_signing_key(key)))

    public = load_pem_public_key(key.with_name("release.key.pub").read_bytes())
    envelope = Envelope.from_dict(json.loads(raw))
    envelope.verify([SSlibKey.from_crypto(public, keyid=read_public_key(Path(f"{key}.pub")).key_id)], 1)
    assert envelope.payload_type == "application/vnd.in-toto+json"
    said = json.loads(envelope.payload)

    checked = Statement([], said["predicateType"], {})
    checked.copy_from_pb(ParseDict(said, checked.pb))
    checked.validate()
    provenance = ParseDict(said["predicate"], Provenance())
    assert provenance.run_details.metadata.invocation_id == f"urn:uuid:{run_id('retry')}"
    assert provenance.run_details.metadata.started_on.ToJsonString() == "2026-03-02T02:08:00Z"
    names = [each.name for each in provenance.build_definition.resolved_dependencies]
    assert names == ["code", "shop/eu/elsewhere", "shop/eu/orders@snap-2", f"shop/eu/rates@~{run_id('rates')}"]
    assert provenance.build_definition.resolved_dependencies[0].digest["gitCommit"] == COMMIT
    assert said["subject"][1]["digest"] == {"sha256": digest}


async def test_one_changed_byte_is_found_by_both(key: Path) -> None:
    envelope = sign(canonical_json(await statement()), PAYLOAD_TYPE, read_signing_key(key))
    payload = base64.b64decode(envelope["payload"]).replace(COMMIT.encode(), b"f" * 40)
    forged = {**envelope, "payload": base64.b64encode(payload).decode()}
    public = Path(f"{key}.pub")
    with pytest.raises(EnvelopeError, match="none of its 1 signatures"):
        open_envelope(json.dumps(forged).encode(), PAYLOAD_TYPE, [read_public_key(public)])
    theirs = SSlibKey.from_crypto(load_pem_public_key(public.read_bytes()), keyid=read_public_key(public).key_id)
    with pytest.raises(VerificationError):
        Envelope.from_dict(json.loads(json.dumps(forged))).verify([theirs], 1)


async def test_what_another_tool_signed_is_verified(key: Path) -> None:
    payload = canonical_json(await statement())
    envelope = Envelope(payload, PAYLOAD_TYPE, {})
    envelope.sign(CryptoSigner(load_pem_private_key(key.read_bytes(), None)))  # type: ignore[arg-type]
    raw = json.dumps(envelope.to_dict()).encode()
    opened = open_envelope(raw, PAYLOAD_TYPE, [read_public_key(Path(f"{key}.pub"))])
    assert opened.payload == payload
    with pytest.raises(EnvelopeError, match="payloadType"):
        open_envelope(raw, "text/plain", [read_public_key(Path(f"{key}.pub"))])


async def test_another_key_did_not_sign_it(key: Path, tmp_path: Path) -> None:
    make_key(tmp_path / "other")
    raw = json.dumps(sign(b"{}", PAYLOAD_TYPE, read_signing_key(key))).encode()
    with pytest.raises(EnvelopeError):
        open_envelope(raw, PAYLOAD_TYPE, [read_public_key(tmp_path / "other.pub")])
    both = [read_public_key(tmp_path / "other.pub"), read_public_key(Path(f"{key}.pub"))]
    assert open_envelope(raw, PAYLOAD_TYPE, both).key_id == both[1].key_id


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{}",
        b'{"payload": "e30=", "payloadType": "application/vnd.in-toto+json", "signatures": []}',
        b'{"payload": "e30=", "payloadType": "application/vnd.in-toto+json", "signatures": [{"sig": "!"}]}',
        b'{"payload": "e30=", "payloadType": "application/vnd.in-toto+json", "signatures": [{"sig": "AAAA"}]}',
        b'{"payload": "\xff"}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_envelope_is_refused(raw: bytes, key: Path) -> None:
    with pytest.raises(EnvelopeError):
        open_envelope(raw, PAYLOAD_TYPE, [read_public_key(Path(f"{key}.pub"))])


async def test_a_store_that_says_something_else_is_told() -> None:
    async with sqlite_world() as world:
        await world.take([story()])
        made = parse_statement(canonical_json(await world.questions.export(REVENUE, None, "intoto")))
        assert (made.dataset, made.generation) == (REVENUE, "rev-3")
        assert (await compare(world.questions, made))["holds"]
        late = event("late", "COMPLETE", 4, "elsewhere", outputs=[mention("elsewhere")])
        await world.take([[json.dumps(late).encode()]])
        asked = await compare(world.questions, made)
        assert not asked["holds"]
        assert any("resolvedDependencies" in place for place in asked["differences"])
    async with sqlite_world() as empty:
        assert "unknown" in (await compare(empty.questions, made))["reason"]


async def test_a_statement_about_something_else_is_refused() -> None:
    good = await statement()
    for wrong in (
        {**good, "_type": "https://in-toto.io/Statement/v0.1"},
        {**good, "predicateType": "https://example.org/other"},
        {**good, "subject": []},
        {**good, "subject": [{**good["subject"][0], "uri": "urn:headwater:dataset:a:b:c"}]},
        {**good, "predicate": {}},
    ):
        with pytest.raises(MalformedStatementError):
            parse_statement(json.dumps(wrong).encode())


def test_a_private_key_is_its_owners_alone(key: Path) -> None:
    assert stat.S_IMODE(os.stat(key).st_mode) == 0o600
    assert "PRIVATE" not in Path(f"{key}.pub").read_text()
    with pytest.raises(ConfigurationError, match="a new file"):
        make_key(key)
    secret = key.read_text().splitlines()[1]
    assert secret not in repr(read_signing_key(key))
    key.chmod(0o640)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        read_signing_key(key)


def test_other_keys_are_refused_without_quoting_them(key: Path, tmp_path: Path) -> None:
    other = tmp_path / "ec.key"
    pem = generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    other.write_bytes(pem)
    other.chmod(0o600)
    with pytest.raises(ConfigurationError, match="another kind"):
        read_signing_key(other)
    other.write_bytes(b"-----BEGIN PRIVATE KEY-----\nSECRETSECRET\n-----END PRIVATE KEY-----\n")
    with pytest.raises(ConfigurationError) as told:
        read_signing_key(other)
    assert "SECRET" not in str(told.value)
    assert told.value.__cause__ is None
    with pytest.raises(ConfigurationError):
        read_public_key(key)
    with pytest.raises(ConfigurationError, match="readable"):
        read_public_key(tmp_path / "nowhere")


async def test_equal_manifests_give_equal_statements() -> None:
    async with sqlite_world() as world:
        await world.take([story()])
        manifest = await manifest_of(world.questions, REVENUE)
    assert statement_of(manifest) == statement_of(json.loads(json.dumps(manifest))) == await statement()
