"""Three workers of one server: what they send reaches no port of any of them, and runs are spread over them."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest

from tests.cli.conftest import Serving
from tests.harness import Environment, Platform
from tests.sandbox_runs.conftest import SERVES, Repository, Sandboxes, variables_of
from tests.test_runs.conftest import Runs
from tests.test_runs.site import Site
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.catalog.shard_ids import shard_of

WORKERS = 3
HERE = ("127.0.0.1", "localhost")


class Trio:
    """A server of three workers that opens its door to this machine; each worker has an environment, a port, a door."""

    def __init__(self, data_dir: str) -> None:
        passed = [option for host in HERE for option in ("--allow-host", host)]
        self.serving = Serving("--data-dir", data_dir, "--workers", str(WORKERS), "--json", *passed)
        self.made: dict[str, Any] = json.loads(self.serving.said)
        self.client = httpx.Client(base_url=self.made["url"], trust_env=False, timeout=60)
        platform = Platform(self.client)
        made = [platform.environment() for _ in range(WORKERS)]
        self.environments: list[Environment] = sorted(made, key=lambda each: shard_of(each.id))
        self.doors = [platform.post(f"env/{each.id}/door") for each in self.environments]
        opened = [platform.post(f"env/{each.id}/ports", {"twin": "slack"})["url"] for each in self.environments]
        self.runs = Runs(self)
        self.ports = [httpx.URL(each).port for each in (self.made["url"], *opened)]
        self.ports += [each["port"] for each in self.doors]

    def addresses(self) -> list[str]:
        """An address of each port of the server, by each name of this machine in turn."""
        return [f"http://{HERE[number % len(HERE)]}:{port}/x" for number, port in enumerate(self.ports)]


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trio]:
    trio = Trio(str(tmp_path_factory.mktemp("trio")))
    yield trio
    trio.client.close()
    assert trio.serving.end(signal.SIGTERM) == 0


@pytest.mark.parametrize("worker", range(WORKERS))
def test_no_webhook_of_a_worker_reaches_a_port_of_any(trio: Trio, worker: int) -> None:
    path = f"/api/platform/env/{trio.environments[worker].id}/webhooks"
    for url in trio.addresses():
        answer = trio.client.post(path, json={"twin": "slack", "url": url})
        assert (answer.status_code, "is this server itself" in answer.text) == (400, True), (url, answer.text)


def test_no_probe_of_an_application_reaches_a_port_of_any_worker(trio: Trio) -> None:
    for url in trio.addresses():
        answer = trio.client.post("/validate/url/probe", json={"url": url})
        assert (answer.status_code, "is this server itself" in answer.text) == (422, True), (url, answer.text)


@pytest.mark.parametrize("worker", range(WORKERS))
def test_no_door_of_a_worker_leads_to_a_port_of_any(trio: Trio, worker: int) -> None:
    with httpx.Client(proxy=trio.doors[worker]["proxyUrl"], trust_env=False, timeout=60) as client:
        for url in trio.addresses():
            answer = client.get(url)
            assert (answer.status_code, "is this server itself" in answer.text) == (403, True), (url, answer.text)


def test_no_page_reaches_the_control_plane_by_a_host_that_its_run_names(trio: Trio) -> None:
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))
    targets = [f"http://{host}:{trio.ports[0]}/twins" for host in HERE]
    fetches = "".join(f"await fetch('{each}', {{mode: 'no-cors'}}).catch(_ => 0);" for each in targets)
    with closing(Site()) as site:
        site.pages["/"] = f"<!doctype html><p id=out></p><script type=module>{fetches} out.innerText = 'done'</script>"
        hosts = [f"{host}:{trio.ports[0]}" for host in HERE]
        run = trio.runs.run(start_url=f"{site.url}/", prompt="Expect done", hosts=hosts)
    refused = [each["message"] for each in run["events_json"] if each["type"] == "refused"]
    assert [each.partition(" was refused")[0] for each in refused] == targets


def test_the_first_connection_to_a_server_is_not_passed_on_to_itself(serve: Callable[..., Serving]) -> None:
    serving = serve("--data-dir", ":memory:", "--proxy-port", "0", "--allow-host", "localhost", "--json")
    made = json.loads(serving.said)
    url = made["url"].replace("127.0.0.1", "localhost")
    with httpx.Client(proxy=made["proxyUrl"], trust_env=False, timeout=60) as client:
        answer = client.get(f"{url}/api/platform/env")
    assert (answer.status_code, "is this server itself" in answer.text) == (403, True), answer.text


def make_in_each(make: Callable[[], Any]) -> list[Any]:
    """What is made last in each worker, in order; they take turns unless something was made before."""
    made: dict[int, Any] = {}
    for _ in range(2 * WORKERS**2):
        one = make()
        made[shard_of(one["run_id"])] = one
        if len(made) == WORKERS:
            break
    return [made[shard] for shard in range(WORKERS)]


NOWHERE = "http://127.0.0.1:9/"
UNCLEAR = {"prompt": "Frobnicate it.", "start_url": NOWHERE}


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/test-runs", UNCLEAR),
        ("/validate/url-run", {"prompt": "Frobnicate it.", "url": NOWHERE}),
        ("/tests/{test}/run", UNCLEAR),
    ],
)
def test_test_runs_are_spread_listed_and_found(trio: Trio, path: str, asked: dict[str, Any]) -> None:
    saved = trio.client.post("/tests", json={"prompt": "Open it.", "start_url": NOWHERE}).json()
    made = make_in_each(lambda: trio.client.post(path.format(test=saved["id"]), json=asked).json())
    listed = {each["run_id"] for each in trio.client.get("/validation/runs", params={"limit": 100}).json()["items"]}
    assert {each["run_id"] for each in made} <= listed
    for each in made:
        assert trio.client.post(f"/test-runs/{each['run_id']}/cancel").json()["status"] == "failed"


def test_runs_that_tools_create_are_spread(trio: Trio) -> None:
    params = {"name": "create_test_run", "arguments": UNCLEAR}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"Accept": "application/json, text/event-stream"}
    make_in_each(lambda: trio.client.post("/mcp", json=asked, headers=headers).json()["result"]["structuredContent"])


@pytest.fixture(scope="module")
def boxes(trio: Trio, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """A sandbox run of each worker, in order, with Slack."""
    repository = Repository(tmp_path_factory.mktemp("code") / "app", app_DOT_py=SERVES)
    sandboxes = Sandboxes(trio)
    return make_in_each(lambda: sandboxes.create(repo=str(repository.path), twins=["slack"]))


def test_sandbox_runs_are_spread_listed_and_call_their_twins(trio: Trio, boxes: list[dict[str, Any]]) -> None:
    listed = {each["run_id"]: each["status"] for each in trio.client.get("/sandbox-runs").json()["sandboxes"]}
    assert [listed[each["run_id"]] for each in boxes] == ["ready"] * WORKERS
    for each in boxes:
        variables = variables_of(each)
        token = {"Authorization": f"Bearer {variables['SLACK_BOT_TOKEN']}"}
        assert httpx.post(f"{variables['SLACK_API_URL']}/auth.test", headers=token, trust_env=False).json()["ok"]


def test_a_test_run_is_done_beside_the_sandbox_that_it_or_its_rerun_names(trio: Trio, boxes: list[Any]) -> None:
    run = trio.client.post("/test-runs", json={"prompt": "Frobnicate it.", "sandbox_id": boxes[2]["run_id"]}).json()
    path = f"/test-runs/{run['run_id']}/rerun"
    again = [trio.client.post(path, json=each).json() for each in ({}, {"sandbox_id": boxes[1]["run_id"]})]
    assert [shard_of(each["run_id"]) for each in (run, *again)] == [2, 2, 1]


def test_runs_of_a_hosted_repository_are_done_by_its_worker(trio: Trio) -> None:
    platform = Platform(trio.client)
    templates = {"templates": ["github:github_base"], "impersonateUserId": "octocat"}
    made = make_in_each(lambda: (each := platform.post("initEnv", templates)) | {"run_id": each["environmentId"]})[2]
    port = platform.post(f"env/{made['run_id']}/ports", {"twin": "github"})["url"]
    path = f"{trio.made['url']}{made['environmentUrl']}"
    name = httpx.post(f"{port}/user/repos", json={"name": "a", "auto_init": True}, trust_env=False).json()["full_name"]
    installed = trio.client.post("/validation/github/install", json={"repo": f"{path}/{name}"}).json()
    assert installed["environment_id"] == made["run_id"]
    for repo in (f"{path}/{name}", f"{port}/{name}", name):
        answer = trio.client.post("/sandbox-runs", json={"repo": repo, "branch": "none"})
        assert (answer.status_code, "branch 'none' is not in" in answer.text) == (422, True), (repo, answer.text)
    config = trio.client.get("/validation/github/config", params={"repo": name}).json()
    assert config["environment_id"] == made["run_id"]
