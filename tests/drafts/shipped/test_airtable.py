"""What the handlers of Airtable do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

BASE = "appTw1nD1ffBase01"


@pytest.fixture
def airtable(connect: Connect) -> httpx.Client:
    """A base whose table of tasks has three records."""
    client = connect("airtable", "https://api.airtable.com/v0")
    tasks = [
        {"Name": "Mill", "Status": "Todo", "Notes": "grind"},
        {"Name": "Bake", "Status": "Done", "Done": True},
        {"Name": "Sell"},
    ]
    made = client.post(f"/{BASE}/Tasks", json={"records": [{"fields": each} for each in tasks]})
    assert made.status_code == 200, made.text
    return client


@pytest.mark.parametrize(
    ("formula", "names"),
    [
        ("{Status} = 'Todo'", "Mill"),
        ('AND(NOT({Done}), {Status} != "")', "Mill"),
        ("OR(Name='Sell', SEARCH('BAK', LOWER({Name})))", "Bake Sell"),
        ("{Notes} = BLANK()", "Bake Sell"),
        ("LEN({Name} & '!') > 4", "Mill Bake Sell"),
        ("IF({Done}, 1, 0) = 1", "Bake"),
        ("1 + 2 * 3 = 7", "Mill Bake Sell"),
    ],
)
def test_a_formula_filters_records(airtable: httpx.Client, formula: str, names: str):
    listed = airtable.get(f"/{BASE}/Tasks", params={"filterByFormula": formula}).json()["records"]
    assert " ".join(each["fields"]["Name"] for each in listed) == names


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"fields": {"Nme": "x"}}, "UNKNOWN_FIELD_NAME"),
        ({"fields": {"Done": "yes"}}, "INVALID_VALUE_FOR_COLUMN"),
        ({"fields": {"Status": "New"}}, "INVALID_MULTIPLE_CHOICE_OPTIONS"),
        ({"records": []}, "INVALID_RECORDS"),
        ({}, "INVALID_REQUEST_MISSING_FIELDS"),
    ],
)
def test_a_value_that_a_field_cannot_hold_is_refused(airtable: httpx.Client, body: Any, error: str):
    refused = airtable.post(f"/{BASE}/Tasks", json=body)
    assert (refused.status_code, refused.json()["error"]["type"]) == (422, error)
    wrong = airtable.get(f"/{BASE}/Tasks", params={"filterByFormula": "{Nme} ="})
    assert wrong.json()["error"]["type"] == "INVALID_FILTER_BY_FORMULA"


def test_typecast_makes_values_and_choices_that_fit(airtable: httpx.Client):
    made = airtable.post(f"/{BASE}/Tasks", json={"fields": {"Name": 7, "Status": "New"}, "typecast": True}).json()
    assert made["fields"] == {"Name": "7", "Status": "New"}
    fields = airtable.get(f"/meta/bases/{BASE}/tables").json()["tables"][0]["fields"]
    assert [each["name"] for each in fields[2]["options"]["choices"]] == ["Todo", "Doing", "Done", "New"]


def test_pages_follow_offsets_in_the_order_asked_for(airtable: httpx.Client):
    asked = {"pageSize": "2", "sort[0][field]": "Name", "fields[]": "Name"}
    first = airtable.get(f"/{BASE}/Tasks", params=asked).json()
    rest = airtable.get(f"/{BASE}/Tasks", params={**asked, "offset": first["offset"]}).json()
    assert [each["fields"] for each in first["records"] + rest["records"]] == [
        {"Name": "Bake"}, {"Name": "Mill"}, {"Name": "Sell"},
    ]  # fmt: skip
    assert "offset" not in rest


def test_an_upsert_changes_what_is_there_and_makes_the_rest(airtable: httpx.Client):
    records = [{"fields": {"Name": "Mill", "Status": "Doing"}}, {"fields": {"Name": "Rest"}}]
    body = {"performUpsert": {"fieldsToMergeOn": ["Name"]}, "records": records}
    done = airtable.patch(f"/{BASE}/Tasks", json=body).json()
    assert (len(done["createdRecords"]), len(done["updatedRecords"])) == (1, 1)
    assert done["records"][0]["fields"] == {"Name": "Mill", "Status": "Doing", "Notes": "grind"}
    ids = [each["id"] for each in done["records"]]
    gone = airtable.delete(f"/{BASE}/Tasks", params=[("records[]", each) for each in ids]).json()
    assert gone == {"records": [{"id": each, "deleted": True} for each in ids]}


def test_tables_and_fields_are_added(airtable: httpx.Client):
    fields = [{"name": "Name", "type": "singleLineText"}]
    table = airtable.post(f"/meta/bases/{BASE}/tables", json={"name": "People", "fields": fields}).json()
    assert airtable.post(f"/meta/bases/{BASE}/tables", json={"name": "People", "fields": fields}).status_code == 422
    added = airtable.post(f"/meta/bases/{BASE}/tables/{table['id']}/fields", json={"name": "Age", "type": "number"})
    assert added.json()["name"] == "Age"
    made = airtable.post(f"/{BASE}/{table['id']}", json={"fields": {"Name": "Ada", "Age": 36}}).json()
    assert airtable.get(f"/{BASE}/People/{made['id']}").json()["fields"] == {"Name": "Ada", "Age": 36}
    missing = airtable.get(f"/{BASE}/Nothing").json()["error"]
    assert missing["type"] == "TABLE_NOT_FOUND"
