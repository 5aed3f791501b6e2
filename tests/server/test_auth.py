"""Who may pass: the platform key, an agent's token, hosts and origins."""

import socket

import pytest

from tests.harness import AGENT, GENERAL, JOHN, Environment, LiveServer, Platform
from twindiff.environments.registry import Registry
from twindiff.kit import Call, Operations, Twin
from twindiff.kit.styles.base import Style
from twindiff.server import Settings

KEY = "the-platform-key"


@pytest.fixture(scope="module")
def keyed():
    server = LiveServer(Settings(api_key=KEY))
    yield Platform(server.client, KEY)
    server.close()


def routes(platform):
    """Every operation of the platform API with placeholders filled in."""
    paths = platform.get("openapi.json")["paths"]
    for path, verbs in paths.items():
        for verb in verbs if path.startswith("/api/platform/") else ():
            segments = ["x" if segment.startswith("{") else segment for segment in path.split("/")]
            yield verb.upper(), "/".join(segments).removeprefix("/api/platform/")


@pytest.mark.parametrize("header", ["Authorization", "X-API-Key"])
@pytest.mark.parametrize("plane", ["platform", "keyed"])
def test_an_agent_token_opens_no_control_route(request, plane, header):
    platform = request.getfixturevalue(plane)
    env = platform.environment()
    value = f"Bearer {env.token}" if header == "Authorization" else env.token
    bare = Platform(platform.client)
    known = list(routes(platform))
    assert len(known) > 20
    for verb, path in known:
        assert bare.refusal(verb, path, headers={header: value}) == (403, "unauthorized"), path


def test_an_agent_token_does_not_hide_behind_a_second_header(keyed):
    env = keyed.environment()
    headers = {"X-API-Key": KEY, "Authorization": f"Bearer {env.token}"}
    assert keyed.refusal("GET", "templates", headers=headers) == (403, "unauthorized")


def test_an_agent_token_does_not_open_another_environment(platform, environment):
    mine, other = environment(), environment()
    answer = other.ask("chat.postMessage", token=mine.token, json={"channel": GENERAL, "text": "hi"})
    assert (answer.status_code, answer.json()["error"]) == (403, "unauthorized")
    assert platform.get(f"env/{other.id}")["seq"] == 0


def test_an_agent_token_is_not_stored(live, environment):
    env = environment()
    record = live.on_loop(lambda: live.service.environments.record(env.id))
    assert env.token not in repr(record)


def test_the_control_plane_asks_for_the_key(keyed):
    bare = Platform(keyed.client)
    for verb, path in routes(keyed):
        if path not in ("health", "ready"):
            assert bare.refusal(verb, path) == (401, "missing_api_key"), path
            assert bare.refusal(verb, path, headers={"X-API-Key": "wrong"}) == (401, "invalid_api_key"), path


def test_an_unknown_control_route_asks_for_the_key_too(keyed):
    assert Platform(keyed.client).refusal("GET", "nowhere") == (401, "missing_api_key")


@pytest.mark.parametrize("path", ["health", "ready"])
def test_health_needs_no_key(keyed, path):
    assert Platform(keyed.client).get(path)["service"] == "twindiff"


@pytest.mark.parametrize("headers", [{"X-API-Key": KEY}, {"Authorization": f"Bearer {KEY}"}, {"Authorization": KEY}])
def test_the_key_opens_both_planes_in_either_header(keyed, headers):
    bare = Platform(keyed.client)
    assert bare.ask("GET", "templates", headers=headers).status_code == 200
    answer = keyed.environment().ask("auth.test", token="", headers=headers)
    assert (answer.status_code, answer.json()["user_id"]) == (200, AGENT)


def test_with_a_key_the_data_plane_takes_the_agent_token_and_listed_tokens(keyed):
    env = keyed.environment(tokens={"xoxp-john": JOHN})
    assert env.slack("auth.test")["user_id"] == AGENT
    assert env.slack("auth.test", token="xoxp-john")["user_id"] == JOHN


@pytest.mark.parametrize(("token", "code"), [("", "not_authed"), ("xoxb-unknown", "invalid_auth")])
def test_with_a_key_the_data_plane_refuses_others(keyed, token, code):
    env = keyed.environment()
    answer = env.ask("chat.postMessage", token=token, json={"channel": GENERAL, "text": "hi"})
    assert answer.json() == {"ok": False, "error": code}
    assert keyed.get(f"env/{env.id}")["seq"] == 0


def test_with_a_key_the_index_page_lists_no_templates(keyed, platform):
    assert "slack:slack_lighthouse" not in keyed.client.get("/").text
    assert "slack:slack_lighthouse" in platform.client.get("/").text


