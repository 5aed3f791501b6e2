"""How long GitHub's answers take: a repository of 5,000 commits and 20,000 files, and 50,000 issues.

`python benchmarks/github.py` prints a line for each; `--small` has a tenth of all, as the tests run it.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import httpx
from dulwich.objects import Tree

from twindiff.local import Twindiff
from twindiff.twins.github import twin
from twindiff.twins.github.core.stamps import stamp_of
from twindiff.twins.github.git.objects import hash_object

AT = "2026-01-01T00:00:00"
BEGIN = 1_700_000_000
PERSON = "Ada <ada@example.com>"


class History:
    """The rows of a repository whose commits each change one file."""

    def __init__(self, commits: int, folders: int, files: int) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.commits: list[dict[str, Any]] = []
        self.paths = {
            f"d{folder}": {f"f{file}.py": self.blob(folder, file, 0) for file in range(files)}
            for folder in range(folders)
        }
        self.folders = {name: self.tree(entries) for name, entries in self.paths.items()}
        parent = ""
        for number in range(commits):
            folder, file = number % folders, number % files
            self.paths[f"d{folder}"][f"f{file}.py"] = self.blob(folder, file, number)
            self.folders[f"d{folder}"] = self.tree(self.paths[f"d{folder}"])
            parent = self.commit(number, self.tree(self.folders, folders=True), parent)
        self.head = parent

    def keep(self, kind: str, data: bytes) -> str:
        sha = hash_object(kind, data)
        content = b64encode(zlib.compress(data)).decode()
        self.objects[sha] = {"network_id": 1, "sha": sha, "type": kind, "size": len(data), "content": content}
        return sha

    def blob(self, folder: int, file: int, version: int) -> str:
        return self.keep("blob", f"def file_{folder}_{file}():\n    return {version}\n".encode())

    def tree(self, entries: dict[str, str], *, folders: bool = False) -> str:
        tree = Tree()
        for name, sha in entries.items():
            tree.add(name.encode(), 0o40000 if folders else 0o100644, sha.encode())  # type: ignore[arg-type]
        return self.keep("tree", tree.as_raw_string())

    def commit(self, number: int, tree: str, parent: str) -> str:
        when, message = BEGIN + number * 60, f"Change {number}"
        parents = [parent] if parent else []
        head = "".join([f"tree {tree}\n", *(f"parent {each}\n" for each in parents)])
        sha = self.keep(
            "commit", f"{head}author {PERSON} {when} +0000\ncommitter {PERSON} {when} +0000\n\n{message}".encode()
        )
        people = {
            f"{who}_{part}": value
            for who in ("author", "committer")
            for part, value in (("name", "Ada"), ("email", "ada@example.com"))
        }
        row = {
            "network_id": 1,
            "sha": sha,
            "repository_id": 1,
            "tree_sha": tree,
            "parents": parents,
            "message": message,
        }
        self.commits.append({**row, **people, "author_date": stamp_of(when), "committed_at": stamp_of(when)})
        return sha


def rows(scale: int) -> dict[str, list[dict[str, Any]]]:
    """The rows of the template, of which `scale` is the part in tenths."""
    history = History(500 * scale, 20 * scale, 100)
    middle = history.commits[-min(101, len(history.commits))]["sha"]
    times = {"created_at": AT, "updated_at": AT}
    refs = {"main": history.head, "old": middle}
    files = [
        {
            "repository_id": 1,
            "path": f"{folder}/{name}",
            "sha": sha,
            "size": 40,
            "content": f"def {folder}_{name[:-3]}(): pass",
        }
        for folder, entries in history.paths.items()
        for name, sha in entries.items()
    ]
    issues = [
        {
            "id": 10 + n,
            "repository_id": 1,
            "number": 1 + n,
            "title": f"Issue {n} of harbour",
            "body": "It fails",
            "user": "ada",
            **times,
        }
        for n in range(5000 * scale)
    ]
    repo = {"id": 1, "owner": "ada", "name": "big", "full_name": "ada/big", "network_id": 1, "pushed_at": AT, **times}
    return {
        "users": [{"login": "ada", "id": 5, "name": "Ada", "email": "ada@example.com", **times}],
        "repositories": [{**repo, "next_number": len(issues) + 1}],
        "git_objects": list(history.objects.values()),
        "commits": history.commits,
        "refs": [{"repository_id": 1, "ref": f"refs/heads/{name}", "sha": sha} for name, sha in refs.items()],
        "files": files,
        "issues": issues,
    }


def median_ms(work: Callable[[], Any], count: int = 15) -> float:
    """The median of milliseconds that work takes."""
    spans: list[float] = []
    for _ in range(count):
        begun = time.perf_counter()
        work()
        spans.append((time.perf_counter() - begun) * 1000)
    return sorted(spans)[count // 2]


QUIET = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
ROUNDS = 3
"""Clones and pushes are timed so often; the fastest counts."""


def run_git(*arguments: str) -> None:
    """Run git."""
    subprocess.run(["git", *arguments], check=True, env=QUIET, capture_output=True)


def clone_seconds(url: str, folder: str) -> tuple[float, float]:
    """The seconds of the first and of the fastest clone without a working tree; the last clone stays in a folder."""
    spans: list[float] = []
    for _ in range(ROUNDS):
        shutil.rmtree(folder, ignore_errors=True)
        begun = time.perf_counter()
        run_git("clone", "-q", "--bare", url, folder)
        spans.append(time.perf_counter() - begun)
    return spans[0], min(spans)


def push_seconds(url: str, folder: str) -> float:
    """The seconds that git takes to push a commit to new branches of a repository."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    spans: list[float] = []
    for number in range(ROUNDS):
        head = ("-C", folder, *who, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", f"Push {number} {url}")
        sha = subprocess.run(["git", *head], check=True, env=QUIET, capture_output=True, text=True).stdout.strip()
        begun = time.perf_counter()
        run_git("-C", folder, "push", "-q", url, f"{sha}:refs/heads/pushed-{number}")
        spans.append(time.perf_counter() - begun)
        run_git("-C", folder, "fetch", "-q", url, f"refs/heads/pushed-{number}")
    return min(spans)


class GitDaemon:
    """`git daemon` over a repository, as the measure for the twin's speed; it listens on a free port."""

    def __init__(self, repository: str) -> None:
        folder, name = os.path.split(repository)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        options = ("--reuseaddr", "--export-all", "--enable=receive-pack", f"--base-path={folder}")
        command = ["git", "daemon", *options, "--listen=127.0.0.1", f"--port={self.port}", folder]
        self._process = subprocess.Popen(command, env=QUIET, stderr=subprocess.DEVNULL, start_new_session=True)
        self.url = f"git://127.0.0.1:{self.port}/{name}"

    def __enter__(self) -> GitDaemon:
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except ConnectionRefusedError:
                time.sleep(0.02)

    def __exit__(self, *raised: object) -> None:
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait()


def compare_with_git(url: str) -> None:
    """Print how long clone and push take, and how much that is of the speed of `git daemon`."""
    folder = tempfile.mkdtemp()
    try:
        (first, clones), mirror = clone_seconds(url, f"{folder}/twin"), f"{folder}/mirror"
        run_git("clone", "-q", "--mirror", url, mirror)
        run_git("-C", mirror, "gc", "-q")
        pushes = push_seconds(url, f"{folder}/twin")
        with GitDaemon(mirror) as daemon:
            theirs = clone_seconds(daemon.url, f"{folder}/daemon")
            spans = {
                "clone, first": (first, theirs[0]),
                "clone": (clones, theirs[1]),
                "push": (pushes, push_seconds(daemon.url, f"{folder}/daemon")),
            }
        for what, (ours, theirs) in spans.items():
            print(f"git {what}: {ours:.2f} s, git daemon {theirs:.2f} s: {theirs / ours:.2f} of its speed")
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """Print what each answer takes."""
    scale = 1 if "--small" in sys.argv else 10
    twin.templates["big"] = lambda: rows(scale)
    with Twindiff(twins=[twin]) as td, td.create("github:big", user="ada") as env:
        print(f"create an environment: {median_ms(lambda: td.create('github:big', user='ada')):.2f} ms")
        with httpx.Client(transport=td.transport(env), headers={"Authorization": f"Bearer {env.token}"}) as client:
            base = "https://api.github.com/repos/ada/big"
            questions = {
                "contents of a file": f"{base}/contents/d3/f3.py",
                "a tree": f"{base}/git/trees/main",
                "a tree of 20,000 files": f"{base}/git/trees/main?recursive=1",
                "compare 100 commits": f"{base}/compare/old...main",
                "30 commits": f"{base}/commits",
                "100 issues": f"{base}/issues?per_page=100",
                "search issues": "https://api.github.com/search/issues?q=harbour+is:open",
                "search code": "https://api.github.com/search/code?q=d3_f3+repo:ada/big",
            }
            for name, url in questions.items():
                assert client.get(url).status_code == 200, client.get(url).text
                print(f"{name}: {median_ms(lambda url=url: client.get(url)):.2f} ms")
        compare_with_git(env.port("github") + "/ada/big.git")


if __name__ == "__main__":
    main()
