"""Who may not come in, and what is wrong with a request: one form of answer for all of it."""

import pytest

from tests.harness import LiveServer, Platform
from tests.server.sandboxes.asking import Sandboxes
from twindiff.server import Settings

KEY = "the-platform-key"


@pytest.fixture(scope="module")
def keyed():
    server = LiveServer(Settings(api_key=KEY))
    yield Sandboxes(server.client, KEY)
    server.close()


@pytest.fixture(scope="module")
def routes(keyed):
    """Every operation with placeholders filled in."""
    paths = keyed.ask("GET", "openapi.json").json()["paths"]
    return [
        (verb.upper(), path.removeprefix("/v1/").format(sandbox_id="0" * 32))
        for path, verbs in paths.items()
        for verb in verbs
    ]


def test_there_are_the_routes_of_the_contract(routes):
    one = f"sandboxes/{'0' * 32}"
    contract = {("POST", "sandboxes"), ("GET", "sandboxes"), ("GET", one), ("DELETE", one), ("GET", f"{one}/diffs")}
    assert set(routes) == {*contract, ("GET", "openapi.json")}


@pytest.mark.parametrize("headers", [{"Authorization": f"Bearer {KEY}"}, {"X-API-Key": KEY}])
def test_the_key_opens_sandboxes_in_either_header(keyed, headers):
    assert Sandboxes(keyed.client).ask("GET", "sandboxes", headers=headers).status_code == 200


def test_without_the_key_every_route_is_closed(keyed, routes):
    bare = Sandboxes(keyed.client)
    for verb, path in routes:
        assert bare.refusal(verb, path) == (401, "missing_api_key")
        assert bare.refusal(verb, path, headers={"Authorization": "Bearer wrong"}) == (401, "invalid_api_key")
    assert bare.refusal("GET", "nowhere") == (401, "missing_api_key")


@pytest.mark.parametrize("header", ["Authorization", "X-API-Key"])
@pytest.mark.parametrize("key", [KEY, None])
def test_an_agents_token_opens_no_route(keyed, sandboxes, routes, key, header):
    asked = keyed if key else sandboxes
    token = Platform(asked.client, key).environment().token
    for verb, path in routes:
        headers = {header: f"Bearer {token}" if header == "Authorization" else token}
        assert Sandboxes(asked.client).refusal(verb, path, headers=headers) == (401, "unauthorized")


def test_with_a_key_the_key_opens_the_base_url(keyed):
    made = keyed.create()
    answer = keyed.client.post(f"{made['base_url']}/auth.test", headers=keyed.headers)
    assert answer.json()["ok"]


def test_a_page_of_another_site_is_refused_in_the_same_form(sandboxes):
    headers = {"Origin": "https://evil.example"}
    assert sandboxes.refusal("GET", "sandboxes", headers=headers) == (403, "foreign_origin")


def test_an_unknown_api_is_refused_with_the_nearest(sandboxes):
    near = "Unknown api 'slak'. There are: box, calendar, github, linear, notion, slack, stripe. Did you mean 'slack'?"
    assert sandboxes.complaint(api="slak") == (400, near)
    assert sandboxes.refusal("GET", "sandboxes", params={"api": "slak"}) == (400, "unknown_api")


def test_an_unknown_scenario_is_refused_with_the_nearest(sandboxes):
    status, message = sandboxes.complaint(api="slack", scenario="slack_defalt")
    assert status == 400
    assert message.startswith("unknown scenario: slack has no template 'slack_defalt'. It has: ")
    assert message.endswith(" Did you mean 'slack_default'?")


WRONG = [
    *({"api": wrong} for wrong in (1, None, [], {"slack": 1})),
    *({"api": "slack", "scenario": wrong} for wrong in (1, [], {})),
    *({"api": "slack", "ttl": wrong} for wrong in (0, -1, 2592001, 1.5, "soon", [], 2**62)),
]


