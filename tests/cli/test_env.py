"""`twindiff env` against a live server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.cli.conftest import Run
from tests.harness import AGENT, GENERAL, Environment, Platform
from twindiff.cli.commands.env import MAX_ENVIRONMENT_TTL_SECONDS
from twindiff.cli.naming import natural
from twindiff.server.parameters import MAX_TTL_SECONDS

Make = Callable[..., Environment]


def lines(run: Run, *arguments: str) -> list[str]:
    """What a command that must succeed says, without the blanks that align it."""
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return [" ".join(line.split()) for line in result.stdout.splitlines()]


def test_a_new_environment_can_be_called_at_once(twindiff: Run, platform: Platform) -> None:
    made = json.loads(twindiff("env", "create", "slack:slack_default", "--as", AGENT, "--json").stdout)
    headers = {"Authorization": f"Bearer {made['agentToken']}"}
    answer = platform.client.post(f"{made['environmentUrls']['slack']}/auth.test", headers=headers)
    assert answer.json()["user_id"] == AGENT


def test_someone_is_known_by_email_address_too(twindiff: Run, platform: Platform) -> None:
    shown = lines(twindiff, "env", "create", "slack:slack_default", "--as", "john@example.com", "--name", "for John")
    assert [line.partition(" ")[0] for line in shown] == ["environment", "slack", "agent", "expires"]
    assert platform.get(f"env/{shown[0].split()[1]}")["name"] == "for John"


@pytest.mark.parametrize(
    ("template", "user", "suggestion"),
    [
        ("slack:slack_defalt", AGENT, "Did you mean 'slack_default'?"),
        ("slak:slack_default", AGENT, "Did you mean 'slack'?"),
        ("slack:slack_default", "U01AGENBOT8", "Did you mean 'U01AGENBOT9'?"),
        ("slack_defalt", AGENT, "Did you mean 'slack_default'?"),
        ("slack:slack_default", "U1", "It has U01AGENBOT9, "),
    ],
)
def test_a_slip_is_answered_with_the_nearest_name(template: str, user: str, suggestion: str, twindiff: Run) -> None:
    result = twindiff("env", "create", template, "--as", user)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert suggestion.lower() in result.stderr.lower()


def test_environments_are_listed_with_their_names_as_they_are(twindiff: Run, environment: Make) -> None:
    mine = environment(name="a [red]name[/red] \x1b[31m")
    (line,) = [line for line in lines(twindiff, "env", "ls") if mine.id in line]
    assert line.endswith("a [red]name[/red] \\x1b[31m")


def test_only_what_can_be_used_is_listed_unless_all_is_asked_for(twindiff: Run, environment: Make) -> None:
    gone = environment()
    lines(twindiff, "env", "rm", gone.id)
    assert gone.id not in twindiff("env", "ls").stdout
    assert gone.id in twindiff("env", "ls", "--all").stdout


def test_an_environment_is_shown_with_its_runs(twindiff: Run, environment: Make, platform: Platform) -> None:
    mine = environment()
    run = platform.start(mine)
    assert lines(twindiff, "env", "show", mine.id)[-1].endswith(f"{run} running")


def test_an_id_may_be_given_by_its_beginning(twindiff: Run, environment: Make) -> None:
    mine = environment()
    assert json.loads(twindiff("env", "show", mine.id[:16], "--json").stdout)["environmentId"] == mine.id


def test_a_beginning_that_fits_none_is_refused(twindiff: Run) -> None:
    result = twindiff("env", "show", "no-such-id")
    assert (result.exit_code, "`twindiff env ls` lists them" in result.stderr) == (1, True)


def test_a_beginning_that_fits_several_is_refused(twindiff: Run, environment: Make) -> None:
    several = {environment().id[0] for _ in range(17)}  # ids begin with one of 16 digits, so two begin alike
    said = [twindiff("env", "show", first).stderr for first in several]
    assert any("environments begin with" in line for line in said)


@pytest.mark.parametrize("arguments", [["rm"], ["reset"], ["rewind"], ["show"]])
@pytest.mark.parametrize("id", ["", " "])
def test_an_empty_id_means_no_environment_not_the_only_one(
    arguments: list[str], id: str, make_server, twindiff: Run
) -> None:
    url = make_server().url
    made = lines(twindiff, "env", "create", "slack:slack_default", "--as", AGENT, "--base-url", url)[0].split()[1]
    point = ["0"] if arguments == ["rewind"] else []
    result = twindiff("env", *arguments, id, *point, "--base-url", url)
    assert (result.exit_code, "`twindiff env ls` lists them" in result.stderr) == (2, True)
    shown = json.loads(twindiff("env", "show", made, "--json", "--base-url", url).stdout)
    assert (shown["status"], shown["seq"]) == ("ready", 0)


def test_a_deleted_environment_is_known_by_its_whole_id_only(twindiff: Run, environment: Make) -> None:
    gone = environment().id
    lines(twindiff, "env", "rm", gone)
    assert twindiff("env", "show", gone[:16]).exit_code == 1
    assert twindiff("env", "show", gone).exit_code == 0


def test_more_environments_than_a_server_lists_are_told_of(make_server, twindiff: Run) -> None:
    at = ("--base-url", make_server().url)
    oldest = lines(twindiff, "env", "create", "slack:slack_default", "--as", AGENT, *at)[0].split()[1]
    lines(twindiff, "env", "fork", oldest, "--count", "1000", *at)
    listed = twindiff("env", "ls", "--json", *at)
    assert len(json.loads(listed.stdout)) == 1000
    assert listed.stderr == "Only the newest 1,000 are listed; there may be more.\n"
    assert "Only the newest 1,000 were looked at" in twindiff("env", "show", oldest[:16], *at).stderr
    assert twindiff("env", "show", oldest, *at).exit_code == 0


def test_a_row_fits_a_terminal_of_80_columns(twindiff: Run, environment: Make) -> None:
    mine = environment(name="a name that is much longer than what is left of the line")
    shown = twindiff("env", "ls", COLUMNS="80").stdout.splitlines()
    (line,) = [line for line in shown if line.startswith(mine.id)]
    assert re.search(r"ready +slack +0  \d{4}-\d\d-\d\d \d\d:\d\d  a name", line)
    assert max(map(len, shown)) <= 80


def test_the_longest_time_that_can_be_asked_for_is_the_servers() -> None:
    assert MAX_ENVIRONMENT_TTL_SECONDS == MAX_TTL_SECONDS


@pytest.mark.parametrize("wrong", [["--ttl", "-5"], ["--ttl", "0"], ["--ttl", "2592001"], ["--as", ""]])
def test_an_environment_that_cannot_be_is_wrong_usage(wrong: list[str], twindiff: Run) -> None:
    result = twindiff("env", "create", "slack:slack_default", "--as", AGENT, *wrong)
    assert (result.exit_code, wrong[0] in result.stderr) == (2, True)


def test_an_unknown_id_is_one_line(twindiff: Run) -> None:
    result = twindiff("env", "show", "0" * 32)
    assert (result.exit_code, result.stderr) == (1, f"environment not found: '{'0' * 32}'.\n")


def test_the_diff_since_the_beginning_is_that_of_a_run_over_all(
    twindiff: Run, environment: Make, platform: Platform
) -> None:
    mine = environment()
    run = platform.start(mine)
    ts = mine.post("first")
    mine.slack("chat.update", channel=GENERAL, ts=ts, text="second")
    mine.slack("conversations.setTopic", channel=GENERAL, topic="third")
    for include in ("plain", "derived", "all"):
        shown = json.loads(twindiff("env", "diff", mine.id, "--include", include, "--json").stdout)
        assert shown == platform.diff(run, include=include)


def test_a_diff_shows_what_was_and_what_is(twindiff: Run, environment: Make) -> None:
    mine = environment()
    mine.post("hello")
    mine.slack("conversations.setTopic", channel=GENERAL, topic="cake")
    shown = lines(twindiff, "env", "diff", mine.id)
    assert any(line.startswith("+ messages ") for line in shown)
    assert 'message_text "hello"' in shown
    assert f"~ channels {GENERAL}" in shown
    assert 'topic_text "News that everyone should see" → "cake"' in shown


def test_a_diff_can_be_that_of_a_run(twindiff: Run, environment: Make, platform: Platform) -> None:
    mine = environment()
    mine.post("before")
    run = platform.start(mine)
    assert lines(twindiff, "env", "diff", mine.id, "--run", run) == ["Nothing was changed."]


def test_a_run_of_another_environment_is_refused(twindiff: Run, environment: Make, platform: Platform) -> None:
    mine, another = environment(), environment()
    run = platform.start(another)
    result = twindiff("env", "diff", mine.id, "--run", run)
    assert (result.exit_code, result.stderr.startswith(f"'{run}' is no run of environment {mine.id}.")) == (2, True)


def test_the_help_of_a_diff_says_that_it_ends_a_run(twindiff: Run) -> None:
    assert "ends a run that was started with `once`" in " ".join(twindiff("env", "diff", "-h").stdout.split())


def test_a_diff_can_be_that_of_two_points(twindiff: Run, environment: Make) -> None:
    mine = environment()
    mine.post("one")
    lines(twindiff, "env", "checkpoint", mine.id, "begun")
    mine.post("two")
    assert 'message_text "two"' in (shown := lines(twindiff, "env", "diff", mine.id, "--from", "begun"))
    assert 'message_text "one"' not in shown
    assert 'message_text "one"' in lines(twindiff, "env", "diff", mine.id, "--to", "1")


def test_a_diff_in_numbers(twindiff: Run, environment: Make) -> None:
    mine = environment()
    mine.post("one")
    mine.slack("conversations.setTopic", channel=GENERAL, topic="cake")
    counted = ["channels ~1 ~", "messages +1 +", "2 tables: 1 row added, 1 row changed"]
    assert lines(twindiff, "env", "diff", mine.id, "--stat") == counted
    answer = json.loads(twindiff("env", "diff", mine.id, "--stat", "--json").stdout)
    assert answer[1] == {"table": "messages", "added": 1, "changed": 0, "removed": 0}


def test_a_run_and_points_at_once_are_wrong_usage(twindiff: Run, environment: Make) -> None:
    result = twindiff("env", "diff", environment().id, "--run", "x", "--from", "1")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_nothing_is_left_of_a_diff_after_a_reset(twindiff: Run, environment: Make) -> None:
    mine = environment()
    mine.post("hello")
    assert lines(twindiff, "env", "reset", mine.id)[0].startswith(f"{mine.id} is as it began")
    assert lines(twindiff, "env", "diff", mine.id) == ["Nothing was changed."]


def test_the_log_tells_every_call_and_what_it_changed(twindiff: Run, environment: Make) -> None:
    mine = environment()
    mine.post("hello")
    mine.slack("conversations.history", channel=GENERAL)
    mine.slack("chat.postMessage", channel="C0", text="lost")
    lines(twindiff, "env", "reset", mine.id)
    mine.slack("conversations.setTopic", channel=GENERAL, topic="cake")
    header, post, read, refused, reset, topic = lines(twindiff, "env", "log", mine.id)
    assert header == "at operation answer ms seq changed"
    assert post.endswith(" 1 +1 messages")
    assert " conversations.history 200 " in read
    assert " chat.postMessage channel_not_found " in refused
    assert reset.endswith(" 2 back to 0")
    assert " 3 ~1 channels" in topic


def test_the_log_names_actors_when_there_are_several(twindiff: Run, environment: Make) -> None:
    mine = environment(tokens={"xoxp-john": "U02JOHNDOE1"})
    mine.post("hello")
    mine.slack("auth.test", token="xoxp-john")
    assert "U02JOHNDOE1" in lines(twindiff, "env", "log", mine.id)[2]


def test_the_log_of_a_new_environment_is_empty(twindiff: Run, environment: Make) -> None:
    assert lines(twindiff, "env", "log", environment().id) == ["No calls yet."]


def test_several_environments_are_deleted_at_once(twindiff: Run, environment: Make, server: str) -> None:
    gone = [environment().id, environment().id]
    assert lines(twindiff, "env", "rm", *gone) == [f"Deleted {id} at {server}." for id in gone]


def test_a_template_may_be_named_without_its_twin(twindiff: Run) -> None:
    made = json.loads(twindiff("env", "create", "slack_default", "--as", AGENT, "--json").stdout)
    assert [*made["environmentUrls"]] == ["slack"]


def test_the_only_user_of_a_template_need_not_be_named(twindiff: Run) -> None:
    made = json.loads(twindiff("env", "create", "stripe:stripe_empty", "--json").stdout)
    assert made["service"] == "stripe"
    two = twindiff("env", "create", "stripe:stripe_empty", "slack:slack_default")
    assert two.exit_code == 2
    assert "acct_1TwindiffTestShop" in two.stderr


def test_who_there_is_is_said_to_someone_who_names_nobody(twindiff: Run) -> None:
    result = twindiff("env", "create", "slack:slack_default")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "There are U01AGENBOT9 (" in result.stderr


def test_clock_and_tokens_are_chosen_when_an_environment_is_made(twindiff: Run, platform: Platform) -> None:
    how = ("--clock", "steps", "--start", "2026-01-01T09:00:00", "--auth", "strict", "--json")
    made = json.loads(twindiff("env", "create", "slack_default", "--as", AGENT, *how).stdout)
    clock = platform.get(f"env/{made['environmentId']}/clock")
    assert (clock["mode"], clock["now"][:16]) == ("steps", "2026-01-01T09:00")
    headers = {"Authorization": "Bearer xoxp-nobody"}
    answer = platform.client.post(f"{made['environmentUrls']['slack']}/auth.test", headers=headers)
    assert answer.json()["error"] == "invalid_auth"


def test_rows_of_a_table_are_shown_in_the_natural_order_of_their_ids(twindiff: Run, platform: Platform) -> None:
    mine = platform.environment()
    shown = json.loads(twindiff("env", "rows", mine.id[:10], "channels", "--json").stdout)
    assert (shown["twin"], shown["key"]) == ("slack", ["channel_id"])
    ids = [row["channel_id"] for row in shown["rows"]]
    assert len(ids) == shown["total"] > 1
    one = lines(twindiff, "env", "rows", mine.id, "slack.channels", "--where", f"channel_id={ids[1]}")
    assert (len(one), ids[1] in one[1]) == (2, True)
    assert sorted(["C10", "C2", "C1a", "C1"], key=natural) == ["C1", "C1a", "C2", "C10"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mesages"], "there is no table 'mesages'. Did you mean 'messages'?"),
        (["slack.mesages"], "Did you mean 'slack.messages'?"),
        (["messages", "--where", "user=U1"], "messages has no column 'user'. Did you mean 'user_id'?"),
        (["messages", "--where", "user"], "'user' is no condition; one is COLUMN=VALUE"),
        (["channels", "--where", "is_private=perhaps"], "'perhaps' is no boolean, which channels.is_private is"),
    ],
)
def test_a_slip_about_rows_is_one_line_with_what_there_is(
    arguments: list[str], said: str, twindiff: Run, environment: Make
) -> None:
    result = twindiff("env", "rows", environment().id, *arguments)
    assert (result.stdout, result.stderr.count("\n"), said in result.stderr) == ("", 1, True)


def test_runs_of_all_environments_are_listed(twindiff: Run, environment: Make, platform: Platform, server: str) -> None:
    mine = environment()
    run = platform.start(mine)
    listed = twindiff("runs", "ls")
    assert listed.stdout.splitlines()[1].split()[:2] == [run, "running"]
    assert listed.stderr == f"(at {server})\n"
    running = json.loads(twindiff("runs", "ls", "--env", mine.id[:12], "--status", "running", "--json").stdout)
    assert [each["runId"] for each in running] == [run]
    assert twindiff("runs", "ls", "--env", mine.id, "--status", "passed").stdout == "There are no such runs.\n"
    platform.evaluate(run, {"diff_type": "added", "entity": "messages", "expected_count": 0})
    assert twindiff("explain", run[:13]).exit_code == 0


def test_every_list_says_of_which_server_it_is(twindiff: Run, environment: Make, server: str) -> None:
    environment()
    for command in ("env", "templates", "suites", "runs", "trials"):
        assert twindiff(command, "ls").stderr.splitlines()[0] == f"(at {server})"
        assert server not in twindiff(command, "ls", "--json").stderr


def test_tables_are_listed_with_their_columns_before_one_writes_checks(twindiff: Run, platform: Platform) -> None:
    env = platform.environment(templates=["slack:slack_default", "linear:linear_default"])
    said = twindiff("env", "tables", env.id, "channel_members", COLUMNS="200").stdout
    assert "slack.channel_members" in said
    assert "channel_id text → channels" in said
    listed = json.loads(twindiff("templates", "show", "slack:slack_default", "--tables", "--json").stdout)
    assert {"messages", "channels", "users"} <= {each["entity"] for each in listed}
