"""Repositories with an application in them, and sandbox runs of a server."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import Json, LiveServer, succeeded
from tests.test_runs.conftest import Served

SERVES = """import http.server, json, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({**os.environ, "cwd": os.getcwd()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

print("listening on", os.environ["PORT"])
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""
"""An application that answers with its variables."""


class Repository:
    """A git repository in a folder."""

    def __init__(self, path: Path, **files: str) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("The first", **files)

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.com")
        done = subprocess.run(
            ["git", "-C", str(self.path), *who, *arguments], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, message: str, **files: str) -> None:
        """Write files, whose names have `__` for `/` and `_DOT_` for `.`, and commit them."""
        for name, text in files.items():
            path = self.path / name.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def worktrees(self) -> int:
        """How many worktrees it has, its own included."""
        return len(self.git("worktree", "list").splitlines())


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Repository]:
    """Make a repository: `repository(app_DOT_py="…")`."""

    def make(**files: str) -> Repository:
        return Repository(tmp_path / f"repository{len(list(tmp_path.iterdir()))}", **files)

    return make


class Sandboxes:
    """The sandbox runs of a server; whoever makes one need not delete it."""

    def __init__(self, server: Served) -> None:
        self.client = server.client
        self.made: list[str] = []

    def refused(self, **asked: Any) -> tuple[int, str]:
        """Status and reason of a sandbox run that must be refused."""
        answer = self.client.post("/sandbox-runs", json=asked)
        assert answer.is_client_error, answer.text
        return answer.status_code, answer.json()["detail"]

    def create(self, **asked: Any) -> Json:
        """A sandbox run as soon as it is ready, or has failed."""
        made = succeeded(self.client.post("/sandbox-runs", json=asked))
        self.made.append(made["sandbox_id"])
        return self.until(made["sandbox_id"], lambda run: run["status"] not in ("queued", "provisioning"))

    def get(self, sandbox_id: str) -> Json:
        return succeeded(self.client.get(f"/sandbox-runs/{sandbox_id}"))

    def until(self, sandbox_id: str, is_there: Callable[[Json], bool]) -> Json:
        """The run as soon as something holds of it."""
        end = time.monotonic() + 60
        while not is_there(run := self.get(sandbox_id)):
            assert time.monotonic() < end, run
            time.sleep(0.05)
        return run

    def logs(self, sandbox_id: str) -> list[str]:
        lines = succeeded(self.client.get(f"/sandbox-runs/{sandbox_id}/logs"))["logs"]
        assert all(each["timestamp"].endswith("Z") for each in lines)
        return [f"{each['type']}: {each['message']}" for each in lines]

    def logs_with(self, sandbox_id: str, words: str) -> list[str]:
        """The logs as soon as one of them has these words; what is printed is kept a little later."""
        self.until(sandbox_id, lambda run: any(words in line for line in self.logs(sandbox_id)))
        return self.logs(sandbox_id)

    def delete(self, sandbox_id: str) -> Json:
        return succeeded(self.client.delete(f"/sandbox-runs/{sandbox_id}"))


@pytest.fixture
def sandboxes(live: LiveServer) -> Iterator[Sandboxes]:
    made = Sandboxes(live)
    yield made
    for sandbox_id in made.made:
        made.delete(sandbox_id)


def variables_of(run: Json) -> dict[str, str]:
    """What the application of a run answers with."""
    return httpx.get(run["app_url"], trust_env=False).json()
