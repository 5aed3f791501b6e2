"""Export and import over HTTP: who may, what is answered, and what a crash leaves."""

import gzip
import http.client
import json
import subprocess
import sys

import pytest

from tests.harness import Environment, Platform, texts
from tests.server_mode import embedded_only
from twindiff.environments.environments import KEPT_AFTER_EXPIRY
from twindiff.environments.transfer.format import MAX_FILE_BYTES

LINEAR_AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"


def exported(env: Environment) -> bytes:
    answer = env.platform.ask("GET", f"env/{env.id}/export")
    assert answer.status_code == 200, answer.text
    return answer.content


def imported(platform: Platform, file: bytes, **query) -> Environment:
    answer = platform.ask("POST", "env/import", content=file, params=query)
    assert answer.status_code == 201, answer.text
    return Environment(platform, answer.json())


def test_an_export_is_a_file_with_a_name(environment):
    env = environment()
    answer = env.platform.ask("GET", f"env/{env.id}/export")
    assert answer.headers["content-type"] == "application/gzip"
    assert answer.headers["content-disposition"] == f'attachment; filename="{env.id}.jsonl.gz"'
    assert json.loads(gzip.decompress(answer.content).splitlines()[0])["environment"] == env.id


def test_an_import_answers_what_every_creation_answers(make_server):
    platform = Platform(make_server().client)  # elsewhere others may have named a template of the same content
    env = platform.environment()
    made = imported(platform, exported(env)).made
    assert made.keys() == env.made.keys()
    assert made["environmentUrl"] == f"/api/env/{made['environmentId']}/services/slack"
    assert made["agentToken"].startswith("tda_")
    assert made["templateSchema"] == env.made["templateSchema"]


def test_an_imported_environment_works_with_its_new_token_only(platform, environment):
    env = environment()
    env.post("one")
    arrived = imported(platform, exported(env), name="arrived", ttlSeconds=60)
    arrived.post("two")
    assert texts(platform.get(f"env/{arrived.id}/diff")["diff"]) == ["one", "two"]
    assert arrived.ask("auth.test", token=env.token).status_code == 403
    assert platform.get(f"env/{arrived.id}")["name"] == "arrived"


def test_an_environment_of_several_twins_travels(platform, environment):
    env = environment(templates=["slack:slack_default", "linear:linear_default"], tokens={"lin_api": LINEAR_AGENT})
    team = asked(env, "{ teams { nodes { id } } }")["teams"]["nodes"][0]["id"]
    asked(env, 'mutation($team: String!) { issueCreate(input: {teamId: $team, title: "x"}) { success } }', team=team)
    env.post("one")
    arrived = imported(platform, exported(env))
    diffs = [platform.get(f"env/{each.id}/diff", include="all")["diff"] for each in (env, arrived)]
    assert diffs[0] == diffs[1]
    assert {row["__twin__"] for row in diffs[1]["inserts"]} == {"linear", "slack"}
    arrived.post("two")
    assert platform.get(f"env/{arrived.id}")["seq"] == 3


def asked(env: Environment, query: str, **variables):
    body = {"query": query, "variables": variables}
    return env.ask("graphql", twin="linear", token="lin_api", json=body).json()["data"]


def test_a_strict_environment_stays_strict(platform, environment):
    env = environment(auth="strict", tokens={"xoxp-john": "U02JOHNDOE1"})
    arrived = imported(platform, exported(env))
    assert arrived.slack("auth.test", token="xoxp-john")["error"] == "invalid_auth"
    assert arrived.slack("auth.test")["user_id"] == "U01AGENBOT9"


@pytest.mark.parametrize(
    ("given", "problem"),
    [("ids", (400, "invalid_environment_id")), ("0" * 32, (404, "environment_not_found"))],
)
def test_only_what_is_there_can_be_exported(platform, given, problem):
    assert platform.refusal("GET", f"env/{given}/export") == problem


