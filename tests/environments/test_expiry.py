"""Environments end: by their time to live, a day after that, or when they are deleted."""

import time

import pytest

from tests.environments import alarms
from tests.harness import GENERAL, JOHN, Environment, LiveServer, Platform, texts
from tests.server_mode import IS_POSTGRES, change_by_hand
from twindiff.environments.registry import Registry
from twindiff.server import Settings
from twindiff.twins import slack

ADDED = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}, "expected_count": 1}
HOUR = 3600


@pytest.fixture
def restarted(make_server, tmp_path):
    """Stop a server, move the end of an environment into the past, and start it again."""
    first = make_server(data_dir=str(tmp_path))

    def restart(environment_id, seconds_ago):
        first.close()
        ended = int((time.time() - seconds_ago) * 1_000_000)
        statement = f"UPDATE environments SET expires = {ended} WHERE environment_id = '{environment_id}'"
        change_by_hand(str(tmp_path), statement)
        return make_server(data_dir=str(tmp_path))

    return Platform(first.client), restart


@pytest.fixture
def judged(restarted):
    """A run of an environment that ended a minute ago, with one message in it."""
    platform, restart = restarted
    env = platform.environment()
    run = platform.start(env)
    env.post("hello")
    after = Platform(restart(env.id, 60).client)
    return after, Environment(after, env.made), run


def test_an_expired_environment_refuses_its_twins(judged):
    _, env, _ = judged
    answer = env.ask("chat.postMessage", json={"channel": GENERAL, "text": "too late"})
    assert (answer.status_code, answer.json()["error"]) == (410, "environment_expired")


def test_an_expired_environment_begins_no_run(judged):
    platform, env, _ = judged
    assert platform.refusal("POST", "startRun", {"envId": env.id}) == (410, "environment_expired")


def test_runs_of_an_expired_environment_are_judged_up_to_its_end(judged):
    platform, env, run = judged
    env.ask("chat.postMessage", json={"channel": GENERAL, "text": "too late"})
    assert texts(platform.diff(run)) == ["hello"]
    assert platform.evaluate(run, ADDED)["passed"]


def test_an_expired_environment_says_so(judged):
    platform, env, _ = judged
    env.ask("auth.test")
    assert platform.get(f"env/{env.id}")["status"] == "expired"


def test_a_day_after_its_end_an_environment_is_gone_and_its_results_stay(restarted):
    platform, restart = restarted
    env = platform.environment()
    run = platform.start(env)
    env.post("hello")
    diff = platform.diff(run)
    server = restart(env.id, 25 * HOUR)
    server.on_loop(lambda: list(server.service.cleanup.steps()))
    server.on_loop(lambda: list(server.service.cleanup.steps()))
    after = Platform(server.client)
    assert after.refusal("POST", "diffRun", {"runId": run}) == (410, "environment_deleted")
    assert after.get(f"results/{run}")["diff"] == diff
    assert [call["operation"] for call in after.get(f"env/{env.id}/calls")["calls"]] == ["chat.postMessage"]


def test_results_are_forgotten_when_they_have_been_kept_long_enough(restarted):
    platform, restart = restarted
    env, other = platform.environment(), platform.environment()
    run, kept = platform.start(env), platform.start(other)
    platform.diff(run)
    for each in (env, other):
        platform.delete(f"env/{each.id}")
    server = restart(env.id, 31 * 24 * HOUR)
    server.on_loop(lambda: list(server.service.cleanup.steps()))
    after = Platform(server.client)
    assert after.refusal("GET", f"results/{run}") == (404, "run_not_found")
    assert after.refusal("GET", f"env/{env.id}") == (404, "environment_not_found")
    assert after.get(f"results/{kept}")["runId"] == kept


def test_a_server_has_only_so_many_environments(make_server):
    platform = Platform(make_server(most_environments=2).client)
    first = platform.environment()
    platform.environment()
    wanted = {"templateService": "slack", "templateName": "slack_default", "impersonateUserId": JOHN}
    assert platform.refusal("POST", "initEnv", wanted) == (429, "too_many_environments")
    assert platform.refusal("POST", f"env/{first.id}/fork", {}) == (429, "too_many_environments")
    platform.delete(f"env/{first.id}")
    assert platform.environment().id


def test_a_restart_forgets_nothing(restarted):
    platform, restart = restarted
    env = platform.environment(tokens={"xoxp-john": JOHN}, auth="strict")
    run = platform.start(env)
    env.post("hello")
    calls = platform.get(f"env/{env.id}/calls")
    after = Platform(restart(env.id, -HOUR).client)
    again = Environment(after, env.made)
    again.post("and again", token="xoxp-john")
    assert texts(after.diff(run)) == ["hello", "and again"]
    assert after.get(f"env/{env.id}/calls")["calls"][:1] == calls["calls"]


