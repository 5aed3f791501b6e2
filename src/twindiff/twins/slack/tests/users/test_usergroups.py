"""User groups, bookmarks, pins and saved items as they live."""

import pytest

from tests.harness import AGENT, GENERAL, JOHN, RANDOM, ROBERT

MINE = "1699564800.000123"
LATER = "1699568400.000456"
OTHERS = "1699572000.000789"


def test_a_group_lives_through_all_its_methods(slack):
    group = slack("usergroups.create", name="Night Shift", channels=GENERAL)["usergroup"]
    assert (group["handle"], group["prefs"]["channels"], group["users"]) == ("night-shift", [GENERAL], [])
    slack("usergroups.users.update", usergroup=group["id"], users=[JOHN, ROBERT])
    slack("usergroups.users.update", usergroup=group["id"], users=f"{JOHN},{AGENT}")
    assert slack("usergroups.users.list", usergroup=group["id"])["users"] == [AGENT, JOHN]
    assert slack("usergroups.update", usergroup=group["id"], description="late")["usergroup"]["description"] == "late"
    assert slack("usergroups.disable", usergroup=group["id"])["usergroup"]["date_delete"] > 0
    assert slack("usergroups.list")["usergroups"] == []
    [listed] = slack("usergroups.list", include_disabled=True, include_users=True, include_count=True)["usergroups"]
    assert (listed["users"], listed["user_count"], listed["deleted_by"]) == ([AGENT, JOHN], 2, AGENT)
    assert slack("usergroups.enable", usergroup=group["id"])["usergroup"]["date_delete"] == 0


def test_every_method_that_writes_a_group_counts_its_members_on_request(slack):
    """https://docs.slack.dev/reference/methods/usergroups.create"""
    made = slack("usergroups.create", name="Night", include_count=True)["usergroup"]
    assert made["user_count"] == 0
    for method, given in (
        ("usergroups.users.update", {"users": [JOHN, ROBERT]}),
        ("usergroups.update", {"name": "Day"}),
        ("usergroups.disable", {}),
        ("usergroups.enable", {}),
    ):
        answer = slack(method, usergroup=made["id"], include_count=True, **given)
        assert answer["usergroup"]["user_count"] == 2, method
    assert "user_count" not in slack("usergroups.update", usergroup=made["id"], name="Noon")["usergroup"]


def test_a_group_keeps_its_own_names(slack):
    group = slack("usergroups.create", name="Night", handle="@night")["usergroup"]
    assert slack("usergroups.update", usergroup=group["id"], name="night", handle="night")["ok"]


def test_bookmarks_keep_their_order(slack):
    for title in ("one", "two", "three"):
        slack("bookmarks.add", channel_id=GENERAL, title=title, type="link", link=f"https://{title}.example/x")
    bookmarks = slack("bookmarks.list", channel_id=GENERAL)["bookmarks"]
    assert [(each["title"], each["rank"]) for each in bookmarks] == [("one", "a"), ("two", "b"), ("three", "c")]
    assert bookmarks[0]["icon_url"] == "https://one.example/favicon.ico"


def test_a_bookmark_loses_its_emoji(slack):
    new = {"title": "a", "type": "link", "link": "https://a.b", "emoji": ":eyes:"}
    made = slack("bookmarks.add", channel_id=GENERAL, **new)["bookmark"]
    assert slack("bookmarks.edit", channel_id=GENERAL, bookmark_id=made["id"], emoji="")["bookmark"]["emoji"] == ""


