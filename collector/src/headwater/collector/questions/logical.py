"""Rule 11: one piece of work, all attempts at it, the one that published, and what each retry read differently."""

from __future__ import annotations

import itertools

from headwater.collector.derive.edges import inputs_of
from headwater.collector.questions.lookup import MAX_ATTEMPTS, Lookup, Pin, state_of
from headwater.collector.questions.shapes import Json, name_json, run_json, time_json
from headwater.collector.stores.reading import Claim, RunFacts
from headwater.shared.event import Name

Pins = dict[Name, list[Pin]]


async def logical_answer(lookup: Lookup, key: str) -> Json | None:
    """Attempts in order, each with the generations that it read and wrote. ``winner``: the attempt whose output was
    committed last and not withdrawn; ``publication``: what it published. ``changed``: the inputs whose pins differ
    between attempts that named any; ``retries``: from one such attempt to the next, which and how. None if unknown."""
    rows = await lookup.attempts(key)
    if not rows:
        return None
    runs = await lookup.runs([row.run for row in rows])
    claims = await lookup.claims_of_runs([row.run for row in rows])
    pins = await _pins(lookup, runs)
    winner, publication = await _winner(lookup, claims)
    attempts = []
    for number, row in enumerate(rows, 1):
        ours = sorted((claim for claim in claims if claim.run == row.run), key=lambda c: (c.dataset, c.version))
        state = state_of(runs[row.run], lookup.at)
        attempts.append(
            {
                **run_json(row),
                "state": state.state,
                "started": time_json(state.started),
                "ended": time_json(state.ended),
                "attempt": number,
                "inputs": [_pin_json(pin) for found in pins[row.run].values() for pin in found],
                "outputs": [_claim_json(lookup, claim) for claim in ours],
            }
        )
    named = [row.run for row in rows if pins[row.run]]
    return {
        "key": key,
        "asOf": time_json(lookup.at),
        "attempts": attempts,
        "winner": winner,
        "publication": [_claim_json(lookup, claim) for claim in publication],
        "changed": _changed({run: pins[run] for run in named}),
        "retries": [_retry(before, after, pins) for before, after in itertools.pairwise(named)],
        "truncated": len(rows) == MAX_ATTEMPTS,
    }


async def _winner(lookup: Lookup, claims: list[Claim]) -> tuple[str | None, list[Claim]]:
    """(the run, its committed and not withdrawn claims)."""
    identity = lookup.identity
    standing = await lookup.standing((claim.dataset, claim.version) for claim in claims)
    published = [
        claim
        for claim in claims
        if claim.commit_time and not standing[identity.of(claim.dataset), claim.version].holds("withdrawn", lookup.at)
    ]
    last = max(published, key=lambda claim: (claim.commit_time or "", claim.run), default=None)
    if last is None:
        return None, []
    return last.run, sorted(claim for claim in published if claim.run == last.run)


async def _pins(lookup: Lookup, runs: dict[str, RunFacts]) -> dict[str, Pins]:
    found: dict[str, Pins] = {run: {} for run in runs}
    wanted = [(run, name, version) for run in runs.values() for name, version in inputs_of(run, lookup.identity)]
    pins = await lookup.pins(wanted)
    for run, name, version in wanted:
        found[run.run].setdefault(name, []).append(pins[run.run, name, version])
    return found


def _versions(pins: Pins, name: Name) -> list[str | None]:
    return sorted((pin.version for pin in pins.get(name, ())), key=str)


def _changed(read: dict[str, Pins]) -> list[Json]:
    changed = []
    for name in sorted({name for pins in read.values() for name in pins}):
        versions = {run: _versions(pins, name) for run, pins in read.items()}
        if len({tuple(each) for each in versions.values()}) > 1:
            changed.append({"dataset": name_json(name), "versions": versions})
    return changed


def _retry(before: str, after: str, read: dict[str, Pins]) -> Json:
    """``how``: added, removed, or version where both read it and not the same of it."""
    was, now = read[before], read[after]
    changes = []
    for name in sorted(was.keys() | now.keys()):
        old, new = _versions(was, name), _versions(now, name)
        if old != new:
            how = "added" if name not in was else "removed" if name not in now else "version"
            changes.append({"dataset": name_json(name), "how": how, "before": old, "after": new})
    return {"from": before, "to": after, "changes": changes}


def _pin_json(pin: Pin) -> Json:
    return {"dataset": name_json(pin.dataset), "version": pin.version, "grade": pin.grade}


def _claim_json(lookup: Lookup, claim: Claim) -> Json:
    return {
        "dataset": name_json(lookup.identity.of(claim.dataset)),
        "version": claim.version,
        "status": "committed" if claim.commit_time else "candidate",
        "committedAt": time_json(claim.commit_time),
    }