def test_an_idle_environment_sleeps_and_wakes_as_it_was(make_server):
    server = make_server(idle_seconds=0)
    platform = Platform(server.client)
    env = platform.environment()
    run = platform.start(env)
    env.post("one")
    server.on_loop(lambda: list(server.service.cleanup.steps()))
    assert not server.on_loop(lambda: server.service.engine.is_loaded(env.id))
    env.post("two")
    assert texts(platform.diff(run)) == ["one", "two"]


@pytest.fixture(scope="module")
def impatient():
    """A server that evicts environments at every step of its maintenance."""
    server = LiveServer(Settings(idle_seconds=0), Registry([alarms.twin, slack.twin]))
    yield server
    server.close()


def is_evicted(server, env):
    """Whether maintenance evicts an environment; a round of it evicts as many as it can in a few milliseconds."""
    for _ in range(20):
        server.maintain()
        if not server.on_loop(lambda: server.service.engine.is_loaded(env.id)):
            return True
    return False


def test_a_fault_counts_on_after_its_environment_was_evicted(impatient):
    env = Platform(impatient.client).environment()
    faults = [{"kind": "unavailable", "operation": "chat.*", "times": 1}]
    env.platform.ask("PUT", f"env/{env.id}/faults", {"faults": faults})
    body = {"channel": GENERAL, "text": "hello"}
    assert env.ask("chat.postMessage", json=body).status_code == 503
    assert is_evicted(impatient, env)
    assert env.ask("chat.postMessage", json=body).status_code == 200
    assert is_evicted(impatient, env)
    assert [each["met"] for each in env.platform.get(f"env/{env.id}/faults")["faults"]] == [1]


def test_an_event_of_scheduled_work_names_the_address_of_the_last_call_after_an_eviction(impatient):
    env = Platform(impatient.client).environment(clock={"mode": "frozen", "start": "2027-01-15T08:00:00"})
    body = {"channel": GENERAL, "text": "later", "post_at": 1_800_000_060}
    assert env.ask("chat.scheduleMessage", json=body).json()["ok"]
    assert is_evicted(impatient, env)
    env.platform.post(f"env/{env.id}/clock", {"to": "2027-01-15T09:00:00"})
    records = impatient.on_loop(lambda: impatient.service.engine.records(env.id))
    named = {event.came_by for record in records for event in record.events}
    assert named == {f"{env.platform.client.base_url}/api/env/{env.id}/services/slack"}


def test_an_environment_with_subscribers_and_a_moving_clock_is_evicted_when_idle(impatient):
    env = Platform(impatient.client).environment()
    impatient.on_loop(lambda: impatient.service.webhooks.dispatcher.notify(env.id))
    assert is_evicted(impatient, env)


def test_the_jobs_of_an_evicted_environment_run_when_they_are_due(impatient):
    env = Platform(impatient.client).environment("alarms:empty", user="P1")
    service = impatient.service
    env.ask("alarms", json={"id": "soon", "at": int(time.time()) + 2})
    impatient.on_loop(lambda: service.webhooks.dispatcher.notify(env.id))
    assert is_evicted(impatient, env)
    deadline = time.monotonic() + 60
    while impatient.on_loop(lambda: service.engine.seq(env.id)) < 2:
        assert time.monotonic() < deadline


@pytest.mark.skipif(not IS_POSTGRES, reason="an environment of the embedded engine belongs to one process")
def test_a_job_that_another_process_has_scheduled_meanwhile_runs_when_it_is_due(impatient):
    env = Platform(impatient.client).environment("alarms:empty", user="P1")
    impatient.on_loop(lambda: impatient.service.webhooks.dispatcher.notify(env.id))
    assert is_evicted(impatient, env)
    other = LiveServer(impatient.service.settings._replace(idle_seconds=300), Registry([alarms.twin, slack.twin]))
    alarm = {"id": "soon", "at": int(time.time()) + 1}
    Environment(Platform(other.client), env.made).ask("alarms", json=alarm).raise_for_status()
    other.close()
    deadline = time.monotonic() + 60
    while impatient.on_loop(lambda: impatient.service.engine.seq(env.id)) < 2:
        impatient.maintain()
        assert time.monotonic() < deadline


def test_deleting_an_environment_deletes_its_call_log(platform, environment):
    env = environment()
    env.post("hello")
    assert platform.get(f"env/{env.id}/calls")["calls"]
    platform.delete(f"env/{env.id}")
    assert platform.refusal("GET", f"env/{env.id}/calls") == (410, "environment_deleted")
