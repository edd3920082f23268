"""Evidence as W3C PROV in its JSON form (PROV-JSON, https://www.w3.org/submissions/prov-json/).

Generations are entities, runs activities, jobs software agents, code releases plans. ``used`` says what a run read;
``wasDerivedFrom`` only what is known to have gone into a generation, never an edge whose grade is ``unknown``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from headwater.collector.questions.shapes import Json

PREFIX: Final = "urn:headwater:"
_KINDS = ("entity", "activity", "agent", "wasGeneratedBy", "used", "wasDerivedFrom", "wasAssociatedWith")


def prov_of(evidence: Mapping[str, Any]) -> Json:
    """From an answer of ``Questions.evidence``, with the sources that it holds. What no single run published gives a
    document with the entity alone."""
    document = _Document()
    document.evidence(evidence)
    return document.as_dict()


class _Document:
    """Collects records; those with an id are there once."""

    def __init__(self) -> None:
        self._records: dict[str, dict[str, Json]] = {kind: {} for kind in _KINDS}

    def as_dict(self) -> Json:
        return {
            "prefix": {"headwater": PREFIX},
            **{kind: records for kind, records in self._records.items() if records},
        }

    def evidence(self, answer: Mapping[str, Any]) -> None:
        made = self._generation(answer["dataset"], answer["generation"], status=answer["status"])
        if run := answer["run"]:
            activity = self._run(run)
            self._relation("wasGeneratedBy", entity=made, activity=activity, time=answer["committedAt"])
            for pin in answer["inputs"]:
                read = self._generation(pin["dataset"], pin["version"])
                self._relation("used", activity=activity, entity=read, also={"headwater:pin": pin["grade"]})
            for edge in answer["edges"]:
                if edge["grade"] != "unknown":
                    source = self._generation(edge["dataset"], edge["version"])
                    self._relation(
                        "wasDerivedFrom",
                        generatedEntity=made,
                        usedEntity=source,
                        activity=activity,
                        also={"headwater:grade": edge["grade"]},
                    )
        for source in answer["sources"]:
            self.evidence(source)

    def _generation(self, name: Mapping[str, str], version: str | None, **also: str) -> str:
        parts = (name["namespace"], name["name"]) + (() if version is None else (version,))
        record = self._records["entity"].setdefault(
            made := _id("dataset", *parts),
            {"headwater:namespace": name["namespace"], "headwater:name": name["name"], "prov:label": "/".join(parts)},
        )
        if version is not None:
            record["headwater:generation"] = version
        record.update({f"headwater:{key}": value for key, value in also.items()})
        return made

    def _run(self, run: Mapping[str, Any]) -> str:
        activity = _id("run", run["runId"])
        times = {"prov:startTime": run["started"], "prov:endTime": run["ended"]}
        said = {
            "headwater:state": run["state"],
            "headwater:logicalKey": run["logicalKey"],
            "headwater:attempt": run["attempt"],
        }
        self._records["activity"][activity] = {
            key: value for key, value in {**times, **said}.items() if value is not None
        }
        if run["job"]:
            agent = _id("job", run["job"]["namespace"], run["job"]["name"])
            label = f"{run['job']['namespace']}/{run['job']['name']}"
            self._records["agent"][agent] = {"prov:type": _type("SoftwareAgent"), "prov:label": label}
            self._relation("wasAssociatedWith", activity=activity, agent=agent, plan=self._code(run["code"]))
        return activity

    def _code(self, code: Mapping[str, Any] | None) -> str | None:
        if not code:
            return None
        where = str(code.get("repoUrl") or code.get("url") or "")
        plan = _id("code", where, str(code.get("version") or code.get("tag") or ""))
        said = {f"headwater:{key}": str(value) for key, value in code.items() if not key.startswith("_")}
        self._records["entity"][plan] = {"prov:type": _type("Plan"), **said}
        return plan

    def _relation(self, kind: str, *, also: Mapping[str, str] | None = None, **ends: str | None) -> None:
        record = {f"prov:{key}": value for key, value in ends.items() if value is not None} | dict(also or {})
        records = self._records[kind]
        if record not in records.values():
            records[f"_:{kind}{len(records) + 1}"] = record


def _id(*parts: str) -> str:
    """A qualified name; slashes stand between parts alone."""
    return "headwater:" + "/".join(quote(part, safe="") for part in parts)


def _type(name: str) -> Json:
    return {"$": f"prov:{name}", "type": "prov:QUALIFIED_NAME"}
