"""Input that is wrong in any way writes nothing and is never our mistake."""

import http.client
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.harness import AGENT, GENERAL, texts

NESTED = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
SQL = "'; DROP TABLE messages; --\" \\ % _ ?1 :x \N{SNOWMAN}"

BROKEN_BODIES = {
    "broken": b'{"envId": ',
    "no JSON at all": b"envId=1",
    "a key given twice": b'{"envId": "a", "envId": "b"}',
    "a key given twice inside": b'{"envId": "a", "clock": {"mode": "real", "mode": "steps"}}',
    "bytes that are no UTF-8": b'{"envId": "\xff\xfe"}',
    "half a surrogate pair": b'{"envId": "\\ud800"}',
    "nested too deep": NESTED,
    "not a number": b'{"envId": NaN}',
    "infinity": b'{"envId": -Infinity}',
    "more than a float holds": b'{"ttlSeconds": 1e999}',
    "a huge integer": b'{"ttlSeconds": 123456789012345678901234567890}',
    "a monstrous integer": b'{"ttlSeconds": ' + b"9" * 5000 + b"}",
    "a byte order mark": b'\xef\xbb\xbf{"envId": "a"}',
    "a null byte": b'{"envId": "a\x00"}',
    "two objects": b"{}{}",
}
NO_OBJECTS = {"a list": b"[]", "a text": b'"envId"', "null": b"null", "a number": b"1"}


@pytest.fixture
def counted(platform):
    """Check that a test makes no environment."""
    before = platform.get("env", limit=1)
    yield
    assert platform.get("env", limit=1) == before


@pytest.mark.parametrize("body", BROKEN_BODIES.values(), ids=BROKEN_BODIES)
@pytest.mark.parametrize("path", ["initEnv", "startRun", "diffRun", "evaluateRun", "testSuites", "import"])
def test_a_body_that_is_no_json_is_refused(platform, counted, path, body):
    assert platform.refusal("POST", path, content=body) == (400, "invalid_json")


def test_a_key_given_twice_behind_very_many_is_told(platform):
    keys = ",".join(f'"{number}":1' for number in [*range(60_000), 59_999])
    answer = platform.ask("POST", "initEnv", content=f"{{{keys}}}")
    assert answer.json()["detail"] == "invalid json: the key '59999' is given twice"


@pytest.mark.parametrize("body", NO_OBJECTS.values(), ids=NO_OBJECTS)
def test_a_body_that_is_no_object_is_refused(platform, counted, body):
    assert platform.refusal("POST", "initEnv", content=body) == (400, "malformed_body")


GOOD = {"templates": ["slack:slack_default"], "impersonateUserId": AGENT}
WRONG_TYPES = [
    *({**GOOD, "templates": wrong} for wrong in ("slack:slack_default", [1], {"a": 1}, [["x"]])),
    *({**GOOD, "ttlSeconds": wrong} for wrong in (-1, 1.5, "soon", [], 2**62, 30 * 24 * 3600 + 1)),
    *({**GOOD, "impersonateUserId": wrong} for wrong in (1, [], {}, True)),
    *({**GOOD, "clock": wrong} for wrong in ("real", {"mode": "slow"}, {"mode": "steps", "start": 5})),
    *({**GOOD, "auth": wrong} for wrong in ("loose", 1, None)),
    *({**GOOD, "tokens": wrong} for wrong in ([], "x", {"x": 1})),
]


@pytest.mark.parametrize("body", WRONG_TYPES, ids=json.dumps)
def test_a_parameter_of_the_wrong_type_is_refused(platform, counted, body):
    assert platform.refusal("POST", "initEnv", body) == (400, "validation_error")


@pytest.mark.parametrize(
    "start",
    [
        *("yesterday", "2026-13-01", "1969-12-31T23:59:59", "2286-11-20T17:46:40"),
        *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
    ],
)
def test_a_clock_starts_between_1970_and_2286(platform, counted, start):
    body = {**GOOD, "clock": {"mode": "steps", "start": start}}
    assert platform.refusal("POST", "initEnv", body) == (400, "invalid_clock")


def test_a_missing_parameter_is_named(platform):
    answer = platform.ask("POST", "startRun", {})
    assert answer.json() == {
        "detail": "validation error: envId: is required but missing",
        "error": "validation_error",
    }


