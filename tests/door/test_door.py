"""Unmodified clients reach the twins of an environment by the vendors' own hosts, and nothing else."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx
import pytest
from websockets.sync.client import connect

from tests.door.conftest import Entry, basic, make_world, open_door
from tests.harness import GENERAL, Platform
from tests.receiver import Receiver
from tests.server_mode import embedded_only
from twindiff.server.door.hosts import is_allowed, parse_address


@pytest.mark.parametrize("http2", [False, True])
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://slack.com/api/auth.test", '"user":"agent1"'),
        ("https://test-workspace.slack.com/api/auth.test", '"user":"agent1"'),
        ("https://api.box.com/2.0/users/me", '"id":"22010040001"'),
        ("https://api.stripe.com/v1/customers?limit=1", '"object":"list"'),
        ("http://api.stripe.com/v1/customers?limit=1", '"object":"list"'),
    ],
)
def test_a_vendors_host_is_answered_by_its_twin(entry: Entry, url, expected, http2):
    with entry.client(http2=http2) as client:
        answer = client.get(url)
        assert (answer.status_code, expected in answer.text) == (200, True), answer.text
        assert answer.http_version == ("HTTP/2" if http2 and url.startswith("https") else "HTTP/1.1")


def test_the_log_of_calls_names_the_host(entry: Entry):
    before = len(entry.calls())
    with entry.client() as client:
        client.get("https://files.slack.com/api/team.info")
    assert [(each["operation"], each["host"]) for each in entry.calls(before)] == [("team.info", "files.slack.com")]


@pytest.mark.parametrize("http2", [False, True])
def test_a_large_upload_and_download_pass_whole(entry: Entry, http2):
    content = bytes(range(256)) * 20_000
    files = {"attributes": (None, json.dumps({"name": f"f{http2}", "parent": {"id": "0"}})), "file": ("f", content)}
    with entry.client(http2=http2) as client:
        made = client.post("https://upload.box.com/api/2.0/files/content", files=files)
        assert made.status_code == 201, made.text
        url = f"https://api.box.com/2.0/files/{made.json()['entries'][0]['id']}/content"
        assert client.get(url, follow_redirects=True).content == content


NEW_FILE = {"name": "new", "parent": {"id": "0"}}


def test_addresses_in_answers_name_the_vendors_host(entry: Entry):
    with entry.client() as client:
        checked = client.request("OPTIONS", "https://api.box.com/2.0/files/content", json=NEW_FILE)
        assert checked.json()["upload_url"] == "https://upload.box.com/api/2.0/files/content"
        opened = client.post("https://slack.com/api/files.getUploadURLExternal", data={"filename": "a", "length": 2})
        assert client.post(opened.json()["upload_url"], content=b"hi").status_code == 200


def test_a_socket_opens_through_the_door(entry: Entry):
    with entry.client(headers={"Authorization": "Bearer xapp-1"}) as client:
        url = client.post("https://slack.com/api/apps.connections.open").json()["url"]
    assert url.startswith("wss://wss-primary.slack.com/link/")
    trust = ssl.create_default_context(cafile=str(entry.certificate))
    with connect(url, proxy=entry.made["proxyUrl"], ssl=trust, open_timeout=120) as opened:
        assert json.loads(opened.recv())["type"] == "hello"


@pytest.mark.parametrize("url", ["https://example.com/a", "http://example.com/a", "https://slack.com.example.com/"])
def test_a_host_that_no_twin_has_is_refused_and_noted(entry: Entry, url):
    before = len(entry.calls())
    with entry.client() as client:
        try:
            answer = client.get(url)
            said = f"{answer.status_code} {answer.text}"
        except httpx.ProxyError as error:
            said = str(error)
    host = httpx.URL(url).host
    assert said.startswith(f"403 No twin answers for {host}; there are box, slack, stripe.")
    noted = entry.calls(before)[0]
    assert (noted["error"], noted["host"], noted["status"]) == ("host_refused", host, 403)


def test_a_twin_that_the_environment_lacks_has_no_host(enter):
    with enter("slack:slack_default").client() as client, pytest.raises(httpx.ProxyError, match="there is slack"):
        client.get("https://api.box.com/2.0/users/me")


def recorder(host: str) -> closing[Receiver]:
    return closing(Receiver(lambda _: None, host))


def test_nothing_leaves_unless_it_is_allowed(make_server, tmp_path):
    with recorder("127.0.0.2") as allowed, recorder("127.0.0.3") as other:
        server = make_server(allow_hosts=("127.0.0.2",))
        entry = open_door(make_world(Platform(server.client), "slack:slack_default"), tmp_path)
        with entry.client() as client:
            assert client.post(f"{allowed.url}/x", content=b"out").status_code == 200
            assert client.post(f"{other.url}/x", content=b"out").status_code == 403
    assert [each.body for each in allowed.received] == [b"out"]
    assert other.received == []


@pytest.mark.parametrize(
    ("allowed", "address", "expected"),
    [
        ("[::1]", "[0:0::1]:443", True),
        ("[::1]:9", "[::1]:9", True),
        ("[::1]:9", "[::1]:10", False),
        ("*.a.org", "b.A.org:443", True),
        ("*.a.org", "a.org:443", False),
        ("a.org:443", "a.org.:443", True),
    ],
)
def test_an_allowed_host_is_one_whatever_the_notation(allowed, address, expected):
    assert is_allowed([allowed], parse_address(address)) is expected


@embedded_only("each worker process has ports of its own")
def test_no_allowed_host_leads_to_the_server_itself(make_server, tmp_path):
    server = make_server(allow_hosts=("127.0.0.1", "localhost"))
    entry = open_door(make_world(Platform(server.client), "slack:slack_default"), tmp_path)
    with entry.client() as client:
        answer = client.get(f"http://localhost:{server.port}/api/platform/env")
    assert (answer.status_code, "this server itself" in answer.text) == (403, True)


@pytest.mark.parametrize(
    ("path", "status"),
    [("/api/platform/env", 403), ("/twins", 403), ("/api/env/{other}/services/slack/api/auth.test", 403)],
)
def test_the_door_leads_to_twins_of_the_environment_only(door_server, enter, entry: Entry, path, status):
    other = enter("slack:slack_default").environment.id
    with entry.client() as client:
        assert client.get(f"http://127.0.0.1:{door_server.port}{path.format(other=other)}").status_code == status
        mine = f"/api/env/{entry.environment.id}/services/slack/api/auth.test"
        assert client.get(f"http://127.0.0.1:{door_server.port}{mine}").json()["ok"]


def ask_proxy(entry: Entry, *lines: bytes, then: bytes = b"") -> bytes:
    """What the proxy answers to a head, until it hangs up or its answer is whole."""
    with socket.create_connection((entry.made["host"], entry.made["port"]), timeout=30) as opened:
        opened.sendall(b"\r\n".join([*lines, b"", b""]) + then)
        opened.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := opened.recv(65536):
            answer += piece
        return answer


BOX = b"CONNECT api.box.com:443 HTTP/1.1"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([b"GET / HTTP/1.1"], b"400 This is the port of a proxy"),
        ([b"GET ftp://a.com/ HTTP/1.1"], b"400 'ftp://a.com/' is no address"),
        ([b"CONNECT nowhere HTTP/1.1"], b"400 'nowhere' is no address"),
        ([b"CONNECT a.com:99999 HTTP/1.1"], b"400 'a.com:99999' is no address"),
        ([b"CONNECT [::1 HTTP/1.1"], b"400 '[::1' is no address; one is api.box.com:443 or [::1]:443"),
        ([b"CONNECT [::1:443 HTTP/1.1"], b"400 '[::1:443' is no address"),
        ([b"CONNECT ::1:443 HTTP/1.1"], b"400 '::1:443' is no address"),
        ([b"CONNECT [::1] HTTP/1.1"], b"400 '[::1]' is no address"),
        ([b"CONNECT [api.box.com]:443 HTTP/1.1"], b"400 '[api.box.com]:443' is no address: its brackets hold no IPv6"),
        ([b"CONNECT [::1]:443 HTTP/1.1"], b"403 No twin answers for ::1"),
        ([b"GET http://[::1/ HTTP/1.1"], b"400 'http://[::1/' is no address"),
        ([b"CONNECT a b c"], b"400 This is an HTTP proxy"),
        ([b"\x16\x03\x01\x02\x00"], b"400 TLS begins after CONNECT"),
        ([BOX, basic("not-an-id", "x")], b"400 invalid environment id"),
        ([BOX, basic("0" * 32, "x")], b"404 environment not found"),
        ([BOX, b"Proxy-Authorization: Bearer x"], b"407 The proxy takes a user name and a password"),
        ([BOX, b"Proxy-Authorization: Basic !!"], b"407 The proxy takes a user name and a password"),
        ([BOX, b"X: " + b"a" * 70_000], b"431 The head of a request has at most"),
    ],
)
def test_what_the_proxy_cannot_do_is_said_in_one_sentence(entry: Entry, lines, expected):
    answer = ask_proxy(entry, *lines)
    assert answer.startswith(b"HTTP/1.1 " + expected), answer
    assert answer.endswith(b"\n")


def test_credentials_of_another_environment_open_nothing(enter, entry: Entry):
    other = enter("slack:slack_default")
    answer = ask_proxy(other, BOX, basic(other.environment.id, entry.environment.token))
    assert answer.startswith(b"HTTP/1.1 407 The password given to the proxy does not open environment")


def test_an_environment_that_has_ended_is_refused(enter):
    ended = enter("slack:slack_default")
    with ended.client() as client:
        assert client.get("https://slack.com/api/auth.test").status_code == 200
        ended.environment.platform.delete(f"env/{ended.environment.id}")
        assert client.get("https://slack.com/api/auth.test").status_code == 410
    answer = ask_proxy(ended, BOX, basic(ended.made["user"], ended.made["password"]))
    assert answer.startswith(b"HTTP/1.1 410 environment")


@pytest.mark.parametrize("password", ["token", "password", "key"])
def test_with_a_key_the_proxy_takes_each_credential_of_the_environment(make_server, tmp_path, password):
    server = make_server(api_key="k-1")
    environment = make_world(Platform(server.client, "k-1"), "slack:slack_default")
    entry = open_door(environment, tmp_path)
    given = {"token": environment.token, "key": "k-1", "password": entry.made["password"]}[password]
    url = f"http://{environment.id}:{{}}@127.0.0.1:{entry.made['port']}"
    with entry.client(proxy=url.format(given)) as client:
        assert client.get("https://slack.com/api/auth.test").json()["ok"]
    with entry.client(proxy=url.format("x")) as client, pytest.raises(httpx.ProxyError, match="407"):
        client.get("https://slack.com/api/auth.test")


def test_without_credentials_the_token_or_the_only_environment_decides(make_server, tmp_path):
    platform = Platform(make_server().client)
    first = open_door(make_world(platform, "slack:slack_default"), tmp_path)
    url, bare = "https://slack.com/api/auth.test", f"http://127.0.0.1:{first.made['port']}"
    with first.client(proxy=bare) as client:
        assert client.get(url).json()["ok"]
    make_world(platform, "slack:slack_default")
    with first.client(proxy=bare) as client:
        assert "There are 2 environments" in client.get(url).json()["detail"]
        for token in (first.environment.token, first.made["variables"]["SLACK_BOT_TOKEN"]):
            client.get(url, headers={"Authorization": f"Bearer {token}"})
    assert len(first.calls()) == 3


@pytest.mark.parametrize("auth", ["lenient", "strict"])
def test_the_tokens_in_the_variables_act_as_the_agent(enter, auth):
    entry = enter("slack:slack_default", auth=auth)
    token = entry.made["variables"]["SLACK_BOT_TOKEN"]
    with entry.client(headers={"Authorization": f"Bearer {token}"}) as client:
        assert client.get("https://slack.com/api/auth.test").json()["user"] == "agent1"
        unknown = client.get("https://slack.com/api/auth.test", headers={"Authorization": "Bearer xoxb-1"}).json()
    assert unknown.get("error") == (None if auth == "lenient" else "invalid_auth")


@pytest.mark.parametrize(("host", "status"), [("api.box.com", b"200"), ("evil.com", b"403")])
def test_any_host_is_taken_from_the_handshake(entry: Entry, host, status):
    with entry.dial(host) as secure:
        secure.sendall(f"GET /2.0/users/me HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert secure.recv(1000).startswith(b"HTTP/1.1 " + status)
    assert entry.calls(after=len(entry.calls()) - 1)[0]["host"] == host


def test_two_hundred_connections_are_served_at_once(entry: Entry):
    barrier = threading.Barrier(200, timeout=60)

    def call(_: int) -> int:
        with entry.client() as client:
            client.get("https://slack.com/api/auth.test")
            barrier.wait()
            return client.get("https://slack.com/api/auth.test").status_code

    with ThreadPoolExecutor(200) as pool:
        assert set(pool.map(call, range(200))) == {200}


def test_both_doors_leave_the_same_journal(enter, door_server):
    clock = {"mode": "steps", "start": "2026-03-01T09:00:00"}

    def post(client: httpx.Client, base: str) -> None:
        for text in ("one", "two"):
            assert client.post(f"{base}/api/chat.postMessage", json={"channel": GENERAL, "text": text}).json()["ok"]

    entries = [enter("slack:slack_default", clock=clock) for _ in range(3)]
    for each, http2 in zip(entries[:2], (False, True), strict=True):
        with each.client(http2=http2) as client:
            post(client, "https://slack.com")
    post(door_server.client, entries[2].environment.url)
    journals = [each.environment.platform.get(f"env/{each.environment.id}/journal") for each in entries]
    assert journals[0] == journals[1] == journals[2]
