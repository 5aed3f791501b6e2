"""What happens in a workspace by itself when its time has come."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.harness import AGENT, GENERAL, JOHN
from twindiff.twins.slack.users.reminder_times import time_after

STEPS = {"mode": "steps", "start": "2026-03-02T08:00:00"}
START = 1_772_438_400
A_DAY = 86_400
SLACKBOT = "USLACKBOT"


@pytest.fixture
def slack(workspace):
    return workspace(clock=STEPS)


def wait(slack, seconds):
    """Let time pass; gives what was done, by name."""
    env = slack.environment
    return [each["operation"] for each in env.platform.post(f"env/{env.id}/clock", {"advance": seconds})["ran"]]


def history(slack, channel=GENERAL, **options):
    return slack("conversations.history", channel=channel, **options)["messages"]


def told(slack):
    """What Slackbot has told the caller, oldest first."""
    rooms = slack("conversations.list", types="im")["channels"]
    room = next((each["id"] for each in rooms if each["user"] == SLACKBOT), None)
    return [each["text"] for each in reversed(history(slack, room))] if room else []


def test_a_scheduled_message_is_sent_at_its_time(slack):
    made = slack("chat.scheduleMessage", channel=GENERAL, text=f"hi <@{JOHN}>", post_at=START + 3600)
    assert wait(slack, 3500) == []
    assert slack("chat.scheduledMessages.list")["scheduled_messages"][0]["id"] == made["scheduled_message_id"]
    assert wait(slack, 3500) == ["slack:post_scheduled"]
    assert slack("chat.scheduledMessages.list")["scheduled_messages"] == []
    [message] = history(slack, oldest=str(START))
    assert (message["text"], message["user"], message["ts"]) == (f"hi <@{JOHN}>", AGENT, f"{START + 3600}.000000")


def test_a_scheduled_message_has_all_that_it_was_scheduled_with(slack):
    root = slack("chat.postMessage", channel=GENERAL, text="root")["ts"]
    metadata = {"event_type": "deployed", "event_payload": {"id": 7}}
    said = {"text": "later", "attachments": [{"text": "more"}], "metadata": metadata}
    slack("chat.scheduleMessage", channel=GENERAL, post_at=START + 60, thread_ts=root, **said)
    wait(slack, 60)
    answer = slack("conversations.replies", channel=GENERAL, ts=root, include_all_metadata=True)
    reply = answer["messages"][1]
    assert (reply["text"], reply["attachments"][0]["text"], reply["metadata"]) == ("later", "more", metadata)


@pytest.mark.parametrize(("given", "subtype"), [({"reply_broadcast": True}, "thread_broadcast"), ({}, None)])
def test_a_scheduled_reply_is_broadcast_to_the_channel_on_request(slack, given, subtype):
    root = slack("chat.postMessage", channel=GENERAL, text="root")["ts"]
    slack("chat.scheduleMessage", channel=GENERAL, text="reply", thread_ts=root, post_at=START + 3600, **given)
    wait(slack, 7000)
    reply = slack("conversations.replies", channel=GENERAL, ts=root)["messages"][1]
    assert (reply["text"], reply.get("subtype")) == ("reply", subtype)
    assert [each["text"] for each in history(slack, oldest=str(START + 60))] == (["reply"] if subtype else [])


def test_a_scheduled_message_that_was_taken_back_is_not_sent(slack):
    made = slack("chat.scheduleMessage", channel=GENERAL, text="later", post_at=START + 3600)
    slack("chat.deleteScheduledMessage", channel=GENERAL, scheduled_message_id=made["scheduled_message_id"])
    assert wait(slack, A_DAY) == []


def test_a_message_for_a_channel_that_is_archived_is_dropped(slack):
    room = slack("conversations.create", name="soon-gone")["channel"]["id"]
    slack("chat.scheduleMessage", channel=room, text="later", post_at=START + 60)
    slack("conversations.archive", channel=room)
    assert wait(slack, A_DAY) == ["slack:post_scheduled"]
    assert [each["text"] for each in history(slack, room) if "subtype" not in each] == []
    assert slack("chat.scheduledMessages.list")["scheduled_messages"] == []


def test_slackbot_reminds_once_at_the_time(slack):
    slack("reminders.add", text="water the plants", time="in 2 hours")
    assert wait(slack, 7000) == []
    assert told(slack) == []
    assert wait(slack, A_DAY) == ["slack:remind"]
    assert told(slack) == ["Reminder: water the plants."]
    assert slack("reminders.list")["reminders"][0]["complete_ts"] == 0


def test_a_reminder_that_is_complete_is_silent(slack):
    made = slack("reminders.add", text="water", time="in 2 hours")["reminder"]
    slack("reminders.complete", reminder=made["id"])
    assert wait(slack, A_DAY) == []


def test_others_are_reminded_in_a_conversation_of_their_own(slack):
    slack("reminders.add", text="water", time="in 5 minutes", user=JOHN)
    wait(slack, 600)
    assert (told(slack), told(slack.as_user(JOHN))) == ([], ["Reminder: water."])


def test_a_reminder_comes_again_and_again(slack):
    slack("reminders.add", text="stand up", time="every weekday at 9am")
    ran = wait(slack, 7 * A_DAY)
    assert (ran, told(slack)) == (["slack:remind"] * 5, ["Reminder: stand up."] * 5)


@pytest.mark.parametrize(
    ("recurrence", "times"),
    [
        ({"frequency": "daily"}, ["2026-01-31", "2026-02-01"]),
        ({"frequency": "weekdays"}, ["2026-02-02", "2026-02-03"]),
        ({"frequency": "weekly"}, ["2026-02-06", "2026-02-13"]),
        ({"frequency": "weekly", "weekdays": ["monday", "friday"]}, ["2026-02-02", "2026-02-06"]),
        ({"frequency": "monthly"}, ["2026-02-28", "2026-03-28"]),
        ({"frequency": "yearly"}, ["2027-01-30", "2028-01-30"]),
    ],
)
def test_what_comes_again_does_so_on_its_days(recurrence, times):
    start = "2026-01-28" if recurrence["frequency"] == "monthly" else "2026-01-30"
    at = int(datetime.fromisoformat(f"{start}T09:30:00").replace(tzinfo=UTC).timestamp())
    for time in times:
        at = time_after(at, recurrence, UTC)
        assert datetime.fromtimestamp(at, UTC).isoformat() == f"{time}T09:30:00+00:00"


def test_a_month_without_the_day_is_passed_over():
    at = int(datetime(2026, 1, 31, 9, tzinfo=UTC).timestamp())
    assert datetime.fromtimestamp(time_after(at, {"frequency": "monthly"}, UTC), UTC).date().isoformat() == "2026-03-31"


def test_a_reminder_keeps_its_hour_when_the_clocks_change():
    berlin = ZoneInfo("Europe/Berlin")
    at = int(datetime(2026, 3, 28, 9, tzinfo=berlin).timestamp())
    assert time_after(at, {"frequency": "daily"}, berlin) - at == 23 * 3600


def test_a_status_is_gone_when_it_ends(slack):
    status = {"status_text": "out", "status_emoji": ":palm_tree:", "status_expiration": START + 600}
    slack("users.profile.set", profile=status)
    assert slack("users.profile.get")["profile"]["status_text"] == "out"
    assert wait(slack, 600) == ["slack:clear_status"]
    profile = slack("users.profile.get")["profile"]
    assert (profile["status_text"], profile["status_emoji"], profile["status_expiration"]) == ("", "", 0)


def test_snoozing_ends(slack):
    slack("dnd.setSnooze", num_minutes=10)
    assert slack("dnd.info")["snooze_enabled"]
    assert wait(slack, 700) == ["slack:end_snoozing"]
    assert "snooze_enabled" not in slack("dnd.info")
    assert slack("dnd.endSnooze")["error"] == "snooze_not_active"


def test_a_diff_tells_of_what_came_by_itself(slack):
    slack("chat.scheduleMessage", channel=GENERAL, text="later", post_at=START + 60)
    wait(slack, 60)
    rows = slack.diff()["inserts"]
    assert [(row["__table__"], row["message_text"], row["user_id"]) for row in rows] == [("messages", "later", AGENT)]
