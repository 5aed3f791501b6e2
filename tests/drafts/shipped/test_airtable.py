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
        ("FIND('l', {Name}, 4) = 4", "Mill Sell"),
        ("FIND('l', {Name}, 5)", ""),
        ("SWITCH({Status}, 'Todo', 1, 'Done', 2, 3) > 1", "Bake Sell"),
        ("RIGHT({Name}, 2) & MID({Name}, 1, 1) = 'llM'", "Mill"),
        ("SUBSTITUTE({Name}, 'l', '') = 'Se'", "Sell"),
        ("AND(ROUND(2.5, 0) = 3, MAX(1, 2, 3) = 3, MOD(7, 4) = 3, COUNTA({Notes}, 1) = 2)", "Mill"),
        ("IS_AFTER(CREATED_TIME(), DATEADD(NOW(), -1, 'days'))", "Mill Bake Sell"),
        ("IS_SAME('2026-02-28', DATEADD('2026-01-31', 1, 'month'), 'day')", "Mill Bake Sell"),
        ("DATETIME_DIFF('2026-03-30', '2026-01-31', 'months') = 1", "Mill Bake Sell"),
        ("DATETIME_DIFF('2024-01-20', '2024-03-10', 'months') = -1", "Mill Bake Sell"),
        ("IS_SAME(DATETIME_PARSE('31/12/2025', 'DD/MM/YYYY'), '2025-12-31', 'second')", "Mill Bake Sell"),
        (
            "IS_SAME(DATETIME_PARSE('4 Mar 1999 18:00', 'D MMM YYYY HH:mm'), '1999-03-04T18:00:00', 'second')",
            "Mill Bake Sell",
        ),
        (
            "IS_SAME(DATETIME_PARSE('March 1st 25, 12:05 am', 'MMMM Do YY, h:mm a'), '2025-03-01T00:05:00', 'second')",
            "Mill Bake Sell",
        ),
        ("IS_SAME(DATETIME_PARSE('2025-060', 'YYYY-DDDD'), '2025-03-01', 'second')", "Mill Bake Sell"),
        (
            "IS_SAME(DATETIME_PARSE('20250301T1200+0200', 'YYYYMMDD[T]HHmmZZ'), '2025-03-01T10:00:00', 'second')",
            "Mill Bake Sell",
        ),
        ("IS_SAME(DATETIME_PARSE('86400', 'X'), '1970-01-02', 'second')", "Mill Bake Sell"),
        (f"IS_SAME(DATETIME_PARSE('2025{'-' * 196}', 'YYYY{'-' * 196}'), '2025-01-01', 'second')", "Mill Bake Sell"),
        ("IS_SAME(DATETIME_PARSE('2025](3)', 'YYYY](M)'), '2025-03-01', 'second')", "Mill Bake Sell"),
        ("DATETIME_PARSE('31.12.2025', 'DD/MM/YYYY')", ""),
        ("DATETIME_PARSE('30/02/2025', 'DD/MM/YYYY')", ""),
        ("IS_SAME('2026-11-01', '2026-11-07', 'week')", "Mill Bake Sell"),
        ("IS_SAME('2026-11-07', '2026-11-08', 'week')", ""),
        ("IS_SAME('2026-03-31', '2026-04-01', 'quarter')", ""),
        ("LEN(REPT('ab', 150)) = 300", "Mill Bake Sell"),
        ("1" + "+1" * 7_000 + " = 7001", "Mill Bake Sell"),
        ("OR(INT(VALUE('inf')), LEFT({Name}, VALUE('nan')), FIND('x', {Name}, VALUE('inf')))", ""),
        ("ROUND(VALUE('1e308'), 15) > 1", "Mill Bake Sell"),
        ("IS_SAME('0001-01-01T00:00:00+14:00', '2026-01-01', 'day')", ""),
        ("AND(YEAR('2026-01-04') = 2026, WEEKDAY('2026-01-04') = 0, NOT(IS_BEFORE('x', TODAY())))", "Mill Bake Sell"),
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
    forms = ("Q YYYY", "D/M", "YYYY" + "MMMM" * 40, "YYYY H hh", "YYYY" + "-" * 197)
    formats = [f"DATETIME_PARSE('1', '{form}')" for form in forms]
    for formula in (*formats, "{Nme} =", "DATEADD(NOW(), 1, 'moons')", "DATEADD(NOW(), 99999999, 'years') = 1"):
        wrong = airtable.get(f"/{BASE}/Tasks", params={"filterByFormula": formula})
        assert wrong.json()["error"]["type"] == "INVALID_FILTER_BY_FORMULA"


