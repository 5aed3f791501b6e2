"""The unmodified Python SDK of Arga, sync and async: every method for twins and scenarios."""

import asyncio
import time
from datetime import datetime

import pytest
from arga_sdk import Arga, ArgaAPIError, AsyncArga

from tests.server.twin_runs.conftest import web
from tests.server_mode import change_by_hand

CONFIG = {
    "slack": {
        "users": [{"name": "Eva"}],
        "channels": [{"name": "general", "messages": ["hi", {"text": "hello", "user": "Eva"}]}],
    },
    "linear": {
        "teams": [{"key": "ENG", "name": "Engineering"}],
        "projects": [{"team_key": "ENG", "name": "Launch"}],
        "issues": [{"team_key": "ENG", "project": "Launch", "title": "Decide", "priority": 2, "assignee": "Eva"}],
    },
}
ISSUES = "{ viewer { email } issues { nodes { title assignee { email } project { name } } } }"


@pytest.fixture
def arga(live):
    with Arga(api_key="arga_sk_any", base_url=live.url) as client:
        yield client


def slack(twin, method, **asked):
    headers = {"Authorization": f"Bearer {twin.env_vars['SLACK_BOT_TOKEN']}"}
    return web.post(f"{twin.env_vars['SLACK_API_URL']}/{method}", headers=headers, json=asked).json()


def read(twin, path, token):
    headers = {"Authorization": f"Bearer {twin.env_vars[token]}"}
    return web.get(f"{twin.base_url}/{path}", headers=headers).raise_for_status().json()


def issues(twin):
    headers = {"Authorization": twin.env_vars["LINEAR_API_KEY"]}
    return web.post(twin.env_vars["LINEAR_GRAPHQL_URL"], headers=headers, json={"query": ISSUES}).json()["data"]


def test_twins_are_listed(arga):
    assert {"slack", "linear"} <= {twin.name for twin in arga.twins.list()}


def test_a_run_lives_from_provision_to_teardown(arga, live):
    run_id = arga.twins.provision(["slack", "linear"], ttl_minutes=30)["run_id"]
    status = arga.twins.get_status(run_id)
    assert (status.status, status.is_public, status.error) == ("ready", True, None)
    assert isinstance(status.expires_at, datetime)
    twin = status.twins["slack"]
    channel = slack(twin, "conversations.list")["channels"][0]["id"]
    assert slack(twin, "chat.postMessage", channel=channel, text="hi")["ok"]
    assert issues(status.twins["linear"])["viewer"]["email"] == "agent@example.com"
    extended = arga.twins.extend(run_id, ttl_minutes=45)
    ends = live.client.get(f"/twin-runs/{run_id}").json()["expires_at"]
    assert extended == {"status": "extended", "ttl_minutes": 45, "run_id": run_id, "expires_at": ends}
    assert arga.twins.reset(run_id).status == "reset_complete"
    assert arga.twins.teardown(run_id) == {"status": "cleaning_up", "run_id": run_id}
    assert arga.twins.get_status(run_id).status == "torn_down"
    gone = web.get(f"{twin.base_url}/api/auth.test")
    assert (gone.status_code, gone.json()["code"]) == (410, "environment_destroyed")
    assert gone.json()["failure"].keys() == {"code", "phase", "kind", "retryable"}
    assert gone.headers["x-arga-preview-proxy-failure"] == "1"


def test_a_saved_scenario_fills_the_twins_with_one_cast(arga):
    scenario = arga.scenarios.create("launch", seed_config=CONFIG, tags=["mine"], description="A launch")
    assert arga.scenarios.get(scenario.id).twins == ["slack", "linear"]
    assert scenario.id in [each.id for each in arga.scenarios.list(twin="slack", tag="mine")]
    run_id = arga.twins.provision(["slack", "linear"], scenario_id=scenario.id)["run_id"]
    twins = arga.twins.get_status(run_id).twins
    (issue,) = issues(twins["linear"])["issues"]["nodes"]
    assert issue == {"title": "Decide", "assignee": {"email": "eva@example.com"}, "project": {"name": "Launch"}}
    people = {member["profile"]["email"] for member in slack(twins["slack"], "users.list")["members"]}
    assert people == {"agent@example.com", "eva@example.com"}
    reset = arga.twins.reset(run_id)
    assert (reset.baseline_kind, reset.seed_results["slack"]["counts"]["messages"]) == ("scenario", 2)


