"""Runs: intervals of an environment, judged when asked."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.harness import GENERAL, JOHN, Platform, texts

ADDED = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}, "expected_count": 1}
SPEC = {"assertions": [ADDED]}
NOTHING = {"inserts": [], "updates": [], "deletes": []}


@pytest.fixture
def env(environment):
    return environment()


def test_a_second_diff_without_a_write_is_byte_identical(platform, env):
    run = platform.start(env)
    env.post("hello")
    first, second = (platform.ask("POST", "diffRun", {"runId": run}).content for _ in range(2))
    assert first == second


def test_a_read_between_two_diffs_changes_nothing(platform, env):
    run = platform.start(env)
    env.post("hello")
    first = platform.ask("POST", "diffRun", {"runId": run}).content
    env.slack("conversations.history", channel=GENERAL)
    assert platform.ask("POST", "diffRun", {"runId": run}).content == first


def test_later_writes_are_covered_by_the_next_diff(platform, env):
    run = platform.start(env)
    env.post("one")
    assert texts(platform.diff(run)) == ["one"]
    env.post("two")
    assert texts(platform.diff(run)) == ["one", "two"]


def test_a_run_is_judged_again_after_further_writes(platform, env):
    run = platform.start(env)
    assert platform.evaluate(run, ADDED)["status"] == "failed"
    env.post("hello")
    assert platform.evaluate(run, ADDED)["status"] == "passed"
    assert platform.get(f"results/{run}")["status"] == "passed"


def test_a_diff_does_not_undo_a_verdict(platform, env):
    run = platform.start(env)
    platform.evaluate(run, {**ADDED, "expected_count": 0})
    platform.diff(run)
    assert platform.get(f"results/{run}")["status"] == "passed"


def test_a_verdict_stays_beside_the_diff_it_was_reached_on(platform, env):
    run = platform.start(env)
    env.post("hello")
    assert platform.evaluate(run, ADDED)["passed"]
    env.post("hello")
    assert texts(platform.diff(run)) == ["hello", "hello"]
    result = platform.get(f"results/{run}")
    assert (result["passed"], texts(result["diff"])) == (True, ["hello"])


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ({"assertions": [{"diff_type": "unchanged", "entity": "mesages"}]}, "assertions[0].entity"),
        ({"assertions": [ADDED, {**ADDED, "entity": "mesages"}]}, "assertions[1].entity"),
        ({"assertions": [{**ADDED, "entity": "slack.messages"}]}, "assertions[0].entity"),
        ({"assertions": [ADDED], "closed_world": {"except": [{"entity": "mesages"}]}}, "closed_world.except[0].entity"),
    ],
)
def test_version_1_knows_the_tables_of_the_environment(platform, env, spec, place):
    run = platform.start(env)
    answer = platform.ask("POST", "evaluateRun", {"runId": run, "expectedOutput": {"version": "1", **spec}})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_spec")
    assert f"{place}: there is no table" in answer.text
    assert "Did you mean 'messages'?" in answer.text
    public = {"diff_type": "added", "entity": "mesages", "expected_count": 0}
    assert platform.evaluate(run, public)["passed"]


def test_a_diffed_run_is_completed(platform, env):
    run = platform.start(env)
    platform.diff(run)
    assert platform.get(f"results/{run}")["status"] == "completed"


def test_writes_before_the_start_do_not_show(platform, env):
    env.post("before")
    run = platform.start(env)
    env.post("after")
    assert texts(platform.diff(run)) == ["after"]


def test_two_runs_in_one_environment_have_their_own_beginnings(platform, env):
    first = platform.start(env)
    env.post("one")
    second = platform.start(env)
    env.post("two")
    assert (texts(platform.diff(first)), texts(platform.diff(second))) == (["one", "two"], ["two"])


def test_what_was_added_and_removed_in_a_run_does_not_show(platform, env):
    run = platform.start(env)
    env.slack("chat.delete", channel=GENERAL, ts=env.post("gone"))
    assert platform.diff(run) == NOTHING


def test_an_edit_of_an_older_message_is_one_update(platform, env):
    ts = env.post("draft")
    run = platform.start(env)
    env.slack("chat.update", channel=GENERAL, ts=ts, text="final")
    diff = platform.diff(run)
    (update,) = diff["updates"]
    assert (update["before"]["message_text"], update["after"]["message_text"]) == ("draft", "final")
    assert update["changed"] == ["message_text", "edited_at"]
    assert update["derived"] == ["edited_at"]


def test_an_update_shows_whole_rows_or_just_what_changed(platform, env):
    ts = env.post("draft")
    run = platform.start(env)
    env.slack("chat.update", channel=GENERAL, ts=ts, text="final")
    (update,) = platform.diff(run, rows="changed")["updates"]
    assert update["before"] == {"message_id": ts, "message_text": "draft", "edited_at": None}


JUDGING = {"diffRun": {}, "evaluateRun": {"expectedOutput": SPEC}}


@pytest.mark.parametrize("path", JUDGING)
def test_a_run_started_once_is_closed_by_the_first_judging(platform, env, path):
    run = platform.start(env, once=True)
    platform.post(path, {"runId": run, **JUDGING[path]})
    for again, more in JUDGING.items():
        assert platform.refusal("POST", again, {"runId": run, **more}) == (400, "run_already_completed")


def test_writes_after_the_only_judging_never_enter_its_result(platform, env):
    run = platform.start(env, once=True)
    env.post("hello")
    judged = platform.evaluate(run, ADDED)
    env.post("hello")
    result = platform.get(f"results/{run}")
    assert (result["passed"], texts(result["diff"])) == (judged["passed"], ["hello"])


def test_one_of_eight_judgings_of_a_once_run_wins(platform, env):
    run = platform.start(env, once=True)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: platform.ask("POST", "diffRun", {"runId": run}).status_code, range(8)))
    assert sorted(answers) == [200] + [400] * 7


def test_a_large_once_run_is_judged_by_one_of_eight(platform, environment):
    env = environment()
    run = platform.start(env, once=True)
    for number in range(600):
        env.post(str(number))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: platform.ask("POST", "diffRun", {"runId": run}), range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7
    assert len(texts(platform.get(f"results/{run}")["diff"])) == 600


def test_a_server_can_close_every_run_at_its_first_judging(make_server):
    strict = Platform(make_server(runs_once=True).client)
    run = strict.start(strict.environment())
    strict.diff(run)
    assert strict.refusal("POST", "diffRun", {"runId": run}) == (400, "run_already_completed")
    again = strict.start(strict.environment(), once=False)
    assert strict.diff(again) == strict.diff(again)


def test_eight_concurrent_diffs_of_a_run_are_the_same(platform, env):
    run = platform.start(env)
    for number in range(20):
        env.post(str(number))
    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(lambda _: platform.ask("POST", "diffRun", {"runId": run}).content, range(8)))
    assert len(answers) == 1


def test_a_diff_holds_every_write_that_was_acknowledged(platform, env):
    run = platform.start(env)
    with ThreadPoolExecutor(16) as pool:
        acknowledged = sorted(pool.map(lambda number: env.post(str(number)), range(100)))
    assert sorted(row["message_id"] for row in platform.diff(run)["inserts"]) == acknowledged
    assert len(set(acknowledged)) == 100


def test_a_deleted_environment_answers_gone_and_keeps_its_results(platform, env):
    run = platform.start(env)
    env.post("hello")
    diff = platform.diff(run)
    platform.delete(f"env/{env.id}")
    for path, body in {
        "startRun": {"envId": env.id},
        "diffRun": {"runId": run},
        "evaluateRun": {"runId": run, "expectedOutput": SPEC},
    }.items():
        assert platform.refusal("POST", path, body) == (410, "environment_deleted")
    assert platform.get(f"results/{run}")["diff"] == diff
    answer = env.ask("chat.postMessage", json={"channel": GENERAL, "text": "too late"})
    assert (answer.status_code, answer.json()["error"]) == (410, "environment_deleted")


def test_a_run_that_spans_a_reset_says_so_and_shows_what_is_left(platform, env):
    run = platform.start(env)
    env.post("undone")
    platform.post(f"env/{env.id}/reset")
    env.post("kept")
    answer = platform.post("diffRun", {"runId": run})
    assert answer["rewound"] == [{"at_seq": 2, "to_seq": 0}]
    assert texts(answer["diff"]) == ["kept"]


def test_a_reset_undoes_what_was_done_before_the_run_as_well(platform, env):
    ts = env.post("before the run")
    run = platform.start(env)
    platform.post(f"env/{env.id}/reset")
    (row,) = platform.diff(run)["deletes"]
    assert row["message_id"] == ts


def test_what_a_reset_takes_back_of_earlier_operations_is_its_own_doing(platform, environment):
    env = environment()
    for text in ("one", "two"):
        env.post(text)
    env.slack("conversations.setTopic", channel=GENERAL, topic="new")
    run = platform.start(env)
    env.post("three")
    platform.post(f"env/{env.id}/reset")
    env.post("four")
    records = platform.get(f"runs/{run}/history")["records"]
    assert [(record["seq"], record["operation"]) for record in records] == [(5, "rewind"), (6, "chat.postMessage")]
    removed = {"diff_type": "removed", "entity": "messages", "expected_count": 2}
    by = [{**removed, "by": {"operation": name}} for name in ("rewind", "chat.postMessage")]
    spec = {"version": "1", "assertions": [*by, {"diff_type": "unchanged", "entity": "channels"}]}
    verdict = platform.post("evaluateRun", {"runId": run, "expectedOutput": spec})
    assert verdict["score"]["passed"] == 1
    assert "by rewind (seq 5)" in str(verdict["explanations"][-1])


def test_a_reset_gives_the_state_of_the_template_back(platform, environment):
    env, fresh = environment(clock={"mode": "steps"}), environment(clock={"mode": "steps"})
    env.post("hello")
    env.slack("conversations.rename", channel=GENERAL, name="other")
    platform.post(f"env/{env.id}/reset")
    assert env.slack("conversations.list") == fresh.slack("conversations.list")
    assert env.post("again") == fresh.post("again")


def test_each_actor_of_a_run_is_named_in_its_rows(platform, environment):
    env = environment(tokens={"xoxp-john": JOHN})
    run = platform.start(env)
    env.post("mine")
    env.post("his", token="xoxp-john")
    assert [row["user_id"] for row in platform.diff(run)["inserts"]] == ["U01AGENBOT9", JOHN]
