"""Nothing that one of several workers sends for somebody else reaches the server, by whichever worker's ports."""

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
        run = Runs(trio).run(start_url=f"{site.url}/", prompt="Expect done", hosts=hosts)
    refused = [each["message"] for each in run["events_json"] if each["type"] == "refused"]
    assert [each.partition(" was refused")[0] for each in refused] == targets


def test_the_first_connection_to_a_server_is_not_passed_on_to_itself(serve: Callable[..., Serving]) -> None:
    serving = serve("--data-dir", ":memory:", "--proxy-port", "0", "--allow-host", "localhost", "--json")
    made = json.loads(serving.said)
    url = made["url"].replace("127.0.0.1", "localhost")
    with httpx.Client(proxy=made["proxyUrl"], trust_env=False, timeout=60) as client:
        answer = client.get(f"{url}/api/platform/env")
    assert (answer.status_code, "is this server itself" in answer.text) == (403, True), answer.text
