"""One server on the nodes of a Ray cluster, all on this machine; `make test-ray` runs these with Ray."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from tests.harness import Environment, Platform, texts
from twindiff.catalog.shard_ids import shard_of
from twindiff.cli.problem import CommandError

ray: Any = pytest.importorskip("ray", reason="Ray is not installed: `make test-ray` runs these in an environment of it")

NODES, SHARDS = 2, 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from tests.cluster.simulated_cluster import SimulatedCluster

    cluster = SimulatedCluster(NODES, SHARDS)
    yield cluster
    cluster.close()


@pytest.fixture(scope="module")
def all_doors(cluster: Any) -> Iterator[list[Platform]]:
    """The control plane through the ingress of each node."""
    clients = [httpx.Client(base_url=url, trust_env=False, timeout=120) for url in cluster.running.urls]
    yield [Platform(each) for each in clients]
    for each in clients:
        each.close()


@pytest.fixture(scope="module")
def environments(all_doors: list[Platform]) -> list[Environment]:
    """An environment of each shard, in order."""
    made = [all_doors[0].environment() for _ in range(SHARDS)]
    return sorted(made, key=lambda each: shard_of(each.id))


def through(door: Platform, environment: Environment) -> Environment:
    return Environment(door, environment.made)


def address_of(shard: int) -> Any:
    return ray.get(ray.get_actor(f"twindiff-shard-{shard}", "twindiff").address.remote())


def test_environments_are_spread_and_reached_through_every_node(all_doors, environments):
    assert [shard_of(each.id) for each in environments] == list(range(SHARDS))
    for door in all_doors:
        for each in environments:
            run = door.start(each)
            through(door, each).post("hi")
            assert texts(door.diff(run)) == ["hi"]


def test_lists_and_suites_are_those_of_all_shards(all_doors, environments):
    task = {"name": "t", "prompt": "p", "type": "actionEval", "environmentTemplate": "slack:slack_default"}
    wanted = {"diff_type": "added", "entity": "messages", "expected_count": 1}
    task["expected_output"] = {"assertions": [wanted]}  # type: ignore[assignment]
    suite = all_doors[0].post("testSuites", {"name": "s", "description": "d", "tests": [task]})
    for door in all_doors:
        listed = {each["environmentId"] for each in door.get("env")["environments"]}
        assert {each.id for each in environments} <= listed
        assert door.get(f"testSuites/{suite['id']}", expand="tests")["tests"][0]["name"] == "t"


def test_bodies_in_chunks_pages_and_sockets_reach_their_shard(all_doors, environments):
    headers = {"Content-Type": "application/json"}
    for door in all_doors:
        parts = (part.encode() for part in ('{"envId": "', environments[-1].id, '"}'))
        assert door.client.post("/api/platform/startRun", content=parts, headers=headers).status_code == 201
        assert door.client.get(f"/inspect/environments/{environments[-1].id}").status_code == 200
        opened = through(door, environments[-1]).slack("apps.connections.open", token="xapp-1")
        with connect(opened["url"]) as socket:
            assert json.loads(socket.recv(timeout=30))["type"] == "hello"


def test_no_webhook_reaches_a_shard_or_an_ingress_of_this_machine(cluster, all_doors, environments):
    own = [f"http://localhost:{address_of(shard).port}" for shard in range(SHARDS)]
    for url in (*cluster.running.urls, *own):
        for each in environments:
            refused = all_doors[0].ask("POST", f"env/{each.id}/webhooks", {"twin": "slack", "url": f"{url}/x"})
            assert (refused.status_code, "is this server itself" in refused.text) == (400, True), (url, refused.text)


def test_another_number_of_shards_is_refused(cluster):
    from twindiff.cli.cluster.launch import start_cluster

    with pytest.raises(CommandError, match=rf"{SHARDS} shards runs .*, not 5, .*`twindiff ray down`"):
        start_cluster(cluster.settings, 5, "127.0.0.1", 0)


def test_a_killed_shard_comes_back_with_what_was_acknowledged(all_doors, environments):
    environments[1].post("before")
    os.kill(address_of(1).pid, signal.SIGKILL)
    assert read_newest(all_doors[1], environments[1]) == "before"


def ask_until_answered(ask: Callable[[], Any]) -> Any:
    """Ask again, as clients do, where the connection ended with the process behind it."""
    while True:
        with suppress(httpx.TransportError):
            return ask()


def ask_until_lost(door: Platform, environment: Environment) -> httpx.Response:
    """Ask until the processes of a node have noticed that it has ended, which takes Ray a moment."""
    while (answer := ask_until_answered(lambda: door.client.get(f"/api/platform/env/{environment.id}"))).is_success:
        continue
    return answer


def read_newest(door: Platform, environment: Environment) -> str:
    said = through(door, environment)
    history = ask_until_answered(lambda: said.slack("conversations.history", channel="C01ABCD1234"))
    return history["messages"][0]["text"]


def test_a_node_that_ends_takes_its_own_environments_only_and_says_so(cluster, all_doors, environments):
    nodes = [address_of(shard).node for shard in range(SHARDS)]
    ids = sorted(each["NodeID"][:8] for each in ray.nodes())  # the order of the ingresses
    ended = cluster.end_a_node()
    lost = [each for each, node in zip(environments, nodes, strict=True) if ended in node]
    rest = [each for each in environments if each not in lost]
    door = next(door for door, id in zip(all_doors, ids, strict=True) if id != ended)
    for each in rest:
        assert read_newest(door, each)
    for each in lost:
        answer = ask_until_lost(door, each)
        assert (answer.status_code, answer.json()["error"]) == (410, "environment_lost")
        assert "has ended" in answer.json()["detail"]
    assert {shard_of(door.environment().id) for _ in range(4)} == {shard_of(each.id) for each in rest}
