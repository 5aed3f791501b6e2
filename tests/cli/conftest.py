"""The program as its users start it, in this process and as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from twindiff.cli import app

Run = Callable[..., Result]
QUIET = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}}


@pytest.fixture
def twindiff(server: str) -> Run:
    """Run a command against the live server: `twindiff("env", "ls", "--json")`."""

    def run(*arguments: str, **environment: str) -> Result:
        given = {"AGENT_DIFF_BASE_URL": server, "COLUMNS": None, "NO_COLOR": None, "FORCE_COLOR": None, **environment}
        return CliRunner().invoke(app, list(arguments), env=given)

    return run


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "twindiff.cli", *arguments]


def finished(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command that has ended by itself."""
    env = {**QUIET, **environment}
    return subprocess.run(program(*arguments), env=env, capture_output=True, text=True, timeout=300, check=False)


class Serving:
    """`twindiff serve` as a process of its own, listening."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            program("serve", "--port", "0", *arguments),
            env={**QUIET, "PYTHONUNBUFFERED": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.said = self.process.stdout.readline().strip()
        assert self.said, self.process.communicate()[1]
        self.url = self.said.rpartition(" ")[2]

    def end(self, signum: int) -> int:
        """Send a signal and give the exit code."""
        self.process.send_signal(signum)
        self.output, self.errors = self.process.communicate(timeout=300)
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


@pytest.fixture
def serve() -> Iterator[Callable[..., Serving]]:
    """Start a server: `serve("--data-dir", ":memory:")`."""
    started: list[Serving] = []

    def start(*arguments: str, **environment: str) -> Serving:
        started.append(Serving(*arguments, **environment))
        return started[-1]

    yield start
    for each in started:
        each.close()


def install_sad_twin(folder: Path, code: str) -> str:
    """Install a package `sad-twin` whose module says `code`; gives the PYTHONPATH that has it."""
    info = folder / "sad_twin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sad-twin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[twindiff.twins]\nsad = sad_twin:twin\n")
    (folder / "sad_twin.py").write_text(code)
    return str(folder)


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[[str], str]:
    """Install a package `sad-twin` whose module says `code`; gives the PYTHONPATH that has it."""
    return partial(install_sad_twin, tmp_path)
