"""What people have saved, page by page."""

from typing import Any, cast

import pytest
from slack_sdk import WebClient

from tests.harness import GENERAL, JOHN


@pytest.fixture
def saved(slack):
    """Seven saved messages, the latest first."""
    posted = [slack("chat.postMessage", channel=GENERAL, text=str(number))["ts"] for number in range(7)]
    for ts in posted:
        slack("stars.add", channel=GENERAL, timestamp=ts)
    return posted[::-1]


def listed(answer):
    return [item["message"]["ts"] for item in answer["items"]]


@pytest.mark.filterwarnings("ignore:stars:UserWarning")
def test_the_pages_of_saved_items_are_the_whole_list(slack, saved):
    client, items, cursor = WebClient(token=slack.token, base_url=slack.url), [], None
    while cursor != "":
        answer = cast(dict[str, Any], client.stars_list(limit=3, cursor=cursor).data)
        items += listed(answer)
        cursor = answer["response_metadata"]["next_cursor"]
    assert items == saved


def test_paging_by_cursor_survives_that_items_come_and_go(slack, saved):
    cursor = slack("stars.list", limit=3)["response_metadata"]["next_cursor"]
    newer = slack("chat.postMessage", channel=GENERAL, text="newer")["ts"]
    slack("stars.add", channel=GENERAL, timestamp=newer)
    slack("stars.remove", channel=GENERAL, timestamp=saved[0])
    assert listed(slack("stars.list", limit=3, cursor=cursor)) == saved[3:6]
    assert slack("stars.list", cursor="what")["error"] == "invalid_cursor"


def test_items_of_a_template_that_do_not_say_when_come_last(workspace_with):
    ids = [f"1700000000.00000{number}" for number in range(3)]
    posted = [{"message_id": ts, "channel_id": GENERAL, "user_id": JOHN, "message_text": ts} for ts in ids]
    stars = [{"user_id": "U01AGENBOT9", "item_type": "message", "item_id": ts} for ts in ids]
    slack = workspace_with(messages=posted, stars=stars)
    slack("stars.add", channel=GENERAL)
    first = slack("stars.list", limit=2)
    assert [item["type"] for item in first["items"]] == ["channel", "message"]
    rest = slack("stars.list", limit=2, cursor=first["response_metadata"]["next_cursor"])
    assert [first["items"][1]["message"]["ts"], *listed(rest)] == ids[::-1]


def test_a_saved_conversation_is_shown_by_its_kind(slack):
    direct = slack("conversations.open", users=JOHN)["channel"]["id"]
    private = slack("conversations.create", name="plans", is_private=True)["channel"]["id"]
    for channel in (GENERAL, direct, private):
        slack("stars.add", channel=channel)
    shown = [{key: item[key] for key in item if key != "date_create"} for item in slack("stars.list")["items"]]
    assert shown == [
        {"type": "group", "group": private},
        {"type": "im", "channel": direct},
        {"type": "channel", "channel": GENERAL},
    ]
