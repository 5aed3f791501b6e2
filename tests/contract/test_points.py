"""The points of an environment over HTTP: checkpoints, forks, rewinds, diffs between points."""

import threading
from collections.abc import Callable
from uuid import uuid4

import httpx
import pytest

from tests.harness import GENERAL, Environment, LiveServer, Platform, texts
from tests.server_mode import change_by_hand, embedded_only

Make = Callable[..., Environment]
NOBODY = uuid4().hex


@pytest.fixture
def env(environment: Make) -> Environment:
    """Three messages, each a point; the second has a name."""
    env = environment(clock={"mode": "steps", "start": "2026-01-31T09:30:00"})
    for text in ("one", "two", "three"):
        env.post(text)
    env.platform.post(f"env/{env.id}/checkpoints", {"name": "two", "at": 2})
    return env


def forked(env: Environment, **options) -> list[Environment]:
    made = env.platform.post(f"env/{env.id}/fork", options)["environments"]
    urls = [{**each, "environmentUrls": {"slack": each["environmentUrl"]}} for each in made]
    return [Environment(env.platform, each) for each in urls]


def said(env: Environment, **points) -> list[str]:
    return texts(env.platform.get(f"env/{env.id}/diff", **points)["diff"])


def test_a_checkpoint_answers_its_public_fields(env, platform):
    made = platform.ask("POST", f"env/{env.id}/checkpoints", {"name": "now"})
    assert made.status_code == 201
    assert made.json().keys() == {"name", "seq", "createdAt"}
    assert (made.json()["name"], made.json()["seq"]) == ("now", 3)


def test_checkpoints_are_listed_in_the_order_they_were_made(env, platform):
    platform.post(f"env/{env.id}/checkpoints", {"name": "a", "at": 1})
    listed = platform.get(f"env/{env.id}/checkpoints")["checkpoints"]
    assert [(each["name"], each["seq"]) for each in listed] == [("two", 2), ("a", 1)]


def test_a_deleted_checkpoint_frees_its_name(env, platform):
    platform.delete(f"env/{env.id}/checkpoints/two")
    assert platform.refusal("DELETE", f"env/{env.id}/checkpoints/two") == (404, "checkpoint_not_found")
    assert platform.post(f"env/{env.id}/checkpoints", {"name": "two"})["seq"] == 3


def test_a_fork_answers_its_public_fields(env, platform):
    answer = platform.ask("POST", f"env/{env.id}/fork", {"at": "two"})
    (made,) = answer.json()["environments"]
    assert answer.status_code == 201
    assert made.keys() == {"environmentId", "environmentUrl", "agentToken", "parent", "at"}
    assert (made["parent"], made["at"]) == (env.id, 2)
    assert made["environmentUrl"] == f"/api/env/{made['environmentId']}/services/slack"


def test_a_fork_goes_on_by_itself(env):
    (fork,) = forked(env, at="two")
    fork.post("elsewhere")
    env.post("here")
    assert (said(fork), said(env)) == (["one", "two", "elsewhere"], ["one", "two", "three", "here"])


@embedded_only("a fork copies rows there, and a thousand take longer than a client waits")
def test_a_thousand_forks_are_made_at_once_and_no_more(env, platform):
    assert len({fork.id for fork in forked(env, count=1000)}) == 1000
    assert platform.refusal("POST", f"env/{env.id}/fork", {"count": 1001}) == (400, "invalid_count")


def test_a_fork_has_a_token_of_its_own(env):
    (fork,) = forked(env)
    assert fork.slack("auth.test")["ok"]
    assert env.ask("auth.test", token=fork.token).status_code == 403


def test_a_rewind_of_the_parent_leaves_its_forks_alone(env):
    (fork,) = forked(env)
    env.platform.post(f"env/{env.id}/rewind", {"to": 1})
    env.post("other")
    assert (said(env), said(fork)) == (["one", "other"], ["one", "two", "three"])


def test_a_fork_outlives_its_parent(env, platform):
    (fork,) = forked(env, at=2)
    platform.delete(f"env/{env.id}")
    fork.post("alone")
    assert said(fork) == ["one", "two", "alone"]


def test_a_fork_of_a_fork_has_the_whole_past(env):
    (child,) = forked(env, at=2)
    child.post("child")
    (grandchild,) = forked(child)
    grandchild.post("grandchild")
    assert said(grandchild) == ["one", "two", "child", "grandchild"]


