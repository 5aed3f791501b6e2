"""Calls that fail on purpose: each kind of fault in each vendor's words, counted, logged, and in no diff."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import stripe
from slack_sdk import WebClient
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler

from tests.harness import GENERAL, Environment, Platform
from twindiff.client import Client

WORLD = [f"{twin}:{twin}_default" for twin in ("box", "calendar", "linear", "slack", "stripe")]
CALLS: dict[str, dict[str, Any]] = {
    "box": {"path": "2.0/users/me", "verb": "GET"},
    "calendar": {"path": "calendar/v3/colors", "verb": "GET"},
    "linear": {"path": "graphql", "json": {"query": "{ viewer { id } }"}},
    "slack": {"path": "auth.test"},
    "stripe": {"path": "v1/balance", "verb": "GET"},
}
REFUSED = [
    ({"kind": "melt"}, "kind"),
    ({"kind": "latency", "twin": "linear"}, "faults[0].twin"),
    ({"kind": "latency", "operation": "chat.postMesage"}, "faults[0].operation"),
    ({"kind": "latency", "seconds": 61}, "seconds"),
    ({"kind": "latency", "seconds": 0}, "seconds"),
    ({"kind": "unavailable", "status": 404}, "faults[0].status"),
    ({"kind": "reply", "status": 99}, "status"),
    ({"kind": "reply", "content_type": "text/html\r\nX: y"}, "content_type"),
    ({"kind": "reply", "body": "x" * 100_001}, "body"),
    ({"kind": "rate_limit", "calls": -1}, "calls"),
    ({"kind": "rate_limit", "call": 1}, "call"),
]


def set_faults(environment: Environment, *faults: dict[str, Any]) -> None:
    answer = environment.platform.ask("PUT", f"env/{environment.id}/faults", {"faults": [*faults]})
    assert answer.status_code == 200, answer.text


def users(platform: Platform) -> dict[str, str]:
    """Somebody to act as in each twin of the world."""
    templates = {each["name"]: each["id"] for each in platform.get("templates")["templates"]}
    shown = {name.removesuffix("_default"): platform.get(f"templates/{id}") for name, id in templates.items()}
    return {twin: shown[twin]["users"][0]["id"] for twin in CALLS}


def address(env: Environment, twin: str) -> str:
    return str(env.platform.client.base_url.join(env.made["environmentUrls"][twin]))


def test_an_unavailable_twin_does_nothing_and_recovers(environment):
    env = environment()
    run = env.platform.start(env)
    set_faults(env, {"kind": "unavailable", "operation": "chat.*", "after": 1, "times": 2})
    statuses = [env.ask("chat.postMessage", json={"channel": GENERAL, "text": str(n)}).status_code for n in range(4)]
    assert statuses == [200, 503, 503, 200]
    assert [row["message_text"] for row in env.platform.diff(run)["inserts"]] == ["0", "3"]
    assert env.slack("auth.test")["ok"]
    assert [each["met"] for each in env.platform.get(f"env/{env.id}/faults")["faults"]] == [2]


def test_a_lost_answer_is_of_a_call_that_was_done(environment):
    env = environment()
    set_faults(env, {"kind": "lost_answer", "operation": "chat.postMessage", "times": 1})
    lost = env.ask("chat.postMessage", json={"channel": GENERAL, "text": "there"})
    assert (lost.status_code, lost.content) == (504, b"")
    assert env.slack("conversations.history", channel=GENERAL, limit=1)["messages"][0]["text"] == "there"


def test_slacks_sdk_waits_out_a_rate_limit_and_goes_on(environment):
    env = environment()
    set_faults(env, {"kind": "rate_limit", "times": 1, "seconds": 0.01})
    handler = RateLimitErrorRetryHandler(max_retry_count=1)
    slack = WebClient(token=env.token, base_url=env.url + "/", retry_handlers=[handler])
    assert [slack.chat_postMessage(channel=GENERAL, text=text)["ok"] for text in ("one", "two")] == [True, True]
    [met] = env.platform.get(f"env/{env.id}/faults")["faults"]
    assert met["met"] == 1


def test_each_vendor_says_limited_and_unavailable_in_its_own_words(platform):
    env = Environment(platform, platform.post("initEnv", {"templates": WORLD, "users": users(platform)}))
    set_faults(env, {"kind": "rate_limit", "times": 5}, {"kind": "unavailable", "times": 5})
    limited, unavailable = [{twin: env.ask(twin=twin, **call) for twin, call in CALLS.items()} for _ in range(2)]
    assert limited["slack"].json()["error"] == "ratelimited"
    assert limited["linear"].json()["errors"][0]["extensions"]["code"] == "RATELIMITED"
    assert limited["box"].json()["code"] == "too_many_requests"
    assert limited["calendar"].json()["error"]["errors"][0]["reason"] == "rateLimitExceeded"
    assert limited["stripe"].json()["error"]["code"] == "rate_limit"
    assert {twin: answer.status_code for twin, answer in limited.items()} == {
        **dict.fromkeys(CALLS, 429),
        "linear": 400,
    }
    assert {answer.status_code for answer in unavailable.values()} == {503}
    assert unavailable["slack"].json() == {"ok": False, "error": "service_unavailable"}
    assert unavailable["stripe"].json()["error"]["type"] == "api_error"
    assert unavailable["calendar"].json()["error"]["errors"][0]["reason"] == "backendError"


def test_vendors_sdks_know_a_rate_limit_by_its_answer(platform):
    env = Environment(platform, platform.post("initEnv", {"templates": WORLD, "users": users(platform)}))
    set_faults(env, {"kind": "rate_limit", "twin": "stripe", "operation": "POST /v1/customers"})
    client = stripe.StripeClient("sk_test_x", base_addresses={"api": address(env, "stripe")}, max_network_retries=0)
    with pytest.raises(stripe.RateLimitError):
        client.v1.customers.create({"name": "Ada"})
    assert client.v1.balance.retrieve().object == "balance"


def test_a_call_that_waits_keeps_nobody_else_waiting(environment):
    env, other = environment(), environment()
    set_faults(env, {"kind": "latency", "seconds": 60})
    with pytest.raises(httpx.ReadTimeout):
        env.ask("auth.test", timeout=httpx.Timeout(60, read=0.2))
    assert other.slack("auth.test")["ok"]


def test_a_recorded_answer_is_given_in_place_of_the_operation(environment):
    env = environment()
    body = '{"ok": false, "error": "org_login_required"}'
    set_faults(env, {"kind": "reply", "operation": "users.list", "status": 200, "body": body})
    assert env.slack("users.list")["error"] == "org_login_required"


def test_what_a_fault_answered_stands_in_the_log(environment):
    env = environment()
    set_faults(env, {"kind": "unavailable", "operation": "chat.*", "status": 500})
    env.ask("chat.postMessage", json={"channel": GENERAL, "text": "no"})
    [call] = env.platform.get(f"env/{env.id}/calls", transcripts="true")["calls"]
    assert (call["operation"], call["status"], call["error"]) == ("chat.postMessage", 500, "fault_unavailable")
    assert "no" in str(call["transcript"])


def test_who_may_not_call_a_twin_meets_no_faults(make_server):
    platform = Platform(make_server(api_key="k").client, key="k")
    env = platform.environment(auth="strict")
    set_faults(env, {"kind": "reply", "body": "secret"})
    refused = env.ask("chat.postMessage", token="nonsense", data={"channel": GENERAL, "text": "x"})
    by_body = env.ask("chat.postMessage", token="", data={"token": "nonsense", "channel": GENERAL, "text": "x"})
    allowed = env.ask("chat.postMessage", token="", data={"token": env.token, "channel": GENERAL, "text": "x"})
    assert "secret" not in refused.text + by_body.text
    assert allowed.text == "secret"


def test_faults_outlive_a_restart_and_forks_begin_without(make_server, tmp_path):
    server = make_server(data_dir=str(tmp_path))
    env = Platform(server.client).environment()
    set_faults(env, {"kind": "unavailable", "operation": "chat.*"})
    [fork] = env.platform.post(f"env/{env.id}/fork")["environments"]
    assert env.platform.get(f"env/{fork['environmentId']}/faults") == {"faults": []}
    server.close()
    again = Platform(make_server(data_dir=str(tmp_path)).client)
    assert again.get(f"env/{env.id}/faults")["faults"][0]["fault"]["operation"] == "chat.*"


@pytest.mark.parametrize(("fault", "named"), REFUSED)
def test_a_fault_that_could_never_be_meant_is_refused_by_name(environment, fault, named):
    env = environment()
    set_faults(env, {"kind": "latency"})
    answer = env.platform.ask("PUT", f"env/{env.id}/faults", {"faults": [fault]})
    assert answer.status_code == 400
    assert named in answer.json()["detail"]
    assert len(env.platform.get(f"env/{env.id}/faults")["faults"]) == 1


def test_the_client_sets_faults_and_sees_what_they_met(server):
    with Client(server) as client:
        env = client.create("slack:slack_default", user="U01AGENBOT9")
        [fault] = env.set_faults({"kind": "rate_limit", "operation": "chat.*", "calls": 2})
        assert (fault.met, fault.fault["calls"]) == (0, 2)
        assert env.set_faults() == env.faults() == []
