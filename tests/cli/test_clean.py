"""`twindiff clean`: what is stored is deleted when one says so, and never under a server."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Serving


def find_old_python() -> str:
    """A Python before 3.11 that starts; empty if there is none."""
    installed = filter(None, map(shutil.which, ("python3.10", "python3.9", "python3.8")))
    return next(
        (each for each in installed if subprocess.run([each, "-V"], capture_output=True, check=False).returncode == 0),
        "",
    )


def test_data_is_deleted_when_no_server_uses_it(serve: Callable[..., Serving], twindiff: Run, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    serving = serve("--data-dir", str(folder))
    assert f"is in use by pid {serving.process.pid}" in twindiff("clean", "--data-dir", str(folder), "--yes").stderr
    assert serving.process.stdout
    assert serving.process.stdout.readline() == f"Pages: {serving.url}/inspect; data: {folder}\n"
    serving.end(signal.SIGTERM)
    assert "`twindiff clean --yes` deletes it." in twindiff("clean", "--data-dir", str(folder)).stdout
    assert folder.exists()
    assert twindiff("clean", "--data-dir", str(folder), "--yes").stdout.startswith(f"Deleted {folder}")
    assert not folder.exists()


def test_a_folder_of_something_else_is_left_alone(twindiff: Run, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    assert "There is nothing to delete" in twindiff("clean", "--data-dir", str(tmp_path), "--yes").stdout
    assert (tmp_path / "thesis.txt").exists()


def test_an_old_python_is_told_plainly() -> None:
    old = find_old_python()
    if not old:
        pytest.skip("no Python before 3.11 is installed")
    bootstrap = Path(__file__).parents[2] / "bootstrap.py"
    done = subprocess.run([old, str(bootstrap), "demo"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "Twindiff needs Python 3.11 or later" in done.stderr
    assert sys.version_info >= (3, 11)