IDS = ["x", "0" * 31, "0" * 33, SQL, "%00", "%ff%fe", "..%2f..", "a" * 5000]


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize(
    ("verb", "path"),
    [
        *(("GET", "env/{}"), ("DELETE", "env/{}"), ("POST", "env/{}/reset"), ("GET", "env/{}/journal")),
        *(("GET", "results/{}"), ("GET", "templates/{}"), ("GET", "testSuites/{}"), ("GET", "tests/{}")),
    ],
)
def test_a_malformed_id_is_refused(platform, verb, path, id):
    status, code = platform.refusal(verb, path.format(id.replace("?", "%3f").replace("#", "%23")))
    assert status in (400, 404)
    assert code.startswith("invalid_") or code.endswith("not_found")


@pytest.mark.parametrize("path", ["env", "runs"])
@pytest.mark.parametrize("limit", ["0", "-1", "1001", "many", "1.5", "9" * 30, "NaN"])
def test_a_limit_that_is_none_is_refused(platform, path, limit):
    assert platform.refusal("GET", path, params={"limit": limit}) == (400, "validation_error")


def test_a_query_that_names_a_parameter_twice_is_refused(platform):
    assert platform.refusal("GET", "env?limit=1&limit=2") == (400, "validation_error")


def test_every_string_may_hold_sql(platform):
    env = platform.environment(name=SQL)
    assert platform.get(f"env/{env.id}")["name"] == SQL
    run = platform.start(env)
    env.post(SQL)
    spec = {"diff_type": "added", "entity": SQL, "where": {SQL: SQL}}
    assert platform.evaluate(run, spec)["status"] == "failed"
    assert texts(platform.diff(run)) == [SQL]
    assert platform.get("testSuites", name=SQL) == {"testSuites": []}


def test_other_verbs_are_refused_with_those_that_are_allowed(platform):
    for verb in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS"):
        answer = platform.ask(verb, "initEnv")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
        assert answer.json()["error"] == "method_not_allowed"


def test_head_answers_like_get_without_a_body(platform):
    answer = platform.ask("HEAD", "health")
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize("path", ["/nowhere", "/api", "/api/platformhealth", "/favicon.ico", "/api/env", "/api/env/"])
def test_a_path_that_leads_nowhere_is_not_found(platform, path):
    answer = platform.client.get(path)
    assert answer.status_code in (400, 404)
    assert answer.json()["detail"]


def test_an_unknown_control_route_is_not_found(platform):
    assert platform.refusal("GET", "nowhere") == (404, "not_found")


def test_a_body_over_the_limit_is_refused_by_its_announced_length(platform, counted):
    body = json.dumps({**GOOD, "name": "x" * 1_000_000}).encode()
    assert platform.refusal("POST", "initEnv", content=body) == (413, "body_too_large")


def test_a_body_over_the_limit_is_refused_when_it_comes_in_chunks(platform, counted):
    assert platform.refusal("POST", "initEnv", content=iter([b"x" * 65536] * 20)) == (413, "body_too_large")


def test_a_body_in_chunks_is_read_whole(platform):
    body = json.dumps(GOOD).encode()
    answer = platform.ask("POST", "initEnv", content=iter([body[:7], body[7:30], body[30:]]))
    assert answer.status_code == 201


def test_a_connection_survives_a_refused_body(live):
    connection = http.client.HTTPConnection("127.0.0.1", live.port)
    for status in (413, 200):
        body = b"x" * 1_500_000 if status == 413 else b""
        connection.request("POST" if body else "GET", f"/api/platform/{'initEnv' if body else 'health'}", body)
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (status, True)
    connection.close()


def test_a_client_that_leaves_in_the_middle_of_a_request_does_nothing(live, platform, environment):
    env = environment()
    run = platform.start(env)
    form = f"channel={GENERAL}&text=half+of+it"
    head = (
        f"POST {env.made['environmentUrl']}/chat.postMessage HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n"
    )
    with socket.create_connection(("127.0.0.1", live.port)) as connection:
        connection.sendall(f"{head}Content-Length: {len(form) + 50}\r\n\r\n{form}".encode())
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1000):
            pass
    assert platform.diff(run)["inserts"] == []


def test_a_request_line_that_cannot_be_read_is_refused_and_others_go_on(live, platform):
    for nonsense in (
        b"\x00\xff\xfe\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", live.port)) as connection:
            connection.sendall(nonsense)
            assert b"500" not in connection.recv(1000).partition(b"\r\n")[0]
    assert platform.get("health")["status"] == "healthy"


def test_sixty_four_environments_are_made_at_once(platform, environment):
    with ThreadPoolExecutor(64) as pool:
        made = list(pool.map(lambda _: environment(), range(64)))
    assert len({env.id for env in made}) == 64
    assert len({env.post("first") is None for env in made}) == 1


