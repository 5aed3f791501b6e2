"""`twindiff serve --api-key auto`: a key that the server makes, and that its owner's commands find by themselves."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Serving, finished

Serve = Callable[..., Serving]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keyed")


@pytest.fixture(scope="module")
def keyed(folder: Path) -> Iterator[Serving]:
    serving = Serving("--data-dir", str(folder), "--key", "auto")
    yield serving
    serving.close()


def test_a_made_key_is_asked_for_and_is_readable_by_its_owner_alone(keyed: Serving, folder: Path) -> None:
    file = folder / "control-key.json"
    key = json.loads(file.read_text())["key"]
    assert (stat.S_IMODE(file.stat().st_mode), len(key) > 40) == (0o600, True)
    templates = f"{keyed.url}/api/platform/templates"
    answers = [httpx.get(templates, headers=each, trust_env=False, timeout=120) for each in ({}, {"X-API-Key": key})]
    assert [each.status_code for each in answers] == [401, 200]


def test_commands_find_the_made_key_by_themselves(keyed: Serving, folder: Path) -> None:
    asked = finished("env", "ls", "--base-url", keyed.url, TWINDIFF_DATA_DIR=str(folder))
    assert asked.returncode == 0, asked.stderr


def test_the_made_key_goes_to_no_other_server(keyed: Serving, folder: Path, serve: Serve) -> None:
    other = serve("--data-dir", ":memory:", "--api-key", "k")
    asked = finished("env", "ls", "--base-url", other.url, TWINDIFF_DATA_DIR=str(folder))
    assert "missing api key" in asked.stderr


def test_a_made_key_outlives_a_restart(serve: Serve, tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        serve("--data-dir", str(tmp_path), "--key", "auto").close()
        keys.append(json.loads((tmp_path / "control-key.json").read_text())["key"])
    assert keys[0] == keys[1]


def test_a_server_without_a_key_says_how_to_have_one(serve: Serve) -> None:
    served = serve("--data-dir", ":memory:")
    served.end(15)
    assert "--api-key auto" in served.errors


def test_the_page_to_sign_in_says_where_the_made_key_is(keyed: Serving, folder: Path) -> None:
    page = httpx.get(f"{keyed.url}/inspect/sign-in", trust_env=False, timeout=120)
    assert str(folder / "control-key.json") in page.text