def test_without_a_key_any_token_acts_as_the_environments_user(environment):
    assert environment().slack("auth.test", token="xoxb-whatever")["user_id"] == AGENT


def test_without_a_token_a_lenient_environment_acts_as_its_user(environment):
    assert environment().slack("auth.test", token="")["user_id"] == AGENT


def test_without_a_token_a_strict_environment_refuses_as_the_vendor_does(environment):
    assert environment(auth="strict").slack("auth.test", token="")["error"] == "not_authed"


@pytest.mark.parametrize("verb", ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_a_method_is_called_by_get_and_post_alone(platform, environment, verb):
    env = environment()
    env.ask(f"chat.postMessage?channel={GENERAL}&text=hi", verb=verb)
    assert platform.get(f"env/{env.id}")["seq"] == 0


def test_a_preflight_of_a_browser_is_no_call(platform, environment):
    env = environment()
    headers = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}
    answer = env.ask("chat.postMessage", verb="OPTIONS", headers=headers)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (204, "http://localhost:3000")
    assert platform.get(f"env/{env.id}/calls")["calls"] == []


def test_without_a_key_a_link_of_another_site_writes_nothing(platform, environment):
    env = environment()
    headers = {"Sec-Fetch-Site": "cross-site"}
    answer = env.ask(f"chat.postMessage?channel={GENERAL}&text=hi", verb="GET", headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (403, "cross_site")
    assert platform.get(f"env/{env.id}")["seq"] == 0


FOLLOWED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("/inspect/environments", FOLLOWED, 200),
        ("/inspect/environments", {**FOLLOWED, "Sec-Fetch-Dest": "iframe"}, 403),
        ("/inspect/environments", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ("/api/platform/templates", FOLLOWED, 403),
        ("/api/platform/templates", {**FOLLOWED, "Referer": "http://localhost:3000/shop"}, 200),
        ("/api/platform/templates", {**FOLLOWED, "Referer": "https://localhost.example/"}, 403),
        ("/api/platform/templates", {**FOLLOWED, "Referer": "http://[::1"}, 403),
        ("/api/platform/templates", {**FOLLOWED, "Referer": "//"}, 403),
    ],
)
def test_without_a_key_a_link_of_another_site_leads_to_pages_and_one_of_this_machine_anywhere(
    platform, path, sent, status
):
    assert platform.client.get(path, headers=sent).status_code == status


def test_a_body_is_not_read_before_its_sender_is_authorized(keyed):
    """Whoever may not come in is told so while the body is still on its way."""
    env = keyed.environment()
    head = (
        f"POST {env.made['environmentUrl']}/files.upload HTTP/1.1\r\nHost: localhost\r\n"
        "Authorization: Bearer wrong\r\nContent-Length: 900000\r\n\r\n"
    )
    url = keyed.client.base_url
    with socket.create_connection((url.host, url.port), timeout=60) as connection:
        connection.sendall(head.encode())
        answer = connection.recv(1000)
    assert b"invalid_auth" in answer


def test_strict_authentication_refuses_unknown_tokens(environment):
    env = environment(auth="strict", tokens={"xoxp-john": JOHN})
    assert env.slack("auth.test", token="xoxb-whatever")["error"] == "invalid_auth"
    assert env.slack("auth.test", token="xoxp-john")["user_id"] == JOHN
    assert env.slack("auth.test")["user_id"] == AGENT


def test_a_token_in_the_body_counts(environment):
    answer = environment(tokens={"xoxp-john": JOHN}).ask("auth.test", token="", data={"token": "xoxp-john"})
    assert answer.json()["user_id"] == JOHN


@pytest.mark.parametrize("token", [7, ["x"], {"x": 1}, None, True])
def test_a_token_that_is_no_text_counts_as_none(environment, token):
    answer = environment(auth="strict").ask("auth.test", token="", json={"token": token})
    assert (answer.status_code, answer.json()["error"]) == (200, "not_authed")


@pytest.mark.parametrize("token", ["", "tda_made-up"])
def test_a_listed_token_cannot_pass_for_an_agents(platform, token):
    wanted = {"templates": ["slack:slack_default"], "impersonateUserId": AGENT, "tokens": {token: JOHN}}
    assert platform.refusal("POST", "initEnv", wanted) == (400, "invalid_token")


FOREIGN = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "testserver", "xlocalhost", ""]


@pytest.mark.parametrize("host", FOREIGN)
def test_without_a_key_a_foreign_host_is_refused(platform, host):
    assert platform.refusal("GET", "templates", headers={"Host": host}) == (403, "foreign_host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]", "[::1]:8000", "x.localhost"])