def test_a_fork_lives_as_long_as_its_parent_was_meant_to(platform, environment):
    env = environment(ttlSeconds=120)
    (fork,) = forked(env, name="branch")
    shown = platform.get(f"env/{fork.id}")
    assert shown["name"] == "branch"
    assert shown["expiresAt"] > platform.get(f"env/{env.id}")["expiresAt"]


def test_time_and_ids_go_back_too(env):
    (fork,) = forked(env, at="two")
    env.platform.post(f"env/{env.id}/rewind", {"to": "two"})
    assert env.post("again") == fork.post("again")


def test_a_rewind_can_be_taken_back(env, platform):
    answer = platform.post(f"env/{env.id}/rewind", {"to": 1})
    assert answer == {"environmentId": env.id, "seq": 4, "to": 1}
    platform.post(f"env/{env.id}/rewind", {"to": 3})
    assert said(env) == ["one", "two", "three"]


def test_the_api_shows_the_past_after_a_rewind(env, platform):
    platform.post(f"env/{env.id}/rewind", {"to": "two"})
    history = env.slack("conversations.history", channel=GENERAL, limit=2)["messages"]
    assert [message["text"] for message in history] == ["two", "one"]


def test_a_diff_between_points_reads_both_ways(env, platform):
    assert said(env, **{"from": 1, "to": "two"}) == ["two"]
    back = platform.get(f"env/{env.id}/diff", **{"from": 3, "to": 1})
    assert (back["from"], back["to"], texts(back["diff"], "deletes")) == (3, 1, ["two", "three"])


def test_a_diff_over_a_rewind_has_what_lasts(env, platform):
    platform.post(f"env/{env.id}/rewind", {"to": 1})
    assert said(env) == ["one"]
    assert texts(platform.get(f"env/{env.id}/diff", **{"from": 2})["diff"], "deletes") == ["two"]


def test_a_run_that_spans_a_rewind_says_so(env, platform):
    run = platform.start(env)
    platform.post(f"env/{env.id}/rewind", {"to": "two"})
    answer = platform.post("diffRun", {"runId": run})
    assert answer["rewound"] == [{"at_seq": 4, "to_seq": 2}]
    assert texts(answer["diff"], "deletes") == ["three"]


REFUSALS = {
    "an unknown point": ("rewind", {"to": 9}, 404, "unknown_point"),
    "a point before the first": ("rewind", {"to": -1}, 404, "unknown_point"),
    "an unknown name": ("rewind", {"to": "tow"}, 404, "unknown_point"),
    "a number beyond all": ("rewind", {"to": "9" * 5000}, 404, "unknown_point"),
    "no point at all": ("rewind", {}, 400, "validation_error"),
    "a point that is neither number nor name": ("rewind", {"to": [1]}, 400, "validation_error"),
    "a fork of an unknown point": ("fork", {"at": 9}, 404, "unknown_point"),
    "no forks": ("fork", {"count": 0}, 400, "invalid_count"),
    "less than no forks": ("fork", {"count": -1}, 400, "invalid_count"),
    "a count that is no number": ("fork", {"count": "many"}, 400, "invalid_count"),
    "a name that is taken": ("checkpoints", {"name": "two"}, 409, "checkpoint_taken"),
    "a name that is a number": ("checkpoints", {"name": "12"}, 400, "invalid_checkpoint_name"),
    "a name with a slash": ("checkpoints", {"name": "a/b"}, 400, "invalid_checkpoint_name"),
    "an empty name": ("checkpoints", {"name": ""}, 400, "invalid_checkpoint_name"),
    "a name for an unknown point": ("checkpoints", {"name": "x", "at": 9}, 404, "unknown_point"),
    "a port of an unknown twin": ("ports", {"twin": "slak"}, 404, "twin_not_found"),
}


@pytest.mark.parametrize(("route", "body", "status", "code"), REFUSALS.values(), ids=REFUSALS)
def test_what_cannot_be_is_refused_and_nothing_is_lost(env, platform, route, body, status, code):
    assert platform.refusal("POST", f"env/{env.id}/{route}", body) == (status, code)
    assert said(env) == ["one", "two", "three"]
    assert platform.get(f"env/{env.id}")["seq"] == 3


def test_a_point_of_another_environment_is_named_as_such(env, platform, environment):
    other = environment()
    answer = platform.ask("POST", f"env/{other.id}/rewind", {"to": "two"})
    assert (answer.status_code, answer.json()["error"]) == (404, "foreign_point")
    assert other.id in answer.json()["detail"]


