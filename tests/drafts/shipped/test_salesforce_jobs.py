"""Salesforce's jobs, its tooling API and the resources beside records, called over HTTP."""

import httpx
import pytest

from .conftest import Connect

DATA = "/services/data/v62.0"
JOB = "/services/async/62.0/job"


@pytest.fixture
def salesforce(connect: Connect) -> httpx.Client:
    client = connect("salesforce", "https://login.salesforce.com")
    for name in ("Mill", "Bakery"):
        assert client.post(f"{DATA}/sobjects/Account", json={"Name": name}).status_code == 201
    return client


def test_an_ingest_job_writes_rows_and_says_which_failed(salesforce: httpx.Client):
    given = {"operation": "insert", "object": "Contact", "contentType": "CSV", "lineEnding": "LF"}
    job = salesforce.post(f"{DATA}/jobs/ingest", json=given).json()
    path = f"{DATA}/jobs/ingest/{job['id']}"
    rows = "LastName,Email\nByron,ada@example.com\nBad,nobody\n"
    sent = salesforce.put(f"/{job['contentUrl']}", content=rows, headers={"Content-Type": "text/csv"})
    assert sent.status_code == 201
    assert salesforce.patch(path, json={"state": "UploadComplete"}).json()["state"] == "UploadComplete"
    done = salesforce.get(path).json()
    assert (done["state"], done["numberRecordsProcessed"], done["numberRecordsFailed"]) == ("JobComplete", 2, 1)
    good, bad = (salesforce.get(f"{path}/{each}").text for each in ("successfulResults", "failedResults"))
    assert good.splitlines()[0] == '"sf__Id","sf__Created","LastName","Email"'
    assert "INVALID_EMAIL_ADDRESS" in bad
    assert salesforce.get(f"{path}/unprocessedrecords").text == "\n"
    assert salesforce.patch(path, json={"state": "Aborted"}).status_code == 400
    assert salesforce.delete(path).status_code == 204
    assert salesforce.get(path).status_code == 404


@pytest.mark.parametrize(
    "given", [{"operation": "merge", "object": "Account"}, {"operation": "upsert", "object": "Account"}]
)
def test_a_job_that_cannot_be_done_is_refused(salesforce: httpx.Client, given: dict[str, str]):
    refused = salesforce.post(f"{DATA}/jobs/ingest", json=given)
    assert (refused.status_code, refused.json()[0]["errorCode"]) == (400, "INVALIDJOB")


def test_a_query_job_pages_its_records_as_csv(salesforce: httpx.Client):
    given = {"operation": "query", "query": "SELECT Name FROM Account ORDER BY Name"}
    job = salesforce.post(f"{DATA}/jobs/query", json=given).json()
    path = f"{DATA}/jobs/query/{job['id']}"
    assert salesforce.get(path).json()["numberRecordsProcessed"] == 2
    first = salesforce.get(f"{path}/results", params={"maxRecords": 1})
    assert (first.text, first.headers["Sforce-NumberOfRecords"]) == ('"Name"\n"Bakery"\n', "1")
    rest = salesforce.get(f"{path}/results", params={"locator": first.headers["Sforce-Locator"]})
    assert (rest.text, rest.headers["Sforce-Locator"]) == ('"Name"\n"Mill"\n', "null")
    assert salesforce.post(f"{DATA}/jobs/query", json={**given, "query": "SELECT x FROM Account"}).status_code == 400
    assert salesforce.delete(path).status_code == 204


def test_a_job_of_version_1_takes_json_and_xml(salesforce: httpx.Client):
    job = salesforce.post(JOB, json={"operation": "insert", "object": "Account", "contentType": "JSON"}).json()["id"]
    batch = salesforce.post(f"{JOB}/{job}/batch", json=[{"Name": "New"}, {}]).json()
    assert batch["state"] == "Queued"
    results = salesforce.get(f"{JOB}/{job}/batch/{batch['id']}/result").json()
    assert [each["success"] for each in results] == [True, False]
    assert salesforce.post(f"{JOB}/{job}", json={"state": "Closed"}).json()["state"] == "Closed"
    assert salesforce.post(f"{JOB}/{job}/batch", json=[{}]).status_code == 400
    info = "<jobInfo><operation>query</operation><object>Account</object><contentType>CSV</contentType></jobInfo>"
    made = salesforce.post(JOB, content=info, headers={"Content-Type": "application/xml"}).text
    assert "<state>Open</state>" in made
    id = made.partition("<id>")[2].partition("</id>")[0]
    found = salesforce.post(f"{JOB}/{id}/batch", content="SELECT Name FROM Account WHERE Name = 'Mill'").text
    batch_id = found.partition("<id>")[2].partition("</id>")[0]
    listed = salesforce.get(f"{JOB}/{id}/batch/{batch_id}/result").text
    result = listed.partition("<result>")[2].partition("</result>")[0]
    assert salesforce.get(f"{JOB}/{id}/batch/{batch_id}/result/{result}").text == '"Name"\n"Mill"\n'
    assert salesforce.post(JOB, content="<jobInfo>", headers={"Content-Type": "application/xml"}).status_code == 400


