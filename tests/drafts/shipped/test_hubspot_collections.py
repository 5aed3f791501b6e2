"""What HubSpot's collections beside the CRM do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

FIELD = {"name": "email", "label": "Email", "fieldType": "text"}
ORGANIZER = {"eventName": "Fair", "externalEventId": "fair-1", "externalAccountId": "a", "eventOrganizer": "Mill"}
SCHEMA = {
    "name": "boats",
    "labels": {"singular": "Boat", "plural": "Boats"},
    "properties": [{"name": "boat_name", "label": "Name", "type": "string", "fieldType": "text"}],
    "requiredProperties": ["boat_name"],
    "primaryDisplayProperty": "boat_name",
    "associatedObjects": ["CONTACT"],
}
REDIRECT = {"routePrefix": "/a", "destination": "/b", "redirectStyle": 301}
POST = {"name": "Rye", "contentGroupId": "1", "slug": "rye"}
TOKEN = {"createContact": True, "campaignName": "c"}
COLLECTIONS: list[tuple[str, str, Any, Any, str]] = [
    ("/forms/v2/forms", "guid", {"name": "Sign up", "formFieldGroups": [{"fields": [FIELD]}]}, {}, "POST"),
    ("/contacts/v1/forms", "guid", {"name": "Sign up"}, {}, "POST"),
    ("/marketing/v3/forms/", "id", {"name": "Sign up", "formType": "hubspot"}, {"name": "F"}, "PATCH"),
    ("/content/api/v2/blog-posts", "id", {"name": "Rye", "content_group_id": 1}, {"name": "x"}, "PUT"),
    ("/content/api/v2/topics", "id", {"name": "Bread"}, {}, "PUT"),
    ("/blogs/v3/topics", "id", {"name": "Bread"}, {}, "PUT"),
    ("/blogs/v3/blog-authors", "id", {"fullName": "Ada"}, {}, "PUT"),
    ("/content/api/v2/templates", "id", {"path": "a.html"}, {}, "PUT"),
    ("/cms/v3/blogs/posts", "id", POST, {}, "PATCH"),
    ("/cms/v3/blogs/authors", "id", {"fullName": "Ada"}, {}, "PATCH"),
    ("/cms/v3/blogs/tags", "id", {"name": "Bread"}, {}, "PATCH"),
    ("/cms/v3/pages/site-pages", "id", {"name": "Home"}, {}, "PATCH"),
    ("/cms/v3/pages/landing-pages", "id", {"name": "Home"}, {}, "PATCH"),
    ("/cms/v3/url-redirects", "id", REDIRECT, {"destination": "/b"}, "PATCH"),
    ("/url-mappings/v3/url-mappings", "id", REDIRECT, {}, "PUT"),
    ("/comments/v3/comments", "id", {"comment": "Good", "contentId": 1}, {}, ""),
    ("/filemanager/api/v2/folders", "id", {"name": "Images"}, {}, "PUT"),
    ("/automation/v3/workflows", "id", {"name": "W", "type": "DRIP_DELAY"}, {"name": "W"}, ""),
    ("/marketing/v3/emails", "id", {"name": "News"}, {}, "PATCH"),
    ("/marketing/v3/campaigns", "id", {"properties": {"hs_name": "Spring"}}, {}, "PATCH"),
    ("/marketing/v3/marketing-events/events", "externalEventId", ORGANIZER, {"eventName": "x"}, "PATCH"),
    ("/marketing/v3/transactional/smtp-tokens", "id", TOKEN, {}, ""),
    ("/webhooks/v3/7/subscriptions", "id", {"eventType": "contact.creation"}, {"eventType": "boat"}, "PATCH"),
    ("/crm/v3/timeline/7/event-templates", "id", {"name": "T", "objectType": "CONTACT"}, {}, "PUT"),
    ("/crm/v3/extensions/cards/7", "id", {"title": "C", "fetch": {}, "display": {}, "actions": {}}, {}, "PATCH"),
    ("/settings/v3/users", "id", {"email": "new@example.com"}, {}, "PUT"),
    ("/crm/v3/schemas", "objectTypeId", SCHEMA, {"name": "boats"}, "PATCH"),
]


@pytest.fixture
def hubspot(connect: Connect) -> httpx.Client:
    return connect("hubspot", "https://api.hubapi.com")


@pytest.mark.parametrize(("path", "key", "given", "wrong", "verb"), COLLECTIONS)
def test_a_collection_keeps_what_it_is_given_and_refuses_what_lacks_a_field(
    hubspot: httpx.Client, path: str, key: str, given: Any, wrong: Any, verb: str
):
    made = hubspot.post(path, json=given)
    assert made.status_code in (200, 201), made.text
    member = f"{path.rstrip('/')}/{made.json()[key]}"
    shown = hubspot.get(member).json()
    assert {
        name: shown[name] for name in given if name in ("name", "path", "eventName", "email")
    }.items() <= given.items()
    if verb:
        assert hubspot.request(verb, member, json={"description": "new"}).json()[key] == made.json()[key]
        assert hubspot.get(member).json()["description"] == "new"
    refused = hubspot.post(path, json=wrong)
    assert (refused.status_code, refused.json()["status"]) == (400, "error"), refused.text
    assert hubspot.delete(member).status_code == 204
    assert hubspot.get(member).status_code == 404


def test_records_of_an_added_kind_are_made_found_and_associated(hubspot: httpx.Client):
    kind = hubspot.post("/crm/v3/schemas", json=SCHEMA).json()["objectTypeId"]
    boat = hubspot.post("/crm/v3/objects/boats", json={"properties": {"boat_name": "Argo"}}).json()
    ada = hubspot.post("/crm/v3/objects/contacts", json={"properties": {"email": "ada@example.com"}}).json()
    asked = {"filterGroups": [{"filters": [{"propertyName": "boat_name", "operator": "EQ", "value": "argo"}]}]}
    assert hubspot.post(f"/crm/v3/objects/{kind}/search", json=asked).json()["results"][0]["id"] == boat["id"]
    put = hubspot.put(f"/crm/v4/objects/{kind}/{boat['id']}/associations/default/contacts/{ada['id']}")
    assert put.status_code == 200, put.text
    listed = hubspot.get(f"/crm/v4/objects/contacts/{ada['id']}/associations/{kind}").json()["results"]
    assert listed[0]["toObjectId"] == int(boat["id"])
    assert hubspot.delete("/crm/v3/schemas/boats").status_code == 400
    assert hubspot.post("/crm/v3/objects/ships", json={"properties": {}}).status_code == 400


def test_a_dynamic_list_has_the_records_that_meet_its_filters(hubspot: httpx.Client):
    for email, city in (("a@example.com", "Ulm"), ("b@example.com", "Bonn")):
        hubspot.post("/crm/v3/objects/contacts", json={"properties": {"email": email, "city": city}})
    operation = {"operationType": "MULTISTRING", "operator": "IS_EQUAL_TO", "values": ["Ulm"]}
    leaf = {
        "filterBranchType": "AND",
        "filters": [{"filterType": "PROPERTY", "property": "city", "operation": operation}],
    }
    branch = {"filterBranchType": "OR", "filterBranches": [leaf], "filters": []}
    given = {"name": "In Ulm", "objectTypeId": "0-1", "processingType": "DYNAMIC", "filterBranch": branch}
    made = hubspot.post("/crm/v3/lists", json=given).json()["list"]
    assert hubspot.get(f"/crm/v3/lists/{made['listId']}/memberships").json()["total"] == 1
    old = {"name": "Old", "dynamic": True, "filters": [[{"operator": "EQ", "property": "city", "value": "Bonn"}]]}
    number = hubspot.post("/contacts/v1/lists", json=old).json()["listId"]
    shown = hubspot.get(f"/contacts/v1/lists/{number}/contacts/all").json()["contacts"]
    assert [each["properties"]["city"]["value"] for each in shown] == ["Bonn"]
    assert hubspot.post("/crm/v3/lists", json={**given, "name": "N", "filterBranch": None}).status_code == 400
    assert hubspot.post("/contacts/v1/lists", json={**old, "filters": []}).status_code == 400


def test_a_form_that_is_submitted_makes_a_contact(hubspot: httpx.Client):
    guid = hubspot.post("/forms/v2/forms", json={"name": "F", "formFieldGroups": [{"fields": [FIELD]}]}).json()["guid"]
    assert hubspot.get(f"/forms/v2/fields/{guid}/email").json() == FIELD
    assert hubspot.get(f"/forms/v2/fields/{guid}/phone").status_code == 404
    sent = hubspot.post(f"/uploads/form/v2/62000001/{guid}", data={"email": "new@example.com", "firstname": "New"})
    assert sent.status_code == 204
    assert (
        hubspot.get("/contacts/v1/contact/email/new@example.com/profile").json()["properties"]["firstname"]["value"]
        == "New"
    )
    assert len(hubspot.get(f"/form-integrations/v1/submissions/forms/{guid}").json()["results"]) == 1


def test_subscriptions_of_an_address_are_changed_once(hubspot: httpx.Client):
    given = {"emailAddress": "a@example.com", "subscriptionId": "1001"}
    assert hubspot.post("/communication-preferences/v3/subscribe", json=given).json()["status"] == "SUBSCRIBED"
    assert hubspot.post("/communication-preferences/v3/subscribe", json=given).status_code == 400
    statuses = hubspot.get("/communication-preferences/v3/status/email/a@example.com").json()["subscriptionStatuses"]
    assert [each["status"] for each in statuses] == ["SUBSCRIBED", "NOT_SUBSCRIBED"]
    hubspot.put("/email/public/v1/subscriptions/a@example.com", json={"unsubscribeFromAll": True})
    assert hubspot.get("/email/public/v1/subscriptions/a@example.com").json()["subscribed"] is False
    assert len(hubspot.get("/email/public/v1/subscriptions/timeline").json()["timeline"]) == 2


def test_tokens_are_granted_and_say_what_they_are_for(hubspot: httpx.Client):
    given = {"grant_type": "authorization_code", "code": "c", "client_id": "i", "client_secret": "s"}
    tokens = hubspot.post("/oauth/v1/token", data=given).json()
    about = hubspot.get(f"/oauth/v1/access-tokens/{tokens['access_token']}").json()
    assert about["token_type"] == "access"
    refreshed = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    assert hubspot.post("/oauth/v1/token", data=refreshed).json()["token_type"] == "bearer"
    assert hubspot.delete(f"/oauth/v1/refresh-tokens/{tokens['refresh_token']}").status_code == 204
    assert hubspot.get(f"/oauth/v1/refresh-tokens/{tokens['refresh_token']}").status_code == 404
    assert hubspot.post("/oauth/v1/token", data={"grant_type": "authorization_code"}).status_code == 400


def test_settings_of_an_app_are_there_once_they_are_set(hubspot: httpx.Client):
    path = "/webhooks/v3/7/settings"
    given = {"targetUrl": "https://example.com/h", "throttling": {"maxConcurrentRequests": 5, "period": "SECONDLY"}}
    assert hubspot.get(path).status_code == 404
    assert hubspot.put(path, json={"targetUrl": "https://example.com/h"}).status_code == 400
    assert hubspot.put(path, json=given).json().items() >= given.items()
    assert hubspot.delete(path).status_code == 204


def test_an_event_is_added_to_a_timeline_by_its_template(hubspot: httpx.Client):
    template = hubspot.post("/crm/v3/timeline/7/event-templates", json={"name": "T", "objectType": "CONTACT"}).json()[
        "id"
    ]
    tokens = f"/crm/v3/timeline/7/event-templates/{template}/tokens"
    assert hubspot.post(tokens, json={"name": "t", "label": "T", "type": "string"}).json()["name"] == "t"
    assert hubspot.put(f"{tokens}/u", json={}).status_code == 404
    given = {"eventTemplateId": template, "email": "a@example.com", "tokens": {"t": "x"}}
    made = hubspot.post("/crm/v3/timeline/events", json=given)
    assert made.status_code == 201
    assert hubspot.get(f"/crm/v3/timeline/events/{template}/{made.json()['id']}").json()["tokens"] == {"t": "x"}
    assert hubspot.post("/crm/v3/timeline/events", json={**given, "eventTemplateId": "1"}).status_code == 400


def test_a_file_is_uploaded_found_and_deleted(hubspot: httpx.Client):
    file = {"file": ("a.txt", b"abc", "text/plain")}
    made = hubspot.post("/files/v3/files", files=file, data={"folderPath": "/docs"}).json()
    assert (made["size"], made["extension"]) == (3, "txt")
    assert hubspot.get("/files/v3/files/search", params={"name": "a"}).json()["results"][0]["id"] == made["id"]
    assert hubspot.delete(f"/files/v3/files/{made['id']}").status_code == 204
    assert hubspot.get(f"/files/v3/files/{made['id']}").status_code == 404
    assert hubspot.post("/files/v3/files", files=file).status_code == 400


def test_older_paths_of_the_crm_find_and_change_the_same_records(hubspot: httpx.Client):
    people = [{"email": "a@example.com", "properties": [{"property": "firstname", "value": "Ada"}]}]
    assert hubspot.post("/contacts/v1/contact/batch/", json=people).status_code == 202
    found = hubspot.get("/contacts/v1/search/query", params={"q": "ada"}).json()
    vid = found["contacts"][0]["vid"]
    profile = {"properties": [{"property": "firstname", "value": "Eva"}]}
    assert hubspot.post("/contacts/v1/contact/email/a@example.com/profile", json=profile).status_code == 204
    recent = hubspot.get("/contacts/v1/lists/recently_updated/contacts/recent").json()["contacts"]
    assert recent[0]["properties"]["firstname"]["value"] == "Eva"
    assert hubspot.get("/contacts/v1/contact/utk/none/profile").status_code == 404
    deal = hubspot.post("/deals/v1/deal", json={"properties": [{"name": "dealname", "value": "D"}]}).json()["dealId"]
    assert hubspot.put(f"/deals/v1/deal/{deal}/associations/CONTACT?id={vid}").status_code == 204
    assert hubspot.get(f"/deals/v1/deal/associated/contact/{vid}").json()["results"] == [deal]
    change = [{"objectId": deal, "properties": [{"name": "dealname", "value": "E"}]}]
    assert hubspot.post("/deals/v1/batch-async/update", json=change).status_code == 202
    assert hubspot.get("/deals/v1/deal/recent/modified").json()["results"][0]["properties"]["dealname"]["value"] == "E"
    assert hubspot.post("/deals/v1/batch-async/update", json=[{"objectId": 1}]).status_code == 404


def test_products_of_version_1_are_the_records_of_version_3(hubspot: httpx.Client):
    path = "/crm-objects/v1/objects/products"
    made = hubspot.post(path, json=[{"name": "name", "value": "Rye"}]).json()
    assert made["properties"]["name"]["value"] == "Rye"
    assert (
        hubspot.get(f"/crm/v3/objects/products/{made['objectId']}?properties=name").json()["properties"]["name"]
        == "Rye"
    )
    read = hubspot.post(f"{path}/batch-read", json={"ids": [made["objectId"]], "properties": ["name"]}).json()
    assert [*read] == [str(made["objectId"])]
    assert hubspot.post(f"{path}/batch-delete", json={"ids": [made["objectId"]]}).status_code == 204
    assert hubspot.get(f"{path}/{made['objectId']}").status_code == 404
    assert hubspot.get("/crm-objects/v1/objects/boats/paged").status_code == 400


@pytest.mark.parametrize(
    ("path", "verb", "given"),
    [
        ("/cms/v3/blogs/tags", "PATCH", {"name": "Bread"}),
        ("/content/api/v2/topics", "PUT", {"name": "Bread"}),
    ],
)
def test_an_update_changes_neither_the_id_nor_the_time_of_creation(
    hubspot: httpx.Client, path: str, verb: str, given: dict[str, Any]
):
    made = hubspot.post(path, json=given).json()
    changed = hubspot.request(verb, f"{path}/{made['id']}", json={"name": "Rye", "id": "7", "created": "1999"})
    assert changed.status_code == 200
    shown = hubspot.get(f"{path}/{made['id']}").json()
    assert (shown["id"], shown["created"], shown["name"]) == (made["id"], made["created"], "Rye")


def test_an_update_cannot_empty_a_field_that_a_new_document_needs(hubspot: httpx.Client):
    made = hubspot.post("/cms/v3/blogs/tags", json={"name": "Bread"}).json()
    assert hubspot.patch(f"/cms/v3/blogs/tags/{made['id']}", json={"name": ""}).status_code == 400
    assert hubspot.get(f"/cms/v3/blogs/tags/{made['id']}").json()["name"] == "Bread"
