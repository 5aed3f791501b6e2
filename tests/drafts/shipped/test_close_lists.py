"""How Close's lists are filtered and ordered, and what its event log tells, over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def close(connect: Connect) -> httpx.Client:
    """An organization with two leads, of which the first has two tasks, an opportunity and a note."""
    client = connect("close", "https://api.close.com/api/v1")
    lead = make(client, "lead", name="Acme")
    make(client, "task", lead_id=lead, text="Call", date="2026-03-02")
    make(client, "task", lead_id=lead, text="Visit", date="2026-05-01")
    make(client, "opportunity", lead_id=lead, value=500, confidence=20)
    make(client, "opportunity", lead_id=lead, value=100, confidence=90)
    make(client, "activity/note", lead_id=lead, note="Hello")
    make(client, "lead", name="Mill")
    return client


def make(client: httpx.Client, kind: str, **body: Any) -> str:
    return client.post(f"/{kind}/", json=body).raise_for_status().json()["id"]


@pytest.mark.parametrize(
    ("path", "field", "found"),
    [
        ("lead/?_order_by=-display_name", "name", ["Mill", "Acme"]),
        ("lead/?date_created__gt=2030-01-01", "name", []),
        ("lead/?date_created__lte=2030-01-01T00:00:00Z", "name", ["Acme", "Mill"]),
        ("opportunity/?_order_by=value", "value", [100, 500]),
        ("opportunity/?_order_by=-confidence&status_type=active", "value", [100, 500]),
        ("opportunity/?status_type__in=won,lost", "value", []),
        ("task/?view=inbox", "text", ["Call"]),
        ("task/?view=future", "text", ["Visit"]),
        ("task/?view=archive", "text", []),
        ("task/?is_complete=false&_order_by=-date", "text", ["Visit", "Call"]),
        ("task/?date__lt=2026-05-01", "text", ["Call"]),
        ("task/?date__lte=2026-05-01&_skip=1", "text", ["Visit"]),
        ("activity/?_type=Note&_fields=note", "note", ["Hello"]),
        ("activity/?_type__in=Call,SMS", "note", []),
        ("activity/note/?date_created__gte=2026-01-01", "note", ["Hello"]),
    ],
)
def test_a_list_is_filtered_and_ordered(close: httpx.Client, path: str, field: str, found: list[Any]):
    answer = close.get(f"/{path}")
    assert answer.status_code == 200, answer.text
    assert [each[field] for each in answer.json()["data"]] == found


@pytest.mark.parametrize(
    "path",
    [
        "lead/?_order_by=shoe_size", "lead/?date_created__gt=soon", "lead/?colour__in=red", "task/?view=all",
        "task/?is_complete=maybe", "task/?_limit=201", "task/?_limit=0", "task/?_skip=-1", "event/?_limit=0",
        "event/?_cursor=zz", "event/?_skip=1", "event/?date_updated__gt=soon",
    ],
)  # fmt: skip
def test_a_parameter_of_a_list_that_cannot_be_is_refused(close: httpx.Client, path: str):
    answer = close.get(f"/{path}")
    assert (answer.status_code, len(answer.json()["field-errors"])) == (400, 1), answer.text


def read_events(client: httpx.Client, **asked: Any) -> list[dict[str, Any]]:
    return client.get("/event/", params=asked).raise_for_status().json()["data"]


def test_the_event_log_tells_what_was_created_changed_and_removed(close: httpx.Client):
    lead = close.get("/lead/?query=name:Acme").json()["data"][0]["id"]
    close.put(f"/lead/{lead}/", json={"name": "Acme Ltd"})
    close.put(f"/lead/{lead}/", json={"name": "Acme Ltd"})
    [changed] = read_events(close, object_type="lead", action="updated")
    assert (changed["changed_fields"], changed["previous_data"]["name"]) == (["display_name", "name"], "Acme")
    assert changed["data"]["name"] == "Acme Ltd"
    of_lead = read_events(close, lead_id=lead, action="created")
    assert [each["object_type"] for each in of_lead] == [
        "activity.note", "opportunity", "opportunity", "task.lead", "task.lead", "lead",
    ]  # fmt: skip
    close.delete(f"/lead/{lead}/")
    [removed] = read_events(close, action="deleted")
    assert (removed["data"], removed["previous_data"]["name"]) == ({}, "Acme Ltd")
    assert close.get(f"/event/{removed['id']}/").json() == removed
    assert close.get("/event/ev_none/").status_code == 404


def test_events_are_paged_to_the_oldest_and_back_to_new_ones(close: httpx.Client):
    everything = [each["id"] for each in read_events(close)]
    seen: list[str] = []
    page = close.get("/event/?_limit=3").json()
    newest = page["cursor_previous"]
    while True:
        seen += [each["id"] for each in page["data"]]
        if page["cursor_next"] is None:
            break
        page = close.get("/event/", params={"_limit": 3, "_cursor": page["cursor_next"]}).json()
    assert seen == everything
    assert read_events(close, _cursor=newest) == []
    make(close, "lead", name="New")
    assert [each["data"]["name"] for each in read_events(close, _cursor=newest)] == ["New"]


def test_at_most_fifty_events_are_on_a_page(close: httpx.Client):
    lead = close.get("/lead/").json()["data"][0]["id"]
    for number in range(51):
        close.put(f"/lead/{lead}/", json={"name": f"Acme {number}"})
    assert len(read_events(close, _limit=200)) == 50