def test_a_channel_has_at_most_100_bookmarks(workspace_with):
    many = [{"bookmark_id": f"Bk{number}", "channel_id": GENERAL, "title": "a"} for number in range(100)]
    slack = workspace_with(bookmarks=many)
    answer = slack("bookmarks.add", channel_id=GENERAL, title="a", type="link", link="https://a.b")
    assert answer["error"] == "too_many_bookmarks"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("bookmarks.add", {"title": "b", "type": "link", "link": "https://b.example"}),
        ("bookmarks.edit", {"title": "b"}),
        ("bookmarks.remove", {}),
    ],
)
def test_nobody_changes_the_bookmarks_of_an_archived_channel(slack, method, arguments):
    new = {"title": "a", "type": "link", "link": "https://a.example"}
    made = slack("bookmarks.add", channel_id=RANDOM, **new)["bookmark"]
    slack("conversations.archive", channel=RANDOM)
    named = {} if method == "bookmarks.add" else {"bookmark_id": made["id"]}
    assert slack(method, channel_id=RANDOM, **named, **arguments)["error"] == "permission_denied"
    assert [each["title"] for each in slack("bookmarks.list", channel_id=RANDOM)["bookmarks"]] == ["a"]


def test_the_latest_pin_is_listed_first_whatever_the_age_of_its_message(workspace):
    slack = workspace(clock={"mode": "steps"})
    first, second, third = (slack("chat.postMessage", channel=GENERAL, text=text)["ts"] for text in "abc")
    for ts in (second, third, first):
        slack("pins.add", channel=GENERAL, timestamp=ts)
    assert [item["message"]["ts"] for item in slack("pins.list", channel=GENERAL)["items"]] == [first, third, second]


def test_pins_of_one_instant_are_listed_by_their_messages_the_latest_first(workspace_with):
    at = "2026-01-01T00:00:00"
    pins = [{"channel_id": GENERAL, "message_id": ts, "user_id": JOHN, "created_at": at} for ts in (MINE, LATER)]
    listed = workspace_with(pins=pins)("pins.list", channel=GENERAL)["items"]
    assert [item["message"]["ts"] for item in listed] == [LATER, MINE]


def test_pins_are_listed_and_counted_and_found(slack):
    slack("pins.add", channel=GENERAL, timestamp=MINE)
    [item] = slack("pins.list", channel=GENERAL)["items"]
    assert (item["created_by"], item["message"]["pinned_to"]) == (AGENT, [GENERAL])
    assert slack("conversations.history", channel=GENERAL)["pin_count"] == 1
    assert slack("search.messages", query="has:pin")["messages"]["total"] == 1


def test_a_message_takes_its_pins_and_stars_with_it(slack):
    slack("pins.add", channel=GENERAL, timestamp=MINE)
    slack("stars.add", channel=GENERAL, timestamp=MINE)
    slack("chat.delete", channel=GENERAL, ts=MINE)
    assert (slack("pins.list", channel=GENERAL)["items"], slack("stars.list")["items"]) == ([], [])


def test_nobody_pins_in_an_archived_channel(slack):
    slack("conversations.archive", channel=RANDOM)
    assert slack("pins.add", channel=RANDOM, timestamp=OTHERS)["error"] == "permission_denied"


def test_what_is_saved_is_one_s_own(world):
    world("stars.add", file="F1")
    world("stars.add", channel=GENERAL)
    listed = world("stars.list")
    assert sorted(item["type"] for item in listed["items"]) == ["channel", "file", "message"]
    assert (listed["paging"]["total"], world.as_user(JOHN)("stars.list")["items"]) == (3, [])
    assert world("search.messages", query="is:saved")["messages"]["total"] == 1


def test_reactions_of_a_person_are_listed_newest_message_first(slack):
    for ts, channel in ((MINE, GENERAL), (OTHERS, RANDOM)):
        slack("reactions.add", channel=channel, timestamp=ts, name="eyes")
    first = slack("reactions.list", limit=1)
    assert [item["message"]["ts"] for item in first["items"]] == [OTHERS]
    second = slack("reactions.list", limit=1, cursor=first["response_metadata"]["next_cursor"])
    assert ([item["channel"] for item in second["items"]], second["paging"]["total"]) == ([GENERAL], 2)
    assert slack("reactions.list", user=JOHN)["items"] == []
