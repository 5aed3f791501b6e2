"""Data directories that earlier releases left open in this one, with everything in them."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.harness import Environment, LiveServer, Platform, texts
from tests.server.data.release_directory import PHOTO, SAID, said
from tests.server_mode import embedded_only
from twindiff.server import Settings

pytestmark = embedded_only("data directories are the embedded engine's")

RELEASES = sorted((Path(__file__).parent / "data").glob("release_*.tar.gz"))


@pytest.fixture(scope="module", params=RELEASES, ids=lambda path: path.name)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A server over what a release left, and what must be found in it."""
    folder = tmp_path_factory.mktemp("release")
    with tarfile.open(request.param) as packed:
        packed.extractall(folder, filter="data")
    server = LiveServer(Settings(data_dir=str(folder / "data")))
    yield Platform(server.client), json.loads((folder / "data" / "expected.json").read_text())
    server.close()


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


def test_templates_and_other_twins_are_there_and_all_goes_on(opened: Any):
    platform, expected = opened
    assert said(platform.environment("slack:kept"))[-3:] == ["text 0", "text 1", "text 2"]
    linear = environment_of(platform, expected["linear"], "linear")
    query = f'{{ issue(id: "{expected["linear"]["issue"]}") {{ title }} }}'
    assert linear.ask("graphql", json={"query": query}).json()["data"]["issue"]["title"] == expected["linear"]["title"]
    slack = environment_of(platform, expected["slack"])
    slack.post("of this release")
    assert said(slack)[-1] == "of this release"
