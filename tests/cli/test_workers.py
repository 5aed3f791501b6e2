"""`twindiff serve --workers`: processes with a data file each, behind one port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from websockets.sync.client import connect

from tests.cli.conftest import Serving, finished
from tests.harness import Environment, Platform
from twindiff.catalog.shard_ids import shard_of
from twindiff.cli.worker_supervision import Orders
from twindiff.server import Settings

POSTED = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hi"}, "expected_count": 1}


class Crowd:
    """A server of two workers, and an environment of each."""

    def __init__(self, data_dir: str) -> None:
        self.serving = Serving("--data-dir", data_dir, "--workers", "2", "--proxy-port", "0", "--json")
        self.made: dict[str, Any] = json.loads(self.serving.said)
        self.client = httpx.Client(base_url=self.made["url"], trust_env=False, timeout=60)
        self.platform = Platform(self.client)

    def environments(self, **options: Any) -> list[Environment]:
        """An environment of each worker, in order."""
        made: dict[int, Environment] = {}
        while len(made) < 2:
            one = self.platform.environment(**options)
            made[shard_of(one.id)] = one
        return [made[0], made[1]]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crowd]:
    crowd = Crowd(str(tmp_path_factory.mktemp("crowd")))
    yield crowd
    crowd.client.close()
    assert crowd.serving.end(signal.SIGTERM) == 0


@pytest.fixture(scope="module")
def pair(crowd: Crowd) -> list[Environment]:
    return crowd.environments()


def test_environments_are_spread_over_the_workers(pair: list[Environment]) -> None:
    assert [shard_of(each.id) for each in pair] == [0, 1]


def make_alone(crowd: Crowd) -> str:
    """Make an environment by a connection of its own, which the system gives to any worker."""
    with httpx.Client(base_url=crowd.made["url"], trust_env=False, timeout=60) as client:
        return Platform(client).environment().id


def count_environments(crowd: Crowd) -> list[int]:
    listed = crowd.platform.get("env", limit=1000, status="ready")["environments"]
    shards = [shard_of(each["environmentId"]) for each in listed]
    return [shards.count(shard) for shard in range(2)]


def test_new_environments_go_to_the_worker_that_has_fewest_whichever_is_asked(crowd: Crowd) -> None:
    made = [make_alone(crowd) for _ in range(12)]
    for each in [each for each in made if shard_of(each)]:
        crowd.platform.ask("DELETE", f"env/{each}").raise_for_status()
    end, counts = time.monotonic() + 60, count_environments(crowd)
    while abs(counts[0] - counts[1]) > 1:
        assert time.monotonic() < end, counts
        make_alone(crowd)
        counts = count_environments(crowd)


def test_one_connection_reaches_environments_of_all_workers(crowd: Crowd) -> None:
    pair = crowd.environments()
    runs = [crowd.platform.start(each) for each in pair]
    for number in range(6):
        pair[number % 2].post(f"message {number}")
    assert [len(crowd.platform.diff(run)["inserts"]) for run in runs] == [3, 3]


@pytest.mark.parametrize("shard", [0, 1])
def test_lists_name_what_every_worker_has(crowd: Crowd, pair: list[Environment], shard: int) -> None:
    run = crowd.platform.start(pair[shard])
    sandboxes = {each["id"].replace("-", "") for each in crowd.client.get("/v1/sandboxes").json()["sandboxes"]}
    assert pair[shard].id in {each["environmentId"] for each in crowd.platform.get("env")["environments"]} & sandboxes
    assert run in {each["runId"] for each in crowd.platform.get("runs")["runs"]}
    assert pair[shard].id in crowd.client.get("/inspect/environments").text


@pytest.mark.parametrize("shard", [0, 1])
def test_a_saved_task_judges_in_every_worker(crowd: Crowd, pair: list[Environment], shard: int) -> None:
    task = {
        "name": "t",
        "prompt": "p",
        "type": "actionEval",
        "environmentTemplate": "slack:slack_default",
        "expected_output": {"assertions": [POSTED]},
    }
    suite = crowd.platform.post("testSuites", {"name": "s", "description": "d", "tests": [task]})
    test_id = crowd.platform.get(f"testSuites/{suite['id']}", expand="tests")["tests"][0]["id"]
    run = crowd.platform.start(pair[shard], testId=test_id)
    pair[shard].post("hi")
    assert crowd.platform.evaluate(run)["passed"]


def test_a_template_made_in_one_worker_begins_environments_of_all(crowd: Crowd, pair: list[Environment]) -> None:
    pair[1].post("kept")
    given = {"environmentId": pair[1].id, "service": "slack", "name": "kept", "description": "d"}
    crowd.platform.post("templates/from-environment", given)
    for each in crowd.environments(template="slack:kept"):
        said = each.slack("conversations.history", channel="C01ABCD1234")
        assert said["messages"][0]["text"] == "kept"


def test_sandboxes_with_rows_begin_in_every_worker(crowd: Crowd) -> None:
    row = {"user_id": "U1", "username": "ada", "email": "ada@example.com", "real_name": "Ada"}
    for _ in range(4):
        made = crowd.client.post("/v1/sandboxes", json={"api": "slack", "seed_data": {"users": [row]}})
        assert made.status_code == 201, made.text


def test_a_long_body_goes_to_the_worker_that_it_names_at_its_end(crowd: Crowd, pair: list[Environment]) -> None:
    run = crowd.platform.start(pair[1])
    pair[1].post("hi")
    ignored = {"ignore_fields": {"global": ["x" * 300_000]}}
    spec = {"expectedOutput": {"assertions": [POSTED], **ignored}}
    assert crowd.platform.ask("POST", "evaluateRun", {**spec, "runId": run}).json()["passed"]


@pytest.mark.parametrize("shard", [0, 1])
def test_a_body_in_chunks_goes_to_the_worker_that_it_names(crowd: Crowd, pair: list[Environment], shard: int) -> None:
    parts = (part.encode() for part in ('{"envId": "', pair[shard].id, '"}'))
    headers = {"Content-Type": "application/json"}
    assert crowd.client.post("/api/platform/startRun", content=parts, headers=headers).status_code == 201


@pytest.mark.parametrize("shard", ["001", "0ff", "fff"])
def test_an_id_with_a_forged_worker_is_not_found(crowd: Crowd, shard: str) -> None:
    forged = f"{'0' * 12}8{shard}8{'0' * 15}"
    assert crowd.platform.refusal("GET", f"env/{forged}") == (404, "environment_not_found")
    assert crowd.client.get(f"/api/env/{forged}/services/slack/auth.test").status_code == 404


@pytest.mark.parametrize("shard", ["1", "2", "99999", "-1", "x"])
def test_a_token_with_a_forged_worker_opens_nothing(crowd: Crowd, pair: list[Environment], shard: str) -> None:
    headers = {"Authorization": f"Bearer tda_{shard}.{'x' * 32}"}
    for path in (f"/api/env/{pair[0].id}/services/slack/auth.test", f"/api/platform/env/{pair[0].id}"):
        answer = crowd.client.get(path, headers=headers)
        assert (answer.status_code in (401, 403), answer.json()["error"]) == (True, "unauthorized"), answer.text


def test_connections_are_handed_over_by_sockets_without_an_address(crowd: Crowd) -> None:
    links = [each.readlink() for pid in crowd.made["workers"] for each in Path(f"/proc/{pid}/fd").iterdir()]
    own = {str(each)[8:-1] for each in links if str(each).startswith("socket:[")}
    listed = [each.split() for each in Path("/proc/net/unix").read_text().splitlines()[1:]]
    assert [each for each in listed if each[6] in own]
    assert [each[7:] for each in listed if each[6] in own and each[7:]] == []


@pytest.mark.parametrize("shard", [0, 1])
def test_sockets_and_event_streams_are_those_of_the_environment(
    crowd: Crowd, pair: list[Environment], shard: int
) -> None:
    opened = pair[shard].slack("apps.connections.open", token="xapp-1")
    with connect(opened["url"], open_timeout=60) as socket:
        assert json.loads(socket.recv(timeout=30))["type"] == "hello"
    with crowd.client.stream("GET", f"/inspect/environments/{pair[shard].id}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize("shard", [0, 1])
def test_the_proxy_takes_its_user_to_the_environment(crowd: Crowd, pair: list[Environment], shard: int) -> None:
    proxy = crowd.made["proxyUrl"].replace("http://", f"http://{pair[shard].id}:{pair[shard].token}@")
    with httpx.Client(proxy=proxy, verify=False, trust_env=False, timeout=60) as client:
        assert client.post("https://slack.com/api/auth.test").json()["user_id"] == "U01AGENBOT9"


@pytest.mark.parametrize("shard", [0, 1])
def test_tools_act_in_the_environment_that_they_name(crowd: Crowd, pair: list[Environment], shard: int) -> None:
    def call(path: str, name: str, given: dict[str, Any], **headers: str) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
        answer = crowd.client.post(path, json=message, headers={"Accept": "application/json", **headers})
        return answer.json()["result"]

    assert not call("/api/platform/mcp", "get_environment", {"envId": pair[shard].id}).get("isError")
    listed = crowd.client.post(
        f"/api/env/{pair[shard].id}/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        headers={"Authorization": f"Bearer {pair[shard].token}"},
    )
    assert listed.json()["result"]["tools"]


def test_twin_runs_and_sandboxes_work(crowd: Crowd) -> None:
    made = crowd.client.post("/twin-runs", json={"twins": ["slack"]}).json()
    assert crowd.client.get(f"/twin-runs/{made['run_id']}").status_code == 200
    for _ in range(2):
        box = crowd.client.post("/v1/sandboxes", json={"api": "slack"}).json()
        assert crowd.client.get(f"/v1/sandboxes/{box['id']}/diffs").status_code == 200
        assert crowd.client.delete(f"/v1/sandboxes/{box['id']}").status_code == 204


def test_a_killed_worker_comes_back_with_all_that_was_acknowledged(crowd: Crowd) -> None:
    pair = crowd.environments()
    for each in pair:
        each.post("before")
    os.kill(crowd.made["workers"][1], signal.SIGKILL)
    with httpx.Client(base_url=crowd.made["url"], trust_env=False, timeout=60) as client:
        for each in pair:
            again = Environment(Platform(client), each.made)
            assert again.slack("conversations.history", channel="C01ABCD1234")["messages"][0]["text"] == "before"


def test_a_data_directory_keeps_its_number_of_workers(crowd: Crowd) -> None:
    folder = crowd.serving.process.args[crowd.serving.process.args.index("--data-dir") + 1]  # type: ignore[index,union-attr]
    for count in ("1", "3"):
        done = finished("serve", "--port", "0", "--data-dir", str(folder), "--workers", count)
        assert (done.returncode, done.stderr.count("\n"), "--workers 2" in done.stderr) == (1, 1, True), done.stderr


def test_a_worker_of_another_release_is_refused_in_a_sentence() -> None:
    orders = msgspec.json.encode(Orders("api", Settings(), version="0.0.1")) + b"\n"
    command = [sys.executable, "-m", "twindiff.cli.worker"]
    done = subprocess.run(command, input=orders, capture_output=True, check=False, timeout=60)
    assert (done.returncode, b"0.0.1" in done.stderr, done.stderr.count(b"\n")) == (1, True, 1)


@pytest.mark.parametrize("count", ["0", "65", "many"])
def test_a_number_of_workers_that_cannot_be_is_refused(count: str) -> None:
    done = finished("serve", "--workers", count, "--data-dir", ":memory:")
    assert (done.returncode, f"--workers {count}" in done.stderr) == (2, True)


@pytest.fixture(scope="module")
def twin_runs(crowd: Crowd) -> list[dict[str, Any]]:
    """A twin run of each worker, in order; some are of a scenario."""
    saved = crowd.client.post("/scenarios", json={"name": "s", "seed_config": {"slack": {"channels": ["crew"]}}}).json()
    asked = [{"twins": ["slack"]}, {"twins": ["slack"], "scenario_id": saved["id"]}]
    made = [crowd.client.post("/twin-runs", json=each).json() for each in asked * 3]
    return [next(each for each in made if shard_of(each["run_id"]) == shard) for shard in range(2)]


def test_twin_runs_are_spread_and_answered_by_their_worker(crowd: Crowd, twin_runs: list[dict[str, Any]]) -> None:
    assert [shard_of(each["run_id"]) for each in twin_runs] == [0, 1]
    for each in twin_runs:
        twin = crowd.client.get(f"/twin-runs/{each['run_id']}").json()["twins"]["slack"]
        token = {"Authorization": f"Bearer {twin['env_vars']['SLACK_BOT_TOKEN']}"}
        for url in (twin["base_url"], twin["path_url"]):
            assert httpx.post(f"{url}/api/auth.test", headers=token, trust_env=False, timeout=60).json()["ok"]
        assert crowd.client.post(f"/twin-runs/{each['run_id']}/reset").json()["status"] == "reset_complete"
        assert crowd.client.get(f"/twin-runs/{each['run_id']}/dashboard").status_code == 200


def test_twin_runs_of_all_workers_are_listed(crowd: Crowd, twin_runs: list[dict[str, Any]]) -> None:
    listed = {each["run_id"]: each for each in crowd.client.get("/twin-runs", params={"limit": 100}).json()}
    page = crowd.client.get("/inspect/application-runs").text
    for each in twin_runs:
        assert (listed[each["run_id"]]["status"], each["run_id"] in page) == ("ready", True)


@pytest.mark.parametrize("shard", [0, 1])
def test_tools_for_runs_reach_the_worker_of_a_twin_run(crowd: Crowd, twin_runs: list[Any], shard: int) -> None:
    asked = {"name": "extend_twin_run", "arguments": {"run_id": twin_runs[shard]["run_id"], "ttl_minutes": 120}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    said = crowd.client.post("/mcp", json=message, headers={"Accept": "application/json, text/event-stream"})
    assert "extended" in said.text, said.text


@pytest.mark.parametrize("path", ["/test-runs", "/validate/url-run", "/tests/{test}/run"])
@pytest.mark.parametrize("shard", [0, 1])
def test_a_test_run_is_done_beside_the_twins_that_it_names(crowd: Crowd, twin_runs: list[Any], shard: int, path: str):
    asked = {"prompt": "Frobnicate it.", "provision_id": twin_runs[shard]["run_id"]}
    asked["url" if "url" in path else "start_url"] = "http://127.0.0.1:9/"
    saved = crowd.client.post("/tests", json={"prompt": "Open it.", "start_url": "http://127.0.0.1:9/"}).json()
    made = crowd.client.post(path.format(test=saved["id"]), json=asked).json()
    assert shard_of(made["run_id"]) == shard
    listed = crowd.client.get("/validation/runs", params={"limit": 100}).json()["items"]
    assert made["run_id"] in {each["run_id"] for each in listed}
    assert crowd.client.get(f"/runs/{made['run_id']}").json()["run_id"] == made["run_id"]
