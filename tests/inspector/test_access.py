"""Who may look at the inspector and do something with it."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.harness import LiveServer, Platform
from tests.inspector.conftest import KEY, World
from twindiff.server.apis.inspector import PAGES


@pytest.fixture
def visitor(locked: LiveServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=locked.url, trust_env=False) as client:
        yield client


def sign_in(visitor: httpx.Client, key: str = KEY, **headers: str) -> httpx.Response:
    sent = {"Origin": str(visitor.base_url).rstrip("/"), **headers}
    return visitor.post("/inspect/sign-in?to=/inspect/runs", data={"key": key}, headers=sent)


def test_no_page_is_shown_to_those_who_have_not_signed_in(visitor: httpx.Client) -> None:
    for path in PAGES:
        address = path.replace("{number:int}", "1").replace("{path:path}", "x").replace("{", "").replace("}", "")
        answer = visitor.get(f"/inspect{address}")
        assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, "/inspect/sign-in"), path
    assert visitor.get("/inspect/environments/x/events").status_code == 303


def test_the_key_opens_them_with_a_cookie_that_scripts_and_other_sites_do_not_get(visitor: httpx.Client) -> None:
    answer = sign_in(visitor)
    assert (answer.status_code, answer.headers["location"]) == (303, "/inspect/runs")
    cookie = answer.headers["set-cookie"].lower()
    assert all(each in cookie for each in ("httponly", "samesite=strict", "path=/inspect"))
    assert visitor.get("/inspect/runs").status_code == 200


def test_a_wrong_key_opens_nothing(visitor: httpx.Client) -> None:
    answer = sign_in(visitor, "wrong")
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)


@pytest.mark.parametrize("cookie", ["", "1.2", "99999999999.", "99999999999.00", "x.y", "٣.0"])
def test_a_made_up_session_opens_nothing(visitor: httpx.Client, cookie: str) -> None:
    sent = {b"Cookie": b"twindiff_session=" + cookie.encode()}
    assert visitor.get("/inspect/runs", headers=sent).status_code == 303


def test_signing_out_ends_it(visitor: httpx.Client) -> None:
    sign_in(visitor)
    visitor.post("/inspect/sign-out", headers={"Origin": str(visitor.base_url).rstrip("/")})
    assert visitor.get("/inspect/runs").status_code == 303


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/inspect/\\evil.example", "javascript:1"])
def test_signing_in_leads_nowhere_else(visitor: httpx.Client, to: str) -> None:
    sent = {"Origin": str(visitor.base_url).rstrip("/")}
    answer = visitor.post("/inspect/sign-in", params={"to": to}, data={"key": KEY}, headers=sent)
    assert answer.headers["location"] == "/inspect/environments"


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "http://slack--0.localhost"])
def test_what_other_pages_send_does_nothing(visitor: httpx.Client, locked: LiveServer, origin: str) -> None:
    sign_in(visitor)
    mine = Platform(locked.client, KEY).environment()
    headers = {"Origin": origin} if origin else {}
    answer = visitor.post(f"/inspect/environments/{mine.id}/checkpoint", data={"name": "x"}, headers=headers)
    assert answer.status_code == 403
    assert Platform(locked.client, KEY).get(f"env/{mine.id}/checkpoints") == {"checkpoints": []}


def test_without_a_key_other_pages_can_write_nothing_either(world: World) -> None:
    answer = world.server.client.post(f"{world.path}/checkpoint", data={"name": "x"})
    assert answer.status_code == 403


def test_an_agents_token_opens_nothing(world: World) -> None:
    sent = {"Authorization": f"Bearer {world.environment.token}"}
    assert world.server.client.get(world.path, headers=sent).status_code == 303


def test_every_page_forbids_what_it_does_not_need(world: World) -> None:
    for path in ("environments", "runs", "nope/nope", "static/inspector.js", "sign-in"):
        answer = world.server.client.get(f"/inspect/{path}")
        if answer.status_code == 200:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_form_has_a_largest_size(world: World) -> None:
    sent = {"Origin": world.server.url}
    answer = world.server.client.post(f"{world.path}/checkpoint", data={"name": "x" * 70_000}, headers=sent)
    assert answer.status_code == 413
