"""The real git: clone, fetch, push, and what a push that cannot be leaves behind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import CAT, Hub

QUIET = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    **{f"GIT_{who}_NAME": "Cat" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "octocat@example.com" for who in ("AUTHOR", "COMMITTER")},
}


class Checkout:
    """A clone of a repository of the twin."""

    def __init__(self, folder: Path, url: str, *options: str) -> None:
        self.folder, self.url = folder, url
        command = ["git", *options, "clone", "-q", url, str(folder)]
        run = subprocess.run(command, env=QUIET, capture_output=True, check=False)
        assert run.returncode == 0, run.stderr

    def git(self, *arguments: str, check: bool = True) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        run = subprocess.run(command, env=QUIET, capture_output=True, text=True, check=False)
        assert run.returncode == 0 or not check, run.stderr
        return (run.stdout + run.stderr).strip()

    def commit(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", f"Write {name}")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def live(platform: Any) -> Hub:
    """An environment that is reached over a socket."""
    over_socket = type(platform)(platform.server.client)
    return Hub(over_socket.environment("github:github_base", CAT, tokens={f"token-{CAT}": CAT}))


@pytest.mark.parametrize("version", ["2", "0"])
def test_a_repository_is_cloned_changed_and_pushed(live: Hub, tmp_path: Path, version: str):
    repo = live.repo()
    live.write(repo, "a/b.txt", "hello\n")
    clone = Checkout(tmp_path / "c", f"{live.url}/octocat/demo.git", "-c", f"protocol.version={version}")
    assert (clone.folder / "a" / "b.txt").read_text() == "hello\n"
    assert clone.git("rev-parse", "HEAD") == live.head(repo)
    sha = clone.commit("c.txt", "c\n")
    clone.git("push", "-q")
    assert live.head(repo) == sha
    live.write(repo, "d.txt", "d\n")
    clone.git("-c", f"protocol.version={version}", "pull", "-q")
    assert (clone.folder / "d.txt").exists()
    assert clone.git("fsck", "--strict") == ""


def test_a_push_of_a_branch_makes_a_pull_request_possible(live: Hub, tmp_path: Path):
    repo = live.repo()
    clone = Checkout(tmp_path / "c", f"{live.url}/octocat/demo.git")
    clone.git("checkout", "-qb", "feature/x")
    clone.commit("x.txt", "1\n")
    clone.git("tag", "-am", "One", "v1")
    clone.git("push", "-q", "origin", "feature/x", "v1")
    pull = live("POST", f"{repo}/pulls", {"title": "X", "head": "feature/x", "base": "main"})
    assert (pull["commits"], pull["user"]["login"]) == (1, CAT)
    assert live("GET", f"{repo}/git/ref/tags/v1")["object"]["type"] == "tag"
    clone.git("fetch", "-q", "origin", "pull/1/head")


def test_a_merge_that_git_pushes_merges_its_pull_request_and_closes_what_it_fixes(live: Hub, tmp_path: Path):
    repo = live.repo()
    for title in ("Broken", "Slow"):
        live("POST", f"{repo}/issues", {"title": title})
    live.pull(repo, body="Fixes #1")
    clone = Checkout(tmp_path / "c", f"{live.url}/octocat/demo.git")
    clone.git("merge", "-q", "--no-ff", "-m", "Merge it, closes #2", "origin/feature")
    clone.git("push", "-q")
    assert live("GET", f"{repo}/pulls/3")["merged"]
    assert [live("GET", f"{repo}/issues/{number}")["state"] for number in (1, 2)] == ["closed", "closed"]


def test_an_empty_repository_takes_its_first_push(live: Hub, tmp_path: Path):
    live("POST", "/user/repos", {"name": "empty"})
    clone = Checkout(tmp_path / "c", f"{live.url}/octocat/empty")
    clone.git("checkout", "-qb", "trunk")
    clone.commit("a", "a")
    clone.git("push", "-q", "origin", "trunk")
    assert live("GET", "/repos/octocat/empty")["default_branch"] == "trunk"


def test_a_stale_push_and_one_to_a_protected_branch_change_nothing(live: Hub, tmp_path: Path):
    repo = live.repo()
    clone = Checkout(tmp_path / "c", f"{live.url}/octocat/demo.git")
    live.write(repo, "b", "b")
    clone.commit("a", "a")
    assert "rejected" in clone.git("push", check=False)
    rules = {"required_pull_request_reviews": {}, "enforce_admins": True, "required_status_checks": None}
    live("PUT", f"{repo}/branches/main/protection", {**rules, "restrictions": None})
    before = live.head(repo)
    assert "Cannot force-push" in clone.git("push", "-f", check=False)
    assert live.head(repo) == before


def test_a_shallow_clone_has_one_commit(live: Hub, tmp_path: Path):
    repo = live.repo()
    live.write(repo, "a", "a")
    folder = tmp_path / "c"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"{live.url}/octocat/demo.git", str(folder)],
        env=QUIET,
        check=True,
    )
    log = subprocess.run(["git", "-C", str(folder), "log", "--oneline"], capture_output=True, text=True, check=True)
    assert len(log.stdout.splitlines()) == 1


def test_a_push_is_one_operation_of_the_journal(live: Hub, tmp_path: Path):
    live.repo()
    clone = Checkout(tmp_path / "c", f"{live.url}/octocat/demo.git")
    run = live.environment.platform.start(live.environment)
    clone.commit("a.txt", "a\n")
    clone.commit("b.txt", "b\n")
    clone.git("push", "-q")
    diff = live.environment.platform.diff(run)
    inserted = sorted((row["__table__"], row.get("path") or row["message"]) for row in diff["inserts"])
    assert inserted == [
        ("commits", "Write a.txt\n"),
        ("commits", "Write b.txt\n"),
        ("files", "a.txt"),
        ("files", "b.txt"),
    ]
