"""Events reach those who subscribed: each once, in order, with a record of every attempt."""

from datetime import UTC, datetime

from tests.harness import RANDOM
from tests.receiver import Received, Receiver, Said, prove


def texts(receiver: Receiver) -> list[str]:
    return [each.json["event"]["text"] for each in receiver.events]


def test_a_subscriber_is_told_of_what_happens_from_then_on(webhooks, receiver):
    webhooks.env.post("before")
    webhooks.add(receiver.url, "message.channels")
    webhooks.env.post("after")
    webhooks.settled()
    assert texts(receiver) == ["after"]


def test_a_delivery_has_its_event_its_record_and_its_attempts(webhooks, receiver):
    made = webhooks.add(receiver.url)
    webhooks.env.post("hi")
    [delivery] = webhooks.settled()
    [attempt] = delivery.pop("attempts")
    assert (attempt["status"], attempt["failure"], attempt["message"]) == (200, None, None)
    del delivery["createdAt"]
    assert delivery == {
        "number": 1,
        "webhookId": made["webhookId"],
        "twin": "slack",
        "event": "message",
        "seq": 1,
        "status": "delivered",
    }


def test_many_events_arrive_in_order(webhooks, receiver):
    webhooks.add(receiver.url, "message.channels")
    for number in range(150):
        webhooks.env.post(str(number))
    webhooks.settled(150)
    assert texts(receiver) == [str(number) for number in range(150)]


def test_every_subscriber_is_told_apart(webhooks, receiver):
    other = Receiver()
    webhooks.add(receiver.url, "message.channels")
    webhooks.add(other.url, "reaction_added")
    ts = webhooks.env.post("hi")
    webhooks.env.slack("reactions.add", channel="C01ABCD1234", timestamp=ts, name="eyes")
    webhooks.settled(2)
    other.close()
    assert [each.json["event"]["type"] for each in (*receiver.events, *other.events)] == ["message", "reaction_added"]


def test_an_operation_that_is_refused_tells_nobody(webhooks, receiver):
    webhooks.add(receiver.url)
    webhooks.env.slack("chat.postMessage", channel="C0NOWHERE", text="hi")
    webhooks.env.post("hi")
    webhooks.settled()
    assert texts(receiver) == ["hi"]


def test_a_webhook_that_is_deleted_is_told_no_more(webhooks, receiver):
    made = webhooks.add(receiver.url)
    webhooks.env.post("one")
    webhooks.settled()
    webhooks.platform.delete(f"env/{webhooks.env.id}/webhooks/{made['webhookId']}")
    webhooks.env.post("two")
    assert webhooks.platform.get(f"env/{webhooks.env.id}/webhooks") == {"webhooks": []}
    assert [each["seq"] for each in webhooks.deliveries()] == [1]


def failing(times: int, said: Said) -> Receiver:
    """A program that answers so many events with a failure, and the next ones with success."""
    left = [times]

    def answer(request: Received) -> Said | None:
        if proved := prove(request):
            return proved
        left[0] -= 1
        return said if left[0] >= 0 else None

    return Receiver(answer)


def test_a_failed_attempt_is_repeated_at_once_and_says_so(webhooks):
    receiver = failing(1, Said(500, b"out of order"))
    webhooks.add(receiver.url)
    webhooks.env.post("hi")
    [delivery] = webhooks.settled()
    receiver.close()
    assert [(each["status"], each["failure"], each["message"]) for each in delivery["attempts"]] == [
        (500, "status", "out of order"),
        (200, None, None),
    ]
    again = receiver.events[1]
    assert (again.headers["x-slack-retry-num"], again.headers["x-slack-retry-reason"]) == ("1", "http_error")
    assert again.body == receiver.events[0].body


def advance(webhooks, seconds: float) -> None:
    webhooks.platform.post(f"env/{webhooks.env.id}/clock", {"advance": seconds})


