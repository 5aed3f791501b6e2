"""What HubSpot's records were, and how they are searched, over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

CONTACTS = "/crm/v3/objects/contacts"
FILTER = {"propertyName": "email", "operator": "HAS_PROPERTY"}


@pytest.fixture
def hubspot(connect: Connect) -> httpx.Client:
    """An account with two contacts, of whom the first is of a company."""
    client = connect("hubspot", "https://api.hubapi.com")
    for given in ({"email": "ada@example.com", "city": "Ulm"}, {"email": "bob@example.com"}):
        client.post(CONTACTS, json={"properties": given}).raise_for_status()
    company = client.post("/crm/v3/objects/companies", json={"properties": {"name": "Mill"}}).json()["id"]
    client.put(f"/crm/v4/objects/contacts/{list_ids(client)[0]}/associations/default/companies/{company}")
    return client


def list_ids(client: httpx.Client, kind: str = "contacts") -> list[str]:
    return [each["id"] for each in client.get(f"/crm/v3/objects/{kind}").json()["results"]]


def search(client: httpx.Client, filters: list[Any], **asked: Any) -> httpx.Response:
    return client.post(f"{CONTACTS}/search", json={"filterGroups": [{"filters": filters}], **asked})


def test_former_values_of_properties_are_shown_the_newest_first(hubspot: httpx.Client):
    ada, bob = list_ids(hubspot)
    for city in ("Bern", "Bern", ""):
        hubspot.patch(f"{CONTACTS}/{ada}", json={"properties": {"city": city}}).raise_for_status()
    asked = {"propertiesWithHistory": "city,phone"}
    read = hubspot.get(f"{CONTACTS}/{ada}", params=asked).json()["propertiesWithHistory"]
    assert [each["value"] for each in read["city"]] == ["", "Bern", "Ulm"]
    times = [each["timestamp"] for each in read["city"]]
    assert times == sorted(times, reverse=True)
    assert read["city"][0]["sourceType"] == "INTEGRATION"
    assert read["phone"] == []
    batch = {"inputs": [{"id": ada}], "propertiesWithHistory": ["city"]}
    answer = hubspot.post(f"{CONTACTS}/batch/read", json=batch).json()["results"]
    assert answer[0]["propertiesWithHistory"] == {"city": read["city"]}
    listed = hubspot.get(CONTACTS, params=asked).json()["results"]
    assert listed[0]["propertiesWithHistory"] == read
    assert "propertiesWithHistory" not in hubspot.get(f"{CONTACTS}/{bob}").json()


@pytest.mark.parametrize(("limit", "status"), [(50, 200), (51, 400)])
def test_at_most_fifty_records_are_listed_with_former_values(hubspot: httpx.Client, limit: int, status: int):
    asked = {"propertiesWithHistory": "city", "limit": limit}
    assert hubspot.get(CONTACTS, params=asked).status_code == status
    batch = {"inputs": [{"id": "1"}] * limit, "propertiesWithHistory": ["city"]}
    assert (hubspot.post(f"{CONTACTS}/batch/read", json=batch).status_code == 400) == (status == 400)


@pytest.mark.parametrize(
    ("groups", "more", "status"),
    [
        ([1] * 5, {}, 200),
        ([1] * 6, {}, 400),
        ([6], {}, 200),
        ([7], {}, 400),
        ([6, 6, 6], {}, 200),
        ([6, 6, 6, 1], {}, 400),
        ([1], {"limit": 200}, 200),
        ([1], {"limit": 201}, 400),
        ([1], {"limit": 10, "after": "9990"}, 200),
        ([1], {"limit": 10, "after": "9991"}, 400),
        ([1], {"after": "x"}, 400),
        ([1], {"query": "x" * 3000}, 200),
        ([1], {"query": "x" * 3001}, 400),
    ],
)
def test_a_search_has_limits(hubspot: httpx.Client, groups: list[int], more: dict[str, Any], status: int):
    body = {"filterGroups": [{"filters": [FILTER] * number} for number in groups], **more}
    assert hubspot.post(f"{CONTACTS}/search", json=body).status_code == status


@pytest.mark.parametrize(
    "wrong",
    [
        {"operator": "EQ", "value": "x"},
        {"propertyName": "colour", "operator": "EQ", "value": "x"},
        {"propertyName": "email", "operator": "LIKE", "value": "x"},
        {"propertyName": "email", "operator": "EQ"},
        {"propertyName": "email", "operator": "EQ", "value": {"a": 1}},
        {"propertyName": "email", "operator": "IN", "values": []},
        {"propertyName": "email", "operator": "IN", "values": 5},
        {"propertyName": "email", "operator": "NOT_IN", "value": "x"},
        {"propertyName": "createdate", "operator": "BETWEEN", "value": "1"},
        {"propertyName": "associations.companies", "operator": "GT", "value": "1"},
        {"propertyName": "associations.boats", "operator": "EQ", "value": "1"},
        {"propertyName": ["email"], "operator": ["EQ"], "value": None},
    ],
)
def test_a_filter_that_cannot_be_is_refused(hubspot: httpx.Client, wrong: dict[str, Any]):
    answer = search(hubspot, [wrong])
    assert (answer.status_code, answer.json()["category"]) == (400, "VALIDATION_ERROR"), answer.text


@pytest.mark.parametrize(("operator", "of_mill"), [("EQ", True), ("IN", True), ("NEQ", False), ("NOT_IN", False)])
def test_a_search_finds_the_records_of_a_company(hubspot: httpx.Client, operator: str, of_mill: bool):
    [company], [ada, bob] = list_ids(hubspot, "companies"), list_ids(hubspot)
    where = {"propertyName": "associations.company", "operator": operator, "value": company, "values": [company]}
    found = search(hubspot, [where]).json()["results"]
    assert [each["id"] for each in found] == [ada if of_mill else bob]


def test_a_merged_record_of_a_merged_record_leads_to_the_last_one(hubspot: httpx.Client):
    third = hubspot.post(CONTACTS, json={"properties": {"email": "cleo@example.com"}}).json()["id"]
    ada, bob = list_ids(hubspot)[:2]
    for kept, merged in ((bob, ada), (third, bob)):
        answer = hubspot.post(f"{CONTACTS}/merge", json={"primaryObjectId": kept, "objectIdToMerge": merged})
        assert answer.status_code == 200, answer.text
    read = hubspot.get(f"{CONTACTS}/{ada}", params={"properties": "hs_merged_object_ids"}).json()
    assert (read["id"], read["properties"]["hs_merged_object_ids"]) == (third, f"{bob};{ada}")
    again = hubspot.post(f"{CONTACTS}/merge", json={"primaryObjectId": third, "objectIdToMerge": ada})
    assert again.status_code == 400