@pytest.mark.parametrize(
    ("route", "body"), [("rewind", {"to": 1}), ("fork", {"name": "x"}), ("checkpoints", {"name": "x"}), ("reset", {})]
)
def test_an_environment_that_is_gone_has_no_points(env, platform, route, body):
    platform.delete(f"env/{env.id}")
    assert platform.refusal("POST", f"env/{env.id}/{route}", body) == (410, "environment_deleted")
    assert platform.refusal("POST", f"env/{NOBODY}/{route}", body) == (404, "environment_not_found")


def test_an_expired_environment_cannot_be_forked_but_compared(make_server, tmp_path):
    first = make_server(data_dir=str(tmp_path))
    env = Platform(first.client).environment()
    env.post("one")
    first.close()
    change_by_hand(str(tmp_path), "UPDATE environments SET expires = created")
    env.platform = Platform(make_server(data_dir=str(tmp_path)).client)
    assert env.platform.refusal("POST", f"env/{env.id}/fork") == (410, "environment_expired")
    assert said(env) == ["one"]


def test_points_long_past_are_rebuilt_while_others_write(make_server, tmp_path):
    server: LiveServer = make_server(data_dir=str(tmp_path))
    platform = Platform(server.client)
    env = platform.environment()
    for number in range(300):
        env.post(str(number))
    server.on_loop(lambda: server.service.engine.evict(env.id))
    (fork,) = forked(env, at=7)
    platform.post(f"env/{env.id}/rewind", {"to": 3})
    assert (len(said(fork)), len(said(env))) == (7, 3)


def test_a_port_is_one_twins_alone(env, platform):
    url = platform.post(f"env/{env.id}/ports", {"twin": "slack"})["url"]
    headers = {"Authorization": f"Bearer {env.token}"}
    assert platform.client.post(f"{url}/auth.test", headers=headers).json()["ok"]
    assert platform.client.get(f"{url}/api/platform/env").json()["error"] == "unknown_method"
    assert platform.post(f"env/{env.id}/ports", {"twin": "slack"})["url"] == url


def test_links_of_answers_work_on_a_port_too(env, platform):
    url = platform.post(f"env/{env.id}/ports", {"twin": "slack"})["url"]
    answer = platform.client.post(f"{url}{env.made['environmentUrl']}/auth.test", headers={"Authorization": "Bearer x"})
    assert answer.json()["ok"]


def test_no_more_than_256_ports_are_open_and_deleting_frees_them(make_server):
    platform = Platform(make_server().client)
    env = platform.environment()
    forks = forked(env, count=257)
    for fork in forks[:256]:
        platform.post(f"env/{fork.id}/ports", {"twin": "slack"})
    assert platform.refusal("POST", f"env/{forks[256].id}/ports", {"twin": "slack"}) == (429, "too_many_ports")
    platform.delete(f"env/{forks[0].id}")
    assert platform.post(f"env/{forks[256].id}/ports", {"twin": "slack"})["url"]


def test_an_environment_that_is_deleted_while_it_is_forked_leaves_no_forks(make_server):
    server: LiveServer = make_server()
    platform = Platform(server.client)
    env = platform.environment()
    answers = []
    with httpx.Client(base_url=server.url, trust_env=False, timeout=120) as other:
        asking = threading.Thread(
            target=lambda: answers.append(other.post(f"/api/platform/env/{env.id}/fork", json={"count": 1000}))
        )
        asking.start()
        platform.delete(f"env/{env.id}")
        asking.join()
    (answer,) = answers
    ready = len(platform.get("env", status="ready", limit=1000)["environments"])
    assert (answer.status_code, ready) in [(410, 0), (201, 1000)]


def test_rewinds_and_writes_at_once_are_points_one_after_the_other(make_server):
    server: LiveServer = make_server()
    platform = Platform(server.client)
    env = platform.environment()
    for number in range(300):
        env.post(str(number))

    def rewind(to: int) -> None:
        with httpx.Client(base_url=server.url, trust_env=False, timeout=120) as other:
            assert other.post(f"/api/platform/env/{env.id}/rewind", json={"to": to}).status_code == 200

    threads = [threading.Thread(target=rewind, args=[to]) for to in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for number in range(20):
        env.post(f"meanwhile {number}")
    for thread in threads:
        thread.join()
    records = platform.get(f"env/{env.id}/journal", after=300)["records"]
    assert [record["seq"] for record in records] == list(range(301, 325))
    last = max(record["seq"] for record in records if "to" in record)
    (to,) = [record["to"] for record in records if record["seq"] == last]
    assert said(env)[:to] == [str(number) for number in range(to)]
    assert len(said(env)) == to + 324 - last
