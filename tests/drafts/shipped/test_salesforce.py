"""What the handlers of Salesforce do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

Ids = dict[str, str]


@pytest.fixture
def salesforce(connect: Connect) -> httpx.Client:
    """An org with two accounts, three contacts of theirs and two opportunities."""
    client = connect("salesforce", "https://acme.my.salesforce.com/services/data/v62.0")
    ids: Ids = {}
    for kind, fields in (
        ("Account", {"Name": "Mill", "Industry": "Food", "NumberOfEmployees": 12}),
        ("Account", {"Name": "Forge"}),
        ("Contact", {"FirstName": "Ada", "LastName": "Byron", "Email": "ada@example.com", "Account": "Mill"}),
        ("Contact", {"LastName": "O'Neil", "Account": "Mill"}),
        ("Contact", {"LastName": "Smith", "Account": "Forge"}),
        ("Opportunity", {"Name": "Flour", "StageName": "Closed Won", "CloseDate": "2026-03-01", "Amount": 100}),
        ("Opportunity", {"Name": "Bran", "StageName": "Prospecting", "CloseDate": "2026-05-01", "Amount": 50}),
    ):
        if "Account" in fields:
            fields["AccountId"] = ids[str(fields.pop("Account"))]
        made = client.post(f"/sobjects/{kind}", json=fields)
        assert made.status_code == 201, made.text
        ids[str(fields.get("Name"))] = made.json()["id"]
    return client


@pytest.mark.parametrize(
    ("soql", "rows"),
    [
        ("SELECT Name FROM Account ORDER BY Name DESC", ["Mill", "Forge"]),
        ("SELECT Name FROM Account WHERE Name LIKE 'm%' AND NumberOfEmployees > 10", ["Mill"]),
        ("SELECT Name FROM Account WHERE Industry = null", ["Forge"]),
        ("SELECT LastName FROM Contact WHERE Account.Name = 'Mill' AND Email != null", ["Byron"]),
        ("SELECT Name FROM Contact WHERE LastName = 'O\\'Neil'", ["O'Neil"]),
        ("SELECT Name FROM Contact WHERE LastName NOT IN ('Smith', 'Byron')", ["O'Neil"]),
        ("SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Contact WHERE FirstName = 'Ada')", ["Mill"]),
        ("SELECT Name FROM Opportunity WHERE (IsWon = true OR Amount < 10) AND CloseDate <= TODAY", ["Flour"]),
        ("SELECT Name FROM Opportunity WHERE CloseDate = 2026-05-01 OR CloseDate > NEXT_N_DAYS:90", ["Bran"]),
        ("SELECT Name FROM Account WHERE CreatedDate = TODAY ORDER BY Industry NULLS LAST LIMIT 1", ["Mill"]),
        ("SELECT Name FROM Account WHERE NOT Name = 'Mill'", ["Forge"]),
        ("SELECT StageName, SUM(Amount) total FROM Opportunity GROUP BY StageName", ["Closed Won", "Prospecting"]),
    ],
)
def test_soql_finds_records(salesforce: httpx.Client, soql: str, rows: list[str]):
    answer = salesforce.get("/query", params={"q": soql})
    assert answer.status_code == 200, answer.text
    assert [list(each.values())[1] for each in answer.json()["records"]] == rows


def test_soql_counts_shows_what_is_above_and_what_is_below(salesforce: httpx.Client):
    assert salesforce.get("/query", params={"q": "SELECT COUNT() FROM Contact"}).json()["totalSize"] == 3
    soql = "SELECT Name, (SELECT Name, Account.Name FROM Contacts WHERE Email != null) FROM Account WHERE Name = 'Mill'"
    mill = salesforce.get("/query", params={"q": soql}).json()["records"][0]
    assert (mill["Contacts"]["totalSize"], mill["Contacts"]["records"][0]["Account"]["Name"]) == (1, "Mill")


@pytest.mark.parametrize(
    ("soql", "code", "message"),
    [
        ("SELECT Foo FROM Account", "INVALID_FIELD", "No such column 'Foo' on entity 'Account'."),
        ("SELECT Id FROM Boat", "INVALID_TYPE", "sObject type 'Boat' is not supported."),
        ("SELECT Id Account", "MALFORMED_QUERY", "unexpected token: 'Account'"),
        ("SELECT Id FROM Account WHERE", "MALFORMED_QUERY", "unexpected token: '<EOF>'"),
        ("SELECT Foo.Name FROM Contact", "INVALID_FIELD", "Didn't understand relationship 'Foo'"),
        ("SELECT Id FROM Account WHERE Name LIKE 5", "MALFORMED_QUERY", "The value of LIKE must be a text"),
        ("SELECT Name, COUNT(Id) FROM Account", "MALFORMED_QUERY", "Field must be grouped or aggregated: Name"),
    ],
)
def test_soql_that_is_wrong_is_refused(salesforce: httpx.Client, soql: str, code: str, message: str):
    refused = salesforce.get("/query", params={"q": soql})
    assert (refused.status_code, refused.json()[0]["errorCode"]) == (400, code)
    assert refused.json()[0]["message"].startswith(message)


@pytest.mark.parametrize(
    ("having", "names"),
    [
        ("COUNT(Id) > 1", ["Mill"]),
        ("COUNT(Id) >= 1", ["Forge", "Mill"]),
        ("COUNT(Id) = 1 AND Account.Name LIKE 'F%'", ["Forge"]),
        ("NOT (COUNT(Id) > 1 OR Account.Name IN ('Forge'))", []),
        ("MAX(LastName) > 'Z'", []),
        ("COUNT(Id) = TODAY", []),
    ],
)
def test_having_keeps_the_groups_that_meet_it(salesforce: httpx.Client, having: str, names: list[str]):
    soql = f"SELECT Account.Name, COUNT(Id) FROM Contact GROUP BY Account.Name HAVING {having}"
    answer = salesforce.get("/query", params={"q": soql})
    assert answer.status_code == 200, answer.text
    assert sorted(each["Name"] for each in answer.json()["records"]) == names


@pytest.mark.parametrize(
    ("end", "status", "code"),
    [
        ("HAVING COUNT(Id) > 1", 400, "MALFORMED_QUERY"),
        ("GROUP BY Name HAVING Industry = 'x'", 400, "MALFORMED_QUERY"),
        ("GROUP BY Name HAVING COUNT(Boat) > 1", 400, "INVALID_FIELD"),
        ("GROUP BY Name HAVING SUM(Name) > 1", 400, "MALFORMED_QUERY"),
        ("GROUP BY Name HAVING", 400, "MALFORMED_QUERY"),
        ("GROUP BY Name HAVING GROUPING(Name) = 1", 501, "NOT_IMPLEMENTED"),
    ],
)
def test_having_that_is_wrong_is_refused(salesforce: httpx.Client, end: str, status: int, code: str):
    refused = salesforce.get("/query", params={"q": f"SELECT Name FROM Account {end}"})
    assert (refused.status_code, refused.json()[0]["errorCode"]) == (status, code)


@pytest.mark.parametrize(
    ("kind", "fields", "status", "code"),
    [
        ("Account", {}, 400, "REQUIRED_FIELD_MISSING"),
        ("Account", {"Name": "A", "Foo": 1}, 400, "INVALID_FIELD"),
        ("Contact", {"LastName": "A", "Name": "B"}, 400, "INVALID_FIELD_FOR_INSERT_UPDATE"),
        ("Contact", {"LastName": "A", "Email": "nobody"}, 400, "INVALID_EMAIL_ADDRESS"),
        ("Contact", {"LastName": "A", "AccountId": "x"}, 400, "MALFORMED_ID"),
        ("Account", {"Name": "A", "NumberOfEmployees": "many"}, 400, "JSON_PARSER_ERROR"),
        ("Boat", {"Name": "A"}, 404, "NOT_FOUND"),
    ],
)
def test_a_record_that_is_wrong_is_refused(salesforce: httpx.Client, kind: str, fields: Any, status: int, code: str):
    refused = salesforce.post(f"/sobjects/{kind}", json=fields)
    assert (refused.status_code, refused.json()[0]["errorCode"]) == (status, code)


def test_collections_report_each_record_and_undo_all_if_asked(salesforce: httpx.Client):
    account = {"type": "Account"}
    records = [{"attributes": account, "Name": "A"}, {"attributes": account}]
    some = salesforce.post("/composite/sobjects", json={"records": records}).json()
    assert [each["success"] for each in some] == [True, False]
    none = salesforce.post("/composite/sobjects", json={"records": records, "allOrNone": True}).json()
    assert none[0]["errors"][0]["statusCode"] == "ALL_OR_NONE_OPERATION_ROLLED_BACK"
    assert salesforce.get("/query", params={"q": "SELECT COUNT() FROM Account"}).json()["totalSize"] == 3


def test_a_deleted_record_is_found_by_query_all_only(salesforce: httpx.Client):
    id = salesforce.get("/query", params={"q": "SELECT Id FROM Account WHERE Name = 'Forge'"}).json()["records"][0][
        "Id"
    ]
    assert salesforce.delete(f"/sobjects/Account/{id}").status_code == 204
    assert salesforce.get(f"/sobjects/Account/{id}").json()[0]["errorCode"] == "NOT_FOUND"
    everything = salesforce.get("/queryAll", params={"q": "SELECT Name FROM Account WHERE IsDeleted = true"}).json()
    assert [each["Name"] for each in everything["records"]] == ["Forge"]


def test_a_custom_field_is_added_by_the_tooling_api_once(salesforce: httpx.Client):
    field = {"FullName": "Contact.Colour__c", "Metadata": {"type": "Text", "label": "Colour", "length": 40}}
    assert salesforce.post("/tooling/sobjects/CustomField", json=field).json()["success"]
    salesforce.post("/sobjects/Contact", json={"LastName": "Red", "Colour__c": "red"})
    answer = salesforce.get("/query", params={"q": "SELECT LastName FROM Contact WHERE Colour__c = 'red'"})
    assert [each["LastName"] for each in answer.json()["records"]] == ["Red"]
    again = salesforce.post("/tooling/sobjects/CustomField", json=field)
    assert (again.status_code, again.json()[0]["errorCode"]) == (400, "DUPLICATE_DEVELOPER_NAME")


def test_addresses_of_records_have_the_version_that_is_called(salesforce: httpx.Client):
    asked = {"q": "SELECT Id FROM Account LIMIT 1"}
    shown = salesforce.get("https://acme.my.salesforce.com/services/data/v58.0/query", params=asked).json()["records"]
    assert shown[0]["attributes"]["url"].startswith("/services/data/v58.0/sobjects/Account/")


def test_requests_in_one_refer_to_each_other_and_are_undone_together(salesforce: httpx.Client):
    base = "/services/data/v62.0"

    def make(last: dict[str, Any], **more: Any) -> list[Any]:
        asked = [
            {"method": "POST", "url": f"{base}/sobjects/Account", "referenceId": "a", "body": {"Name": "N"}},
            {"method": "POST", "url": f"{base}/sobjects/Contact", "referenceId": "c", "body": last},
            {"method": "GET", "url": f"{base}/query?q=SELECT Name FROM Account WHERE Id = '@{{a.id}}'"},
        ]  # fmt: skip
        return salesforce.post("/composite", json={"compositeRequest": asked, **more}).json()["compositeResponse"]

    made = make({"LastName": "L", "AccountId": "@{a.id}"})
    assert [each["httpStatusCode"] for each in made] == [201, 201, 200]
    assert made[2]["body"]["records"][0]["Name"] == "N"
    undone = make({"AccountId": "@{a.id}"}, allOrNone=True)
    assert [each["body"][0]["errorCode"] for each in undone] == [
        "PROCESSING_HALTED", "REQUIRED_FIELD_MISSING", "PROCESSING_HALTED",
    ]  # fmt: skip
    assert (
        salesforce.get("/query", params={"q": "SELECT COUNT() FROM Account WHERE Name = 'N'"}).json()["totalSize"] == 1
    )


def test_a_tree_makes_records_with_those_below_them_or_none(salesforce: httpx.Client):
    def tree(*contacts: dict[str, Any]) -> httpx.Response:
        below = [{"attributes": {"type": "Contact", "referenceId": f"c{n}"}, **each} for n, each in enumerate(contacts)]
        account = {"attributes": {"type": "Account", "referenceId": "a"}, "Name": "T", "Contacts": {"records": below}}
        return salesforce.post("/composite/tree/Account", json={"records": [account]})

    refused = tree({"LastName": "One"}, {"FirstName": "Two"})
    assert (refused.status_code, [each["referenceId"] for each in refused.json()["results"]]) == (400, ["c1"])
    made = tree({"LastName": "One"}, {"LastName": "Two"}).json()
    assert [each["referenceId"] for each in made["results"]] == ["a", "c0", "c1"]
    soql = "SELECT Name, (SELECT LastName FROM Contacts) FROM Account WHERE Name = 'T'"
    [account] = salesforce.get("/query", params={"q": soql}).json()["records"]
    assert [each["LastName"] for each in account["Contacts"]["records"]] == ["One", "Two"]


def test_descriptions_name_all_that_records_show(salesforce: httpx.Client):
    described = salesforce.get("/sobjects/Contact/describe").json()
    assert {"actionOverrides", "childRelationships", "recordTypeInfos", "triggerable", "urls"} <= described.keys()
    fields = {each["name"]: each for each in described["fields"]}
    id = salesforce.get("/query", params={"q": "SELECT Id FROM Contact LIMIT 1"}).json()["records"][0]["Id"]
    assert fields.keys() == salesforce.get(f"/sobjects/Contact/{id}").json().keys() - {"attributes"}
    assert (fields["MailingAddress"]["type"], fields["OwnerId"]["referenceTo"]) == ("address", ["User"])
    salesforce.patch(f"/sobjects/Contact/{id}", json={"MailingCity": "Ely"})
    assert salesforce.get(f"/sobjects/Contact/{id}").json()["MailingAddress"]["city"] == "Ely"
    refused = salesforce.patch(f"/sobjects/Contact/{id}", json={"Jigsaw": "x"}).json()
    assert refused[0]["errorCode"] == "INVALID_FIELD_FOR_INSERT_UPDATE"
