"""``headwater evidence verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ...asking import ask
from ...exits import DONE, NOT_DONE
from ...files import read_file
from ...options import ApiOption, DirOption, FileArgument, JsonOption
from ...output import show_json, show_lines
from ...sources import Source


def verify(
    file: FileArgument,
    keys: Annotated[
        list[Path],
        typer.Option("--key", metavar="FILE", help="A public key in PEM; may be repeated.", show_default=False),
    ],
    store: Annotated[bool, typer.Option("--store", help="Also ask the store; --dir and --api do as well.")] = False,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Verify a signed attestation, and that the store still says the same.

    Without --store, --dir or --api only the signature is verified. Status 1: the signature is not good, or the store
    says something else.

    Example: headwater evidence verify revenue.intoto.json --key release.key.pub --dir .headwater
    """
    from headwater.collector.exports.attestations import MalformedStatementError, parse_statement
    from headwater.collector.exports.dsse import EnvelopeError, open_envelope
    from headwater.collector.exports.keys import read_public_key
    from headwater.collector.exports.statement import PAYLOAD_TYPE

    answer: dict[str, Any] = {"signature": False, "keyId": None, "generation": None, "store": None, "reason": None}
    try:
        opened = open_envelope(read_file(file), PAYLOAD_TYPE, map(read_public_key, keys))
        answer |= {"signature": True, "keyId": opened.key_id}
        statement = parse_statement(opened.payload)
        answer["generation"] = statement.generation_json()
    except (EnvelopeError, MalformedStatementError) as error:
        _end(answer | {"reason": str(error)}, as_json)
        return
    if store or directory is not None or api is not None:

        async def question(source: Source) -> dict[str, Any]:
            from headwater.collector.exports.attestations import compare

            return await compare(source, statement)

        answer["store"] = ask(directory, api, question)
    _end(answer, as_json)


def _end(answer: dict[str, Any], as_json: bool) -> None:
    asked = answer["store"]
    good = answer["signature"] and answer["reason"] is None and (asked is None or asked["holds"])
    if as_json:
        show_json({**answer, "verified": good})
    else:
        show_lines(_lines(answer))
    raise typer.Exit(DONE if good else NOT_DONE)


def _lines(answer: dict[str, Any]) -> list[str]:
    if answer["reason"] is not None:
        return [f"{'signature: good' if answer['signature'] else 'signature: NOT good'}", f"  {answer['reason']}"]
    made, asked = answer["generation"], answer["store"]
    lines = [
        f"signature: good, by key {answer['keyId']}",
        f"of:        {made['namespace']}/{made['name']}, generation {made['generation']}",
    ]
    if asked is None:
        return [*lines, "store:     not asked (--store, --dir, --api)"]
    if asked["holds"]:
        return [*lines, "store:     says the same"]
    return [
        *lines,
        f"store:     says something else: {asked['reason']}",
        *(f"  {each}" for each in asked["differences"]),
    ]