def test_names_of_this_machine_are_welcome(platform, host):
    assert platform.ask("GET", "templates", headers={"Host": host}).status_code == 200


def test_with_a_key_any_host_is_welcome(keyed):
    assert keyed.ask("GET", "templates", headers={"Host": "twins.example.org"}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example"])
def test_without_a_key_a_page_of_another_site_is_refused(platform, environment, origin):
    assert platform.refusal("GET", "templates", headers={"Origin": origin}) == (403, "foreign_origin")
    answer = environment().ask("auth.test", headers={"Origin": origin})
    assert (answer.status_code, answer.json()["error"]) == (403, "foreign_origin")


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:5173"])
def test_a_page_of_this_machine_may_call_a_twin(environment, origin):
    answer = environment().ask("auth.test", headers={"Origin": origin})
    assert answer.json()["ok"]
    assert answer.headers["access-control-allow-origin"] == origin


def test_a_twin_has_a_host_of_its_own(platform, environment):
    env = environment()
    headers = {"Host": f"slack--{env.id}.localhost:8000", "Authorization": "Bearer x"}
    answer = platform.client.post("/api/chat.postMessage", headers=headers, json={"channel": GENERAL, "text": "hi"})
    assert answer.json()["ok"]


def test_links_lead_to_the_path_whatever_host_was_asked(make_server, tmp_path):
    (tmp_path / "echo_base.json").write_text("{}")
    api = Operations()
    api.get("/where")(where)
    echo = make_server(Registry([Twin("echo", Style(), api, tables=(), seeds=tmp_path)]))
    env = Platform(echo.client).environment("echo:echo_base", user="anyone")
    headers = {"Host": f"echo--{env.id}.localhost:81", "Authorization": "Bearer x"}
    by_host = echo.client.get("/where", headers=headers).json()
    assert by_host == f"http://localhost:81{env.made['environmentUrl']}"
    assert env.ask("where", verb="GET").json() == f"{echo.url}{env.made['environmentUrl']}"


def where(call: Call) -> str:
    """Say what links of this environment begin with."""
    return call.base_url


def test_a_host_of_a_twin_that_is_not_there_is_not_found(platform, environment):
    for host, status in {f"linear--{environment().id}.localhost": 404, f"slack--{'0' * 32}.localhost": 404}.items():
        assert platform.client.post("/api/auth.test", headers={"Host": host}).status_code == status


def test_an_environment_says_which_twins_it_has(platform, environment):
    path = environment().made["environmentUrl"].replace("slack", "slak")
    answer = platform.client.post(f"{path}/auth.test")
    assert answer.status_code == 404
    assert "it has slack. Did you mean 'slack'?" in answer.json()["detail"]


def test_an_agent_reaches_only_the_rows_of_its_environment(keyed):
    mine, other = keyed.environment(), keyed.environment()
    ts = other.post("secret")
    assert Environment(keyed, mine.made).slack("chat.delete", channel=GENERAL, ts=ts)["error"] == "message_not_found"


@pytest.mark.parametrize("plane", ["platform", "keyed"])
def test_an_agent_token_opens_no_control_route_as_a_name_or_password(request, plane):
    platform = request.getfixturevalue(plane)
    env = platform.environment()
    for credentials in ((env.token, ""), ("any", env.token)):
        answer = platform.client.get("/api/platform/templates", auth=credentials)
        assert (answer.status_code, answer.json()["error"]) == (403, "unauthorized")


@pytest.mark.parametrize("origin", ["http://localhost:1", "http://127.0.0.1", "http://slack--x.localhost:{port}"])
@pytest.mark.parametrize("path", ["/api/platform/initEnv", "/v1/sandboxes", "/test-runs", "/inspect/environments"])
def test_without_a_key_a_page_of_another_address_of_this_machine_does_not_use_the_control_plane(platform, origin, path):
    headers = {"Origin": origin.format(port=platform.client.base_url.port)}
    answer = platform.client.post(path, headers=headers, json={})
    assert (answer.status_code, answer.json()["error"]) == (403, "other_page")


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_a_page_of_the_server_itself_uses_the_control_plane_under_each_of_its_names(platform, name):
    headers = {"Origin": f"http://{name}:{platform.client.base_url.port}"}
    assert platform.ask("GET", "templates", headers=headers).status_code == 200


def test_a_tested_page_calls_twins_and_nothing_else(platform, environment):
    headers = {"X-Twindiff-From": "browser"}
    assert environment().ask("auth.test", headers=headers).json()["ok"]
    assert platform.refusal("GET", "templates", headers=headers) == (403, "own_request")
    assert platform.client.get("/inspect/environments", headers=headers).status_code == 403
