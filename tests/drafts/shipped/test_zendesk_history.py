"""What Zendesk tells of the changes of tickets, over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

START = 1_772_450_000
"""A second of the day on which the environments begin, hours before."""


@pytest.fixture
def zendesk(connect: Connect) -> httpx.Client:
    """An account with two tickets of one user."""
    client = connect("zendesk", "https://mill.zendesk.com/api/v2")
    requester = {"name": "Ada", "email": "ada@example.com"}
    for subject in ("Oven", "Door"):
        ticket = {"subject": subject, "comment": {"body": "It is cold"}, "requester": requester}
        client.post("/tickets.json", json={"ticket": ticket}).raise_for_status()
    return client


def read_events(client: httpx.Client, number: int) -> list[dict[str, Any]]:
    audits = client.get("/tickets/1/audits.json").json()["audits"]
    return [each for each in audits[number]["events"] if each["type"] != "Comment"]


def test_each_change_of_a_ticket_is_an_audit(zendesk: httpx.Client):
    change = {"status": "open", "tags": ["heat"], "comment": {"body": "We come"}}
    made = zendesk.put("/tickets/1", json={"ticket": change}).json()["audit"]
    zendesk.put("/tickets/1/tags", json={"tags": ["cold"]}).raise_for_status()
    audits = zendesk.get("/tickets/1/audits").json()["audits"]
    assert audits[1] == made
    assert [[each["type"] for each in audit["events"]] for audit in audits] == [
        ["Comment", "Create", "Create", "Create"],
        ["Comment", "Change", "Change"],
        ["Change"],
    ]
    assert {each["field_name"]: each["value"] for each in read_events(zendesk, 0)}["subject"] == "Oven"
    status = next(each for each in read_events(zendesk, 1) if each["field_name"] == "status")
    assert (status["previous_value"], status["value"]) == ("new", "open")
    assert (read_events(zendesk, 2)[0]["previous_value"], read_events(zendesk, 2)[0]["value"]) == (
        ["heat"],
        ["cold", "heat"],
    )
    comments = zendesk.get("/tickets/1/comments").json()["comments"]
    assert [each["audit_id"] for each in comments] == [each["id"] for each in audits[:2]]
    assert zendesk.get(f"/tickets/1/audits/{made['id']}.json").json() == {"audit": made}
    assert zendesk.get(f"/tickets/2/audits/{made['id']}.json").status_code == 404


def test_a_merged_ticket_is_closed_and_the_other_gets_a_comment(zendesk: httpx.Client):
    asked = {"ids": [2], "source_comment": "See 1", "target_comment": "From 2", "target_comment_is_public": True}
    job = zendesk.post("/tickets/1/merge.json", json=asked).json()["job_status"]
    assert job["status"] == "queued"
    done = zendesk.get(f"/job_statuses/{job['id']}.json").json()["job_status"]
    assert [(each["id"], each["success"]) for each in done["results"]] == [(1, True), (2, True)]
    source = zendesk.get("/tickets/2").json()["ticket"]
    assert (source["status"], source["tags"]) == ("closed", ["closed_by_merge"])
    said = [zendesk.get(f"/tickets/{each}/comments").json()["comments"][-1] for each in (1, 2)]
    assert [(each["body"], each["public"]) for each in said] == [("From 2", True), ("See 1", False)]
    again = zendesk.post("/tickets/1/merge", json=asked)
    assert (again.status_code, "closed" in again.text) == (422, True)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400), ({"ids": []}, 400), ({"ids": "2"}, 400), ({"ids": [None]}, 400), ({"ids": [True]}, 400),
        ({"ids": [{"a": 1}]}, 400), ({"ids": [9]}, 404), ({"ids": ["x"]}, 404), ({"ids": [1]}, 422),
        ({"ids": [2], "target_comment": 5}, 400), ({"ids": [2] * 101}, 400),
    ],
)  # fmt: skip
def test_a_merge_that_cannot_be_is_refused_and_changes_nothing(zendesk: httpx.Client, body: Any, status: int):
    assert zendesk.post("/tickets/1/merge", json=body).status_code == status
    assert zendesk.get("/tickets/2").json()["ticket"]["status"] == "new"


def wait_a_minute(client: httpx.Client) -> None:
    """Let the steps of the clock pass a minute."""
    for _ in range(61):
        client.put("/tickets/2/tags", json={"tags": ["later"]}).raise_for_status()


def test_an_export_has_what_changed_a_minute_ago_and_goes_on_at_its_cursor(zendesk: httpx.Client):
    zendesk.delete("/tickets/1.json").raise_for_status()
    assert zendesk.get(f"/incremental/tickets/cursor?start_time={START}").json()["tickets"] == []
    wait_a_minute(zendesk)
    first = zendesk.get(f"/incremental/tickets/cursor.json?start_time={START}&per_page=1").json()
    assert [(each["id"], each["status"]) for each in first["tickets"]] == [(1, "deleted")]
    assert zendesk.get(f"/incremental/tickets.json?start_time={START}").json()["count"] == 1
    wait_a_minute(zendesk)
    following = zendesk.get(first["after_url"]).json()
    assert 1 not in [each["id"] for each in following["tickets"]]
    assert following["end_of_stream"] is True


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400), ("start_time=x", 400), ("start_time=-5", 400), ("start_time=\u0665", 400), ("cursor=zz", 400),
        ("start_time=9999999999", 422), ("start_time=5&per_page=0", 400), ("start_time=5&per_page=1001", 400),
        ("start_time=5&per_page=1000", 200),
    ],
)  # fmt: skip
def test_an_export_needs_a_time_that_is_over_a_minute_ago(zendesk: httpx.Client, query: str, status: int):
    assert zendesk.get(f"/incremental/tickets/cursor?{query}").status_code == status


def test_the_fields_of_the_system_are_listed_and_stay(zendesk: httpx.Client):
    fields = zendesk.get("/ticket_fields").json()["ticket_fields"]
    assert [each["type"] for each in fields][:4] == ["subject", "description", "status", "tickettype"]
    assert zendesk.delete(f"/ticket_fields/{fields[0]['id']}").status_code == 422
    assert zendesk.get(f"/ticket_fields/{fields[0]['id']}").json()["ticket_field"]["removable"] is False
