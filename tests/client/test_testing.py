"""Test runs, saved tests, sandbox runs and older runs of the client, with and without `async`."""

import asyncio
import inspect

import httpx
import pytest

from tests.sandbox_runs.conftest import SERVES, Repository
from tests.test_runs.site import Site
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.client import AsyncClient, Client, RequestRefused

NAMESPACES = ("test_runs", "tests", "sandbox_runs", "runs")
STEPS = {"steps": [{"action": "expect", "expect": {"type": "visible", "selector": "body"}}]}


@pytest.fixture(scope="module", autouse=True)
def _browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def site():
    served = Site()
    yield served.url
    served.close()


@pytest.fixture
def client(server):
    with Client(server) as client:
        yield client


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "shop", app_DOT_py=SERVES)


def test_a_test_run_is_created_waited_for_listed_and_repeated(client, site):
    run = client.test_runs.create(start_url=site, test_config=STEPS)
    detail = client.test_runs.wait(run.id, timeout=60, poll_interval=0.1)
    assert (detail.status, [result.passed for result in detail.results_json]) == ("completed", [True])
    assert run.id in [each.id for each in client.test_runs.list()]
    again = client.test_runs.rerun(run.id)
    assert client.test_runs.wait(again.id, poll_interval=0.1).source_run_id == run.id
    name = next(each for each in detail.artifacts if each.endswith(".png"))
    assert client.test_runs.artifact(run.id, name).startswith(b"\x89PNG")


def test_a_run_is_configured_told_something_and_cancelled(client, site):
    asks = {"steps": [{"action": "ask_user_question", "value": "Which colour?"}]}
    run = client.test_runs.create(start_url=site, test_config=asks)
    assert client.test_runs.configure(run.id, STEPS).test_config.steps[0].action == "expect"
    assert client.test_runs.message(run.id, "red").status == "accepted"
    assert client.test_runs.cancel(run.id).id == run.id


def test_a_saved_test_from_its_creation_to_its_deletion(client, site):
    made = client.tests.create("opens", test_config=STEPS, start_url=site, repo_full_name="acme/saved", tags=["page"])
    assert [each.id for each in client.tests.list(repo_full_name="acme/saved")] == [made.id]
    assert client.tests.update(made.id, description="It opens").description == "It opens"
    run = client.tests.run(made.id, start_url=site)
    assert client.test_runs.wait(run.id, poll_interval=0.1).status == "completed"
    assert client.tests.get(made.id).name == "opens"
    assert client.tests.delete(made.id).status == "deleted"
    with pytest.raises(RequestRefused, match="There is no test"):
        client.tests.get(made.id)


def test_a_sandbox_run_from_its_creation_to_its_deletion(client, repository):
    sandbox = client.sandbox_runs.create(repo=str(repository.path), branch="main", twins=["slack"], ttl_minutes=60)
    detail = client.sandbox_runs.wait(sandbox.sandbox_id)
    assert httpx.get(detail.app_url, trust_env=False).json()["SLACK_BOT_TOKEN"] == detail.env_vars.SLACK_BOT_TOKEN
    assert "output" in [each.type for each in client.sandbox_runs.logs(sandbox.sandbox_id).logs]
    assert sandbox.sandbox_id in [each.sandbox_id for each in client.sandbox_runs.list()]
    assert client.sandbox_runs.delete(sandbox.sandbox_id).status == "deleted"


def test_a_run_of_an_address_is_waited_for_and_streamed(client, site):
    run = client.runs.create_url_run(url=site, credentials={"email": "test@example.com", "password": "pass"})
    events = list(client.runs.stream_results(run.run_id))
    assert client.runs.wait(run.run_id, poll_interval=0.1).status == "completed"
    assert events[-1].data["status"] == "completed"
    numbers = [int(each.id) for each in events]
    assert numbers == sorted(numbers)
    assert client.runs.get(run.run_id).status == client.test_runs.get(run.run_id).status


def test_the_same_with_async(server, site):
    async def episode():
        async with AsyncClient(server) as client:
            run = await client.runs.create_url_run(site)
            events = [event async for event in client.runs.stream_results(run.run_id)]
            other = await client.test_runs.create(start_url=site, test_config=STEPS)
            detail = await client.test_runs.wait(other.id, timeout=60, poll_interval=0.1)
            runs = await client.test_runs.list()
            return events[-1].data["status"], detail.status, other.id in [each.id for each in runs]

    assert asyncio.run(episode()) == ("completed", "completed", True)


def test_waiting_ends(client, site):
    asks = {"steps": [{"action": "ask_user_question", "value": "Which colour?"}]}
    run = client.test_runs.create(start_url=site, test_config=asks)
    with pytest.raises(TimeoutError, match="is still"):
        client.test_runs.wait(run.id, timeout=0)
    client.test_runs.cancel(run.id)


def test_a_run_that_there_is_not_is_refused(client):
    for ask in (client.test_runs.get, client.runs.get, client.sandbox_runs.get, client.runs.cancel):
        with pytest.raises(RequestRefused, match="There is no"):
            ask("nothing")
    with pytest.raises(RequestRefused, match="There is no run"):
        list(client.runs.stream_results("nothing"))


@pytest.mark.parametrize("name", NAMESPACES)
def test_both_clients_offer_the_same_methods(server, client, name):
    def shape(namespace):
        methods = {each: getattr(namespace, each) for each in dir(namespace) if each[0] != "_" and each != "client"}
        return {each: [*inspect.signature(method).parameters.values()] for each, method in methods.items()}

    assert shape(getattr(client, name)) == shape(getattr(AsyncClient(server), name))
