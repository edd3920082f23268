"""Which code runs: the ``sourceCodeLocation`` job facet and the ``processing_engine`` run facet of every run."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from ._git import Commit, find_commit
from ._version import VERSION


def source_code_location(code_version: str | None, producer_uri: str) -> dict[str, Any] | None:
    """The content of the facet: from the git work tree of the running script, or of the working directory where the
    script is an installed one; ``code_version`` takes the place of the commit. None where nothing is known."""
    try:
        commit = find_commit(_application_directory())
    except OSError:  # a directory that may not be read: nothing is known
        commit = None
    if commit is None:
        return {"type": "release", "url": producer_uri, "version": code_version} if code_version else None
    version = code_version or commit.version
    if version is None:
        return None
    repository = _public(commit.remote) if commit.remote else None
    said: dict[str, Any] = {"type": "git", "url": _url(commit, repository, version), "version": version}
    if repository:
        said["repoUrl"] = repository
    if commit.branch:
        said["branch"] = commit.branch
    return said


def processing_engine() -> dict[str, str]:
    """The content of the facet."""
    return {
        "name": platform.python_implementation(),
        "version": platform.python_version(),
        "openlineageAdapterVersion": VERSION,
    }


def _application_directory() -> str:
    main: str | None = getattr(sys.modules.get("__main__"), "__file__", None)
    if main:
        path = os.path.abspath(main)
        installed = path.startswith((sys.prefix + os.sep, sys.base_prefix + os.sep)) or "site-packages" in path
        if not installed:
            return os.path.dirname(path)
    return os.getcwd()


def _public(remote: str) -> str:
    """The remote's URL without user, password or token."""
    if "://" in remote:
        parts = urlsplit(remote)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    return remote


def _url(commit: Commit, repository: str | None, version: str) -> str:
    """Where people can see the code; the work tree itself where there is no remote that a browser opens."""
    page = None
    if repository and repository.startswith(("http://", "https://")):
        page = repository
    elif repository and repository.startswith("ssh://"):
        parts = urlsplit(repository)
        page = f"https://{parts.hostname}{parts.path}" if parts.hostname else None
    elif repository and ":" in repository and "://" not in repository:  # scp's form, user@host:path
        host, _, path = repository.rpartition("@")[2].partition(":")
        page = f"https://{host}/{path.lstrip('/')}"
    if page is None:
        return "file://" + quote(commit.top)
    return f"{page.removesuffix('/').removesuffix('.git')}/tree/{quote(version)}"
