"""What the handlers of Pipedrive do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def pipedrive(connect: Connect) -> httpx.Client:
    return connect("pipedrive", "https://api.pipedrive.com/v1")


def add(pipedrive: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    made = pipedrive.post(path, json=body)
    assert made.status_code in (200, 201), made.text
    return made.json()["data"]


def test_persons_have_their_organization_and_addresses_as_objects(pipedrive: httpx.Client):
    organization = add(pipedrive, "/organizations", name="Acme")["id"]
    made = add(pipedrive, "/persons", name="Ada Byron", org_id=organization, email="ada@acme.test")
    assert (made["first_name"], made["last_name"], made["org_id"]["name"]) == ("Ada", "Byron", "Acme")
    assert made["email"] == [{"label": "", "value": "ada@acme.test", "primary": True}]
    assert pipedrive.get(f"/organizations/{organization}").json()["data"]["people_count"] == 1
    assert [each["id"] for each in pipedrive.get(f"/organizations/{organization}/persons").json()["data"]] == [
        made["id"]
    ]


def test_custom_fields_have_parts_and_cleared_texts_are_empty(pipedrive: httpx.Client):
    keys = {
        kind: add(pipedrive, "/organizationFields", name=kind, field_type=kind)["key"]
        for kind in ("varchar", "text", "monetary", "date")
    }
    made = add(pipedrive, "/organizations", name="Acme")
    assert all(made[key] is None for key in keys.values())
    given = {keys["varchar"]: "x", keys["text"]: "y", keys["monetary"]: 2.5, keys["date"]: "2026-01-02T03:04:05.000Z"}
    path = f"/organizations/{made['id']}"
    changed = pipedrive.put(path, json=given).json()["data"]
    assert (changed[keys["monetary"] + "_currency"], changed[keys["date"]]) == ("USD", "2026-01-02")
    cleared = pipedrive.put(path, json=dict.fromkeys(given)).json()["data"]
    assert [cleared[keys[kind]] for kind in keys] == ["", None, None, None]
    assert pipedrive.put(path, json={keys["monetary"]: "much"}).status_code == 400


def test_searches_find_parts_of_fields_or_all_of_them(pipedrive: httpx.Client):
    add(pipedrive, "/persons", name="Ada Byron", email=[{"value": "ada@acme.test", "label": "work"}])
    terms = [("ada", {}), ("acme", {"fields": "email"}), ("acme", {"fields": "name"}), ("ada", {"exact_match": "true"})]
    answers = [pipedrive.get("/persons/search", params={"term": term, **more}).json() for term, more in terms]
    assert [len(each["data"]["items"]) for each in answers] == [1, 1, 0, 0]
    assert pipedrive.get("/persons/search", params={"term": "a"}).status_code == 400
    assert len(pipedrive.get("/itemSearch", params={"term": "ada"}).json()["data"]["items"]) == 1


def test_a_deleted_item_is_shown_by_id_and_found_nowhere_else(pipedrive: httpx.Client):
    made = add(pipedrive, "/deals", title="Big", value="10")["id"]
    assert pipedrive.delete(f"/deals/{made}").json() == {"success": True, "data": {"id": made}}
    shown = pipedrive.get(f"/deals/{made}").json()["data"]
    assert (shown["status"], shown["deleted"], pipedrive.get("/deals").json()["data"]) == ("deleted", True, None)
    refused = pipedrive.put(f"/deals/{made}", json={"title": "Again"})
    assert (refused.status_code, refused.json()["success"], refused.json()["error"]) == (404, False, "Deal not found")


def test_what_a_body_names_must_exist_and_names_must_be_given(pipedrive: httpx.Client):
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("deals", {"title": "x", "org_id": 99}),
        ("deals", {"title": "x", "status": "maybe"}),
        ("persons", {}),
        ("persons", {"name": " "}),
        ("notes", {"content": "x"}),
        ("filters", {"name": "x", "type": "org"}),
    ]
    assert {pipedrive.post(f"/{path}", json=body).status_code for path, body in bodies} == {400}


def test_version_2_shows_flat_items_and_pages_by_cursor(pipedrive: httpx.Client):
    for name in ("One", "Two", "Three"):
        add(pipedrive, "/organizations", name=name)
    base = "https://api.pipedrive.com/api/v2/organizations"
    first = pipedrive.get(base, params={"limit": 2}).json()
    rest = pipedrive.get(base, params={"limit": 2, "cursor": first["additional_data"]["next_cursor"]}).json()
    assert [each["name"] for each in first["data"] + rest["data"]] == ["One", "Two", "Three"]
    changed = pipedrive.patch(f"{base}/{first['data'][0]['id']}", json={"name": "1"}).json()["data"]
    assert (changed["name"], changed["is_deleted"], type(changed["owner_id"])) == ("1", False, int)
    assert pipedrive.get(base, params={"cursor": "?"}).status_code == 400
