"""What is said and kept in a private channel does not exist for those outside, whichever method they ask."""

import pytest

from tests.harness import GENERAL, JOHN, ROBERT

NOTE = {"type": "markdown", "markdown": "The salary is 12345"}


@pytest.fixture
def secret(slack):
    """A private channel of the agent's."""
    return slack("conversations.create", name="secret", is_private=True)["channel"]["id"]


@pytest.fixture
def outsider(slack):
    return slack.as_user(ROBERT)


@pytest.fixture
def kept(slack, secret, upload):
    """What John has saved in the channel before he was removed: a message, a file and the channel."""
    john = slack.as_user(JOHN)
    slack("conversations.invite", channel=secret, users=JOHN)
    ts = slack("chat.postMessage", channel=secret, text="x")["ts"]
    file = upload(b"plan", "plan.txt", channel_id=secret)["id"]
    for item in ({"channel": secret, "timestamp": ts}, {"file": file}, {"channel": secret}):
        assert john("stars.add", **item)["ok"]
    slack("conversations.kick", channel=secret, user=JOHN)
    return john, ts, file


def test_saved_items_are_not_shown_to_who_was_removed(slack, secret, kept):
    john, ts, _ = kept
    slack("chat.update", channel=secret, ts=ts, text="written later")
    listed = john("stars.list")
    assert (listed["items"], listed["paging"]["total"]) == ([], 0)
    slack("conversations.invite", channel=secret, users=JOHN)
    assert [item["type"] for item in john("stars.list")["items"]] == ["group", "file", "message"]


def test_who_was_removed_can_still_let_go_of_what_they_saved(secret, kept):
    john, ts, file = kept
    for item in ({"channel": secret, "timestamp": ts}, {"file": file}, {"channel": secret}):
        assert john("stars.remove", **item) == {"ok": True}
    assert john("stars.remove", channel=secret)["error"] == "channel_not_found"


@pytest.mark.parametrize("method", ["files.info", "files.list", "search.files"])
def test_a_file_tells_only_of_the_places_that_its_reader_may_see(slack, secret, outsider, upload, method):
    file = upload(b"plan", "plan.txt", channels=f"{GENERAL},{secret}")["id"]
    asked = {"files.info": {"file": file}, "files.list": {}, "search.files": {"query": "plan"}}[method]
    answers = [caller(method, **asked) for caller in (slack, outsider)]
    assert [secret in str(answer) for answer in answers] == [True, False]
    assert [GENERAL in str(answer) for answer in answers] == [True, True]


def test_reactions_tell_nothing_of_a_file_that_one_may_not_see(slack, secret, outsider, upload):
    file = upload(b"12345", "salaries.txt", channel_id=secret)["id"]
    assert slack("reactions.get", file=file)["file"]["name"] == "salaries.txt"
    for method in ("reactions.get", "reactions.remove"):
        assert outsider(method, file=file, name="eyes")["error"] == "file_not_found"


def test_the_maker_of_a_channel_s_canvas_loses_it_with_the_channel(slack, secret):
    john = slack.as_user(JOHN)
    slack("conversations.invite", channel=secret, users=JOHN)
    canvas = john("conversations.canvases.create", channel_id=secret, document_content=NOTE)["canvas_id"]
    slack("conversations.kick", channel=secret, user=JOHN)
    lookup = {"canvas_id": canvas, "criteria": {"contains_text": "12345"}}
    assert slack("canvases.sections.lookup", **lookup)["sections"]
    assert john("canvases.sections.lookup", **lookup)["error"] == "canvas_not_found"
    assert john("canvases.delete", canvas_id=canvas)["error"] == "canvas_not_found"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("chat.scheduledMessages.list", {"channel": "{}"}),
        ("chat.deleteScheduledMessage", {"channel": "{}", "scheduled_message_id": "Q9"}),
        ("canvases.access.set", {"access_level": "read", "channel_ids": ["{}"]}),
        ("usergroups.create", {"name": "Night", "channels": "{}"}),
    ],
)
def test_whether_a_private_channel_exists_cannot_be_told(slack, secret, outsider, method, arguments):
    if method == "canvases.access.set":
        arguments = {**arguments, "canvas_id": outsider("canvases.create")["canvas_id"]}
    answers = []
    for channel in (secret, "C0NOPE000"):
        asked = {
            key: value.format(channel) if isinstance(value, str) else [each.format(channel) for each in value]
            for key, value in arguments.items()
        }
        answers.append(outsider(method, **asked))
    assert answers[0] == answers[1]
    assert not answers[0]["ok"]


def test_a_waiting_message_can_be_taken_back_from_a_channel_that_one_has_lost(slack, secret):
    john = slack.as_user(JOHN)
    slack("conversations.invite", channel=secret, users=JOHN)
    at = slack("reminders.add", text="x", time="in 1 hour")["reminder"]["time"]
    waiting = john("chat.scheduleMessage", channel=secret, post_at=at, text="later")["scheduled_message_id"]
    slack("conversations.kick", channel=secret, user=JOHN)
    assert [each["id"] for each in john("chat.scheduledMessages.list", channel=secret)["scheduled_messages"]] == [
        waiting
    ]
    assert john("chat.deleteScheduledMessage", channel=secret, scheduled_message_id=waiting)["ok"]
    assert john("chat.scheduledMessages.list", channel=secret)["error"] == "invalid_channel"
