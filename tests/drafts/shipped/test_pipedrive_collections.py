"""What a Pipedrive company has beside its items, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

GOAL = {"assignee": {}, "type": {}, "expected_outcome": {}, "duration": {}, "interval": "weekly"}
CALL = {"to_phone_number": "1", "outcome": "busy", "start_time": "2026-03-02", "end_time": "2026-03-02"}
RELATION = {"type": "parent", "rel_owner_org_id": 1, "rel_linked_org_id": 2}
COLLECTIONS: list[tuple[str, Any, str, int]] = [
    ("pipelines", {"name": "Second"}, "PUT", 400),
    ("activityTypes", {"name": "Visit", "icon_key": "car"}, "PUT", 400),
    ("leadLabels", {"name": "Hot", "color": "red"}, "PATCH", 400),
    ("callLogs", CALL, "", 400),
    ("roles", {"name": "Sales"}, "PUT", 400),
    ("legacyTeams", {"name": "North", "manager_id": 1}, "PUT", 400),
    ("organizationRelationships", RELATION, "PUT", 400),
    ("projects", {"title": "P", "board_id": 1, "phase_id": 1}, "PUT", 400),
    ("tasks", {"title": "T", "project_id": 1}, "PUT", 400),
    ("goals", GOAL, "PUT", 400),
    ("stages", {"name": "Last", "pipeline_id": 1}, "PUT", 400),
]


@pytest.fixture
def pipedrive(connect: Connect) -> httpx.Client:
    return connect("pipedrive", "https://api.pipedrive.com/v1")


def add(pipedrive: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    made = pipedrive.post(path, json=body)
    assert made.status_code in (200, 201), made.text
    return made.json()["data"]


@pytest.mark.parametrize(("path", "given", "verb", "status"), COLLECTIONS)
def test_a_collection_keeps_what_it_is_given_and_refuses_what_lacks_a_field(
    pipedrive: httpx.Client, path: str, given: Any, verb: str, status: int
):
    made = add(pipedrive, path, **given)
    assert given.items() <= made.items()
    if verb:
        changed = pipedrive.request(verb, f"{path}/{made['id']}", json={"name": "New"}).json()
        assert (changed["success"], changed["data"]["name"]) == (True, "New")
    refused = pipedrive.post(path, json={})
    assert (refused.status_code, refused.json()["success"]) == (status, False)
    if path != "legacyTeams":
        assert pipedrive.delete(f"{path}/{made['id']}").json() == {"success": True, "data": {"id": made["id"]}}
        assert pipedrive.delete(f"{path}/{made['id']}").status_code == 404


def test_a_lead_is_about_a_person_and_becomes_a_deal(pipedrive: httpx.Client):
    person = add(pipedrive, "/persons", name="Ada")["id"]
    assert pipedrive.post("/leads", json={"title": "L"}).status_code == 400
    lead = add(pipedrive, "/leads", title="Lead", person_id=person, value={"amount": 5, "currency": "USD"})
    assert len(pipedrive.get("/leads/search", params={"term": "lead"}).json()["data"]["items"]) == 1
    base = f"https://api.pipedrive.com/api/v2/leads/{lead['id']}/convert"
    conversion = pipedrive.post(f"{base}/deal").json()["data"]["conversion_id"]
    done = pipedrive.get(f"{base}/status/{conversion}").json()["data"]
    assert pipedrive.get(f"/deals/{done['deal_id']}").json()["data"]["value"] == 5
    assert pipedrive.get(f"{base}/status/none").status_code == 404


def test_what_stands_below_a_deal_is_added_listed_and_removed(pipedrive: httpx.Client):
    deal, person = add(pipedrive, "/deals", title="D")["id"], add(pipedrive, "/persons", name="Ada")["id"]
    product, user = add(pipedrive, "/products", name="Rye")["id"], pipedrive.get("/users/me").json()["data"]["id"]
    parts: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("followers", {"user_id": user}, {"user_id": 1}),
        ("participants", {"person_id": person}, {"person_id": 99}),
        ("products", {"product_id": product, "item_price": 2, "quantity": 3}, {"product_id": product}),
    ]
    for name, given, wrong in parts:
        made = add(pipedrive, f"/deals/{deal}/{name}", **given)
        assert len(pipedrive.get(f"/deals/{deal}/{name}").json()["data"]) == 1
        assert pipedrive.post(f"/deals/{deal}/{name}", json=wrong).status_code in (400, 404)
        if name == "products":
            assert made["sum"] == 6
        assert pipedrive.delete(f"/deals/{deal}/{name}/{made['id']}").status_code == 200
    assert pipedrive.get("/deals/99/followers").status_code == 404


def test_merged_persons_are_one_and_a_copied_deal_is_another(pipedrive: httpx.Client):
    ada, eva = add(pipedrive, "/persons", name="Ada")["id"], add(pipedrive, "/persons", name="Eva")["id"]
    deal = add(pipedrive, "/deals", title="D", person_id=eva, value=4)["id"]
    merged = pipedrive.put(f"/persons/{eva}/merge", json={"merge_with_id": ada}).json()["data"]
    assert (merged["id"], merged["merge_what_id"]) == (ada, eva)
    assert pipedrive.get(f"/deals/{deal}").json()["data"]["person_id"]["value"] == ada
    copy = pipedrive.post(f"/deals/{deal}/duplicate").json()["data"]
    assert (copy["id"] != deal, copy["value"]) == (True, 4)
    assert pipedrive.get("/deals/summary").json()["data"]["total_count"] == 2
    assert pipedrive.put(f"/persons/{ada}/merge", json={"merge_with_id": ada}).status_code == 400


def test_files_hooks_and_comments_of_notes_are_kept(pipedrive: httpx.Client):
    deal = add(pipedrive, "/deals", title="D")["id"]
    sent = pipedrive.post("/files", files={"file": ("a.txt", b"abc")}, data={"deal_id": str(deal)}).json()["data"]
    assert [each["id"] for each in pipedrive.get(f"/deals/{deal}/files").json()["data"]] == [sent["id"]]
    got = pipedrive.get(f"/files/{sent['id']}/download")
    assert (got.content, got.headers["X-Twindiff-Drafted"]) == (bytes(3), "guessed=bytes")
    assert pipedrive.post("/files", files={"file": ("a.txt", b"abc")}, data={"deal_id": "99"}).status_code == 404
    hook = {"subscription_url": "https://example.com", "event_action": "create", "event_object": "deal"}
    assert add(pipedrive, "/webhooks", **hook)["is_active"] == 1
    assert pipedrive.post("/webhooks", json={**hook, "event_object": "boat"}).status_code == 400
    note = add(pipedrive, "/notes", content="N", deal_id=deal)["id"]
    comment = add(pipedrive, f"/notes/{note}/comments", content="C")
    assert pipedrive.get(f"/notes/{note}/comments/{comment['uuid']}").json()["data"]["content"] == "C"
    assert pipedrive.post("/notes/99/comments", json={"content": "C"}).status_code == 404
    flow = pipedrive.get(f"/deals/{deal}/flow").json()["data"]
    assert [each["object"] for each in flow] == ["note"]


def test_users_and_stages_are_found_and_refused(pipedrive: httpx.Client):
    me = pipedrive.get("/users/me").json()["data"]
    assert pipedrive.get("/users/find", params={"term": me["name"]}).json()["data"][0]["id"] == me["id"]
    assert pipedrive.get("/users/find").status_code == 400
    assert add(pipedrive, "/users", email="new@example.com")["email"] == "new@example.com"
    assert pipedrive.post("/users", json={"email": "new@example.com"}).status_code == 409
    add(pipedrive, "/deals", title="D", stage_id=1)
    assert pipedrive.delete("/stages/1").status_code == 400
    assert len(pipedrive.get("/stages/1/deals").json()["data"]) == 1
    stages = pipedrive.get("https://api.pipedrive.com/api/v2/stages").json()["data"]
    assert (stages[0]["id"], stages[0]["is_deleted"]) == (1, False)
    pipelines = pipedrive.get("https://api.pipedrive.com/api/v2/pipelines").json()["data"]
    assert [each["name"] for each in pipelines] == ["Pipeline"]
