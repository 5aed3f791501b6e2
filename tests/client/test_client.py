"""The client: what it sends again, what it makes of refusals, what it deletes; with and without `async`."""

import asyncio
import inspect

import httpx
import msgspec
import pytest

from tests.harness import AGENT, GENERAL
from twindiff import client as clients
from twindiff.client import (
    AsyncClient,
    AsyncEnvironment,
    AsyncRun,
    Client,
    Environment,
    RequestRefused,
    Run,
    Unreachable,
)
from twindiff.client.request_specs import OPTIONS
from twindiff.client.sync_client import Platform
from twindiff.client.transport import is_secured
from twindiff.kit.binding import bind
from twindiff.server.apis.platform.environments import init_env

ADDED = [{"diff_type": "added", "entity": "messages", "expected_count": 1}]


@pytest.fixture
def client(server):
    with Client(server) as client:
        yield client


def post(base_url, token, text):
    headers = {"Authorization": f"Bearer {token}"}
    body = {"channel": GENERAL, "text": text}
    answer = httpx.post(f"{base_url}/chat.postMessage", json=body, headers=headers, trust_env=False).json()
    assert answer["ok"], answer


def said(diff):
    return [row["message_text"] for row in diff["inserts"]]


def test_a_whole_episode(client):
    with client.create("slack:slack_default", user=AGENT) as env:
        run = env.run()
        post(env.url(), env.token, "hello")
        assert said(run.diff()) == ["hello"]
        assert run.evaluate(ADDED).passed
        assert run.result().status == "passed"
    assert env.show().status == "deleted"


def test_points(client):
    with client.create("slack:slack_default", user=AGENT) as env:
        post(env.url(), env.token, "one")
        assert env.checkpoint("one").seq == env.seq() == 1
        post(env.port("slack"), env.token, "two")
        forks = env.forks(3, at="one")
        assert [said(fork.diff()) for fork in forks] == [["one"]] * 3
        assert (env.rewind("one"), env.reset()) == (3, 4)
        assert said(env.diff("one", 2)) == ["two"]
        assert [each.name for each in env.checkpoints()] == ["one"]
        assert env.delete_checkpoint("one").seq == 1
        assert [record.operation for record in env.journal(2)] == ["rewind", "rewind"]


def test_what_there_is_can_be_listed(client):
    with client.create("slack:slack_default", user=AGENT, name="mine") as env:
        post(env.url(), env.token, "one")
        assert client.environments("ready", 1)[0].name == "mine"
        assert client.environment(env.id).service == "slack"
        assert [call.operation for call in env.calls()] == ["chat.postMessage"]
    assert "slack_default" in [template.name for template in client.templates()]


def test_the_same_with_async(server):
    async def episode():
        async with AsyncClient(server) as client, await client.create("slack:slack_default", user=AGENT) as env:
            run = await env.run()
            post(env.url(), env.token, "one")
            fork = await env.fork(at=0)
            assert (said(await run.diff()), said(await fork.diff())) == (["one"], [])
            assert (await run.evaluate(ADDED)).passed
            await env.checkpoint("x")
            return env, await env.rewind("x"), await env.seq(), [each.name for each in await env.checkpoints()]

    env, *rest = asyncio.run(episode())
    assert rest == [2, 2, ["x"]]
    with Client(server) as client:
        assert client.environment(env.id).show().status == "deleted"


@pytest.mark.parametrize(("one", "other"), [(Client, AsyncClient), (Environment, AsyncEnvironment), (Run, AsyncRun)])
def test_both_clients_do_the_same(one, other):
    def shape(kind):
        methods = inspect.getmembers(kind, inspect.isfunction)
        return {name: list(inspect.signature(method).parameters) for name, method in methods if name[0] != "_"}

    assert shape(one) == shape(other)


def test_a_refusal_has_the_servers_words(client):
    with pytest.raises(RequestRefused, match="Did you mean 'slack_default'") as refused:
        client.create("slack:slack_defualt", user=AGENT)
    assert (refused.value.status, refused.value.code) == (400, "template_not_found")


def test_an_option_that_there_is_not_is_refused(client):
    with pytest.raises(TypeError, match=r"has no option 'usr'. Did you mean 'user'\?"):
        client.create("slack:slack_default", usr="U02JOHNDOE1")


def test_every_field_of_init_env_can_be_given():
    fields = {field.encode_name for field in msgspec.structs.fields(bind(init_env, "camel").contract)}
    own = {"templates", "impersonateUserId", "impersonateEmail", "ttlSeconds", "clock", "name"}
    assert {*OPTIONS, *own} == fields


def test_the_platform_key_opens_the_server(make_server):
    url = make_server(api_key="secret").url
    with Client(url, "secret") as client, Client(url) as stranger:
        assert client.environments() == []
        with pytest.raises(RequestRefused, match="missing api key"):
            stranger.environments()


class Network:
    """A network that gives each answer once, in order, and remembers what was asked and how long it was waited."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []
        self.waited = []
        transport = httpx.MockTransport(self.answer)
        self.client = Client("http://twindiff.test", transport=transport, sleep=self.waited.append)

    def answer(self, request):
        self.asked.append(f"{request.method} {request.url.path}")
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, headers = answer if isinstance(answer, tuple) else (answer, {})
        return httpx.Response(status, headers=headers, json={"environments": []} if status < 300 else {"error": "busy"})


@pytest.mark.parametrize("trouble", [502, 503, 504, httpx.ConnectError("no"), httpx.ReadTimeout("late")])
def test_a_reading_request_is_tried_again(trouble):
    network = Network(trouble, trouble, 200)
    assert network.client.environments() == []
    assert network.asked == ["GET /api/platform/env"] * 3
    assert network.waited == [0.1, 0.2]


def test_the_server_says_how_long_to_wait_within_reason():
    network = Network((503, {"Retry-After": "1"}), (503, {"Retry-After": "3600"}), (503, {"Retry-After": "soon"}), 200)
    network.client.environments()
    assert network.waited == [1.0, 5.0, 0.4]


def test_what_would_happen_twice_is_sent_once():
    network = Network(503)
    with pytest.raises(RequestRefused):
        network.client.create("slack:slack_default", user=AGENT)
    assert network.asked == ["POST /api/platform/initEnv"]


def test_a_run_that_is_judged_once_is_sent_once():
    network = Network(503)
    with pytest.raises(RequestRefused):
        Run(network.client, "r", once=True).diff()
    assert network.waited == []


def test_a_refusal_is_not_tried_again():
    network = Network(404)
    with pytest.raises(RequestRefused):
        network.client.environments()
    assert network.waited == []


def test_trying_ends():
    network = Network(*[httpx.ConnectError("refused")] * 4)
    with pytest.raises(Unreachable, match=r"Nothing answers at http://twindiff\.test"):
        network.client.environments()
    assert len(network.asked) == 4


def test_what_is_no_twindiff_server_is_named_as_such():
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text="<html>"))
    with (
        Client("http://twindiff.test", transport=transport) as client,
        pytest.raises(RequestRefused, match="no Twindiff server"),
    ):
        client.environments()


def test_the_client_imports_nothing_of_the_rest():
    modules = {getattr(clients, name).__module__ for name in dir(clients) if name[0].isupper()}
    assert all(name.startswith("twindiff.client.") for name in modules)
    assert issubclass(Client, Platform)


def test_certificates_are_checked_when_any_address_is_secured():
    assert is_secured("http://127.0.0.1:8000/a", "https://twins.example/b")
    assert not is_secured("http://127.0.0.1:8000/a")