def test_the_environments_of_two_scenarios_never_meet(arga):
    first, second = (arga.scenarios.create(name, seed_config=CONFIG) for name in ("one", "two"))
    mine, other = (arga.scenarios.ensure_twin_environment(each.id) for each in (first, second))
    assert arga.scenarios.ensure_twin_environment(first.id).twins["slack"].base_url == mine.twins["slack"].base_url
    channel = slack(mine.twins["slack"], "conversations.list")["channels"][0]["id"]
    assert slack(mine.twins["slack"], "chat.postMessage", channel=channel, text="only here")["ok"]
    assert len(slack(other.twins["slack"], "conversations.history", channel=channel)["messages"]) == 2
    assert {mine.id, other.id} <= {each.id for each in arga.scenarios.list_twin_environments()}
    assert arga.scenarios.reseed_twin_environment(first.id).status == "ready"
    assert len(slack(mine.twins["slack"], "conversations.history", channel=channel)["messages"]) == 2
    assert arga.scenarios.get_twin_environment(first.id).scenario_id == first.id
    assert arga.scenarios.delete_twin_environment(first.id).status == "torn_down"
    with pytest.raises(ArgaAPIError) as refused:
        arga.scenarios.get_twin_environment(first.id)
    assert refused.value.status_code == 404


def test_every_preset_is_a_world_of_every_twin_that_can_be_seeded(live, arga):
    presets = live.client.get("/scenarios/presets").json()
    assert len(presets) == 10
    for preset in presets:
        environment = arga.scenarios.ensure_twin_environment(preset["id"])
        assert {result["status"] for result in environment.seed_results.values()} == {"seeded"}
        assert environment.seed_results["slack"]["counts"]["messages"] >= 7
        assert environment.seed_results["linear"]["counts"]["issues"] >= 3
        assert environment.seed_results["stripe"]["counts"]["products"] >= 2
        assert environment.seed_results["box"]["counts"]["files"] >= 2
        assert environment.seed_results["calendar"]["counts"]["events"] >= 2


def test_the_cast_of_a_preset_is_the_same_in_every_twin(arga):
    twins = arga.scenarios.ensure_twin_environment("customer-support-portal").twins
    cast = {"nadia.haddad@example.com", "owen.clarke@example.com", "pilar.ortiz@example.com"}
    assert cast <= {member["profile"]["email"] for member in slack(twins["slack"], "users.list")["members"]}
    assert cast <= {user["login"] for user in read(twins["box"], "2.0/users", "BOX_ACCESS_TOKEN")["entries"]}
    events = read(twins["calendar"], "calendars/primary/events", "GOOGLE_CALENDAR_TOKEN")
    (call,) = (each for each in events["items"] if each["summary"] == "Call with Brightwell")
    assert (call["organizer"]["email"], call["start"]["timeZone"]) == ("owen.clarke@example.com", "Europe/Dublin")
    customers = read(twins["stripe"], "v1/customers", "STRIPE_SECRET_KEY")["data"]
    assert "Brightwell" in [each["name"] for each in customers]


def test_a_prompt_makes_the_same_world_twice_and_says_what_it_understood(live):
    prompt = "Slack with 4 users, #launch and 6 messages, and a dragon"
    asked = {"twins": ["slack"], "scenario_prompt": prompt, "ports": False}
    runs = [live.client.post("/twin-runs", json=asked).json() for _ in range(2)]
    assert runs[0]["not_understood"] == [prompt]
    assert "no rule takes 'dragon'" in runs[0]["warnings"][-1]
    assert runs[0]["generation_mode"] == "fast"
    urls = [live.client.get(f"/twin-runs/{run['run_id']}").json()["twins"]["slack"]["base_url"] for run in runs]
    worlds = [web.post(f"{url}/api/search.messages", json={"query": "the"}).json()["messages"] for url in urls]
    assert worlds[0] == worlds[1]


