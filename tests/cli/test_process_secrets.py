"""The server's key is not to be read from outside its process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Serving
from twindiff.cli import process_secrets

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
KEY = "key-that-nobody-guesses"


def readable(pid: int) -> bytes:
    """What the system shows of the environment and the command line of a process."""
    place = Path(f"/proc/{pid}")
    return (place / "environ").read_bytes() + (place / "cmdline").read_bytes()


def test_the_key_cannot_be_read_from_the_environment_of_the_server(serve: Callable[..., Serving]) -> None:
    serving = serve("--data-dir", ":memory:", TWINDIFF_API_KEY=KEY, OPENAI_API_KEY="another-secret")
    shown = readable(serving.process.pid)
    assert KEY.encode() not in shown
    assert b"another-secret" not in shown
    headers = {"Authorization": f"Bearer {KEY}"}
    opened = httpx.get(f"{serving.url}/api/platform/templates", headers=headers, trust_env=False, timeout=60)
    assert opened.status_code == 200


def test_the_key_cannot_be_read_from_the_command_line_of_the_server(serve: Callable[..., Serving]) -> None:
    serving = serve("--data-dir", ":memory:", "--api-key", KEY)
    shown = readable(serving.process.pid)
    assert KEY.encode() not in shown
    assert b"--api-key" in shown


READS = """import os, runpy, subprocess
runpy.run_path(os.environ["MODULE"])["hide_secrets"]("a key")
print(subprocess.run(["cat", f"/proc/{os.getpid()}/environ"], capture_output=True, text=True).stderr)
"""
"""A program that hides its secrets, whose child then tries to read them."""


def test_a_process_of_the_same_user_cannot_read_the_memory_of_a_server_with_a_key() -> None:
    as_nobody = ["setpriv", "--reuid", "65534", "--clear-groups"] if os.getuid() == 0 else []
    python = "/usr/bin/python3" if as_nobody else sys.executable  # others may not see root's Python
    if not Path(python).exists():
        pytest.skip("needs a Python that everybody may start")
    asked = subprocess.run(
        [*as_nobody, python, "-c", READS],
        env={"MODULE": process_secrets.__file__, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Permission denied" in asked.stdout
