"""Who may call the twins of a run, and its admin plane."""

import httpx
import pytest

from tests.server.twin_runs.conftest import web


@pytest.fixture
def provision(live):
    def make(**asked):
        run_id = live.client.post("/twin-runs", json={"twins": ["slack", "linear"], **asked}).json()["run_id"]
        return live.client.get(f"/twin-runs/{run_id}").json()

    return make


def base(run, twin="slack"):
    return run["twins"][twin]["base_url"]


def code(answer):
    return answer.status_code, answer.json().get("code")


def test_a_public_run_needs_the_vendors_credentials_only(provision):
    assert web.get(f"{base(provision())}/api/auth.test").json()["ok"]


def test_a_private_run_needs_its_proxy_token(provision):
    run = provision(public=False)
    url, token = f"{base(run)}/api/auth.test", run["proxy_token"]
    assert code(web.get(url)) == (401, "authentication_required")
    assert code(web.get(url, params={"token": "wrong"})) == (401, "invalid_token")
    assert web.get(url, params={"token": token}).json()["ok"]
    assert web.get(url, headers={"X-Proxy-Token": token}).json()["ok"]
    assert httpx.get(url, cookies={"arga_env_proxy_token": token}).json()["ok"]


def test_the_proxy_token_in_the_query_does_not_reach_the_twin(provision):
    run = provision(public=False)
    given = {"token": run["proxy_token"], "channel": "C404"}
    answer = web.get(f"{base(run)}/api/conversations.info", params=given)
    assert answer.json()["error"] == "channel_not_found"


def test_a_lock_closes_the_public_address(live, provision):
    run = provision()
    path = f"/twin-runs/{run['run_id']}/lock"
    assert live.client.post(path).json()["status"] == "locked"
    assert live.client.post(path).json()["status"] == "already_locked"
    assert code(web.get(f"{base(run)}/api/auth.test")) == (401, "authentication_required")
    assert live.client.get(f"/twin-runs/{run['run_id']}").json()["is_public"] is False


def test_another_environment_has_no_gate_and_no_admin_plane(environment):
    env = environment()
    assert web.get(f"{env.url}/admin/state").json()["error"] == "unknown_method"


def test_the_admin_plane_asks_for_the_token_of_public_runs_too(provision):
    run = provision()
    assert code(web.get(f"{base(run)}/admin/state")) == (401, "authentication_required")
    assert web.get(f"{base(run)}/healthz").json()["status"] == "ok"


@pytest.mark.parametrize("twin", ["slack", "linear"])
def test_the_admin_plane_is_the_same_for_every_twin(provision, twin):
    run = provision()
    admin, token = run["twins"][twin]["admin_url"], {"token": run["proxy_token"]}
    state = web.get(f"{admin}/admin/state", params={**token, "full": "1"}).json()
    assert state["counts"]["users"] == len(state["tables"]["users"]) > 1
    assert web.get(f"{admin}/admin/config", params=token).json()["twin"] == twin
    before = web.get(f"{admin}/admin/clock", params=token).json()["now"]
    moved = web.post(f"{admin}/admin/clock", params=token, json={"advance": 3600}).json()
    assert moved["now"] > before
    assert web.post(f"{admin}/admin/clock", params=token, json={"advance": "soon"}).status_code == 400
    assert web.post(f"{admin}/admin/reset", params=token).json()["status"] == "reset"
    assert web.get(f"{admin}/admin/nothing", params=token).status_code == 404


def test_operations_that_the_twin_lacks_are_counted(provision):
    run = provision()
    token = {"token": run["proxy_token"]}
    web.post(f"{base(run)}/api/users.setPhoto")
    hits = web.get(f"{base(run)}/admin/stub-hits", params=token).json()
    assert hits["total_hits"] == 1
    assert "users.setPhoto" in hits["hits"][0]["operation"]


def test_a_run_is_reset_byte_for_byte(live, provision):
    run = provision()
    url, token = base(run), {"token": run["proxy_token"], "full": "1"}

    def tables():
        return web.get(f"{url}/admin/state", params=token).json()["tables"]

    def act():
        """Make a room and talk in it; the room's id."""
        room = web.post(f"{url}/api/conversations.create", json={"name": "new"}).json()["channel"]["id"]
        assert web.post(f"{url}/api/chat.postMessage", json={"channel": room, "text": "hi"}).json()["ok"]
        return room

    begun, rooms = tables(), []
    for _ in range(2):
        rooms.append(act())
        assert tables() != begun
        assert live.client.post(f"/twin-runs/{run['run_id']}/reset").json()["status"] == "reset_complete"
        assert tables() == begun
    assert rooms[0] == rooms[1]


def test_the_platform_api_works_on_the_environment_of_a_run(live, provision, platform):
    run = provision()
    environment_id = run["environment_id"]
    started = platform.post("startRun", {"envId": environment_id})["runId"]
    room = web.post(f"{base(run)}/api/conversations.list").json()["channels"][0]["id"]
    assert web.post(f"{base(run)}/api/chat.postMessage", json={"channel": room, "text": "Launch!"}).json()["ok"]
    query = 'mutation($t:String!){issueCreate(input:{teamId:$t,title:"Launch"}){success}}'
    graphql = run["twins"]["linear"]["env_vars"]["LINEAR_GRAPHQL_URL"]
    teams = web.post(graphql, json={"query": "{teams{nodes{id}}}"}).json()["data"]["teams"]["nodes"]
    made = web.post(graphql, json={"query": query, "variables": {"t": teams[0]["id"]}}).json()
    assert made["data"]["issueCreate"]["success"]
    said = {"diff_type": "added", "entity": "slack.messages", "where": {"message_text": "Launch!"}}
    tracked = {"diff_type": "added", "entity": "linear.issues", "where": {"title": "Launch"}}
    assert platform.evaluate(started, said, tracked)["passed"]
    forks = platform.post(f"env/{environment_id}/fork", {"count": 8})["environments"]
    assert len({fork["environmentId"] for fork in forks}) == 8
    fork = web.get(f"{live.url}{forks[0]['environmentUrl']}/api/auth.test")
    assert fork.json()["ok"]


def test_fifty_runs_are_isolated(live):
    runs = [live.client.post("/twin-runs", json={"twins": ["slack"]}).json() for _ in range(50)]
    for number, run in enumerate(runs):
        url = f"{live.url}/api/env/{run['environment_id']}/services/slack/api"
        assert web.post(f"{url}/conversations.create", json={"name": f"room-{number}"}).json()["ok"]
    for number, run in enumerate(runs):
        url = f"{live.url}/api/env/{run['environment_id']}/services/slack/api"
        names = [room["name"] for room in web.post(f"{url}/conversations.list").json()["channels"]]
        assert [name for name in names if name.startswith("room-")] == [f"room-{number}"]
        assert live.client.post(f"/twin-runs/{run['run_id']}/teardown").status_code == 200


def test_a_run_may_have_ports_of_its_own(live, provision):
    run = provision(ports=True)
    assert base(run) != base(run, "linear")
    assert web.get(f"{base(run)}/api/auth.test").json()["ok"]