def test_the_async_client_does_the_same(live):
    async def work():
        async with AsyncArga(api_key="arga_sk_any", base_url=live.url) as arga:
            assert {"slack"} <= {twin.name for twin in await arga.twins.list()}
            run_id = (await arga.twins.provision(["slack"], ttl_minutes=5, public=False))["run_id"]
            status = await arga.twins.get_status(run_id)
            assert (status.status, status.is_public) == ("ready", False)
            await arga.twins.extend(run_id)
            assert (await arga.twins.reset(run_id)).baseline_kind == "seed"
            scenario = await arga.scenarios.create("async", seed_config=CONFIG)
            assert (await arga.scenarios.ensure_twin_environment(scenario.id)).status == "ready"
            await arga.twins.teardown(run_id)
            return await arga.twins.get_status(run_id)

    assert asyncio.run(work()).status == "torn_down"


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ({"twins": ["slak"]}, 400, "Did you mean 'slack'?"),
        ({"twins": []}, 422, "twins"),
        ({"twins": "slack"}, 422, "twins"),
        ({"twins": ["slack"], "ttl_minutes": 0}, 422, "ttl_minutes"),
        ({"twins": ["slack"], "ttl_minutes": 481}, 422, "ttl_minutes"),
        ({"twins": ["slack"], "public": "perhaps"}, 422, "public"),
        ({"twins": ["slack"], "scenario_id": "e-commerce-chekout"}, 404, "Did you mean 'e-commerce-checkout'?"),
        ({"twins": ["slack"], "seed_config": {"slack": {"chanels": []}}}, 422, "did you mean 'channels'?"),
        ({"twins": ["slack"], "seed_config": {"slack": {"users": [{"nam": "E"}]}}}, 422, "users[0]"),
        (
            {
                "twins": ["slack"],
                "seed_config": {"slack": {"channels": [{"name": "g", "messages": [{"text": "x", "user": "Zed"}]}]}},
            },
            422,
            "'Zed' is not among the users",
        ),
        (
            {"twins": ["linear"], "seed_config": {"linear": {"issues": [{"team_key": "ENG", "title": "T"}]}}},
            422,
            "there is no team 'ENG'",
        ),
    ],
)
def test_what_cannot_be_provisioned_is_said_in_one_text_and_nothing_is_made(live, asked, status, said):
    before = live.client.get("/api/platform/env", params={"status": "ready"}).json()["environments"]
    answer = live.client.post("/twin-runs", json=asked)
    assert answer.status_code == status, answer.text
    assert isinstance(answer.json()["detail"], str)
    assert said in answer.json()["detail"]
    after = live.client.get("/api/platform/env", params={"status": "ready"}).json()["environments"]
    assert {each["environmentId"] for each in after} <= {each["environmentId"] for each in before}


@pytest.mark.parametrize(
    ("ask", "status"),
    [
        (lambda arga: arga.twins.provision(["slak"]), 400),
        (lambda arga: arga.twins.provision(["slack"], ttl_minutes=481), 422),
        (lambda arga: arga.twins.get_status("nothing"), 404),
        (lambda arga: arga.twins.reset("nothing"), 404),
        (lambda arga: arga.scenarios.get("nothing"), 404),
        (lambda arga: arga.scenarios.create("", seed_config={"slack": {"users": 7}}), 422),
        (lambda arga: arga.scenarios.reseed_twin_environment("nothing"), 404),
    ],
)
def test_the_sdk_reads_what_is_wrong_in_one_text(arga, ask, status):
    with pytest.raises(ArgaAPIError) as refused:
        ask(arga)
    detail = refused.value.response.json()["detail"]
    assert (refused.value.status_code, str(refused.value)) == (status, f"HTTP {status}: {detail}")
    assert len(detail) > 10


def test_a_run_whose_time_is_over_has_expired(make_server, tmp_path):
    first = make_server(data_dir=str(tmp_path))
    run_id = first.client.post("/twin-runs", json={"twins": ["slack"]}).json()["run_id"]
    first.close()
    change_by_hand(str(tmp_path), f"UPDATE environments SET expires = {int((time.time() - 60) * 1_000_000)}")
    client = make_server(data_dir=str(tmp_path)).client
    run = client.get(f"/twin-runs/{run_id}").json()
    assert (run["status"], run["clock"]) == ("expired", None)
    assert client.get("/twin-runs").json()[0]["status"] == "expired"
    path = run["twins"]["slack"]["base_url"].partition("/api/env/")[2]
    gone = client.get(f"/api/env/{path}/api/auth.test")
    assert (gone.status_code, gone.json()["code"]) == (410, "environment_destroyed")
    assert client.post(f"/twin-runs/{run_id}/extend", json={}).status_code == 409


