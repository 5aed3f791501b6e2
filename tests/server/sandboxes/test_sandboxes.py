"""Sandboxes from their making to their end."""

import re
import time
from datetime import datetime, timedelta

import pytest

from tests.harness import Environment, Platform
from tests.server.sandboxes.asking import Sandboxes
from tests.server_mode import change_by_hand
from twindiff.environments.registry import Registry
from twindiff.kit import Operations, Twin
from twindiff.kit.styles.base import Style

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z")
FIELDS = {"id", "api", "scenario", "status", "base_url", "created_at", "expires_at"}


@pytest.fixture
def alone(make_server) -> Sandboxes:
    """The Sandbox API of a server that has no sandbox yet."""
    return Sandboxes(make_server().client)


def ids(page) -> list[str]:
    return [each["id"] for each in page["sandboxes"]]


def test_a_sandbox_has_the_fields_of_the_contract(sandboxes):
    made = sandboxes.create("slack")
    assert made.keys() == FIELDS
    assert (made["api"], made["scenario"], made["status"]) == ("slack", "slack_default", "ready")
    assert INSTANT.fullmatch(made["created_at"])
    assert INSTANT.fullmatch(made["expires_at"])
    assert sandboxes.get(f"/{made['id']}") == made


@pytest.mark.parametrize(
    ("ttl", "minutes"), [({}, 60), ({"ttl": 60}, 1), ({"ttl": None}, 60), ({"ttl": 2592000}, 43200)]
)
def test_a_sandbox_lasts_as_long_as_it_was_asked_to(sandboxes, ttl, minutes):
    made = sandboxes.create(**ttl)
    created, expires = (datetime.fromisoformat(made[name]) for name in ("created_at", "expires_at"))
    assert expires - created == timedelta(minutes=minutes)


def test_the_scenario_is_a_template_by_name(sandboxes):
    made = sandboxes.create("linear", scenario="linear_base")
    assert (made["api"], made["scenario"]) == ("linear", "linear_base")


def test_a_twin_without_a_usual_scenario_begins_with_its_first(make_server, tmp_path):
    api = Operations()
    for name in ("tulips", "roses"):
        (tmp_path / f"{name}.json").write_text("{}")
    florist = Twin("florist", Style(), api, tables=(), seeds=tmp_path)
    assert Sandboxes(make_server(Registry([florist])).client).create("florist")["scenario"] == "roses"


def test_the_base_url_is_called_as_it_is(sandboxes):
    assert sandboxes.call(sandboxes.create("slack"), "/auth.test")["user_id"] == "U01AGENBOT9"
    assert sandboxes.call(sandboxes.create("linear"), "", json={"query": "{ viewer { id } }"})["data"]["viewer"]["id"]


def test_the_base_url_names_the_host_that_was_asked(sandboxes):
    made = sandboxes.ask("POST", "sandboxes", {"api": "slack"}, headers={"Host": "twins.localhost:81"}).json()
    assert made["base_url"] == f"http://twins.localhost:81/api/env/{made['id']}/services/slack"


def test_a_call_makes_a_sandbox_active(sandboxes):
    made = sandboxes.create()
    assert sandboxes.status(made) == "ready"
    sandboxes.call(made, "/auth.test")
    assert sandboxes.status(made) == "active"


def test_a_refused_call_makes_it_active_too(sandboxes):
    made = sandboxes.create()
    assert not sandboxes.call(made, "/no.such.method")["ok"]
    assert sandboxes.status(made) == "active"


def test_looking_at_a_sandbox_leaves_it_ready(sandboxes):
    made = sandboxes.create()
    sandboxes.diffs(made["id"])
    sandboxes.get("")
    assert sandboxes.status(made) == "ready"


def test_an_active_sandbox_is_active_after_a_restart(make_server, tmp_path):
    server = make_server(data_dir=str(tmp_path))
    before = Sandboxes(server.client)
    made, untouched = before.create(), before.create()
    before.call(made, "/auth.test")
    server.close()
    after = Sandboxes(make_server(data_dir=str(tmp_path)).client)
    assert (after.status(made), after.status(untouched)) == ("active", "ready")


