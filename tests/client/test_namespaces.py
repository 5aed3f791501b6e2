"""Twin runs, scenarios and twins of the client, with and without `async`."""

import asyncio
import inspect

import httpx
import pytest

from twindiff.client import AsyncClient, Client, RequestRefused

CONFIG = {
    "slack": {"users": [{"name": "Eva"}], "channels": [{"name": "general", "messages": ["hi"]}]},
    "linear": {"teams": [{"key": "ENG", "name": "Engineering"}]},
}
NAMESPACES = ("twin_runs", "scenarios", "twins", "trial_sets")


@pytest.fixture
def client(server):
    with Client(server) as client:
        yield client


def test_a_twin_run_from_creation_to_teardown(client):
    made = client.twin_runs.create(["slack", "linear"], ttl_minutes=60)
    status = client.twin_runs.get(made["run_id"])
    assert (status.status, status["status"], sorted(status.twins)) == ("ready", "ready", ["linear", "slack"])
    headers = {"Authorization": f"Bearer {status.twins.slack.env_vars['SLACK_BOT_TOKEN']}"}
    assert httpx.post(f"{status.twins.slack.env_vars.SLACK_API_URL}/auth.test", headers=headers).json()["ok"]
    assert client.twin_runs.extend(made["run_id"], ttl_minutes=30).status == "extended"
    assert client.twin_runs.lock(made["run_id"]).status == "locked"
    assert client.twin_runs.reset(made["run_id"]).status == "reset_complete"
    assert client.twin_runs.teardown(made["run_id"]).status == "cleaning_up"
    assert client.twin_runs.list(limit=1)[0].status == "torn_down"


def test_a_scenario_from_creation_to_deletion(client):
    made = client.scenarios.create("launch", seed_config=CONFIG, tags=["namespaces"])
    assert [each.id for each in client.scenarios.list(tag="namespaces")] == [made.id]
    assert client.scenarios.update(made.id, description="A launch").description == "A launch"
    run = client.twin_runs.create(["slack"], scenario_id=made.id)
    assert client.twin_runs.get(run.run_id).seed_results.slack.counts.messages == 1
    environment = client.scenarios.ensure_twin_environment(made.id)
    assert client.scenarios.get_twin_environment(made.id).run_id == environment.run_id
    assert client.scenarios.reseed_twin_environment(made.id).status == "ready"
    assert environment.run_id in [each.run_id for each in client.scenarios.list_twin_environments()]
    assert client.scenarios.delete_twin_environment(made.id).status == "torn_down"
    assert client.scenarios.delete(made.id).status == "deleted"
    with pytest.raises(RequestRefused, match="There is no scenario"):
        client.scenarios.get(made.id)


def test_copies_of_a_scenarios_environment_never_meet_and_keep_their_addresses(client):
    made = client.scenarios.create("shared", seed_config=CONFIG)
    shared, mine, other = (
        client.scenarios.ensure_twin_environment(made.id, copy=copy) for copy in (None, "eva", "ben")
    )
    assert len({shared.run_id, mine.run_id, other.run_id}) == 3
    assert (shared["copy"], mine["copy"]) == (None, "eva")
    assert client.scenarios.ensure_twin_environment(made.id, copy="eva").run_id == mine.run_id
    assert client.scenarios.get_twin_environment(made.id).run_id == shared.run_id
    headers = {"Authorization": f"Bearer {mine.twins.slack.env_vars['SLACK_BOT_TOKEN']}"}
    new = {"name": "mine"}
    assert httpx.post(f"{mine.twins.slack.base_url}/api/conversations.create", headers=headers, json=new).json()["ok"]
    assert [len(_channels(each)) for each in (shared, mine, other)] == [1, 2, 1]
    assert client.scenarios.reseed_twin_environment(made.id, copy="eva").run_id == mine.run_id
    assert len(_channels(mine)) == 1
    assert client.scenarios.delete_twin_environment(made.id, copy="eva").status == "torn_down"
    with pytest.raises(RequestRefused, match="no twin environment"):
        client.scenarios.get_twin_environment(made.id, copy="eva")
    client.scenarios.delete(made.id)
    assert [client.twin_runs.get(each.run_id).status for each in (shared, other)] == ["torn_down"] * 2


def _channels(environment):
    headers = {"Authorization": f"Bearer {environment.twins.slack.env_vars['SLACK_BOT_TOKEN']}"}
    return httpx.get(f"{environment.twins.slack.base_url}/api/conversations.list", headers=headers).json()["channels"]


def test_presets_are_scenarios_too(client):
    presets = {each.id for each in client.scenarios.presets()}
    assert "e-commerce-checkout" in presets
    assert presets <= {each.id for each in client.scenarios.list(include_presets=True)}
    assert client.scenarios.get("e-commerce-checkout").is_preset


def test_twins_are_provisioned_by_the_names_of_the_sdk(client):
    assert {"slack", "linear"} <= {twin.name for twin in client.twins.list()}
    run_id = client.twins.provision(["slack"], seed_config={"slack": CONFIG["slack"]}, public=False)["run_id"]
    assert client.twins.get_status(run_id).is_public is False
    assert client.twins.extend(run_id).ttl_minutes == 60
    assert client.twins.reset(run_id).baseline_kind == "seed"
    assert client.twins.teardown(run_id).run_id == run_id


def test_the_same_with_async(server):
    async def episode():
        async with AsyncClient(server) as client:
            run = await client.twin_runs.create(["slack", "linear"], scenario_id="e-commerce-checkout")
            status = await client.twin_runs.get(run["run_id"])
            await client.twins.teardown(run.run_id)
            return status.status, (await client.twin_runs.get(run.run_id)).status

    assert asyncio.run(episode()) == ("ready", "torn_down")


@pytest.mark.parametrize("name", NAMESPACES)
def test_both_clients_offer_the_same_methods(server, client, name):
    def shape(namespace):
        methods = {each: getattr(namespace, each) for each in dir(namespace) if each[0] != "_" and each != "client"}
        return {each: (inspect.signature(method), method.__doc__) for each, method in methods.items()}

    assert shape(getattr(client, name)) == shape(getattr(AsyncClient(server), name))


def test_a_field_that_there_is_not_is_named(client):
    with pytest.raises(AttributeError, match="no field 'run'; it has run_id, status"):
        _ = client.twin_runs.create(["slack"]).run


def test_a_refusal_has_the_servers_words(client):
    with pytest.raises(RequestRefused, match="Did you mean 'slack'"):
        client.twin_runs.create(["slak"])
