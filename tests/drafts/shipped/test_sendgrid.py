"""SendGrid's draft: mail, contacts by address, lists, fields."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

MAIL: dict[str, Any] = {
    "personalizations": [{"to": [{"email": "ada@example.com"}]}, {"to": [{"email": "ben@example.com"}]}],
    "from": {"email": "mill@example.com"},
    "subject": "Flour",
    "content": [{"type": "text/plain", "value": "It is here."}],
}


@pytest.fixture
def sendgrid(connect: Connect) -> httpx.Client:
    return connect("sendgrid", "https://api.sendgrid.com/v3")


def test_a_mail_is_accepted_with_the_id_of_its_message(sendgrid: httpx.Client):
    answer = sendgrid.post("/mail/send", json=MAIL)
    assert (answer.status_code, answer.content, len(answer.headers["x-message-id"])) == (202, b"", 22)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"from": None}, "from"),
        ({"from": {"email": "mill"}}, "from.email"),
        ({"personalizations": []}, "personalizations"),
        ({"personalizations": [{}]}, "personalizations.0.to"),
        ({"personalizations": [{"to": [{"email": "x"}]}]}, "personalizations.0.to.0.email"),
        ({"subject": ""}, "subject"),
        ({"content": None}, "content"),
        ({"content": [{"type": "text/plain", "value": ""}]}, "content.0.value"),
    ],
)
def test_a_mail_that_lacks_something_is_refused_with_its_field(sendgrid: httpx.Client, change: Any, field: str):
    answer = sendgrid.post("/mail/send", json={**MAIL, **change})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)


def test_contacts_are_told_apart_by_address_and_found_by_conditions(sendgrid: httpx.Client):
    made = sendgrid.post("/marketing/lists", json={"name": "Bakers"}).json()["id"]
    for name in ("Ada", "Ada B."):
        contact = {"email": "ADA@example.com", "first_name": name, "custom_fields": {"e1_T": "rye"}}
        sendgrid.put("/marketing/contacts", json={"contacts": [contact], "list_ids": [made]})
    for query, count in (
        ("email = 'ada@example.com'", 1),
        (f"CONTAINS(list_ids, '{made}') AND first_name LIKE 'Ada%'", 1),
        ("e1_T = 'rye'", 1),
        ("email != 'ada@example.com'", 0),
    ):
        assert sendgrid.post("/marketing/contacts/search", json={"query": query}).json()["contact_count"] == count
    assert sendgrid.get(f"/marketing/lists/{made}").json()["contact_count"] == 1
    id = sendgrid.get("/marketing/contacts").json()["result"][0]["id"]
    sendgrid.delete(f"/marketing/lists/{made}/contacts", params={"contact_ids": id})
    assert sendgrid.get(f"/marketing/lists/{made}").json()["contact_count"] == 0
    assert sendgrid.post("/marketing/contacts/search", json={"query": "what"}).status_code == 400


def test_custom_values_are_given_by_id_and_shown_by_name_if_they_are_of_their_type(sendgrid: httpx.Client):
    ids = {
        kind: sendgrid.post("/marketing/field_definitions", json={"name": f"my_{kind}", "field_type": kind}).json()[
            "id"
        ]
        for kind in ("Text", "Number", "Date")
    }
    for values in (("rye", 2, "2026-01-02T03:04:05.000Z"), ("bun", "many", "soon")):
        contact = {"email": "bea@example.com", "custom_fields": dict(zip(ids.values(), values, strict=True))}
        sendgrid.put("/marketing/contacts", json={"contacts": [contact]})
    shown = sendgrid.post("/marketing/contacts/search", json={"query": "email = 'bea@example.com'"}).json()["result"][0]
    assert shown["custom_fields"] == {"my_Text": "bun", "my_Number": 2, "my_Date": "2026-01-02T03:04:05Z"}


def test_lists_are_in_the_order_of_their_ids(sendgrid: httpx.Client):
    made = [sendgrid.post("/marketing/lists", json={"name": f"List {n}"}).json()["id"] for n in range(5)]
    assert [each["id"] for each in sendgrid.get("/marketing/lists").json()["result"]] == sorted(made)


@pytest.mark.parametrize(("given", "kept"), [("+1 415 555", "+1 415 555"), ("000", "+5583999999998"), ("", "")])
def test_a_phone_number_that_is_not_valid_is_left_out(sendgrid: httpx.Client, given: str, kept: str):
    for phone in ("+5583999999998", given):
        contact = {"email": "eva@example.com", "phone_number": phone}
        assert sendgrid.put("/marketing/contacts", json={"contacts": [contact]}).status_code == 202
    found = sendgrid.post("/marketing/contacts/search", json={"query": "email = 'eva@example.com'"}).json()["result"]
    assert found[0]["phone_number"] == kept
