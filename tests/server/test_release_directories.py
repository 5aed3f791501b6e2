"""Data directories and databases of earlier releases and of the commit before open here, with everything in them."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.harness import Environment, LiveServer, Platform, texts
from tests.server.data.release_directory import PHOTO, SAID, said
from tests.server_mode import embedded_only
from twindiff.server import Settings

pytestmark = embedded_only("data directories are the embedded engine's")

ROOT = Path(__file__).parents[2]
RELEASES = sorted((Path(__file__).parent / "data").glob("release_*.tar.gz"))
BEFORE = "HEAD^"
"""The commit before; of a merge, what it was merged into."""


@pytest.fixture(scope="module")
def code_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source and tests of the commit before."""
    folder = tmp_path_factory.mktemp("before")
    archive = folder / "code.tar"
    git = shutil.which("git") or pytest.skip("git is missing")
    command = [git, "-C", str(ROOT), "archive", "-o", str(archive), BEFORE, "src", "tests", "pyproject.toml"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this is no clone with the commit before")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder


def run_script(code: Path, *arguments: str, **variables: str) -> None:
    """Have the code of a folder write what a server of its time leaves."""
    command = [sys.executable, "-m", "tests.server.data.release_directory", *arguments]
    path = {"PYTHONPATH": f"{code / 'src'}{os.pathsep}{code}"}
    subprocess.run(command, cwd=code, env={**os.environ, **path, **variables}, check=True)


@contextmanager
def serve_folder(packed_file: Path, folder: Path) -> Iterator[tuple[LiveServer, Any]]:
    with tarfile.open(packed_file) as packed:
        packed.extractall(folder, filter="data")
    server = LiveServer(Settings(data_dir=str(folder / "data")))
    yield server, json.loads((folder / "data" / "expected.json").read_text())
    server.close()


@contextmanager
def serve_database(code: Path, folder: Path) -> Iterator[tuple[LiveServer, Any]]:
    from tests.storage.postgres.cluster import ABSENT, Database, administrator, draining

    cluster = administrator() or pytest.skip(ABSENT)
    if "def fill(" not in (code / "tests/server/data/release_directory.py").read_text():
        pytest.skip("the commit before cannot fill a database")
    file, database = folder / "expected.json", Database.existing(cluster, f"twindiff_test_{uuid4().hex[:12]}")
    try:
        run_script(code, str(file), database.name, TWINDIFF_POSTGRES_DSN=cluster)
        database.initialise_all()
        with draining(database.dsn):
            server = LiveServer(Settings(storage=database.dsn))
            yield server, json.loads(file.read_text())
            server.close()
    finally:
        database.drop()


PLACES = [*(path.name for path in RELEASES), "a folder of the commit before", "a database of the commit before"]


@pytest.fixture(scope="module", params=PLACES)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A server over what an earlier one left, and what must be found in it."""
    folder, place = tmp_path_factory.mktemp("release"), request.param
    code = request.getfixturevalue("code_before") if "before" in place else Path()
    if place.startswith("a folder"):
        run_script(code, str(folder / "before.tar.gz"))
        serving = serve_folder(folder / "before.tar.gz", folder)
    elif place.startswith("a database"):
        serving = serve_database(code, folder)
    else:
        serving = serve_folder(ROOT / "tests/server/data" / place, folder)
    with serving as (server, expected):
        yield Platform(server.client), expected


def find_expected(expected: dict[str, Any], key: str) -> Any:
    return expected.get(key) or pytest.skip(f"it was made without '{key}'")


def environment_of(platform: Platform, listed: dict[str, Any], twin: str = "slack") -> Environment:
    urls = {twin: f"/api/env/{listed['environmentId']}/services/{twin}"}
    made = {"agentToken": "x", **listed, "environmentUrl": urls[twin], "environmentUrls": urls}
    return Environment(platform, made)


def test_every_point_says_what_it_said(opened: Any):
    platform, expected = opened
    slack = expected["slack"]
    records = platform.get(f"env/{slack['environmentId']}/journal", limit=1000)["records"]
    assert [record["seq"] for record in records] == [*range(1, len(records) + 1)]
    for at, texts_then in enumerate(slack["points"]):
        (fork,) = platform.post(f"env/{slack['environmentId']}/fork", {"at": at, "count": 1})["environments"]
        assert said(environment_of(platform, fork)) == texts_then


def test_checkpoints_forks_and_runs_are_there(opened: Any):
    platform, expected = opened
    slack, fork = expected["slack"], expected["fork"]
    assert said(environment_of(platform, fork)) == fork["said"]
    back = platform.get(f"env/{slack['environmentId']}/diff", **{"from": "edited", "to": 0})["diff"]
    assert sorted(texts(back, "deletes")) == ["edited", *(f"text {number}" for number in range(6))]
    judged = platform.evaluate(slack["run"], SAID)
    assert judged["passed"] == slack["passed"]


def test_bytes_of_files_are_there(opened: Any):
    platform, expected = opened
    environment = environment_of(platform, expected["slack"])
    address = environment.slack("files.info", file=expected["slack"]["file"])["file"]["url_private"]
    answer = platform.client.get(address, headers={"Authorization": f"Bearer {environment.token}"})
    assert answer.content == PHOTO


def test_an_export_is_imported_with_every_point(opened: Any):
    platform, expected = opened
    file = base64.b64decode(find_expected(expected, "export"))
    made = platform.client.post("/api/platform/env/import", content=file).json()
    assert said(Environment(platform, made)) == expected["fork"]["said"]


def test_money_is_as_it_was_and_moves_on(opened: Any):
    platform, expected = opened
    found = find_expected(expected, "stripe")
    stripe = environment_of(platform, found, "stripe")
    charge = stripe.ask(f"v1/charges/{found['charge']['id']}", verb="GET").json()
    assert charge == {**found["charge"], "receipt_url": charge["receipt_url"]}
    refund = stripe.ask("v1/refunds", data={"charge": charge["id"]}).json()
    card = {"payment_method": "pm_card_visa"}
    intent = stripe.ask(f"v1/payment_intents/{found['intent']}/confirm", data=card).json()
    assert (refund["amount"], intent["status"]) == (4200, "succeeded")


def test_templates_and_other_twins_are_there_and_all_goes_on(opened: Any):
    platform, expected = opened
    assert said(platform.environment("slack:kept"))[-3:] == ["text 0", "text 1", "text 2"]
    linear = environment_of(platform, expected["linear"], "linear")
    query = f'{{ issue(id: "{expected["linear"]["issue"]}") {{ title }} }}'
    assert linear.ask("graphql", json={"query": query}).json()["data"]["issue"]["title"] == expected["linear"]["title"]
    slack = environment_of(platform, expected["slack"])
    slack.post("of this release")
    assert said(slack)[-1] == "of this release"
