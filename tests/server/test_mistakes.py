"""What the server does when we are wrong, when it is too busy, and when a twin is gone."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.harness import Platform
from twindiff.environments.environments import EnvironmentRequest
from twindiff.environments.registry import Registry
from twindiff.kit import Call, Column, Operations, Response, Row, Twin, not_modified
from twindiff.kit.http import json_answer
from twindiff.kit.styles.base import Style
from twindiff.server import Gateway, Service, Settings
from twindiff.server.gateway import MAX_IN_FLIGHT, MAX_IN_FLIGHT_PER_ENVIRONMENT
from twindiff.twins.linear.workspace.style import LinearStyle


class Thing(Row, table="things", key=("thing_id",)):
    thing_id: Column[str]


def make(call: Call, thing_id: str) -> dict[str, str]:
    """Make a thing."""
    return {"id": call.db.add(Thing(thing_id=thing_id)).thing_id}


def fail(call: Call) -> None:
    """Make a thing and then make a mistake."""
    call.db.add(Thing(thing_id="half"))
    raise RuntimeError("a mistake of ours")


def nothing(call: Call) -> dict[str, str]:
    """Say what is not said."""
    return {"what": "nothing"}


def unchanged(call: Call) -> Response | None:
    """Say that there is no news."""
    return not_modified("*", '"1"')


@pytest.fixture
def things(tmp_path):
    """A twin of things, one of whose operations has a mistake."""
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    (seeds / "things_base.json").write_text("{}")
    api = Operations()
    api.post("/things")(make)
    api.post("/fail")(fail)
    api.post("/nothing", status=204)(nothing)
    api.post("/unchanged")(unchanged)
    return Twin("things", Style(), api, tables=(Thing,), seeds=seeds)


def test_a_mistake_in_a_handler_answers_500_writes_nothing_and_is_logged(make_server, things):
    platform = Platform(make_server(Registry([things])).client)
    env = platform.environment("things:things_base", user="anyone")
    answer = env.ask("fail")
    assert (answer.status_code, answer.json()["error"]) == (500, "internal_error")
    assert "mistake" not in answer.text
    assert platform.get(f"env/{env.id}")["seq"] == 0
    (call,) = platform.get(f"env/{env.id}/calls")["calls"]
    assert (call["status"], call["error"]) == (500, "internal_error")


class Shouting(Style):
    """A vendor that shouts."""

    def error(self, error, exchange=None):
        return json_answer({"SHOUT": error.code.upper(), "at": exchange and exchange.operation.name})


def test_mistakes_and_bodies_that_are_too_large_are_told_as_the_vendor_tells_errors(make_server, things):
    things.style = Shouting()
    platform = Platform(make_server(Registry([things])).client)
    env = platform.environment("things:things_base", user="anyone")
    mistake, large = env.ask("fail"), env.ask("things", content=b"x" * 1_000_001)
    assert (mistake.status_code, mistake.json()) == (500, {"SHOUT": "INTERNAL_ERROR", "at": "POST /fail"})
    assert (large.status_code, large.json()) == (413, {"SHOUT": "BODY_TOO_LARGE", "at": "POST /things"})


def test_linear_tells_a_mistake_outside_a_graphql_field_as_an_internal_server_error(make_server, things):
    things.style = LinearStyle()
    env = Platform(make_server(Registry([things])).client).environment("things:things_base", user="anyone")
    answer = env.ask("fail")
    told = answer.json()["errors"][0]["extensions"]
    assert (answer.status_code, told["code"], told["type"]) == (500, "INTERNAL_SERVER_ERROR", "internal error")
    assert (told["statusCode"], told["userError"]) == (500, False)


def test_answers_that_have_no_body_have_none_on_the_wire(make_server, things):
    platform = Platform(make_server(Registry([things])).client)
    env = platform.environment("things:things_base", user="anyone")
    for path in ("nothing", "unchanged"):
        answer = env.ask(path)
        assert (answer.content, answer.headers.get("content-type")) == (b"", None)
    assert answer.headers["ETag"] == '"1"'


def test_after_a_mistake_the_environment_goes_on(make_server, things):
    platform = Platform(make_server(Registry([things])).client)
    env = platform.environment("things:things_base", user="anyone")
    run = platform.start(env)
    env.ask("fail")
    assert env.ask("things", json={"thing_id": "whole"}).json() == {"id": "whole"}
    assert [row["thing_id"] for row in platform.diff(run, include="all")["inserts"]] == ["whole"]


def test_environments_of_a_twin_that_is_no_longer_installed_say_so(make_server, things, tmp_path):
    slack = Registry.load_installed().get("slack")
    data_dir = str(tmp_path / "data")
    first = make_server(Registry([things, slack]), data_dir=data_dir)
    platform = Platform(first.client)
    env = platform.environment("things:things_base", user="anyone")
    run = platform.start(env)
    env.ask("things", json={"thing_id": "one"})
    first.close()
    after = Platform(make_server(Registry([slack]), data_dir=data_dir).client)
    answer = after.client.post(f"{env.made['environmentUrl']}/things", json={"thing_id": "two"})
    assert (answer.status_code, answer.json()["error"]) == (400, "unknown_twin")
    assert after.refusal("POST", "diffRun", {"runId": run}) == (400, "unknown_twin")
    template = {"templateId": template_of(after, "things"), "impersonateUserId": "anyone"}
    assert after.refusal("POST", "initEnv", template) == (400, "unknown_twin")
    assert after.environment().post("Slack goes on")


def template_of(platform, service):
    (template,) = [each["id"] for each in platform.get("templates")["templates"] if each["service"] == service]
    return template


def test_two_twins_share_one_journal_and_one_diff(make_server, things):
    platform = Platform(make_server(Registry([things, Registry.load_installed().get("slack")])).client)
    env = platform.environment(templates=["slack:slack_default", "things:things_base"])
    run = platform.start(env)
    env.post("hello")
    env.ask("things", twin="things", json={"thing_id": "one"})
    inserts = platform.diff(run)["inserts"]
    assert [(row["__twin__"], row["__table__"]) for row in inserts] == [("slack", "messages"), ("things", "things")]
    assert [each["twin"] for each in platform.get(f"env/{env.id}/journal")["records"]] == ["slack", "things"]
    spec = {"diff_type": "added", "entity": "things.things", "where": {"thing_id": "one"}}
    assert platform.evaluate(run, spec)["passed"]


def scope(path):
    headers = [(b"host", b"localhost"), (b"content-length", b"2")]
    return {"type": "http", "method": "POST", "path": path, "scheme": "http", "query_string": b"", "headers": headers}


async def answers_while_waiting(path: str, waiting: int, asked: list[str]) -> list[dict[str, Any]]:
    """What a server says to requests that come while so many to one path wait for their bodies."""
    service = Service(Settings())
    gateway = Gateway(service)
    if "{env}" in path:
        created = service.templates.find_named("slack", "slack_default")
        env = service.environments.create(
            EnvironmentRequest([created], user_id="U01AGENBOT9")
        ).environment.environment_id
        path, asked = path.format(env=env), [each.format(env=env) for each in asked]
    sent: list[dict[str, Any]] = []

    async def never() -> dict[str, Any]:
        return await asyncio.get_running_loop().create_future()

    async def body() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}"}

    async def send(message):
        sent.append(message)

    tasks = [asyncio.create_task(gateway(scope(path), never, send)) for _ in range(waiting)]
    await asyncio.sleep(0)
    for each in asked:
        await gateway(scope(each), body, send)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    service.close()
    return sent


def test_a_server_with_too_much_in_flight_asks_to_come_again():
    path = "/api/platform/initEnv"
    start, body = asyncio.run(answers_while_waiting(path, MAX_IN_FLIGHT, [path]))
    assert (start["status"], json.loads(body["body"])["error"]) == (503, "overloaded")
    assert (b"retry-after", b"1") in start["headers"]


def test_who_floods_one_environment_leaves_room_for_others():
    path, other = "/api/env/{env}/services/slack/api/auth.test", "/api/platform/evaluateRun"
    sent = asyncio.run(answers_while_waiting(path, MAX_IN_FLIGHT_PER_ENVIRONMENT, [path, other]))
    answered = [(start["status"], json.loads(body["body"])["error"]) for start, body in batched(sent)]
    assert answered == [(429, "crowded_environment"), (400, "validation_error")]


def batched(sent):
    return list(zip(sent[::2], sent[1::2], strict=True))


def test_a_costly_regex_holds_nobody_up(platform, environment):
    env = environment()
    run = platform.start(env)
    env.post("a" * 40 + "b")
    spec = {"diff_type": "added", "entity": "messages", "where": {"message_text": {"regex": "(a+)+$"}}}
    answered = 0
    with ThreadPoolExecutor(1) as pool:
        judging = pool.submit(platform.evaluate, run, spec)
        while not judging.done():
            answered += platform.get("health")["status"] == "healthy"
    assert judging.result()["status"] == "failed"
    assert answered > 10
