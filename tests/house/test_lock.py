"""uv.lock says what pyproject.toml asks for, and nothing of the machine that wrote it."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LOCK_TEXT = (ROOT / "uv.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """What the lock says of the project itself."""
    return next(package for package in tomllib.loads(LOCK_TEXT)["package"] if package["name"] == "twindiff")


def asked(requirements: list[Any]) -> set[tuple[str, str]]:
    parsed = [Requirement(text) for text in requirements if isinstance(text, str)]
    return {(each.name, str(each.specifier)) for each in parsed}


def locked(entries: list[dict[str, str]]) -> set[tuple[str, str]]:
    return {(entry["name"], str(Requirement(entry["name"] + entry["specifier"]).specifier)) for entry in entries}


def test_the_lock_is_of_the_dependencies_that_the_project_declares(project: dict[str, Any]):
    extras = [each for extra in PROJECT["project"]["optional-dependencies"].values() for each in extra]
    declared = asked(PROJECT["project"]["dependencies"] + extras)
    assert locked(project["metadata"]["requires-dist"]) == declared


def test_the_lock_is_of_the_groups_that_the_project_declares(project: dict[str, Any]):
    groups, entries = PROJECT["dependency-groups"], project["metadata"]["requires-dev"]
    assert locked(entries["demo"]) == asked(groups["demo"])
    assert locked(entries["dev"]) == asked(groups["demo"] + groups["dev"])


def test_the_lock_names_the_public_index_only():
    assert set(re.findall(r"https?://[^/\"]+", LOCK_TEXT)) == {"https://pypi.org", "https://files.pythonhosted.org"}


def test_every_locked_file_has_a_hash():
    files = re.findall(r"^.*\burl = .*$", LOCK_TEXT, re.MULTILINE)
    assert all('hash = "sha256:' in line for line in files)
