"""What the handlers of Freshdesk do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def freshdesk(connect: Connect) -> httpx.Client:
    """An account with a company, one of its contacts and a ticket of hers."""
    client = connect("freshdesk", "https://mill.freshdesk.com/api/v2")
    company = client.post("/companies", json={"name": "Mill"}).json()["id"]
    client.post("/contacts", json={"name": "Ada", "email": "ada@example.com", "company_id": company})
    ticket = {"subject": "Oven", "description": "<p>It is <b>cold</b></p>", "email": "ada@example.com"}
    made = client.post("/tickets", json={**ticket, "status": 2, "priority": 1})
    assert made.status_code == 201, made.text
    return client


def test_a_ticket_is_answered_changed_deleted_and_restored(freshdesk: httpx.Client):
    assert freshdesk.post("/tickets/1/reply", json={"body": "We come"}).json()["private"] is False
    assert freshdesk.post("/tickets/1/notes", json={"body": "Soon"}).json()["private"] is True
    shown = freshdesk.get("/tickets/1?include=conversations,requester,company").json()
    assert (shown["description_text"], shown["requester"]["name"], shown["company"]["name"]) == (
        "It is cold",
        "Ada",
        "Mill",
    )
    assert [each["body"] for each in shown["conversations"]] == ["We come", "Soon"]
    assert freshdesk.put("/tickets/1", json={"status": 4}).json()["status"] == 4
    assert freshdesk.delete("/tickets/1").status_code == 204
    assert freshdesk.get("/tickets").json() == []
    assert freshdesk.put("/tickets/1/restore").status_code == 204
    assert [each["id"] for each in freshdesk.get("/tickets?email=ada@example.com").json()] == [1]


@pytest.mark.parametrize(
    ("path", "body", "status", "field", "code"),
    [
        ("/tickets", {"subject": "S", "description": "D"}, 400, "requester_id", "missing_field"),
        ("/tickets", {"subject": "S", "description": "D", "status": 9}, 400, "status", "invalid_value"),
        ("/tickets", {"subject": "S", "description": "D", "group_id": 5}, 400, "group_id", "invalid_value"),
        ("/tickets", {"subject": 5, "description": "D"}, 400, "subject", "datatype_mismatch"),
        ("/contacts", {"name": "B", "colour": "red"}, 400, "colour", "invalid_field"),
        ("/contacts", {"name": "B"}, 400, "email", "missing_field"),
        ("/contacts", {"name": "B", "email": "ADA@example.com"}, 409, "email", "duplicate_value"),
        ("/companies", {"name": "mill"}, 409, "name", "duplicate_value"),
    ],
)
def test_a_record_that_cannot_be_is_refused(
    freshdesk: httpx.Client, path: str, body: Any, status: int, field: str, code: str
):
    answer = freshdesk.post(path, json=body)
    [error] = answer.json()["errors"]
    assert (answer.status_code, error["field"], error["code"]) == (status, field, code)


def test_contacts_are_listed_by_their_values_page_by_page(freshdesk: httpx.Client):
    for number in range(3):
        freshdesk.post("/contacts", json={"name": f"B {number}", "phone": f"5{number}"})
    first = freshdesk.get("/contacts?per_page=3")
    assert [each["name"] for each in freshdesk.get(first.links["next"]["url"]).json()] == ["B 2"]
    [bob] = freshdesk.get("/contacts?phone=51").json()
    assert freshdesk.delete(f"/contacts/{bob['id']}/hard_delete").status_code == 400
    assert freshdesk.delete(f"/contacts/{bob['id']}/hard_delete?force=true").status_code == 204
    missing = freshdesk.get(f"/contacts/{bob['id']}")
    assert (missing.status_code, missing.content) == (404, b"")


@pytest.mark.parametrize(
    ("query", "subjects"),
    [
        ("priority:4 AND status:3", ["Mixer"]),
        ("priority:1 OR priority:4", ["Oven", "Mixer"]),
        ("status:2 AND (tag:'vip' OR priority:4)", []),
        ("tag:'vip'", ["Mixer"]),
        ("group_id:null AND created_at:>'2026-03-02'", ["Oven", "Mixer"]),
        ("created_at:<'2026-03-01'", []),
    ],
)
def test_tickets_are_found_by_a_query(freshdesk: httpx.Client, query: str, subjects: list[str]):
    ticket = {"subject": "Mixer", "description": "x", "email": "ada@example.com", "status": 3, "priority": 4}
    freshdesk.post("/tickets", json={**ticket, "tags": ["vip"]})
    freshdesk.post("/tickets", json={**ticket, "subject": "Gone", "tags": ["vip"]})
    freshdesk.delete("/tickets/3")
    found = freshdesk.get("/search/tickets", params={"query": f'"{query}"'}).json()
    assert ([each["subject"] for each in found["results"]], found["total"]) == (subjects, len(subjects))


def test_contacts_and_companies_are_found_by_a_query(freshdesk: httpx.Client):
    freshdesk.put(f"/companies/{freshdesk.get('/companies').json()[0]['id']}", json={"domains": ["mill.example"]})
    for kind, query in (("contacts", "email:'ada@example.com'"), ("companies", "domain:'mill.example'")):
        assert freshdesk.get(f"/search/{kind}", params={"query": f'"{query}"'}).json()["total"] == 1


@pytest.mark.parametrize(
    "query",
    ["priority:4", '"priority 4"', '"priority:4 AND"', '"(priority:4"', '"colour:1"', '""', f'"{"(" * 51}status:2"',
     f'"{"tag:1 OR " * 56}tag:12345"'],
)  # fmt: skip
def test_a_query_that_is_none_is_refused(freshdesk: httpx.Client, query: str):
    refused = freshdesk.get("/search/tickets", params={"query": query})
    assert (refused.status_code, refused.json()["description"]) == (400, "Validation failed")


def test_a_query_has_ten_pages_and_512_letters(freshdesk: httpx.Client):
    query = {"query": '"' + "tag:1 OR " * 56 + 'tag:1234"'}
    assert freshdesk.get("/search/tickets", params={**query, "page": 10}).json() == {"results": [], "total": 0}
    assert freshdesk.get("/search/tickets", params={**query, "page": 11}).status_code == 400


def test_a_contact_becomes_an_agent_of_roles_that_are_there(connect: Connect):
    desk = connect("freshdesk", "https://acme.freshdesk.com/api/v2")
    roles = desk.get("/roles").json()
    assert [each["name"] for each in roles][-1] == "Agent"
    assert desk.get(f"/roles/{roles[0]['id']}").json() == roles[0]
    contact = desk.post("/contacts", json={"name": "Eve", "email": "eve@example.com"}).json()["id"]
    path = f"/contacts/{contact}/make_agent"
    for wrong in (
        {"role_ids": [5]}, {"role_ids": "x"}, {"role_ids": [None]}, {"role_ids": [{}]}, {"group_ids": [5]},
        {"ticket_scope": 4}, {"ticket_scope": []}, {"type": "boss"}, {"occasional": "no"}, {"colour": 1},
    ):  # fmt: skip
        assert desk.put(path, json=wrong).status_code == 400, wrong
    made = desk.put(path, json={"role_ids": [roles[-1]["id"]], "occasional": True}).json()
    assert (made["id"], made["contact"]["email"], made["occasional"]) == (contact, "eve@example.com", True)
    assert desk.get(f"/agents/{contact}").json() == made
    assert desk.put(path).status_code == 409
    assert desk.put("/contacts/5/make_agent").status_code == 404
    phone = desk.post("/contacts", json={"name": "Bob", "phone": "5"}).json()["id"]
    assert desk.put(f"/contacts/{phone}/make_agent").json()["errors"][0]["field"] == "email"


def test_fields_of_tickets_have_their_choices(connect: Connect):
    desk = connect("freshdesk", "https://acme.freshdesk.com/api/v2")
    desk.post("/groups", json={"name": "Ovens"}).raise_for_status()
    fields = {each["name"]: each for each in desk.get("/ticket_fields").json()}
    assert fields["status"]["choices"]["2"] == ["Open", "Open"]
    assert [*fields["group"]["choices"]] == ["Ovens"]
    assert "choices" not in fields["subject"]
    [status] = desk.get("/ticket_fields?type=default_status").json()
    assert status == fields["status"] == desk.get(f"/admin/ticket_fields/{status['id']}").json()
    assert desk.get("/ticket_fields?type=custom").status_code == 400
    assert desk.get("/admin/ticket_fields/7").status_code == 404