SLACK_BODIES = {
    "broken": (b'{"channel": ', "invalid_json"),
    "bytes that are no UTF-8": (b'{"channel": "\xff"}', "invalid_json"),
    "half a surrogate pair": (b'{"channel": "\\ud800"}', "invalid_json"),
    "nested too deep": (NESTED, "invalid_json"),
    "not a number": (b'{"channel": NaN}', "invalid_json"),
    "a list": (b"[1]", "json_not_object"),
    "a text": (b'"x"', "json_not_object"),
    "an empty object": (b"{}", "invalid_arguments"),
    "a channel that is a number": (b'{"channel": 7, "text": "x"}', "invalid_arguments"),
    "a channel that is a list": (b'{"channel": [], "text": "x"}', "invalid_arguments"),
    "an unknown channel": (b'{"channel": "C404", "text": "x"}', "channel_not_found"),
    "a channel of SQL": (json.dumps({"channel": SQL, "text": "x"}).encode(), "channel_not_found"),
    "no text": (b'{"channel": "C01ABCD1234"}', "no_text"),
    "a text that is too long": (b'{"channel": "C01ABCD1234", "text": "' + b"x" * 40_001 + b'"}', "msg_too_long"),
}


@pytest.mark.parametrize("auth", ["with a token", "without"])
@pytest.mark.parametrize(("body", "code"), SLACK_BODIES.values(), ids=SLACK_BODIES)
def test_slack_says_what_is_wrong_in_its_own_words(platform, environment, body, code, auth):
    env = environment(auth="strict")
    headers = {"Content-Type": "application/json; charset=utf-8"}
    token = None if auth == "with a token" else ""
    answer = env.ask("chat.postMessage", token=token, content=body, headers=headers)
    expected = code if token is None or code in ("invalid_json", "json_not_object") else "not_authed"
    assert (answer.status_code, answer.json()["ok"], answer.json()["error"]) == (200, False, expected)
    assert platform.get(f"env/{env.id}")["seq"] == 0


@pytest.mark.parametrize("limit", ["many", "-1", "0", 1.5, [], {}])
def test_slack_refuses_a_limit_that_is_none(environment, limit):
    answer = environment().slack("conversations.history", channel=GENERAL, limit=limit)
    assert (answer["ok"], answer["error"]) in ((False, "invalid_limit"), (False, "invalid_arguments"))


def test_slack_refuses_a_form_that_is_no_utf8(environment):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = environment().ask("chat.postMessage", content=b"channel=\xff&text=x", headers=headers)
    assert answer.json() == {"ok": False, "error": "invalid_form_data"}


def test_slack_refuses_a_multipart_form_without_a_boundary(environment):
    headers = {"Content-Type": "multipart/form-data"}
    answer = environment().ask("chat.postMessage", content=b"--x\r\n", headers=headers)
    assert answer.json() == {"ok": False, "error": "invalid_form_data"}


HUGE = b"1" * 40
E_ACUTE = "\N{LATIN SMALL LETTER E WITH ACUTE}"
DEEP = b"[" * 900 + b"]" * 900


@pytest.mark.parametrize("value", [HUGE, DEEP, b"1e308", b"18446744073709551616", b'"\\u0000"'])
def test_blocks_may_hold_any_json_and_never_break_the_server(platform, environment, value):
    env = environment()
    block = b'[{"type": "section", "text": {"type": "mrkdwn", "text": "hi"}, "x": ' + value + b"}]"
    body = b'{"channel": "C01ABCD1234", "text": "hi", "blocks": ' + block + b"}"
    answer = env.ask("chat.postMessage", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    assert platform.get(f"env/{env.id}")["seq"] == (1 if answer.json()["ok"] else 0)


def test_a_raw_query_of_utf8_is_read_as_such(live, platform, environment):
    env = environment()
    run = platform.start(env)
    path = f"{env.made['environmentUrl']}/chat.postMessage?token=x&channel={GENERAL}&text={E_ACUTE}"
    with socket.create_connection(("127.0.0.1", live.port)) as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        while connection.recv(1000):
            pass
    assert texts(platform.diff(run)) in ([E_ACUTE], [])


def test_checks_over_numbers_that_no_database_holds_are_refused(platform, environment):
    run = platform.start(environment())
    spec = b'{"assertions": [{"diff_type": "added", "entity": "messages", "where": {"x": %s}}]}' % HUGE
    body = b'{"runId": "%s", "expectedOutput": %s}' % (run.encode(), spec)
    assert platform.refusal("POST", "evaluateRun", content=body) == (400, "invalid_json")