def test_later_retries_wait_for_the_environments_clock(webhooks):
    receiver = failing(2, Said(503))
    webhooks.add(receiver.url, "message.channels")
    webhooks.env.post("first")
    assert len(webhooks.tried(2)["attempts"]) == 2
    advance(webhooks, 57)
    webhooks.env.post("is not held up")
    webhooks.until(lambda deliveries: len(deliveries) == 2 and deliveries[1]["status"] == "delivered")
    assert (webhooks.deliveries()[0]["status"], len(webhooks.deliveries()[0]["attempts"])) == ("pending", 2)
    advance(webhooks, 3)
    webhooks.settled(2)
    receiver.close()
    assert len(webhooks.deliveries()[0]["attempts"]) == 3


def test_what_fails_for_long_is_given_up(webhooks):
    receiver = failing(9, Said(503))
    webhooks.add(receiver.url, "message.channels")
    webhooks.env.post("first")
    webhooks.tried(2)
    advance(webhooks, 61)
    webhooks.tried(3)
    advance(webhooks, 301)
    [delivery] = webhooks.settled()
    receiver.close()
    assert (delivery["status"], len(delivery["attempts"])) == ("failed", 4)


def test_what_fails_too_often_is_given_up_and_can_be_sent_again(webhooks):
    receiver = failing(1, Said(404, headers={"X-Slack-No-Retry": "1"}))
    webhooks.add(receiver.url)
    webhooks.env.post("hi")
    [failed] = webhooks.settled()
    assert failed["status"] == "failed"
    again = webhooks.platform.post(f"env/{webhooks.env.id}/deliveries/1/redeliver")
    assert (again["number"], again["status"]) == (1, "pending")
    [delivered] = webhooks.settled()
    receiver.close()
    assert (delivered["status"], len(delivered["attempts"])) == ("delivered", 2)


def test_a_rewind_cancels_what_was_not_sent_and_unsends_nothing(webhooks):
    receiver = failing(9, Said(500))
    webhooks.add(receiver.url)
    webhooks.env.post("kept")
    webhooks.env.post("undone")
    webhooks.until(lambda deliveries: [len(each["attempts"]) for each in deliveries] == [2, 2])
    webhooks.platform.post(f"env/{webhooks.env.id}/rewind", {"to": 1})
    deliveries = webhooks.until(lambda deliveries: deliveries[1]["status"] == "cancelled")
    receiver.close()
    assert [each["status"] for each in deliveries] == ["pending", "cancelled"]


def test_a_fork_tells_nobody(webhooks, receiver):
    webhooks.add(receiver.url)
    webhooks.env.post("one")
    webhooks.settled()
    [fork] = webhooks.platform.post(f"env/{webhooks.env.id}/fork")["environments"]
    url = f"{fork['environmentUrl']}/chat.postMessage"
    headers = {"Authorization": f"Bearer {fork['agentToken']}"}
    assert webhooks.platform.client.post(url, json={"channel": RANDOM, "text": "two"}, headers=headers).json()["ok"]
    assert webhooks.platform.get(f"env/{fork['environmentId']}/deliveries") == {"deliveries": []}


def test_an_environment_that_ends_leaves_nothing(webhooks, receiver):
    webhooks.add(receiver.url)
    webhooks.env.post("one")
    webhooks.settled()
    webhooks.platform.delete(f"env/{webhooks.env.id}")
    assert webhooks.deliveries() == []


def test_what_falls_due_is_told_of_without_a_call(platform, receiver):
    env = platform.environment(clock={"mode": "real"})
    platform.post(f"env/{env.id}/webhooks", {"twin": "slack", "url": receiver.url, "events": ["message.channels"]})
    now = datetime.fromisoformat(platform.get(f"env/{env.id}/clock")["now"]).replace(tzinfo=UTC)
    soon = int(now.timestamp()) + 2
    assert env.slack("chat.scheduleMessage", channel=RANDOM, text="in time", post_at=soon)["ok"]
    receiver.wait(2)
    assert texts(receiver) == ["in time"]