def test_changed_deleted_and_recent_records_are_listed(salesforce: httpx.Client):
    rows = salesforce.get(f"{DATA}/query", params={"q": "SELECT Id FROM Account"}).json()["records"]
    first, second = rows[0]["Id"], rows[1]["Id"]
    assert salesforce.delete(f"{DATA}/sobjects/Account/{first}").status_code == 204
    span = {"start": "2020-01-01T00:00:00+00:00", "end": "2030-01-01T00:00:00+00:00"}
    assert salesforce.get(f"{DATA}/sobjects/Account/updated", params=span).json()["ids"] == [second]
    deleted = salesforce.get(f"{DATA}/sobjects/Account/deleted", params=span).json()["deletedRecords"]
    assert [each["id"] for each in deleted] == [first]
    assert salesforce.get(f"{DATA}/recent").json()[0]["Id"] == second
    assert salesforce.get(f"{DATA}/sobjects/Account/updated", params={**span, "start": "now"}).status_code == 400


def test_relations_and_collections_of_records_are_read(salesforce: httpx.Client):
    account = salesforce.get(f"{DATA}/query", params={"q": "SELECT Id FROM Account"}).json()["records"][0]["Id"]
    given = {"LastName": "Byron", "AccountId": account}
    contact = salesforce.post(f"{DATA}/sobjects/Contact", json=given).json()["id"]
    assert salesforce.get(f"{DATA}/sobjects/Account/{account}/Contacts").json()["records"][0]["Id"] == contact
    assert salesforce.get(f"{DATA}/sobjects/Contact/{contact}/Account").json()["Id"] == account
    assert salesforce.get(f"{DATA}/sobjects/Contact/{contact}/Boat").status_code == 404
    asked = {"ids": [account, "001000000000000AAA"], "fields": ["Name"]}
    read = salesforce.post(f"{DATA}/composite/sobjects/Account", json=asked).json()
    assert (read[0]["Id"], read[1]) == (account, None)
    wrong = salesforce.post(f"{DATA}/composite/sobjects/Account", json={**asked, "fields": ["x"]})
    assert wrong.status_code == 400
    found = salesforce.get(f"{DATA}/parameterizedSearch", params={"q": "mill", "sobject": "Account"}).json()
    assert len(found["searchRecords"]) == 1


def test_apex_classes_are_kept_by_the_tooling_api(salesforce: httpx.Client):
    path = f"{DATA}/tooling/sobjects/ApexClass"
    made = salesforce.post(path, json={"Body": "public class Mill_TEST { }"}).json()["id"]
    asked = {"q": "SELECT Id, Name FROM ApexClass WHERE NamespacePrefix = null AND (Name LIKE '%_TEST%')"}
    assert [each["Name"] for each in salesforce.get(f"{DATA}/tooling/query/", params=asked).json()["records"]] == [
        "Mill_TEST"
    ]
    assert salesforce.patch(f"{path}/{made}", json={"Body": "public class Other { }"}).status_code == 204
    assert salesforce.delete(f"{path}/{made}").status_code == 204
    assert salesforce.get(f"{path}/{made}").status_code == 404
    assert salesforce.post(path, json={"Body": "nothing"}).status_code == 400
    assert salesforce.get(f"{DATA}/tooling/executeAnonymous", params={"anonymousBody": "x"}).status_code == 501


def test_the_caller_is_shown_at_the_addresses_that_signing_in_says(salesforce: httpx.Client):
    sub = salesforce.get("/services/oauth2/userinfo").json()["sub"]
    assert salesforce.get(sub[sub.index("/id/") :]).json()["asserted_user"] is True
    assert salesforce.get("/id/00D/005").status_code == 404
    assert salesforce.get(f"{DATA}/chatter/users/me").json()["type"] == "User"
    assert salesforce.get(f"{DATA}/sobjects/Account/describe/layouts").json()["layouts"]
    assert salesforce.get(f"{DATA}/sobjects/Boat/describe/layouts").status_code == 404
    view = salesforce.get(f"{DATA}/sobjects/Account/listviews").json()["listviews"][0]
    assert salesforce.get(view["resultsUrl"]).json()["size"] == 2
    assert salesforce.post("/services/oauth2/revoke", data={"token": "x"}).status_code == 200
    assert salesforce.post("/services/oauth2/revoke").status_code == 400
