"""Which code runs: read from real git work trees, without git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from headwater.producer import run
from headwater.producer._code import source_code_location
from headwater.producer._git import find_commit
from headwater.producer.testing import capture_lineage

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="makes its work trees with git")

IDENTITY = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]


def git(directory: Path, *args: str) -> str:
    done = subprocess.run(["git", *IDENTITY, *args], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "re po"
    path.mkdir()
    git(path, "init", "-q", "-b", "feature/x")
    (path / "a.py").write_text("1")
    git(path, "add", ".")
    git(path, "commit", "-qm", "one")
    return path


def test_a_loose_branch(repository: Path) -> None:
    below = repository / "src" / "deep"
    below.mkdir(parents=True)
    commit = find_commit(str(below))
    assert commit is not None
    assert commit.version == git(repository, "rev-parse", "HEAD")
    assert commit.branch == "feature/x"
    assert commit.top == str(repository)
    assert commit.remote is None


def test_packed_references(repository: Path) -> None:
    git(repository, "branch", "other")
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git" / "refs" / "heads" / "feature" / "x").exists()
    commit = find_commit(str(repository))
    assert commit is not None
    assert commit.version == git(repository, "rev-parse", "HEAD")


def test_detached(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    commit = find_commit(str(repository))
    assert commit is not None
    assert (commit.version, commit.branch) == (git(repository, "rev-parse", "HEAD"), None)


def test_a_linked_work_tree(repository: Path, tmp_path: Path) -> None:
    git(repository, "remote", "add", "origin", "https://example.org/o/r.git")
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    (tmp_path / "linked" / "b.py").write_text("2")
    git(tmp_path / "linked", "add", ".")
    git(tmp_path / "linked", "commit", "-qm", "two")
    commit = find_commit(str(tmp_path / "linked"))
    assert commit is not None
    assert commit.version == git(tmp_path / "linked", "rev-parse", "HEAD")
    assert (commit.branch, commit.remote) == ("linked", "https://example.org/o/r.git")


def test_no_commit_yet_and_no_work_tree(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    commit = find_commit(str(empty))
    assert commit is not None
    assert commit.version is None
    assert find_commit("/") is None


@pytest.mark.parametrize(
    ("remote", "repo_url", "page"),
    [
        ("https://user:token@example.org/o/r.git", "https://example.org/o/r.git", "https://example.org/o/r"),
        ("git@example.org:o/r.git", "git@example.org:o/r.git", "https://example.org/o/r"),
        ("ssh://git@example.org:2222/o/r.git", "ssh://example.org:2222/o/r.git", "https://example.org/o/r"),
    ],
)
def test_the_facet(repository: Path, monkeypatch: pytest.MonkeyPatch, remote: str, repo_url: str, page: str) -> None:
    git(repository, "remote", "add", "origin", remote)
    monkeypatch.chdir(repository)
    version = git(repository, "rev-parse", "HEAD")
    with capture_lineage() as events, run("x"):
        pass
    facet = events[0]["job"]["facets"]["sourceCodeLocation"]
    assert {key: value for key, value in facet.items() if not key.startswith("_")} == {
        "type": "git",
        "url": f"{page}/tree/{version}",
        "repoUrl": repo_url,
        "version": version,
        "branch": "feature/x",
    }


def test_the_version_may_be_told(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(repository)
    told = source_code_location("v1.2", "https://example.org/app")
    assert told is not None
    assert (told["type"], told["version"]) == ("git", "v1.2")
    assert told["url"] == "file://" + str(repository).replace(" ", "%20")
    monkeypatch.chdir("/")
    assert source_code_location("v1.2", "https://example.org/app") == {
        "type": "release",
        "url": "https://example.org/app",
        "version": "v1.2",
    }
    assert source_code_location(None, "https://example.org/app") is None
