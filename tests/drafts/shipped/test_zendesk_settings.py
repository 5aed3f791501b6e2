"""Fields, rules, memberships and jobs of a Zendesk account, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

_RULE = {"conditions": {"all": [], "any": []}, "actions": []}
COLLECTIONS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("ticket_fields", "ticket_field", {"type": "text", "title": "Size"}, {"title": "Width"}),
    ("ticket_forms", "ticket_form", {"name": "Fault"}, {"active": False}),
    ("views", "view", {"title": "Mine"}, {"active": False}),
    ("macros", "macro", {"title": "Close", "actions": [{"field": "status", "value": "solved"}]}, {"active": False}),
    ("triggers", "trigger", {"title": "Notify", **_RULE}, {"active": False}),
    ("automations", "automation", {"title": "Later", **_RULE}, {"active": False}),
    ("brands", "brand", {"name": "Mill", "subdomain": "mill"}, {"active": False}),
    ("slas/policies", "sla_policy", {"title": "Fast", "filter": {"all": []}}, {"position": 2}),
    ("organization_fields", "organization_field", {"key": "size", "type": "text", "title": "Size"}, {"title": "Width"}),
    ("webhooks", "webhook", {"name": "In", "endpoint": "https://a.test", "http_method": "POST",
                             "request_format": "json", "status": "active"}, {"status": "inactive"}),
]  # fmt: skip


@pytest.fixture
def zendesk(connect: Connect) -> httpx.Client:
    return connect("zendesk", "https://mill.zendesk.com/api/v2")


@pytest.mark.parametrize(("path", "name", "body", "changes"), COLLECTIONS)
def test_objects_of_a_collection_are_made_changed_and_removed(
    zendesk: httpx.Client, path: str, name: str, body: dict[str, Any], changes: dict[str, Any]
):
    count = zendesk.get(f"/{path}").json()["count"]
    answer = zendesk.post(f"/{path}.json", json={name: {**body, "id": 7, "url": "https://other.test"}})
    assert answer.status_code == 201, answer.text
    made = answer.json()[name]
    member = f"/{path}/{made['id']}.json"
    assert made["url"].endswith(f"/api/v2{member}")
    listed = zendesk.get(f"/{path}").json()
    assert (made in next(each for each in listed.values() if isinstance(each, list)), listed["count"]) == (
        True,
        count + 1,
    )
    changed = zendesk.put(member, json={name: changes}).json()[name]
    assert {**changed, **changes} == changed
    assert [zendesk.delete(member).status_code, zendesk.get(member).json()["error"]] == [204, "RecordNotFound"]
    refused = zendesk.post(f"/{path}.json", json={name: {}})
    assert (refused.status_code, refused.json()["error"]) == (422, "RecordInvalid")
    assert zendesk.post(f"/{path}.json", json={}).status_code == 400


def test_a_membership_is_of_a_user_and_an_organization_that_are_there(zendesk: httpx.Client):
    place = zendesk.post("/organizations", json={"organization": {"name": "Mill"}}).json()["organization"]["id"]
    me, path = zendesk.get("/users/me.json").json()["user"]["id"], "/organization_memberships"
    given = {"user_id": me, "organization_id": place}
    made = zendesk.post(path, json={"organization_membership": given}).json()["organization_membership"]
    assert [each["id"] for each in zendesk.get(path).json()["organization_memberships"]] == [made["id"]]
    refused = zendesk.post(path, json={"organization_membership": {**given, "organization_id": 5}})
    assert [*refused.json()["details"]] == ["organization_id"]
    refused = zendesk.post("/group_memberships", json={"group_membership": {"user_id": me, "group_id": 5}})
    assert refused.status_code == 422


def test_a_field_of_users_is_added_once(zendesk: httpx.Client):
    field = {"user_field": {"key": "mood", "type": "text", "title": "Mood"}}
    made = zendesk.post("/user_fields.json", json=field).json()["user_field"]
    assert zendesk.get("/user_fields.json").json()["user_fields"] == [made]
    assert "mood" in zendesk.get("/users/me").json()["user"]["user_fields"]
    assert zendesk.post("/user_fields.json", json=field).status_code == 422
    assert zendesk.post("/user_fields.json", json={}).status_code == 422


def test_a_job_says_what_came_of_each_object(zendesk: httpx.Client):
    users = [{"name": "Ada", "email": "ada@example.com"}, {"name": "Bob", "email": "ada@example.com"}]
    job = zendesk.post("/users/create_many.json", json={"users": users}).json()["job_status"]
    assert (job["status"], job["total"]) == ("queued", 2)
    done = zendesk.get(f"/job_statuses/{job['id']}.json").json()["job_status"]
    assert [each["success"] for each in done["results"]] == [True, False]
    tickets = {"tickets": [{"subject": each, "comment": {"body": "Cold"}} for each in ("A", "B")]}
    zendesk.post("/tickets/create_many", json=tickets)
    ids = [each["id"] for each in zendesk.get("/tickets").json()["tickets"]]
    change = {"ticket": {"status": "open"}}
    zendesk.put("/tickets/update_many", params={"ids": ",".join(map(str, ids))}, json=change)
    assert {each["status"] for each in zendesk.get("/tickets").json()["tickets"]} == {"open"}
    id = done["results"][0]["id"]
    zendesk.put("/users/update_many", json={"users": [{"id": id, "name": "Eve"}]})
    assert zendesk.get(f"/users/{id}").json()["user"]["name"] == "Eve"


@pytest.mark.parametrize("action", ["create_many", "update_many"])
@pytest.mark.parametrize("name", ["users", "tickets"])
def test_a_job_needs_from_one_to_a_hundred_objects(zendesk: httpx.Client, name: str, action: str):
    verb, path = "PUT" if action == "update_many" else "POST", f"{name}/{action}"
    for body in ({}, {name: [5]}, {name: [{}] * 101}):
        assert zendesk.request(verb, f"/{path}", json=body).status_code == 400
    assert zendesk.request(verb, f"/{path}", json={name: [{}] * 100}).status_code == 200
    assert zendesk.get("/job_statuses/x").status_code == 404
