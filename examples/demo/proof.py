"""Evidence that leaves the building: a manifest that is replayed, an attestation that is verified, a sealed store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from headwater.collector.audit.sealing import Sealer
from headwater.collector.audit.verifying import Anchor, Verifier
from headwater.collector.exports.attestations import compare, parse_statement
from headwater.collector.exports.dsse import open_envelope, sign
from headwater.collector.exports.keys import make_key, read_public_key, read_signing_key
from headwater.collector.exports.statement import PAYLOAD_TYPE
from headwater.collector.questions import Questions
from headwater.collector.stores.sql import SqlLineageStore
from headwater.shared.canonical import canonical_json
from headwater.shared.event import Name

from .pipeline import replay_revenue
from .warehouse import Warehouse

MANIFEST, ATTESTATION, KEY = "revenue.manifest.json", "revenue.intoto.json", "release.key"


class Proof(NamedTuple):
    """What was checked, and how it ended."""

    manifest: dict[str, Any]
    checked: dict[str, Any]
    """The manifest against the store."""
    replayed: bool
    """Running the work again on the pinned inputs gives the published rows."""
    signed_by: str
    """Id of the key that signed the attestation."""
    attested: dict[str, Any]
    """The attestation against the store."""
    audit: dict[str, Any]


async def prove(ask: Questions, dataset: Name, directory: Path, database: Path) -> Proof:
    """Writes manifest, key and attestation to the directory, reads them back and checks each."""
    _save(directory / MANIFEST, await ask.export(dataset, None, "manifest"))
    manifest = json.loads((directory / MANIFEST).read_bytes())
    make_key(directory / KEY)
    statement = canonical_json(await ask.export(dataset, None, "intoto"))
    _save(directory / ATTESTATION, sign(statement, PAYLOAD_TYPE, read_signing_key(directory / KEY)))
    public = read_public_key(directory / f"{KEY}.pub")
    opened = open_envelope((directory / ATTESTATION).read_bytes(), PAYLOAD_TYPE, [public])
    return Proof(
        manifest,
        await ask.check_manifest(manifest),
        replay(manifest, Warehouse(directory / "warehouse")),
        opened.key_id,
        await compare(ask, parse_statement(opened.payload)),
        await audited(database),
    )


def replay(manifest: dict[str, Any], warehouse: Warehouse) -> bool:
    """Whether the work, done again on the pinned inputs, gives what was published."""
    pinned = {each["dataset"]["name"]: each["generation"] for each in manifest["inputs"]}
    day = manifest["logicalRun"]["nominalStart"][:10]
    rows = replay_revenue(warehouse, day, pinned["orders_eur"], pinned["revenue"])
    return rows == warehouse.revision("revenue", manifest["subject"]["generation"])


async def audited(database: Path) -> dict[str, Any]:
    """Every stored event, sealed and verified."""
    store = SqlLineageStore(f"sqlite:///{database}")
    await store.open()
    try:
        sealed = await Sealer(store.trail(), store.reader(), grace_s=0).run()
        assert sealed.head is not None
        anchor = Anchor(sealed.head.number, sealed.head.hash.hex())
        return (await Verifier(store.trail(), store.reader(), anchors=[anchor]).run()).as_dict()
    finally:
        await store.close()


def _save(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2), "utf-8")
