"""Which run started this one, within the process or across processes by OpenLineage's environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.shared.names import ENV_OPENLINEAGE_PARENT_ID, ENV_OPENLINEAGE_ROOT_PARENT_ID

from ._environment import ENV_OPENLINEAGE_CONTEXT


class RunRef(NamedTuple):
    """A run and its job, as the parent facet names them."""

    namespace: str
    name: str
    run_id: str

    def as_facet(self) -> dict[str, Any]:
        return {"run": {"runId": self.run_id}, "job": {"namespace": self.namespace, "name": self.name}}


class Ancestry(NamedTuple):
    """The run above a run, and the outermost one."""

    parent: RunRef
    root: RunRef

    def as_facet(self) -> dict[str, Any]:
        return {**self.parent.as_facet(), "root": self.root.as_facet()}


def write_id(ref: RunRef) -> str:
    """``namespace/name/runId``. ``/`` and ``%`` in the namespace and the name are percent-encoded, so that readers
    that split at every slash (OpenLineage's integrations) get three parts."""
    return "/".join((_escape(ref.namespace), _escape(ref.name), ref.run_id))


def read_id(text: str) -> RunRef | None:
    """The reverse; None if it is no such id. Others write slashes as they are: then the run id is what follows the
    last one, the name what follows the one before, since namespaces are the ones that look like addresses."""
    parts = text.strip().split("/")
    if len(parts) < 3 or not all((parts[0], parts[-1], parts[-2])):
        return None
    if len(parts) == 3:
        return RunRef(_unescape(parts[0]), _unescape(parts[1]), parts[2])
    return RunRef("/".join(parts[:-2]), parts[-2], parts[-1])


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("/", "%2F")


def _unescape(text: str) -> str:
    return text.replace("%2F", "/").replace("%2f", "/").replace("%25", "%")


def ancestry_from(environ: Mapping[str, str]) -> Ancestry | None:
    """What the process that started this one said: OPENLINEAGE_CONTEXT before OPENLINEAGE_PARENT_ID and
    OPENLINEAGE_ROOT_PARENT_ID. A malformed value counts as not said."""
    if context := environ.get(ENV_OPENLINEAGE_CONTEXT):
        found = _from_context(context)
        if found:
            return found
    parent = read_id(environ.get(ENV_OPENLINEAGE_PARENT_ID, ""))
    if parent is None:
        return None
    return Ancestry(parent, read_id(environ.get(ENV_OPENLINEAGE_ROOT_PARENT_ID, "")) or parent)


def environment_of(ancestry: Ancestry) -> dict[str, str]:
    """The environment that makes a child process join below ``ancestry.parent``."""
    import json

    return {
        ENV_OPENLINEAGE_PARENT_ID: write_id(ancestry.parent),
        ENV_OPENLINEAGE_ROOT_PARENT_ID: write_id(ancestry.root),
        ENV_OPENLINEAGE_CONTEXT: json.dumps({"parent": ancestry.as_facet()}, separators=(",", ":")),
    }


def _from_context(text: str) -> Ancestry | None:
    import json

    try:
        said = json.loads(text)["parent"]
        parent = _ref(said)
        return Ancestry(parent, _ref(said["root"]) if said.get("root") else parent)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _ref(said: dict[str, Any]) -> RunRef:
    namespace, name, run_id = said["job"]["namespace"], said["job"]["name"], said["run"]["runId"]
    if not all(isinstance(part, str) and part for part in (namespace, name, run_id)):
        raise ValueError("a run reference needs a namespace, a name and a runId")
    return RunRef(namespace, name, run_id)


_cache: tuple[tuple[str | None, ...], Ancestry | None] | None = None


def process_ancestry() -> Ancestry | None:
    """``ancestry_from`` this process's environment; read again only when one of the variables changed."""
    global _cache
    get = os.environ.get
    said = (get(ENV_OPENLINEAGE_CONTEXT), get(ENV_OPENLINEAGE_PARENT_ID), get(ENV_OPENLINEAGE_ROOT_PARENT_ID))
    if _cache is None or _cache[0] != said:
        _cache = (said, ancestry_from(os.environ))
    return _cache[1]
