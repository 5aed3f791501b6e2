"""What the handlers of Zendesk do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def zendesk(connect: Connect) -> httpx.Client:
    """An account with an organization, one of its users and a ticket of hers."""
    client = connect("zendesk", "https://mill.zendesk.com/api/v2")
    place = client.post("/organizations.json", json={"organization": {"name": "Mill"}}).json()["organization"]["id"]
    user = {"name": "Ada", "email": "ada@example.com", "external_id": "7", "organization_id": place}
    requester = client.post("/users.json", json={"user": user}).json()["user"]["id"]
    ticket = {"subject": "Oven", "comment": {"body": "It is cold"}, "requester_id": requester, "tags": ["heat"]}
    made = client.post("/tickets.json", json={"ticket": ticket})
    assert made.status_code == 201, made.text
    return client


def test_a_ticket_is_of_its_requester_and_her_organization_and_has_its_comment(zendesk: httpx.Client):
    shown = zendesk.get("/tickets/1.json?include=users,organizations").json()
    assert (shown["ticket"]["status"], shown["ticket"]["description"]) == ("new", "It is cold")
    assert [each["name"] for each in shown["organizations"]] == ["Mill"]
    assert [each["name"] for each in shown["users"]] == ["Ada"]
    answer = {"status": "open", "comment": {"body": "We come", "public": False}}
    assert zendesk.put("/tickets/1", json={"ticket": answer}).json()["ticket"]["status"] == "open"
    comments = zendesk.get("/tickets/1/comments.json").json()["comments"]
    assert [(each["body"], each["public"]) for each in comments] == [
        ("It is cold", True),
        ("We come", False),
    ]
    assert zendesk.delete("/tickets/1.json").status_code == 204
    assert zendesk.get("/tickets/1.json").json() == {"error": "RecordNotFound", "description": "Not found"}
    assert zendesk.put("/deleted_tickets/1/restore.json").status_code == zendesk.get("/tickets/1").status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/tickets", {"ticket": {"subject": "Oven"}}, 422, "Description: cannot be blank"),
        ("/tickets", {"ticket": {"comment": {"body": "x"}, "status": "lost"}}, 422, "Status: lost is not valid"),
        ("/tickets", {"ticket": {"comment": {"body": "x"}, "assignee_id": 5}}, 422, "Assignee: 5 does not exist"),
        ("/tickets", {"subject": "Oven"}, 400, "invalid value for the ticket attribute"),
        ("/users", {"user": {"email": "badmail", "name": "B"}}, 422, "Email: badmail is not properly formatted"),
        ("/users", {"user": {"email": "ADA@example.com", "name": "B"}}, 422, "DuplicateValue"),
        ("/users", {"user": {"name": " "}}, 422, "Name: cannot be blank"),
        ("/organizations", {"organization": {"name": "mill"}}, 422, "has already been taken"),
        ("/groups", {"group": {}}, 422, "BlankValue"),
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_is_refused(zendesk: httpx.Client, path: str, body: Any, status: int, said: str):
    answer = zendesk.post(f"{path}.json", json=body)
    assert (answer.status_code, said in answer.text) == (status, True), answer.text


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("type:ticket status<solved", ["Oven"]),
        ("type:ticket requester:ada@example.com tags:heat", ["Oven"]),
        ("type:ticket status:solved", []),
        ("type:ticket assignee:none cold", ["Oven"]),
        ("type:user email:ada@example.com", ["Ada"]),
        ("-tags:heat type:ticket", []),
        ("organization:mill", ["Oven", "Ada"]),
        ('type:organization "Mill"', ["Mill"]),
    ],
)
def test_a_search_finds_records_by_terms(zendesk: httpx.Client, query: str, names: list[str]):
    found = zendesk.get("/search.json", params={"query": query}).json()
    assert [each.get("subject") or each["name"] for each in found["results"]] == names
    assert zendesk.get("/search/count", params={"query": query}).json() == {"count": len(names)}


def test_a_further_address_is_an_identity_until_it_is_made_primary(zendesk: httpx.Client):
    user = zendesk.post("/users/create_or_update", json={"user": {"external_id": 7, "email": "a@b.example"}})
    url = f"/users/{user.json()['user']['id']}"
    assert (user.status_code, user.json()["user"]["email"]) == (200, "ada@example.com")
    first, second = zendesk.get(f"{url}/identities.json").json()["identities"]
    assert (first["primary"], second["value"]) == (True, "a@b.example")
    zendesk.put(f"{url}/identities/{second['id']}/make_primary.json", json={})
    assert zendesk.get(f"{url}.json").json()["user"]["email"] == "a@b.example"
    deleted = zendesk.delete(f"{url}.json").json()["user"]
    assert (deleted["active"], deleted["email"], deleted["external_id"]) == (False, None, None)
    assert zendesk.get("/users/search.json?external_id=7").json()["users"] == []


def test_lists_are_paged_by_number_and_by_cursor(zendesk: httpx.Client):
    for number in range(4):
        zendesk.post("/groups", json={"group": {"name": f"Shift {number}"}})
    page = zendesk.get("/groups.json?per_page=2&page=2").json()
    assert (len(page["groups"]), page["count"]) == (2, 5)
    turns = [page[name].rpartition("?")[2] for name in ("next_page", "previous_page")]
    assert turns == ["page=3&per_page=2", "page=1&per_page=2"]
    odd = zendesk.get("/tickets.json", params={"include": "{a} & b", "page": 2}).json()
    assert odd["previous_page"].endswith("?include=%7Ba%7D%20%26%20b&page=1")
    names, url = list[str](), "/groups.json?page[size]=2"
    while url:
        page = zendesk.get(url).json()
        names += [each["name"] for each in page["groups"]]
        url = page["links"]["next"]
    assert (len(names), len({*names}), page["meta"]["has_more"]) == (5, 5, False)


def test_tags_are_replaced_added_and_taken(zendesk: httpx.Client):
    url = "/tickets/1/tags.json"
    assert zendesk.put(url, json={"tags": ["cold"]}).json() == {"tags": ["cold", "heat"]}
    assert zendesk.request("DELETE", url, json={"tags": ["heat"]}).json() == {"tags": ["cold"]}
    assert zendesk.post(url, json={"tags": ["new"]}).status_code == 201
    assert zendesk.get("/tags").json()["tags"] == [{"name": "new", "count": 1}]


def test_deleted_tickets_are_listed_until_they_are_restored(zendesk: httpx.Client):
    assert zendesk.get("/deleted_tickets.json").json()["deleted_tickets"] == []
    zendesk.delete("/tickets/1.json")
    [deleted] = zendesk.get("/deleted_tickets.json").json()["deleted_tickets"]
    assert (deleted["id"], deleted["subject"], deleted["previous_state"]) == (1, "Oven", "new")
    zendesk.put("/deleted_tickets/1/restore.json")
    assert zendesk.get("/deleted_tickets.json").json()["count"] == 0
