"""Articles, tickets, events and companies of an Intercom workspace, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

ADMIN = "991267001"


@pytest.fixture
def intercom(connect: Connect) -> httpx.Client:
    return connect("intercom", "https://api.intercom.io")


COLLECTIONS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("/articles", {"title": "How to bake", "author_id": 5}, {"state": "published"}),
    ("/help_center/collections", {"name": "Bread"}, {"name": "Cake"}),
    ("/news/news_items", {"title": "New", "sender_id": 5}, {"body": "Rye"}),
    ("/ticket_types", {"name": "Fault"}, {"archived": True}),
]


@pytest.mark.parametrize(("path", "body", "changes"), COLLECTIONS)
def test_objects_of_a_collection_are_made_changed_and_removed(
    intercom: httpx.Client, path: str, body: dict[str, Any], changes: dict[str, Any]
):
    made = intercom.post(path, json=body).json()
    member = f"{path}/{made['id']}"
    assert intercom.get(path).json()["data"] == [made]
    changed = intercom.put(member, json=changes).json()
    assert {**changed, **changes} == changed
    assert intercom.get(member).json() == changed
    if path != "/ticket_types":
        assert intercom.delete(member).json() == {"id": made["id"], "object": made["type"], "deleted": True}
        assert intercom.get(member).json()["errors"][0]["code"] == "not_found"
    refused = intercom.post(path, json={})
    assert (refused.status_code, refused.json()["type"]) == (400, "error.list")


def test_a_company_is_changed_listed_and_removed(intercom: httpx.Client):
    contact = intercom.post("/contacts", json={"email": "ada@example.com"}).json()["id"]
    company = intercom.post("/companies", json={"company_id": "acme"}).json()["id"]
    intercom.post(f"/contacts/{contact}/companies", json={"id": company})
    path = f"/companies/{company}"
    assert intercom.put(path, json={"name": "Acme"}).json()["name"] == "Acme"
    assert [each["id"] for each in intercom.get(f"{path}/contacts").json()["data"]] == [contact]
    assert [each["id"] for each in intercom.post("/companies/list").json()["data"]] == [company]
    scrolled = intercom.get("/companies/scroll").json()
    assert [each["id"] for each in scrolled["data"]] == [company]
    rest = intercom.get("/companies/scroll", params={"scroll_param": scrolled["scroll_param"]}).json()
    assert rest["data"] == []
    assert intercom.delete(path).json()["deleted"] is True
    assert [intercom.get(path).status_code, intercom.get(f"/contacts/{contact}/companies").json()["data"]] == [404, []]


def test_events_and_messages_are_of_contacts(intercom: httpx.Client):
    contact = intercom.post("/contacts", json={"email": "ada@example.com"}).json()["id"]
    event = {"event_name": "baked", "created_at": 1_770_000_000, "email": "ada@example.com"}
    assert intercom.post("/events", json=event).status_code == 202
    (shown,) = intercom.get("/events", params={"email": "ada@example.com"}).json()["events"]
    assert (shown["event_name"], shown["created_at"]) == ("baked", 1_770_000_000)
    given = {"message_type": "email", "subject": "Hi", "body": "Hello", "from": {"type": "admin", "id": ADMIN}}
    sent = intercom.post("/messages", json={**given, "to": {"type": "user", "id": contact}}).json()
    assert (sent["type"], sent["subject"], sent["owner"]["id"]) == ("admin_message", "Hi", ADMIN)


def test_an_attribute_is_archived(intercom: httpx.Client):
    id = intercom.post("/data_attributes", json={"name": "mood", "model": "contact", "data_type": "string"}).json()[
        "id"
    ]
    assert intercom.put(f"/data_attributes/{id}", json={"archived": True}).json()["archived"] is True


def test_a_note_is_read_by_its_id(intercom: httpx.Client):
    contact = intercom.post("/contacts", json={"email": "ada@example.com"}).json()["id"]
    id = intercom.post(f"/contacts/{contact}/notes", json={"body": "Likes rye"}).json()["id"]
    assert intercom.get(f"/notes/{id}").json()["contact"]["id"] == contact
    for part in ("segments", "subscriptions"):
        assert intercom.get(f"/contacts/{contact}/{part}").json() == {"type": "list", "data": []}


@pytest.mark.parametrize(
    ("path", "key"),
    [("/admins", "admins"), (f"/admins/{ADMIN}", "email"), ("/teams", "teams"), ("/segments", "segments"),
     ("/subscription_types", "data"), ("/help_center/help_centers", "data")],
)  # fmt: skip
def test_what_a_workspace_has_is_shown(intercom: httpx.Client, path: str, key: str):
    assert key in intercom.get(path).json()


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "code"),
    [
        ("POST", "/events", {"event_name": "x", "created_at": 5}, 400, "parameter_not_found"),
        ("POST", "/events", {"event_name": "x", "user_id": "5"}, 400, "parameter_not_found"),
        ("POST", "/events", {"created_at": 5, "user_id": "5"}, 400, "parameter_not_found"),
        ("GET", "/events", None, 400, "parameter_not_found"), ("POST", "/messages", {}, 400, "parameter_not_found"),
        ("GET", "/admins/5", None, 404, "admin_not_found"), ("GET", "/notes/5", None, 404, "not_found"),
        ("PUT", "/companies/5", {}, 404, "company_not_found"), ("GET", "/segments/5", None, 404, "not_found"),
        ("DELETE", "/companies/5", None, 404, "company_not_found"), ("GET", "/teams/5", None, 404, "not_found"),
        ("GET", "/companies/5/contacts", None, 404, "company_not_found"),
        ("GET", "/companies/5/segments", None, 404, "company_not_found"),
        ("GET", "/contacts/5/segments", None, 404, "not_found"),
        ("PUT", "/data_attributes/5", {}, 404, "field_not_found"),
    ],
)  # fmt: skip
def test_what_is_missing_or_unknown_is_refused(
    intercom: httpx.Client, verb: str, path: str, body: Any, status: int, code: str
):
    refused = intercom.request(verb, path, json=body)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (status, code), refused.text


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": "big"}, {"size": True}, {"size": 2**60}, {"name": 5}, {"plan": {}}, {"monthly_spend": "x"},
        {"custom_attributes": []}, {"custom_attributes": {"a": {}}}, {"remote_created_at": 1.5},
    ],
)  # fmt: skip
def test_a_company_refuses_values_of_other_types(intercom: httpx.Client, wrong: dict[str, Any]):
    made = intercom.post("/companies", json={"company_id": "acme", "size": 5}).json()
    for answer in (
        intercom.post("/companies", json={"company_id": "acme", **wrong}),
        intercom.put(f"/companies/{made['id']}", json=wrong),
    ):
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "parameter_invalid")
    assert intercom.get(f"/companies/{made['id']}").json()["size"] == 5


def test_companies_are_scrolled_by_hundreds(intercom: httpx.Client):
    for number in range(101):
        intercom.post("/companies", json={"company_id": f"c{number}"}).raise_for_status()
    sizes, asked = [], {}
    for _ in range(3):
        page = intercom.get("/companies/scroll", params=asked).json()
        sizes.append(len(page["data"]))
        asked = {"scroll_param": page["scroll_param"]}
    assert sizes == [100, 1, 0]
    assert intercom.get("/companies/scroll?scroll_param=forged").status_code == 404


def test_only_a_contact_of_a_company_is_detached_from_it(intercom: httpx.Client):
    contact = intercom.post("/contacts", json={"email": "eve@example.com"}).json()["id"]
    company = intercom.post("/companies", json={"company_id": "acme"}).json()["id"]
    path = f"/contacts/{contact}/companies"
    assert intercom.delete(f"{path}/{company}").json()["errors"][0]["code"] == "company_not_found"
    intercom.post(path, json={"id": company}).raise_for_status()
    assert intercom.delete(f"{path}/{company}").json()["user_count"] == 0