def test_an_expired_sandbox_is_shown_and_still_tells_what_was_done(make_server, tmp_path):
    server = make_server(data_dir=str(tmp_path))
    before = Sandboxes(server.client)
    made, lasting = before.create(), before.create()
    before.say(made, "hello")
    server.close()
    ended = int((time.time() - 60) * 1_000_000)
    change_by_hand(str(tmp_path), f"UPDATE environments SET expires = {ended} WHERE environment_id = '{made['id']}'")
    after = Sandboxes(make_server(data_dir=str(tmp_path)).client)
    assert (after.status(made), after.status(lasting)) == ("expired", "ready")
    assert (ids(after.get("", status="expired")), ids(after.get("", status="ready"))) == ([made["id"]], [lasting["id"]])
    assert len(after.diffs(made["id"])) == after.get("")["total"] - 1 == 1


def test_a_deleted_sandbox_is_not_found(sandboxes):
    made = sandboxes.create()
    answer = sandboxes.ask("DELETE", f"sandboxes/{made['id']}")
    assert (answer.status_code, answer.content) == (204, b"")
    for verb, path in (("GET", ""), ("GET", "/diffs"), ("DELETE", "")):
        assert sandboxes.refusal(verb, f"sandboxes/{made['id']}{path}") == (404, "sandbox_not_found")
    assert made["id"] not in ids(sandboxes.get("", limit=1000))


def test_an_answer_without_content_announces_none(sandboxes):
    answer = sandboxes.ask("DELETE", f"sandboxes/{sandboxes.create()['id']}")
    assert {"content-length", "content-type", "transfer-encoding"}.isdisjoint(answer.headers)


def test_a_page_is_newest_first_and_its_total_counts_all(alone):
    made = [alone.create()["id"] for _ in range(5)]
    page = alone.get("", limit=2, offset=1)
    assert (ids(page), page["total"]) == ([made[3], made[2]], 5)
    assert alone.get("", offset=5) == {"sandboxes": [], "total": 5}


def test_sandboxes_are_listed_by_status_and_api(alone):
    slack, linear, active = alone.create("slack"), alone.create("linear"), alone.create("slack")
    alone.call(active, "/auth.test")
    listed = {
        query: (ids(page), page["total"])
        for query in ("ready", "active", "expired", "slack", "linear")
        for page in [alone.get("", **{"api" if query in ("slack", "linear") else "status": query})]
    }
    assert listed == {
        "ready": ([linear["id"], slack["id"]], 2),
        "active": ([active["id"]], 1),
        "expired": ([], 0),
        "slack": ([active["id"], slack["id"]], 2),
        "linear": ([linear["id"]], 1),
    }
    assert ids(alone.get("", api="slack", status="ready")) == [slack["id"]]


def test_each_sandbox_of_a_list_is_shown_as_it_is_alone(alone):
    alone.call(alone.create(scenario="slack_base"), "/auth.test")
    alone.create("linear")
    for each in alone.get("")["sandboxes"]:
        assert alone.get(f"/{each['id']}") == each


def test_an_environment_of_one_twin_is_a_sandbox_whoever_made_it(sandboxes, environment):
    env: Environment = environment(ttlSeconds=60)
    sandbox = sandboxes.get(f"/{env.id}")
    assert (sandbox["api"], sandbox["scenario"]) == ("slack", "slack_default")
    assert sandbox["base_url"].endswith(env.made["environmentUrl"])


def test_a_sandbox_is_an_environment_like_any_other(sandboxes, platform: Platform):
    made = sandboxes.create()
    assert platform.get(f"env/{made['id']}")["service"] == "slack"


def test_an_environment_of_two_twins_is_no_sandbox(alone):
    both = Platform(alone.client).environment(templates=["slack:slack_default", "linear:linear_base"])
    assert alone.refusal("GET", f"sandboxes/{both.id}") == (404, "sandbox_not_found")
    assert alone.get("")["total"] == alone.get("", api="slack")["total"] == alone.get("", api="linear")["total"] == 0


def test_a_fork_is_ready_until_it_is_called_itself(sandboxes, platform):
    made = sandboxes.create()
    sandboxes.say(made, "before")
    (fork,) = platform.post(f"env/{made['id']}/fork")["environments"]
    assert sandboxes.get(f"/{fork['environmentId']}")["status"] == "ready"