@pytest.mark.parametrize(("name", "value"), [("ttlSeconds", "-1"), ("ttlSeconds", "soon"), ("ttlSeconds", 10**9)])
def test_a_wrong_parameter_is_refused(platform, environment, name, value):
    file = exported(environment())
    assert platform.refusal("POST", "env/import", content=file, params={name: value}) == (400, "validation_error")


def test_a_body_that_is_too_large_is_refused_before_it_comes(platform):
    url = platform.client.base_url
    connection = http.client.HTTPConnection(url.host, url.port, timeout=120)
    connection.request("POST", "/api/platform/env/import", headers={"Content-Length": str(MAX_FILE_BYTES + 1)})
    assert connection.getresponse().status == 413
    connection.close()


def test_an_agent_can_neither_export_nor_import(environment):
    env = environment()
    headers = {"Authorization": f"Bearer {env.token}"}
    assert env.platform.refusal("GET", f"env/{env.id}/export", headers=headers) == (403, "unauthorized")
    assert env.platform.refusal("POST", "env/import", headers=headers, content=b"x") == (403, "unauthorized")


def test_the_platform_key_is_needed(make_server):
    server = make_server(api_key="k")
    env = Platform(server.client, "k").environment()
    stranger = Platform(server.client)
    assert stranger.refusal("GET", f"env/{env.id}/export") == (401, "missing_api_key")
    assert stranger.refusal("POST", "env/import", content=b"x") == (401, "missing_api_key")
    assert imported(env.platform, exported(env)).id != env.id


CRASH = """
import os, sys
from twindiff.server import Service, Settings

service = Service(Settings(data_dir=sys.argv[1]))
carried = service.transfer.read(sys.stdin.buffer.read())
steps = service.transfer.import_contents(carried, service.calls.log, name=None, ttl_seconds=9)
for _ in range(int(sys.argv[2])):
    next(steps)()
os._exit(9)
"""


@embedded_only("PostgreSQL writes it in one transaction")
@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_what_a_crash_leaves_of_an_import_is_never_usable_and_goes_away(make_server, tmp_path, steps, environment):
    env = environment()
    for number in range(300):
        env.post(str(number))
    command = [sys.executable, "-c", CRASH, str(tmp_path), str(steps)]
    assert subprocess.run(command, input=exported(env), check=False).returncode == 9
    server = make_server(data_dir=str(tmp_path))
    platform = Platform(server.client)
    (left,) = platform.get("env")["environments"]
    assert left["status"] == "expired"
    assert platform.refusal("POST", "startRun", {"envId": left["environmentId"]}) == (410, "environment_expired")
    a_day_later(server, left["environmentId"])
    assert platform.get(f"env/{left['environmentId']}")["status"] == "deleted"
    assert server.on_loop(lambda: server.service.engine.records(left["environmentId"])) == []


def a_day_later(server, environment_id):
    """Let an environment have ended a day ago, and tidy up."""
    earlier = "UPDATE environments SET expires = expires - ? WHERE environment_id = ?"
    execute = server.service.engine.file.connection.execute
    server.on_loop(lambda: execute(earlier, (KEPT_AFTER_EXPIRY, environment_id)))
    server.on_loop(lambda: list(server.service.cleanup.steps()))


def test_an_import_that_fails_halfway_leaves_nothing(make_server, environment):
    server = make_server()
    service = server.service
    file = exported(environment())
    contents = service.transfer.read(file)

    def begin() -> None:
        steps = service.transfer.import_contents(contents, service.calls.log, name=None, ttl_seconds=9)
        next(steps)()
        steps.close()

    server.on_loop(begin)
    assert Platform(server.client).get("env", status="ready")["environments"] == []
    (record,) = server.on_loop(lambda: service.environments.list(limit=9))
    records = server.on_loop(lambda: service.engine.records(record.environment_id))
    assert (record.status, records) == ("deleted", [])