@pytest.mark.parametrize("body", WRONG, ids=str)
def test_a_parameter_of_the_wrong_kind_is_refused(sandboxes, body):
    assert sandboxes.refusal("POST", "sandboxes", body) == (400, "invalid_parameter")


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"api": "slack", "api": "linear"}', b'{"api": "\\ud800"}'])
def test_a_body_that_is_no_json_is_refused(sandboxes, body):
    assert sandboxes.refusal("POST", "sandboxes", content=body) == (400, "invalid_json")


@pytest.mark.parametrize("body", [b"[]", b'"slack"', b"null"])
def test_a_body_that_is_no_object_is_refused(sandboxes, body):
    assert sandboxes.refusal("POST", "sandboxes", content=body) == (400, "malformed_body")


@pytest.mark.parametrize("body", [None, {}])
def test_the_api_must_be_given(sandboxes, body):
    assert sandboxes.refusal("POST", "sandboxes", body) == (400, "missing_parameter")


@pytest.mark.parametrize("path", ["sandboxes", "sandboxes/{}/diffs"])
@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=-1", "limit=1001", "limit=x", "offset=-1", "offset=x", f"offset={'9' * 30}", "limit=1&limit=1"],
)
def test_a_page_that_is_none_is_refused(sandboxes, path, query):
    path = path.format(sandboxes.create()["id"])
    assert sandboxes.refusal("GET", f"{path}?{query}") == (400, "invalid_parameter")


@pytest.mark.parametrize("query", ["status=gone", "status=deleted"])
def test_a_status_that_there_is_not_is_refused(sandboxes, query):
    assert sandboxes.refusal("GET", f"sandboxes?{query}") == (400, "invalid_parameter")


def test_a_view_that_there_is_not_is_refused(sandboxes):
    path = f"sandboxes/{sandboxes.create()['id']}/diffs?include=everything"
    assert sandboxes.refusal("GET", path) == (400, "invalid_parameter")


@pytest.mark.parametrize("id", ["0" * 32, "x", "0" * 31, "'; --", "%00", "%ff", "..%2f..", "a" * 5000])
@pytest.mark.parametrize(("verb", "rest"), [("GET", ""), ("DELETE", ""), ("GET", "/diffs")])
def test_an_id_that_names_nothing_is_not_found(sandboxes, id, verb, rest):
    status, code = sandboxes.refusal(verb, f"sandboxes/{id}{rest}")
    assert (status, code) in ((404, "sandbox_not_found"), (404, "not_found"))


def test_other_verbs_are_refused_with_those_that_are_allowed(sandboxes):
    answer = sandboxes.ask("PUT", "sandboxes")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, POST")
    assert sandboxes.refusal("PATCH", f"sandboxes/{'0' * 32}") == (405, "method_not_allowed")


def test_an_unknown_path_is_not_found(sandboxes):
    for path in ("", "nowhere", "sandboxes/x/y", "sandboxes/x/diffs/1"):
        assert sandboxes.refusal("GET", path) == (404, "not_found")


def test_a_twin_on_a_host_of_its_own_keeps_its_v1(sandboxes):
    made = sandboxes.create()
    host = {"Host": f"slack--{made['id']}.localhost", "Authorization": "Bearer x"}
    answer = sandboxes.ask("GET", "sandboxes", headers=host)
    assert (answer.status_code, answer.json()["ok"], answer.json()["error"]) == (200, False, "unknown_method")
    nowhere = sandboxes.ask("GET", "sandboxes", headers={**host, "Host": f"slack--{'0' * 32}.localhost"})
    assert (nowhere.status_code, nowhere.json()["error"]) == (404, "environment_not_found")
    assert sandboxes.status(made) == "active"


def test_a_sandbox_that_is_gone_refuses_its_base_url(sandboxes):
    made = sandboxes.create()
    sandboxes.call(made, "/auth.test")
    sandboxes.ask("DELETE", f"sandboxes/{made['id']}")
    assert sandboxes.client.post(f"{made['base_url']}/auth.test").status_code == 410