MANY = "REPT(REPT(REPT('x', 100), 100), 10)"


@pytest.mark.parametrize(
    "formula",
    [
        f"LEN({MANY} & 'x')",
        f"LEN(CONCATENATE({MANY}, 'x'))",
        "LEN(REPT('x', 100001))",
        f"LEN(SUBSTITUTE({MANY}, 'x', 'yy'))",
    ],
)
def test_a_formula_makes_no_text_over_100_000_characters(airtable: httpx.Client, formula: str):
    assert (
        len(airtable.get(f"/{BASE}/Tasks", params={"filterByFormula": f"LEN({MANY}) = 100000"}).json()["records"]) == 3
    )
    refused = airtable.get(f"/{BASE}/Tasks", params={"filterByFormula": formula})
    assert (refused.status_code, refused.json()["error"]["type"]) == (422, "INVALID_FILTER_BY_FORMULA")


@pytest.mark.parametrize("name", ["sort", "fields"])
def test_what_lists_are_asked_by_is_a_list(airtable: httpx.Client, name: str):
    refused = airtable.post(f"/{BASE}/Tasks/listRecords", json={name: 5})
    assert (refused.status_code, refused.json()["error"]["type"]) == (422, "INVALID_REQUEST_UNKNOWN")


@pytest.mark.parametrize("name", ["maxRecords", "pageSize"])
def test_a_size_of_any_length_is_read(airtable: httpx.Client, name: str):
    assert len(airtable.get(f"/{BASE}/Tasks", params={name: "9" * 5_000}).json()["records"]) == 3


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


@pytest.mark.parametrize(("count", "status"), [(0, 422), (1, 200), (3, 200), (4, 422)])
def test_an_upsert_merges_on_one_to_three_fields(airtable: httpx.Client, count: int, status: int):
    merged = ["Name", "Status", "Notes", "Done"][:count]
    body = {"performUpsert": {"fieldsToMergeOn": merged}, "records": [{"fields": {"Name": "Mill"}}]}
    assert airtable.patch(f"/{BASE}/Tasks", json=body).status_code == status


def test_comments_on_a_record_are_listed_from_the_newest_on(airtable: httpx.Client):
    record = airtable.get(f"/{BASE}/Tasks").json()["records"][0]["id"]
    path = f"/{BASE}/Tasks/{record}/comments"
    first = airtable.post(path, json={"text": "Ready?"}).json()
    reply = airtable.post(path, json={"text": "Yes", "parentCommentId": first["id"]}).json()
    assert airtable.post(path, json={"text": " "}).status_code == 422
    changed = airtable.patch(f"{path}/{reply['id']}", json={"text": "No"}).json()
    assert (first["lastUpdatedTime"], changed["text"], changed["parentCommentId"]) == (None, "No", first["id"])
    page = airtable.get(path, params={"pageSize": 1}).json()
    assert [each["text"] for each in page["comments"]] == ["No"]
    rest = airtable.get(path, params={"offset": page["offset"]}).json()
    assert [each["id"] for each in rest["comments"]] == [first["id"]]
    assert airtable.delete(f"{path}/{first['id']}").json() == {"id": first["id"], "deleted": True}
    airtable.delete(f"/{BASE}/Tasks/{record}")
    assert airtable.get(path).status_code == 404


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