def lasts(client, run_id):
    """How many minutes a run lasts from when it was made."""
    run = client.get(f"/twin-runs/{run_id}").json()
    ends, begun = (datetime.fromisoformat(run[each].rstrip("Z")) for each in ("expires_at", "created_at"))
    return round((ends - begun).total_seconds() / 60)


@pytest.mark.parametrize(("first", "added", "whole"), [(60, 30, 90), (5, 5, 10), (300, 200, 480), (480, 60, 480)])
def test_extending_adds_minutes_to_the_end_of_a_run_up_to_480_from_now(live, first, added, whole):
    run_id = live.client.post("/twin-runs", json={"twins": ["slack"], "ttl_minutes": first}).json()["run_id"]
    for family in ("/twin-runs", "/validate/twins/provision"):
        extended = live.client.post(f"{family}/{run_id}/extend", json={"ttl_minutes": added})
        ends = live.client.get(f"/twin-runs/{run_id}").json()["expires_at"]
        assert (extended.status_code, extended.json()["expires_at"]) == (200, ends)
        assert lasts(live.client, run_id) == whole
        whole = min(whole + added, 480)


def test_the_environment_of_a_scenario_is_not_shortened_when_it_is_extended(live):
    made = live.client.post("/scenarios/e-commerce-checkout/twin-environment", json={"copy": "extended"}).json()
    live.client.post(f"/twin-runs/{made['run_id']}/extend", json={"ttl_minutes": 5}).raise_for_status()
    assert lasts(live.client, made["run_id"]) == 525_600


def test_a_run_that_has_ended_is_not_extended_locked_or_reset(live):
    run_id = live.client.post("/twin-runs", json={"twins": ["slack"]}).json()["run_id"]
    for _ in range(2):
        assert live.client.post(f"/twin-runs/{run_id}/teardown").status_code == 200
    for deed in ("extend", "lock", "reset"):
        answer = live.client.post(f"/validate/twins/provision/{run_id}/{deed}", json={})
        assert (answer.status_code, "has ended" in answer.json()["detail"]) == (409, True)
    detail = live.client.get("/twin-runs/nothing").json()["detail"]
    assert detail == "There is no run 'nothing'; `twindiff twin-runs ls` lists them"


def test_agent_runs_are_gone_and_name_what_took_their_place(live):
    answer = live.client.post("/validate/agent-run", json={})
    assert answer.status_code == 410
    assert "create_url_run" in answer.json()["detail"]
    assert "create_pr_run" in answer.json()["detail"]


def test_a_path_that_the_contract_does_not_have_is_not_found(live):
    answer = live.client.post("/validation/gitlab/install", json={})
    assert (answer.status_code, "Not Found" in answer.json()["detail"]) == (404, True)


def test_who_is_signed_in_has_no_limits(live):
    assert live.client.get("/auth/me").json()["billing_plan"] == "team"


def test_a_login_on_this_machine_is_approved_by_itself(live):
    begun = live.client.post("/auth/device/start", json={"device_name": "laptop"}).json()
    assert live.client.post("/auth/device/poll", json={"device_code": begun["device_code"]}).json()["api_key"]


def test_a_login_where_a_key_is_set_is_approved_with_that_key(make_server):
    client = make_server(api_key="the-key").client
    begun = client.post("/auth/device/start", json={}).json()
    poll = {"device_code": begun["device_code"]}
    assert client.post("/auth/device/poll", json=poll).status_code == 428
    path = begun["verification_url"].partition("/auth/")[2]
    assert "API key" in client.get(f"/auth/{path}").text
    approve = {"device_code": begun["device_code"]}
    assert client.post("/auth/device/approve", params=approve, data={"key": "wrong"}).status_code == 403
    assert client.post("/auth/device/approve", params=approve, data={"key": "the-key"}).status_code == 200
    assert client.post("/auth/device/poll", json=poll).json()["api_key"] == "the-key"
    assert client.post("/auth/device/poll", json=poll).status_code == 404
    assert client.get("/scenarios").status_code == 401
