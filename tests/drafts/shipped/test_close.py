"""What the handlers of Close do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def close(connect: Connect) -> httpx.Client:
    return connect("close", "https://api.close.com/api/v1")


def search(close: httpx.Client, *queries: dict[str, Any], **more: Any) -> httpx.Response:
    return close.post("/data/search/", json={"query": {"type": "and", "queries": [*queries]}, **more})


def by_email(address: str) -> dict[str, Any]:
    condition = {"type": "text", "mode": "full_words", "value": address}
    field = {"type": "regular_field", "object_type": "contact_email", "field_name": "email"}
    inner = {"type": "field_condition", "field": field, "condition": condition}
    return {"type": "has_related", "this_object_type": "contact", "related_object_type": "contact_email",
            "related_query": {"type": "and", "queries": [inner]}}  # fmt: skip


CONTACTS = {"type": "object_type", "object_type": "contact"}


def test_a_lead_brings_its_contacts_and_takes_them_with_it(close: httpx.Client):
    lead = close.post("/lead/", json={"name": "Acme", "contacts": [{"emails": [{"email": "ada@acme.test"}]}]}).json()
    contact = lead["contacts"][0]
    assert (lead["status_label"], contact["display_name"]) == ("Potential", "ada@acme.test")
    assert contact["emails"] == [{"type": "office", "email": "ada@acme.test"}]
    assert close.delete(f"/lead/{lead['id']}/").json() == {}
    assert close.get(f"/contact/{contact['id']}/").status_code == 404


def test_leads_are_found_by_words_of_fields(close: httpx.Client):
    for name in ("Acme One", "Acme Two", "Other"):
        close.post("/lead/", json={"name": name})
    counts = {
        query: close.get("/lead/", params={"query": query}).json()["total_results"]
        for query in ("name:Acme One ", 'name:"Acme"', "acme", "-name:acme", "status:Potential name:two", "name:acm")
    }
    assert [*counts.values()] == [1, 2, 2, 1, 1, 0]
    assert close.get("/lead/", params={"query": "planet:mars"}).status_code == 400


def test_a_search_finds_contacts_by_address_and_shows_the_fields_asked_for(close: httpx.Client):
    lead = close.post("/lead/", json={"name": "Acme"}).json()["id"]
    made = close.post("/contact/", json={"lead_id": lead, "emails": [{"email": "ada@acme.test"}]}).json()
    shown = search(close, CONTACTS, by_email("ADA@acme.test"), _fields={"contact": ["id", "name"]}).json()
    assert shown["data"] == [{"__object_type": "contact", "id": made["id"], "lead_id": lead, "name": ""}]
    assert search(close, CONTACTS, by_email("da@acme.test")).json() == {"data": [], "cursor": None}
    assert search(close, CONTACTS, {**by_email("ada@acme.test"), "negate": True}).json()["data"] == []
    assert search(close, {"type": "planet"}).status_code == 400


def test_custom_values_have_the_type_of_their_field(close: httpx.Client):
    kinds = {"number": 1.5, "date": "2026-02-03T04:05:06.000Z", "choices": "A"}
    fields = {
        kind: close.post("/custom_field/contact/", json={"name": kind, "type": kind, "choices": ["A"]}).json()["id"]
        for kind in kinds
    }
    made = close.post("/contact/", json={f"custom.{fields[kind]}": value for kind, value in kinds.items()}).json()
    assert [made[f"custom.{fields[kind]}"] for kind in kinds] == [1.5, "2026-02-03", "A"]
    for kind, value in (("number", "x"), ("date", "soon"), ("choices", "B")):
        refused = close.put(f"/contact/{made['id']}/", json={f"custom.{fields[kind]}": value})
        assert [*refused.json()["field-errors"]] == [f"custom.{fields[kind]}"], refused.text
    assert (
        f"custom.{fields['date']}"
        not in close.put(f"/contact/{made['id']}/", json={f"custom.{fields['date']}": None}).json()
    )


def test_an_opportunity_has_the_values_of_its_status_and_period(close: httpx.Client):
    lead = close.post("/lead/", json={"name": "Acme"}).json()["id"]
    won = next(each for each in close.get("/status/opportunity/").json()["data"] if each["type"] == "won")
    given = {"lead_id": lead, "value": 10_000, "value_period": "monthly", "confidence": 50, "status_id": won["id"]}
    made = close.post("/opportunity/", json=given).json()
    assert (made["status_type"], made["annualized_expected_value"], made["lead_name"]) == ("won", 60_000, "Acme")
    refused = close.post("/opportunity/", json={**given, "confidence": 101, "status_id": "stat_x"})
    assert {*refused.json()["field-errors"]} == {"confidence", "status_id"}
    assert [*close.post("/lead/", json={"name": ["x"]}).json()["field-errors"]] == ["name"]
    assert close.post("/opportunity/", json={}).json()["field-errors"] == {"lead_id": "This field is required."}


def test_activities_of_all_kinds_are_listed_the_newest_first(close: httpx.Client):
    lead = close.post("/lead/", json={"name": "Acme"}).json()["id"]
    for kind in ("note", "call", "sms"):
        close.post(f"/activity/{kind}/", json={"lead_id": lead})
    shown = close.get("/activity/", params={"lead_id": lead, "_limit": 2}).json()
    assert ([each["_type"] for each in shown["data"]], shown["has_more"]) == (["SMS", "Call"], True)
    assert close.get("/activity/", params={"_limit": 0}).status_code == 400


def test_an_opportunity_has_the_day_on_which_it_was_won(close: httpx.Client):
    active, won = (
        next(each["id"] for each in close.get("/status/opportunity/").json()["data"] if each["type"] == kind)
        for kind in ("active", "won")
    )
    lead = close.post("/lead/", json={"name": "Acme"}).json()["id"]
    made = close.post("/opportunity/", json={"lead_id": lead, "status_id": active}).json()
    assert made["date_won"] is None
    assert close.put(f"/opportunity/{made['id']}/", json={"status_id": won}).json()["date_won"] == "2026-03-02"
    given = {"lead_id": lead, "status_id": won, "date_won": "2026-01-31"}
    assert close.post("/opportunity/", json=given).json()["date_won"] == "2026-01-31"
