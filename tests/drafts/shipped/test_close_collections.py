"""What an organization of Close has beside leads and activities, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

COLLECTIONS: list[tuple[str, Any]] = [
    ("saved_search", {"name": "Hot leads", "query": "status:hot"}),
    ("email_template", {"name": "Hello", "subject": "Hi"}),
    ("sms_template", {"name": "Hello", "text": "Hi"}),
    ("sequence", {"name": "Follow up"}),
    ("webhook", {"url": "https://example.com/h", "events": [{"object_type": "lead", "action": "created"}]}),
    ("pipeline", {"name": "Second"}),
    ("group", {"name": "North"}),
    ("role", {"name": "Seller"}),
    ("integration_link", {"name": "Find", "url": "https://example.com", "type": "lead"}),
    ("custom_activity", {"name": "Visit"}),
    ("custom_object_type", {"name": "Boat", "name_plural": "Boats"}),
    ("comment", {"object_id": "acti_1", "body": "Good"}),
]


@pytest.fixture
def close(connect: Connect) -> httpx.Client:
    return connect("close", "https://api.close.com/api/v1")


@pytest.mark.parametrize(("path", "given"), COLLECTIONS)
def test_a_collection_keeps_what_it_is_given_and_refuses_what_lacks_a_field(close: httpx.Client, path: str, given: Any):
    made = close.post(f"/{path}/", json=given).json()
    assert given.items() <= made.items()
    changed = close.put(f"/{path}/{made['id']}/", json={"description": "new"}).json()
    assert (changed["id"], changed["description"]) == (made["id"], "new")
    assert made["id"] in [each["id"] for each in close.get(f"/{path}/").json()["data"]]
    refused = close.post(f"/{path}/", json={})
    assert (refused.status_code, bool(refused.json()["field-errors"])) == (400, True)
    assert close.delete(f"/{path}/{made['id']}/").json() == {}
    assert close.get(f"/{path}/{made['id']}/").status_code == 404


def test_bulk_actions_change_and_delete_the_leads_of_a_query(close: httpx.Client):
    for name in ("Mill", "Bakery"):
        close.post("/lead/", json={"name": name})
    status = close.get("/status/lead/").json()["data"][1]["id"]
    edit = {"type": "set_lead_status", "lead_status_id": status, "query": "Mill"}
    assert close.post("/bulk_action/edit/", json=edit).json()["n_leads"] == 1
    leads = {each["name"]: each["status_id"] for each in close.get("/lead/").json()["data"]}
    assert (leads["Mill"] == status, leads["Bakery"] == status) == (True, False)
    done = close.post("/bulk_action/delete/", json={"query": "Mill"}).json()
    assert close.get(f"/bulk_action/delete/{done['id']}/").json()["status"] == "done"
    assert [each["name"] for each in close.get("/lead/").json()["data"]] == ["Bakery"]
    assert close.post("/bulk_action/edit/", json={"type": "paint"}).status_code == 400
    assert close.post("/bulk_action/delete/", json={"s_query": {"type": "and"}}).status_code == 501


def test_a_template_is_rendered_and_files_are_not_written(close: httpx.Client):
    made = close.post("/email_template/", json={"name": "Hello", "subject": "Hi", "body": "Text"}).json()["id"]
    assert close.get(f"/email_template/{made}/render/").json() == {"subject": "Hi", "body": "Text"}
    assert close.get("/email_template/tmpl_none/render/").status_code == 404
    assert close.post("/export/lead/", json={}).status_code == 501
