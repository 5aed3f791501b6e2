"""What the pages of the inspector tell."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape

import pytest

from tests.harness import GENERAL, Platform
from tests.inspector.conftest import World
from twindiff.server.apis.inspector.rendering import cell

MESSAGES = "tables/slack/messages"


def of(world: World, path: str = "", **query: str) -> str:
    return world.page(f"environments/{world.environment.id}{f'/{path}' if path else ''}", **query)


def test_environments_are_found_by_name_id_status_and_twin(world: World) -> None:
    mine = world.environment.id
    assert mine in world.page("environments")
    assert mine in world.page("environments", q="both TWINS", twin="linear")
    assert mine in world.page("environments", q=mine[:6])
    assert mine not in world.page("environments", q="nobody")
    assert mine not in world.page("environments", status="deleted")
    assert mine not in world.page("environments", twin="stripe")


def test_operations_that_refuse_every_call_are_not_covered(world: World) -> None:
    slack = unescape(world.page("twins/slack"))
    assert re.search(r"\d+ operations read, \d+ write, \d{3} always refuse, \d+ of the vendor's are missing", slack)
    (share,) = re.findall(r"twins/slack\".*?aria-label=\"(\d+) percent", world.page("twins"))
    assert int(share) < 50


def test_a_timeline_tells_calls_refusals_and_rows(world: World) -> None:
    page = of(world)
    assert page.count('<tr id="c') == 7
    assert "channel_not_found" in page
    assert "+1 messages" in page
    assert "linear" in page


def test_a_browser_keeps_files_of_pages_for_as_long_as_they_stay_the_same(world: World) -> None:
    addresses = re.findall(r'(?:href|src)="(/inspect/static/[^"]+)"', of(world))
    lasts = [world.server.in_process.get(each).headers["cache-control"] for each in addresses]
    assert lasts == ["public, max-age=31536000, immutable"] * 3
    older = world.server.in_process.get("/inspect/static/inspector.css?v=0")
    assert (older.status_code, older.headers["cache-control"]) == (200, "no-cache")


def test_a_rewind_stands_where_it_happened(world: World) -> None:
    mine = world.platform.environment()
    mine.post("one")
    world.platform.post(f"env/{mine.id}/rewind", {"to": 0})
    mine.post("two")
    page = world.page(f"environments/{mine.id}")
    assert page.index('id="c1"') < page.index("back to 0") < page.index('id="c2"')


def test_a_call_tells_what_was_asked_and_answered_and_which_rows_it_changed(world: World) -> None:
    page = of(world, "calls/2")
    assert "POST /chat.postMessage" in page
    assert "Shall we ship?" in page
    assert "Answered 200" in page
    assert "messages <code>" in page


def test_the_calls_beside_a_call_are_led_to_where_there_are_any(world: World) -> None:
    def beside(number: int) -> list[bool]:
        page = of(world, f"calls/{number}")
        return ["The call before" in page, "The call after" in page]

    assert [beside(number) for number in (1, 2, 7)] == [[False, True], [True, True], [True, False]]


def test_a_call_that_went_with_its_environment_is_told_so(world: World) -> None:
    mine = world.platform.environment()
    mine.post("one")
    world.platform.delete(f"env/{mine.id}")
    answer = world.server.in_process.get(f"/inspect/environments/{mine.id}/calls/1")
    assert (answer.status_code, "has been deleted and keeps no call 1" in answer.text) == (404, True)


def test_an_address_that_is_none_is_a_page_that_says_so(world: World) -> None:
    answer = world.server.in_process.get("/inspect/environment/1")
    assert (answer.status_code, 'role="alert"' in answer.text) == (404, True)
    slash = world.server.in_process.get("/inspect/environments/")
    assert (slash.status_code, slash.headers["location"]) == (307, "/inspect/environments")


@pytest.mark.parametrize(
    "path", ["calls/99", "tables/slack/nope", "tables/nope/messages", "screens/slack/nope", "tables/slack/users/row"]
)
def test_what_is_not_there_is_said(world: World, path: str) -> None:
    answer = world.server.in_process.get(f"{world.path}/{path}")
    assert (answer.status_code, 'role="alert"' in answer.text) == (404, True)


def test_what_differs_between_two_points_is_shown_both_ways(world: World) -> None:
    assert '<span class="add">+</span> slack.messages' in of(world, "difference", **{"from": "0", "to": "2"})
    assert '<span class="del">-</span> slack.messages' in of(world, "difference", **{"from": "shipped", "to": "0"})


def test_rows_are_filtered_by_an_address_that_can_be_shared(world: World) -> None:
    page = of(world, MESSAGES, column="message_text", op="contains", value="ship")
    assert "Shall we ship?" in page
    assert "Yes, on Friday" not in page


@pytest.mark.parametrize(
    ("column", "op", "value"),
    [("nope", "is", "1"), ("message_text", "like", "1"), ("blocks", "is", "x"), ("message_id", "contains", "\0")],
)
def test_a_filter_that_cannot_be_is_refused(world: World, column: str, op: str, value: str) -> None:
    query = {"column": column, "op": op, "value": value}
    assert world.server.in_process.get(f"{world.path}/{MESSAGES}", params=query).status_code in (200, 400)


def test_a_table_is_shown_as_it_was(world: World) -> None:
    assert "Shall we ship?" not in of(world, MESSAGES, at="1")
    assert "Shall we ship?" in of(world, MESSAGES, at="2")
    assert "Shall we ship?" in of(world, MESSAGES, at="2", column="message_text", op="begins with", value="shall")


def test_rows_come_as_csv_and_json_too(world: World) -> None:
    assert "Yes, on Friday" in [row["message_text"] for row in json.loads(of(world, MESSAGES, format="json"))]
    rows = list(csv.DictReader(io.StringIO(of(world, MESSAGES, format="csv"))))
    assert "Yes, on Friday" in [row["message_text"] for row in rows]


def test_what_a_spreadsheet_would_run_is_a_text_in_csv(world: World) -> None:
    mine = world.platform.environment()
    mine.post("=1+1")
    text = world.page(f"environments/{mine.id}/{MESSAGES}", format="csv")
    assert "'=1+1" in text


def test_a_row_tells_who_wrote_each_column_and_leads_to_others(world: World) -> None:
    page = of(world, f"{MESSAGES}/row", key=json.dumps([world.thread]))
    assert "chat.postMessage" in page
    assert "tables/slack/channels/row?key=" in page
    channel = of(world, "tables/slack/channels/row", key=json.dumps([GENERAL]))
    assert "tables/slack/messages?column=channel_id" in channel
    assert '<span class="soft">template</span>' in channel


def test_slack_shows_channels_and_threads(world: World) -> None:
    channel = of(world, f"screens/slack/channels/{GENERAL}")
    assert ":eyes: 1" in channel
    assert "1 reply" in channel
    assert "Yes, on Friday" not in channel
    assert "Yes, on Friday" in of(world, f"screens/slack/channels/{GENERAL}/threads/{world.thread}")


def test_linear_shows_a_board_and_issues(world: World) -> None:
    board = of(world, "screens/linear")
    assert "Backlog" in board
    issue = of(world, f"screens/linear/issues/{world.issue}")
    assert "A &lt;b&gt;bold&lt;/b&gt; plan" in issue


def test_a_run_tells_its_verdict_its_calls_and_its_changes_after_its_environment_is_gone(world: World) -> None:
    platform: Platform = world.platform
    mine = platform.environment()
    run = platform.start(mine)
    mine.post("hello")
    platform.evaluate(run, {"diff_type": "added", "entity": "messages", "expected_count": 2})
    platform.delete(f"env/{mine.id}")
    page = world.page(f"runs/{run}")
    assert "0 of 1 assertions hold" in page
    assert "chat.postMessage" in page
    assert "hello" in page
    assert "has been deleted" in page
    assert "hello" in world.page(f"environments/{mine.id}/calls/1")
    assert run[:8] in world.page("runs", status="failed")


def test_templates_twins_and_suites_are_shown_with_their_contents(world: World) -> None:
    templates = world.platform.get("templates")["templates"]
    id = next(each["id"] for each in templates if each["name"] == "slack_default")
    assert "slack:slack_default" in world.page("templates")
    assert f"/inspect/templates/{id}/tables/channels" in world.page(f"templates/{id}")
    assert GENERAL in world.page(f"templates/{id}/tables/channels")
    assert "chat.postMessage" in world.page("twins/slack")
    assert "<meter" in world.page("twins")
    assert "Suites" in world.page("suites")


def test_wide_and_long_values_are_shortened(world: World) -> None:
    mine = world.platform.environment()
    mine.post("x" * 3000)
    page = world.page(f"environments/{mine.id}/{MESSAGES}")
    assert "x" * 300 + "…" in page
    assert "x" * 301 not in page


def test_deeds_are_done_from_pages(world: World) -> None:
    mine = world.platform.environment()
    mine.post("hello")
    path, sent = f"/inspect/environments/{mine.id}", {"Origin": world.server.url}
    client = world.server.in_process
    for deed, form in [
        ("checkpoint", {"name": "here"}),
        ("advance", {"seconds": "60"}),
        ("rewind", {"to": "here"}),
    ]:
        assert client.post(f"{path}/{deed}", data=form, headers=sent).status_code == 303, deed
    made = client.post(f"{path}/fork", data={"at": "1", "name": "a fork"}, headers=sent)
    assert (made.status_code, "Agent token" in made.text) == (201, True)
    assert "a fork" in world.page("environments")
    assert client.post(f"{path}/advance", data={"seconds": "soon"}, headers=sent).status_code == 400
    assert client.post(f"{path}/rewind", data={"to": "nowhere"}, headers=sent).status_code == 404


def test_references_of_graphql_twins_lead_to_rows_too(world: World) -> None:
    issue = json.loads(
        of(world, "tables/linear/issues", column="identifier", op="is", value=world.issue, format="json")
    )
    row = of(world, "tables/linear/issues/row", key=json.dumps([issue[0]["id"]]))
    assert "tables/linear/teams/row?key=" in row
    assert "tables/linear/comments?column=issueId" in row


def test_a_value_of_a_megabyte_is_shortened() -> None:
    assert len(cell("x" * 1_000_000)) == len(cell({"a": "x" * 1_000_000})) == 301
