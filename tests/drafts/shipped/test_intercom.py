"""What the handlers of Intercom do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def intercom(connect: Connect) -> httpx.Client:
    return connect("intercom", "https://api.intercom.io")


def add_contact(intercom: httpx.Client, **fields: Any) -> str:
    return intercom.post("/contacts", json={"role": "user", **fields}).json()["id"]


def test_a_tag_belongs_to_contacts_and_conversations(intercom: httpx.Client):
    contact, tag = add_contact(intercom, email="ada@example.com"), intercom.post("/tags", json={"name": "vip"}).json()
    talk = intercom.post("/conversations", json={"from": {"type": "user", "id": contact}, "body": "Hi"}).json()["id"]
    for owner in (f"/contacts/{contact}", f"/conversations/{talk}"):
        for _ in range(2):
            assert intercom.post(f"{owner}/tags", json={"id": tag["id"]}).json() == tag
    assert intercom.get(f"/contacts/{contact}/tags").json()["data"] == [tag]
    assert intercom.get(f"/contacts/{contact}").json()["tags"]["total_count"] == 1
    assert intercom.get(f"/conversations/{talk}").json()["tags"]["tags"] == [tag]
    intercom.delete(f"/contacts/{contact}/tags/{tag['id']}")
    assert intercom.get(f"/contacts/{contact}").json()["tags"]["data"] == []
    assert intercom.delete(f"/tags/{tag['id']}").status_code == 200
    assert intercom.get(f"/conversations/{talk}").json()["tags"]["tags"] == []


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"field": "email", "operator": "=", "value": "ADA@example.com"}, ["Ada"]),
        ({"field": "name", "operator": "~", "value": "e"}, ["Bea", "Cleo"]),
        ({"operator": "OR", "value": [{"field": "external_id", "operator": "=", "value": "7"},
                                      {"field": "name", "operator": "^", "value": "cl"}]}, ["Bea", "Cleo"]),
        ({"field": "custom_attributes.seats", "operator": ">", "value": 3}, ["Cleo"]),
        ({"field": "name", "operator": "NIN", "value": ["Ada", "Bea"]}, ["Cleo"]),
    ],
)  # fmt: skip
def test_contacts_are_found_by_conditions(intercom: httpx.Client, query: Any, names: list[str]):
    add_contact(intercom, name="Ada", email="ada@example.com")
    add_contact(intercom, name="Bea", external_id="7")
    add_contact(intercom, name="Cleo", email="cleo@example.com", custom_attributes={"seats": 5})
    found = intercom.post("/contacts/search", json={"query": query}).json()
    assert [each["name"] for each in found["data"]] == names


def test_an_archived_contact_keeps_its_external_id_and_a_deleted_one_does_not_come_back(intercom: httpx.Client):
    contact = add_contact(intercom, external_id="7")
    assert intercom.post(f"/contacts/{contact}/archive").json() == {
        "id": contact,
        "object": "contact",
        "archived": True,
    }
    assert intercom.get(f"/contacts/{contact}").json()["errors"][0]["code"] == "not_found"
    taken = intercom.post("/contacts", json={"external_id": "7"})
    assert (taken.status_code, contact in taken.json()["errors"][0]["message"]) == (409, True)
    assert intercom.post(f"/contacts/{contact}/unarchive").json()["archived"] is False
    assert intercom.delete(f"/contacts/{contact}").json()["deleted"] is True
    assert intercom.post(f"/contacts/{contact}/unarchive").status_code == 400


def test_a_company_has_contacts_and_is_changed_by_the_clients_id(intercom: httpx.Client):
    company = intercom.post("/companies", json={"company_id": "c1", "name": "Mill"}).json()
    again = intercom.post("/companies", json={"company_id": "c1", "plan": "Pro"}).json()
    assert (again["id"], again["name"], again["plan"]["name"]) == (company["id"], "Mill", "Pro")
    contact = add_contact(intercom, email="ada@example.com")
    intercom.post(f"/contacts/{contact}/companies", json={"id": company["id"]})
    assert intercom.get("/companies", params={"company_id": "c1"}).json()["user_count"] == 1
    assert [each["name"] for each in intercom.get(f"/contacts/{contact}/companies").json()["data"]] == ["Mill"]


def test_a_contact_is_found_by_the_id_of_the_application(intercom: httpx.Client):
    contact = add_contact(intercom, email="ada@example.com", external_id="x1")
    assert intercom.get("/contacts/find_by_external_id/x1").json()["id"] == contact
    assert intercom.get("/contacts/find_by_external_id/x2").status_code == 404
    intercom.delete(f"/contacts/{contact}")
    assert intercom.get("/contacts/find_by_external_id/x1").status_code == 404
