"""The addresses of a run's twins: ports of their own by default, which outlive the server's process."""

import socket
from datetime import UTC, datetime

import httpx
import pytest

from tests.harness import LiveServer, succeeded
from twindiff.catalog.shard_ids import shard_of
from twindiff.server import Settings
from twindiff.server.ports import MAX_PORTS

TWINS = ["slack", "stripe", "linear", "box", "calendar"]


def make(server, **asked):
    made = succeeded(server.client.post("/twin-runs", json={"twins": TWINS, "wait_seconds": 60, **asked}))
    return made["run_id"]


def read(server, run_id):
    return succeeded(server.client.get(f"/twin-runs/{run_id}"))


def addresses(run, name="base_url"):
    return {twin: each[name] for twin, each in run["twins"].items()}


def is_slack(url):
    return httpx.get(f"{url}/api/auth.test", trust_env=False).json()["ok"]


def test_the_twins_of_a_run_have_addresses_without_a_path_and_with_one(make_server):
    server = make_server()
    run = read(server, make(server))
    assert all(httpx.URL(url).path == "/" for url in addresses(run).values())
    assert len(set(addresses(run).values())) == len(TWINS)
    assert is_slack(run["twins"]["slack"]["base_url"])
    assert is_slack(run["twins"]["slack"]["path_url"])


@pytest.mark.parametrize(
    ("asked", "headers"), [({"ports": False}, {}), ({}, {"Host": "twins.example.com"})], ids=["asked", "elsewhere"]
)
def test_a_run_has_paths_if_it_asks_for_them_or_is_made_from_another_machine(make_server, asked, headers):
    server = make_server(api_key="key") if headers else make_server()
    headers = {**headers, "Authorization": "Bearer key"} if headers else {}
    made = server.client.post("/twin-runs", json={"twins": ["slack"], **asked}, headers=headers).json()
    run = server.client.get(f"/twin-runs/{made['run_id']}", headers=headers).json()
    assert addresses(run) == addresses(run, "path_url")


def test_ports_are_those_from_before_a_restart_without_anybody_asking_for_them(tmp_path):
    first = LiveServer(Settings(data_dir=str(tmp_path)))
    run_id = make(first)
    before = read(first, run_id)
    first.close()
    second = LiveServer(Settings(data_dir=str(tmp_path)))
    try:
        assert is_slack(before["twins"]["slack"]["base_url"])
        assert addresses(read(second, run_id)) == addresses(before)
    finally:
        second.close()


def test_a_port_that_another_program_has_taken_is_replaced_and_the_run_says_so(tmp_path):
    first = LiveServer(Settings(data_dir=str(tmp_path)))
    run_id = make(first)
    before = read(first, run_id)["twins"]["slack"]["base_url"]
    first.close()
    with socket.create_server(("127.0.0.1", httpx.URL(before).port)):
        second = LiveServer(Settings(data_dir=str(tmp_path)))
        run = read(second, run_id)
        page = second.client.get(run["dashboard_url"]).text
        second.close()
    now = run["twins"]["slack"]["base_url"]
    assert now != before
    (warning,) = run["warnings"]
    assert f"slack: another program had port {httpx.URL(before).port}" in warning
    assert f"the twin is now at {now}" in warning
    assert f"another program had port {httpx.URL(before).port}" in page


def test_the_port_of_an_ended_run_says_so_until_others_need_the_room(make_server):
    server = make_server()
    run_id = make(server)
    url = read(server, run_id)["twins"]["slack"]["base_url"]
    succeeded(server.client.post(f"/twin-runs/{run_id}/teardown"))
    assert httpx.get(f"{url}/api/auth.test", trust_env=False).status_code == 410
    assert server.on_loop(lambda: server.service.ports.has_room(MAX_PORTS // 2))


def test_a_run_that_finds_no_free_port_has_paths_and_says_so(make_server):
    server = make_server()
    first = make(server)
    environment = read(server, first)["environment_id"]
    forks = server.client.post(f"/api/platform/env/{environment}/fork", json={"count": 25}).json()["environments"]
    for fork in forks:
        for twin in TWINS:
            port = {"twin": twin}
            succeeded(server.client.post(f"/api/platform/env/{fork['environmentId']}/ports", json=port))
    each_worker = (succeeded(server.client.post("/twin-runs", json={"twins": ["slack"]})) for _ in range(100))
    made = next(each for each in each_worker if shard_of(each["run_id"]) == shard_of(first))  # whose ports are taken
    assert "have a path" in made["warnings"][0]
    assert addresses(read(server, made["run_id"])) == addresses(read(server, made["run_id"]), "path_url")


def test_the_clock_of_starter_worlds_and_of_scenarios_is_the_real_one(make_server):
    server = make_server()
    for asked in ({}, {"scenario_id": "e-commerce-checkout"}):
        clock = read(server, make(server, **asked))["clock"]
        assert (clock["mode"], clock["now"][:4]) == ("real", str(datetime.now(UTC).year))
