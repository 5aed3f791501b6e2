"""Which Chromium does test runs."""

import os
import shutil
from pathlib import Path

import pytest

from tests.test_runs.test_steps import ALL_ACTIONS
from twindiff.browser.chromium import NAMES, SETTING, chromium

SHELL = "chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell"
WINDOWS = "chromium-1200/chrome-linux64/chrome"
HERE = {Path(path).resolve(): name for name in NAMES if (path := shutil.which(name))}


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return str(path)


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A folder that is all of PATH and all that Playwright has fetched."""
    monkeypatch.delenv(SETTING, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", HERE.values())
def test_a_test_of_all_actions_passes_in_every_chromium_that_is_here(runs, site, monkeypatch, name):
    monkeypatch.setenv(SETTING, name)
    run = runs.steps(f"{site.url}/", *ALL_ACTIONS, parameters={"who": "ada@example.com"})
    assert (run["passed"], run["failed"]) == (len(ALL_ACTIONS), 0), run["error_message"]


def test_a_headless_shell_is_taken_before_a_chromium_with_windows(bare):
    program(bare / "chromium")
    shell = program(bare / "chromium-headless-shell")
    assert chromium() == shell


def test_what_playwright_has_fetched_is_taken_where_path_has_none_and_its_shell_first(bare):
    windows = program(bare / WINDOWS)
    assert chromium() == windows
    shell = program(bare / SHELL)
    os.utime(shell, (0, 0))
    assert chromium() == shell


def test_the_chromium_that_the_setting_names_is_taken_before_all(bare, monkeypatch):
    program(bare / "chromium-headless-shell")
    monkeypatch.setenv(SETTING, program(bare / "mine"))
    assert chromium() == str(bare / "mine")
