"""What the handlers of HubSpot do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def hubspot(connect: Connect) -> httpx.Client:
    """An account with two contacts, a company and a deal."""
    client = connect("hubspot", "https://api.hubapi.com")
    for kind, properties in (
        ("contacts", {"email": "Ada@example.com", "firstname": "Ada", "lifecyclestage": "lead"}),
        ("contacts", {"email": "bob@example.com", "firstname": "Bob", "phone": "5"}),
        ("companies", {"name": "Mill", "domain": "mill.example"}),
        ("deals", {"dealname": "Flour", "amount": "120", "dealstage": "qualifiedtobuy"}),
    ):
        made = client.post(f"/crm/v3/objects/{kind}", json={"properties": properties})
        assert made.status_code == 201, made.text
    return client


def find_id(client: httpx.Client, kind: str, number: int = 0) -> str:
    return client.get(f"/crm/v3/objects/{kind}").json()["results"][number]["id"]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ([{"propertyName": "email", "operator": "EQ", "value": "ada@example.com"}], ["Ada"]),
        ([{"propertyName": "email", "operator": "IN", "values": ["bob@example.com", "x@y.z"]}], ["Bob"]),
        ([{"propertyName": "phone", "operator": "HAS_PROPERTY"}], ["Bob"]),
        ([{"propertyName": "phone", "operator": "NOT_HAS_PROPERTY"}], ["Ada"]),
        ([{"propertyName": "phone", "operator": "BETWEEN", "value": "4", "highValue": "10"}], ["Bob"]),
        ([{"propertyName": "email", "operator": "CONTAINS_TOKEN", "value": "*example*"}], ["Bob", "Ada"]),
        ([{"propertyName": "lifecyclestage", "operator": "NEQ", "value": "customer"}], ["Ada"]),
    ],
)
def test_a_search_finds_records_by_their_properties(hubspot: httpx.Client, filters: list[Any], names: list[str]):
    sorts = [{"propertyName": "firstname", "direction": "DESCENDING"}]
    asked = {"filterGroups": [{"filters": filters}], "properties": ["firstname"], "sorts": sorts}
    answer = hubspot.post("/crm/v3/objects/CONTACT/search", json=asked).json()
    assert [each["properties"]["firstname"] for each in answer["results"]] == names
    assert answer["total"] == len(names)


@pytest.mark.parametrize(
    ("kind", "properties", "status", "message"),
    [
        ("contacts", {"email": "ada@example.com"}, 409, "Contact already exists. Existing ID: "),
        ("contacts", {"email": "nobody"}, 400, "Email address nobody is invalid"),
        ("contacts", {"colour": "red"}, 400, "PROPERTY_DOESNT_EXIST"),
        ("contacts", {"lifecyclestage": "friend"}, 400, "INVALID_OPTION"),
        ("deals", {"dealname": "D", "dealstage": "won"}, 400, "INVALID_OPTION"),
        ("deals", {"dealname": "D", "amount": "much"}, 400, "INVALID_INTEGER"),
        ("boats", {}, 400, "Unable to infer object type from: boats"),
    ],
)
def test_a_record_that_is_wrong_is_refused(
    hubspot: httpx.Client, kind: str, properties: Any, status: int, message: str
):
    refused = hubspot.post(f"/crm/v3/objects/{kind}", json={"properties": properties})
    assert refused.status_code == status
    assert message in refused.json()["message"]


def test_records_are_associated_both_ways_until_one_is_archived(hubspot: httpx.Client):
    ada, mill = find_id(hubspot, "contacts"), find_id(hubspot, "companies")
    path = f"/crm/v4/objects/contacts/{ada}/associations"
    assert hubspot.put(f"{path}/default/companies/{mill}").status_code == 200
    assert hubspot.get(f"{path}/companies").json()["results"][0]["toObjectId"] == int(mill)
    shown = hubspot.get(f"/crm/v3/objects/companies/{mill}", params={"associations": "contacts"}).json()
    assert shown["associations"]["contacts"]["results"][0]["id"] == ada
    assert hubspot.delete(f"/crm/v3/objects/companies/{mill}").status_code == 204
    assert hubspot.get(f"{path}/companies").json()["results"] == []
    assert hubspot.get(f"/crm/v3/objects/companies/{mill}").json()["category"] == "OBJECT_NOT_FOUND"


def test_batches_create_update_read_and_archive(hubspot: httpx.Client):
    url = "/crm/v3/objects/contacts/batch"
    inputs = [{"properties": {"email": f"u{number}@example.com"}} for number in range(3)]
    made = hubspot.post(f"{url}/create", json={"inputs": inputs})
    ids = [{"id": each["id"]} for each in made.json()["results"]]
    assert (made.status_code, len(ids)) == (201, 3)
    hubspot.post(f"{url}/update", json={"inputs": [{**ids[0], "properties": {"city": "Ulm"}}]})
    assert hubspot.post(f"{url}/archive", json={"inputs": ids[1:]}).status_code == 204
    read = hubspot.post(f"{url}/read", json={"inputs": ids, "properties": ["city"]})
    assert (read.status_code, [each["properties"]["city"] for each in read.json()["results"]]) == (207, ["Ulm"])
