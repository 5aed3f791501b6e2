"""`twindiff env checkpoint|fork|rewind|blame` against a live server."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.harness import AGENT, GENERAL, Environment, Platform, texts

Make = Callable[..., Environment]


def answer(run: Run, *arguments: str) -> Any:
    result = run("env", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_forks_go_on_from_a_named_point(twindiff: Run, platform: Platform, environment: Make) -> None:
    mine = environment()
    mine.post("one")
    answer(twindiff, "checkpoint", mine.id, "begun")
    mine.post("two")
    forks = answer(twindiff, "fork", mine.id, "--at", "begun", "--count", "2")
    assert [texts(platform.get(f"env/{each['environmentId']}/diff")["diff"]) for each in forks] == [["one"], ["one"]]


@pytest.mark.parametrize("count", ["0", "1001"])
def test_no_forks_or_too_many_are_wrong_usage(count: str, twindiff: Run, environment: Make) -> None:
    result = twindiff("env", "fork", environment().id, "--count", count)
    assert (result.exit_code, "--count" in result.stderr) == (2, True)


def test_a_fork_is_shown_with_its_token_and_url(twindiff: Run, environment: Make) -> None:
    mine = environment()
    lines = twindiff("env", "fork", mine.id).stdout.splitlines()
    assert lines[0].split() == ["id", "at", "agent", "token", "URL"]
    assert "tda_" in "".join(lines[1:])


def test_a_rewind_says_where_it_led_and_what_it_is(twindiff: Run, platform: Platform, environment: Make) -> None:
    mine = environment()
    mine.post("one")
    mine.post("two")
    said = twindiff("env", "rewind", mine.id, "1").stdout
    assert said.strip() == f"{mine.id} is as it was at 1; that is its write 3."
    assert texts(platform.get(f"env/{mine.id}/diff")["diff"]) == ["one"]


def test_an_unknown_point_is_one_line_that_names_those_there_are(twindiff: Run, environment: Make) -> None:
    mine = environment()
    answer(twindiff, "checkpoint", mine.id, "begun")
    result = twindiff("env", "rewind", mine.id, "begin")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "Did you mean 'begun'?" in result.stderr


def test_blame_names_the_operation_behind_each_column(twindiff: Run, environment: Make) -> None:
    mine = environment()
    ts = mine.post("one")
    mine.slack("chat.update", channel=GENERAL, ts=ts, text="two")
    columns = {each["column"]: each for each in answer(twindiff, "blame", mine.id, "messages", ts)["columns"]}
    assert (columns["message_text"]["value"], columns["message_text"]["operation"]) == ("two", "chat.update")
    assert (columns["user_id"]["operation"], columns["user_id"]["actor"]) == ("chat.postMessage", AGENT)


def test_blame_tells_what_came_with_the_template(twindiff: Run, environment: Make) -> None:
    mine = environment()
    mine.slack("conversations.setTopic", channel=GENERAL, topic="ships")
    lines = twindiff("env", "blame", mine.id, "slack.channels", GENERAL).stdout.splitlines()
    by_column = {line.split()[0]: " ".join(line.split()) for line in lines}
    assert "conversations.setTopic" in by_column["topic_text"]
    assert by_column["channel_name"].endswith("template")


def test_blame_forgets_what_a_rewind_went_back_over(twindiff: Run, environment: Make) -> None:
    mine = environment()
    ts = mine.post("one")
    mine.slack("chat.update", channel=GENERAL, ts=ts, text="two")
    answer(twindiff, "rewind", mine.id, "1")
    columns = {each["column"]: each for each in answer(twindiff, "blame", mine.id, "messages", ts)["columns"]}
    assert (columns["message_text"]["value"], columns["message_text"]["seq"]) == ("one", 1)


def test_blame_says_who_deleted_a_row(twindiff: Run, environment: Make) -> None:
    mine = environment()
    ts = mine.post("one")
    mine.slack("chat.delete", channel=GENERAL, ts=ts)
    assert answer(twindiff, "blame", mine.id, "messages", ts)["deletedBy"]["operation"] == "chat.delete"


def test_blame_of_a_row_that_nobody_touched_says_so(twindiff: Run, environment: Make) -> None:
    result = twindiff("env", "blame", environment().id, "messages", "1.1")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "as its template left it" in result.stderr


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["mesages"], "there is no table 'mesages'. Did you mean 'messages'?"),
        (["channel_members"], "Say which row of channel_members: its key is channel_id user_id. `twindiff env rows "),
        (["mesages", "1.1"], "there is no table 'mesages'. Did you mean 'messages'?"),
        (["channel_members", "C1"], "The key of channel_members is channel_id user_id; 1 part was given."),
        (["channels", GENERAL], f"Nothing that lasts has changed channels {GENERAL}: it is as its template left it."),
    ],
)
def test_blame_of_what_is_not_there_says_what_is_wrong(
    row: list[str], said: str, twindiff: Run, environment: Make
) -> None:
    result = twindiff("env", "blame", environment().id, *row)
    assert (result.exit_code, result.stderr.count("\n"), said in result.stderr) == (1, 1, True)


FROZEN = {"mode": "frozen", "start": "2027-01-15T08:00:00"}


def test_a_clock_is_set_forward_with_what_falls_due_on_the_way(twindiff: Run, environment: Make) -> None:
    mine = environment(clock=FROZEN)
    mine.slack("chat.scheduleMessage", channel=GENERAL, text="later", post_at=1_800_000_060)
    lines = twindiff("env", "advance", mine.id, "90").stdout.splitlines()
    assert lines[0].split() == ["at", "operation", "actor", "seq", "error"]
    assert "slack:post_scheduled" in lines[-2]
    assert lines[-1].strip() == "It is 2027-01-15T08:01:30 (UTC), and nothing is due."


def test_a_clock_is_set_to_an_instant_or_to_what_is_next(twindiff: Run, environment: Make) -> None:
    mine = environment(clock=FROZEN)
    mine.slack("chat.scheduleMessage", channel=GENERAL, text="later", post_at=1_800_000_060)
    said = twindiff("env", "advance", mine.id, "--to", "2027-01-15T08:00:30").stdout.strip()
    assert said == "It is 2027-01-15T08:00:30 (UTC), and slack:post_scheduled is due at 2027-01-15T08:01:00."
    assert answer(twindiff, "advance", mine.id, "--until", "next")["now"] == "2027-01-15T08:01:00"


@pytest.mark.parametrize("given", [[], ["5", "--until", "idle"], ["--to", "2030-01-01", "--until", "next"]])
def test_how_far_a_clock_goes_is_said_once(given: list[str], twindiff: Run, environment: Make) -> None:
    result = twindiff("env", "advance", environment().id, *given)
    assert (result.exit_code, "Say how far" in result.stderr) == (2, True)


def test_a_clock_that_would_go_back_says_why_it_does_not(twindiff: Run, environment: Make) -> None:
    result = twindiff("env", "advance", environment(clock=FROZEN).id, "--to", "2027-01-15T07:00:00")
    assert (result.exit_code, "rewind the environment" in result.stderr) == (1, True)
