"""The commit that runs, read from the files of a git work tree without a subprocess (gitrepository-layout(5))."""

from __future__ import annotations

import os
from typing import NamedTuple

_MAX_PACKED_REFS_BYTES = 64 * 1024 * 1024


class Commit(NamedTuple):
    """Where a work tree stands. A field that git does not say is None."""

    top: str
    version: str | None
    branch: str | None
    remote: str | None


def find_commit(directory: str) -> Commit | None:
    """The commit of the work tree that holds ``directory``; None if there is none. Raises OSError."""
    here = os.path.abspath(directory)
    while not os.path.exists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above
    git = _git_directory(os.path.join(here, ".git"))
    common = _common_directory(git)
    head = _first_line(os.path.join(git, "HEAD")) or ""
    if not head.startswith("ref: "):
        return Commit(here, _hash(head), None, _remote(common))
    ref = head.removeprefix("ref: ").strip()
    branch = ref.removeprefix("refs/heads/")
    version = _hash(
        _first_line(os.path.join(git, ref)) or _first_line(os.path.join(common, ref)) or _packed(common, ref)
    )
    return Commit(here, version, None if branch == ".invalid" else branch, _remote(common))


def _git_directory(path: str) -> str:
    """``.git`` itself, or where it points in a linked work tree or a submodule."""
    if os.path.isdir(path):
        return path
    target = (_first_line(path) or "").removeprefix("gitdir:").strip()
    return os.path.normpath(os.path.join(os.path.dirname(path), target))


def _common_directory(git: str) -> str:
    """Where the references and the configuration of a linked work tree are."""
    common = _first_line(os.path.join(git, "commondir"))
    return os.path.normpath(os.path.join(git, common)) if common else git


def _packed(common: str, ref: str) -> str | None:
    try:
        with open(os.path.join(common, "packed-refs"), "rb") as file:
            content = file.read(_MAX_PACKED_REFS_BYTES)
    except FileNotFoundError:
        return None
    end = f" {ref}\n".encode()
    position = content.find(end)
    return (
        content[content.rfind(b"\n", 0, position) + 1 : position].decode("ascii", "replace") if position > 0 else None
    )


def _remote(common: str) -> str | None:
    """The URL of the remote ``origin``, else of the first one."""
    try:
        with open(os.path.join(common, "config"), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return None
    found: dict[str, str] = {}
    section = ""
    for line in map(str.strip, lines):
        if line.startswith("["):
            section = line
        elif section.startswith('[remote "') and line.replace(" ", "").startswith("url="):
            found.setdefault(section, line.partition("=")[2].strip().strip('"'))
    return found.get('[remote "origin"]') or next(iter(found.values()), None)


def _first_line(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _hash(text: str | None) -> str | None:
    return text if text and len(text) in (40, 64) and set(text) <= set("0123456789abcdef") else None
