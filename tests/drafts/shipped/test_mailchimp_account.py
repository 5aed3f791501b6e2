"""Collections, searches and reports of a Mailchimp account, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

LIST = "/lists/tw1nd1ff01"
STORE = {"id": "s1", "list_id": "tw1nd1ff01", "name": "Shop", "currency_code": "EUR"}
LINES = [{"id": "l1", "product_id": "p1", "product_variant_id": "v1", "quantity": 1, "price": 5}]
ORDER = {"customer": {"id": "c1"}, "currency_code": "EUR", "order_total": 5, "lines": LINES}
RULE = {"id": "r1", "description": "Sale", "amount": 0.5, "type": "percentage", "target": "total"}
COLLECTIONS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    (f"{LIST}/webhooks", "webhooks", {"url": "https://a.test/in"}, {"events": {"subscribe": True}}),
    ("/ecommerce/stores", "stores", {**STORE, "id": "s2"}, {"name": "Other"}),
    ("/ecommerce/stores/s1/customers", "customers",
     {"id": "c1", "email_address": "ada@example.com", "opt_in_status": False}, {"company": "Acme"}),
    ("/ecommerce/stores/s1/products", "products", {"id": "p1", "title": "Rye", "variants": [{"id": "v", "title": "R"}]},
     {"title": "Spelt"}),
    ("/ecommerce/stores/s1/orders", "orders", {"id": "o1", **ORDER}, {"order_total": 6}),
    ("/ecommerce/stores/s1/carts", "carts", {"id": "k1", **ORDER}, {"order_total": 6}),
    ("/ecommerce/stores/s1/promo-rules", "promo_rules", {**RULE, "id": "r2"}, {"enabled": False}),
    ("/ecommerce/stores/s1/promo-rules/r1/promo-codes", "promo_codes",
     {"id": "x1", "code": "TEN", "redemption_url": "https://a.test"}, {"usage_count": 1}),
    ("/campaign-folders", "folders", {"name": "News"}, {"name": "Old news"}),
    ("/template-folders", "folders", {"name": "News"}, {"name": "Old news"}),
    ("/batch-webhooks", "webhooks", {"url": "https://a.test/in"}, {"enabled": False}),
]  # fmt: skip


@pytest.fixture
def mailchimp(connect: Connect) -> httpx.Client:
    """An account with a member, a store and a rule."""
    client = connect("mailchimp", "https://us1.api.mailchimp.com/3.0")
    member = {"email_address": "ada@example.com", "status": "subscribed", "merge_fields": {"FNAME": "Ada"}}
    client.post(f"{LIST}/members", json=member)
    client.post("/ecommerce/stores", json=STORE)
    client.post("/ecommerce/stores/s1/promo-rules", json=RULE)
    return client


@pytest.mark.parametrize(("path", "name", "body", "changes"), COLLECTIONS)
def test_objects_of_a_collection_are_made_changed_and_removed(
    mailchimp: httpx.Client, path: str, name: str, body: dict[str, Any], changes: dict[str, Any]
):
    made = mailchimp.post(path, json=body)
    assert made.status_code == 200, made.text
    member = f"{path}/{made.json()['id']}"
    listed = mailchimp.get(path).json()
    assert (made.json() in listed[name], listed["total_items"]) == (True, len(listed[name]))
    changed = mailchimp.patch(member, json=changes).json()
    assert {**changed, **changes} == changed
    assert mailchimp.get(member).json() == changed
    assert [mailchimp.delete(member).status_code, mailchimp.get(member).status_code] == [204, 404]


@pytest.mark.parametrize(("path", "name", "body", "changes"), COLLECTIONS)
def test_an_object_without_what_it_needs_is_refused(
    mailchimp: httpx.Client, path: str, name: str, body: dict[str, Any], changes: dict[str, Any]
):
    refused = mailchimp.post(path, json={})
    assert (refused.status_code, refused.json()["title"]) == (400, "Invalid Resource")
    if "id" in body:
        mailchimp.post(path, json=body)
        assert "already exists" in mailchimp.post(path, json=body).json()["detail"]


def test_an_event_of_a_member_is_shown_with_its_time(mailchimp: httpx.Client):
    path = f"{LIST}/members/ada@example.com/events"
    assert mailchimp.post(path, json={"name": "bought", "properties": {"what": "rye"}}).status_code == 204
    (event,) = mailchimp.get(path).json()["events"]
    assert (event["name"], event["properties"]) == ("bought", {"what": "rye"})
    assert mailchimp.post(path, json={}).status_code == 400


def test_members_are_searched_by_address_and_name(mailchimp: httpx.Client):
    found = mailchimp.get("/search-members", params={"query": "ada@example.com"}).json()
    assert (found["exact_matches"]["total_items"], found["full_search"]["total_items"]) == (1, 1)
    assert mailchimp.get("/search-members", params={"query": "a"}).status_code == 400


def test_a_report_is_of_a_campaign_that_is_sent(mailchimp: httpx.Client):
    settings = {"subject_line": "Hello there", "from_name": "Ada", "reply_to": "ada@example.com"}
    given = {"type": "regular", "recipients": {"list_id": "tw1nd1ff01"}, "settings": settings}
    id = mailchimp.post("/campaigns", json=given).json()["id"]
    assert mailchimp.get(f"/reports/{id}").status_code == 404
    assert mailchimp.get("/search-campaigns", params={"query": "hello"}).json()["results"][0]["campaign"]["id"] == id
    test = {"test_emails": ["ada@example.com"], "send_type": "html"}
    assert mailchimp.post(f"/campaigns/{id}/actions/test", json=test).status_code == 204
    assert mailchimp.post(f"/campaigns/{id}/actions/test", json={}).status_code == 400
    mailchimp.put(f"/campaigns/{id}/content", json={"html": "<p>Hello</p>"})
    assert mailchimp.post(f"/campaigns/{id}/actions/send").status_code == 204
    assert mailchimp.get(f"/reports/{id}").json()["emails_sent"] == 1
    assert mailchimp.get("/reports").json()["total_items"] == 1


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/", "account_id"), ("/automations", "automations"), ("/authorized-apps", "apps"),
        ("/verified-domains", "domains"), (f"{LIST}/abuse-reports", "abuse_reports"), (f"{LIST}/activity", "activity"),
        (f"{LIST}/clients", "clients"), (f"{LIST}/locations", "locations"), (f"{LIST}/signup-forms", "signup_forms"),
        (f"{LIST}/growth-history", "history"), (f"{LIST}/members/ada@example.com/activity", "activity"),
        (f"{LIST}/members/ada@example.com/activity-feed", "activity"),
        (f"{LIST}/members/ada@example.com/goals", "goals"),
    ],
)  # fmt: skip
def test_what_an_account_has_is_shown(mailchimp: httpx.Client, path: str, key: str):
    assert key in mailchimp.get(path).json()
    if path.startswith(LIST):
        assert mailchimp.get(path.replace("tw1nd1ff01", "none")).status_code == 404


def test_a_body_does_not_move_an_object_to_another_store(mailchimp: httpx.Client):
    path = "/ecommerce/stores/s1/products"
    body = {"id": "p1", "title": "Rye", "variants": [{"id": "v", "title": "R"}]}
    assert mailchimp.post(path, json={**body, "store_id": "s9"}).json()["store_id"] == "s1"
    assert mailchimp.patch(f"{path}/p1", json={"id": "p9", "store_id": "s9"}).json()["store_id"] == "s1"


def test_what_a_store_had_goes_with_it_and_does_not_return_with_another_of_its_id(mailchimp: httpx.Client):
    code = {"id": "x1", "code": "TEN", "redemption_url": "https://a.test"}
    codes = "/ecommerce/stores/s1/promo-rules/r1/promo-codes"
    assert mailchimp.post(codes, json=code).status_code == 200
    assert mailchimp.delete("/ecommerce/stores/s1").status_code == 204
    mailchimp.post("/ecommerce/stores", json=STORE)
    assert mailchimp.get("/ecommerce/stores/s1/promo-rules").json()["total_items"] == 0
    mailchimp.post("/ecommerce/stores/s1/promo-rules", json=RULE)
    assert mailchimp.get(codes).json()["total_items"] == 0


def test_the_id_that_a_client_chose_stays_when_the_object_changes(mailchimp: httpx.Client):
    changed = mailchimp.patch("/ecommerce/stores/s1", json={"id": "s9", "name": "Other"}).json()
    assert (changed["id"], changed["name"]) == ("s1", "Other")
    assert mailchimp.get("/ecommerce/stores/s9").status_code == 404
