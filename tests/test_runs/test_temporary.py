"""Servers that keep nothing have their runs' files in a temporary folder, which goes with them however they end."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from twindiff.server.apis.test_runs import temporary
from twindiff.server.apis.test_runs.temporary import PREFIX, TemporaryFolder, remove_abandoned

CLAIMS = f"import runpy; print(runpy.run_path({temporary.__file__!r})['TemporaryFolder']().path, flush=True); input()"
"""A program that has a folder and loads no more than that needs."""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder for temporary files in which nobody else has any."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def abandoned():
    """The folder of a process that has been killed."""
    with subprocess.Popen([sys.executable, "-c", CLAIMS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        path = Path(process.stdout.readline().decode().strip())
        process.kill()
    return path


def test_the_folder_of_a_killed_server_is_removed_and_that_of_a_living_one_stays(abandoned):
    (abandoned / "run").mkdir()
    living = TemporaryFolder()
    assert remove_abandoned() == [abandoned]
    assert (abandoned.exists(), living.path.exists()) == (False, True)
    living.remove()


def test_a_server_that_starts_removes_what_killed_ones_have_left(abandoned, make_server):
    make_server().close()
    assert not abandoned.exists()


def test_a_link_to_another_place_is_not_followed(place):
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    (place / f"{PREFIX}link").symlink_to(elsewhere)
    assert (remove_abandoned(), elsewhere.exists()) == ([], True)
