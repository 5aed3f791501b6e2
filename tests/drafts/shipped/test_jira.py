"""What the handlers of Jira do, called over HTTP."""

from typing import Any

import httpx
import pytest

from tests.harness import LiveServer, Platform
from twindiff.drafts.shipped import find_shipped
from twindiff.environments.registry import Registry
from twindiff.server import Settings

from .conftest import Connect

Fields = dict[str, Any]


def to_document(text: str) -> Fields:
    return {
        "type": "doc",
        "version": 1,
        "content": [{"type": "paragraph", "content": [{"type": "text", "text": text}]}],
    }


@pytest.fixture
def jira(connect: Connect) -> httpx.Client:
    """A site with a project of three issues: a bug, its epic, and a task that is done."""
    client = connect("jira", "https://acme.atlassian.net/rest/api/3")
    client.post("/project", json={"key": "ENG", "name": "Engine"})
    client.post("/component", json={"project": "ENG", "name": "web"})
    for fields in (
        {"summary": "The page crashed", "issuetype": {"name": "Bug"}, "priority": {"name": "High"}, "labels": ["ui"]},
        {"summary": "Launch", "issuetype": {"name": "Epic"}, "duedate": "2026-04-01"},
        {"summary": "Write the notes", "issuetype": {"name": "Task"}, "components": [{"name": "web"}]},
    ):
        made = client.post("/issue", json={"fields": {"project": {"key": "ENG"}, **fields}})
        assert made.status_code == 201, made.text
    client.put("/issue/ENG-1", json={"fields": {"parent": {"key": "ENG-2"}, "description": to_document("Since noon")}})
    client.post("/issue/ENG-1/comment", json={"body": to_document("Seen again")})
    client.post("/issue/ENG-3/transitions", json={"transition": {"id": "31"}})
    return client


@pytest.mark.parametrize(
    ("jql", "keys"),
    [
        ("project = ENG ORDER BY key", "1 2 3"),
        ("project = engine AND status != Done ORDER BY key DESC", "2 1"),
        ("statusCategory = Done", "3"),
        ("resolution = Unresolved ORDER BY priority", "1 2"),
        ("labels = ui", "1"),
        ("labels NOT IN (ui)", ""),
        ("labels IS EMPTY ORDER BY key ASC", "2 3"),
        ("component in (web)", "3"),
        ("'Epic Link' = ENG-2", "1"),
        ("text ~ 'crashes'", "1"),
        ("description ~ noon AND comment ~ again", "1"),
        ("priority >= High", "1"),
        ("due <= 2026-04-02 OR issuetype = Task ORDER BY key", "2 3"),
        ("created >= -1d AND NOT (key = ENG-1 OR key = ENG-3)", "2"),
        ("created < startOfDay()", ""),
        ("reporter = currentUser() AND assignee IS EMPTY AND type in (Bug, Epic) ORDER BY key", "1 2"),
        ("key > ENG-1 ORDER BY key", "2 3"),
        ("sprint IS EMPTY ORDER BY rank DESC", "3 2 1"),
    ],
)
def test_jql_finds_issues(jira: httpx.Client, jql: str, keys: str):
    found = jira.get("/search/jql", params={"jql": jql, "fields": "summary"})
    assert found.status_code == 200, found.text
    assert [each["key"] for each in found.json()["issues"]] == [f"ENG-{number}" for number in keys.split()]


@pytest.mark.parametrize(
    ("jql", "status", "message"),
    [
        ("colour = red", 400, "Field 'colour' does not exist or you do not have permission to view it."),
        ("project = NOPE", 400, "The value 'NOPE' does not exist for the field 'project'."),
        ("project =", 400, "Error in the JQL Query: Expecting a value before the end of the query"),
        ("project ENG", 400, "Error in the JQL Query: Expecting operator but got 'ENG'. (line 1, character 9)"),
        ("(project = ENG", 400, "Error in the JQL Query: Expecting ')' before the end"),
        ("summary > a", 400, "The operator '>' is not supported by the 'summary' field."),
        ("created > tomorrow", 400, "Date value 'tomorrow' for field 'created' is invalid."),
        ("status WAS Done", 501, "The operator 'WAS' of JQL is not implemented here."),
        ("", 400, "Unbounded JQL queries are not allowed here."),
        ("(" * 60 + "key = ENG-1" + ")" * 60, 400, "The JQL query is nested too deeply."),
    ],
)
def test_jql_that_is_wrong_is_refused_in_jiras_words(jira: httpx.Client, jql: str, status: int, message: str):
    refused = jira.get("/search/jql", params={"jql": jql})
    assert refused.status_code == status
    assert refused.json()["errorMessages"][0].startswith(message)


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"summary": ""}, "summary", "You must specify a summary of the issue."),
        ({"summary": "x" * 256}, "summary", "Summary can't exceed 255 characters."),
        ({"priority": {"name": "BLARG"}}, "priority", "Priority name 'BLARG' is not valid"),
        ({"issuetype": {"name": "Nope"}}, "issuetype", "Specify a valid issue type"),
        ({"issuetype": {"name": "Sub-task"}}, "parent", "Issue type is a sub-task but parent issue key or id not"),
        ({"labels": ["a b"]}, "labels", "The label 'a b' contains spaces which is invalid."),
        ({"components": [{"name": "api"}]}, "components", "Component name 'api' is not valid"),
        ({"description": "plain"}, "description", "Operation value must be an Atlassian Document"),
        ({"duedate": "soon"}, "duedate", "Error parsing date string: soon"),
        ({"colour": 1}, "colour", "Field 'colour' cannot be set."),
        ({"assignee": {"accountId": "x"}}, "assignee", "Account ID 'x' does not exist"),
    ],
)
def test_a_new_issue_with_a_wrong_field_is_refused_by_field(
    jira: httpx.Client, fields: Fields, field: str, message: str
):
    given = {"project": {"key": "ENG"}, "summary": "S", "issuetype": {"name": "Task"}, **fields}
    refused = jira.post("/issue", json={"fields": given})
    assert refused.status_code == 400
    assert refused.json()["errors"][field].startswith(message)
    assert jira.get("/search", params={"jql": "project = ENG"}).json()["total"] == 3


def test_a_transition_to_done_resolves_the_issue_and_leaves_a_record(jira: httpx.Client):
    fields = jira.get("/issue/ENG-3", params={"fields": "status,resolution,resolutiondate"}).json()["fields"]
    assert (fields["status"]["name"], fields["resolution"]["name"]) == ("Done", "Done")
    changes = [item for each in jira.get("/issue/ENG-3/changelog").json()["values"] for item in each["items"]]
    assert ("status", "To Do", "Done") in [(each["field"], each["fromString"], each["toString"]) for each in changes]
    assert jira.post("/issue/ENG-3/transitions", json={"transition": {"id": "99"}}).json()["errorMessages"] == [
        "Transition id '99' is not valid for this issue."
    ]


def test_version_2_takes_and_shows_plain_text(jira: httpx.Client):
    old = httpx.URL("https://acme.atlassian.net/rest/api/2/issue/ENG-1")
    assert jira.get(old, params={"fields": "description"}).json()["fields"]["description"] == "Since noon"
    assert jira.put(old, json={"fields": {"description": "One\n\nTwo"}}).status_code == 204
    document = jira.get("/issue/ENG-1").json()["fields"]["description"]
    assert [each["content"][0]["text"] for each in document["content"]] == ["One", "Two"]


def test_a_sprint_is_planned_started_and_completed_with_its_open_issues_moved_out(jira: httpx.Client):
    agile = "https://acme.atlassian.net/rest/agile/1.0"
    board = jira.get(f"{agile}/board").json()["values"][0]["id"]
    sprint = jira.post(f"{agile}/sprint", json={"name": "One", "originBoardId": board}).json()["id"]
    jira.post(f"{agile}/sprint/{sprint}/issue", json={"issues": ["ENG-1", "ENG-3"]})
    early = jira.post(f"{agile}/sprint/{sprint}", json={"state": "active"})
    assert early.status_code == 400
    started = jira.post(f"{agile}/sprint/{sprint}", json={"state": "active", "endDate": "2026-03-16T12:00:00.000Z"})
    assert started.json()["state"] == "active"
    assert jira.get("/search", params={"jql": "sprint in openSprints()"}).json()["total"] == 2
    assert [each["key"] for each in jira.get(f"{agile}/board/{board}/backlog").json()["issues"]] == ["ENG-2"]
    jira.post(f"{agile}/sprint/{sprint}", json={"state": "closed"})
    assert [each["key"] for each in jira.get(f"{agile}/sprint/{sprint}/issue").json()["issues"]] == ["ENG-3"]


def test_links_watchers_worklogs_and_attachments_stand_in_the_issue(jira: httpx.Client):
    ends = {"inwardIssue": {"key": "ENG-1"}, "outwardIssue": {"key": "ENG-3"}}
    assert jira.post("/issueLink", json={"type": {"name": "Blocks"}, **ends}).status_code == 201
    assert jira.post("/issue/ENG-1/watchers").status_code == 204
    jira.put("/issue/ENG-1", json={"fields": {"timetracking": {"originalEstimate": "1d"}}})
    assert jira.post("/issue/ENG-1/worklog", json={"timeSpent": "1h 30m"}).json()["timeSpentSeconds"] == 5400
    jira.post("/issue/ENG-1/attachments", files={"file": ("a.txt", b"hello")})
    fields = jira.get("/issue/ENG-1").json()["fields"]
    assert fields["issuelinks"][0]["outwardIssue"]["key"] == "ENG-3"
    assert (fields["watches"]["watchCount"], fields["timetracking"]["remainingEstimate"]) == (1, "6h 30m")
    assert jira.get(fields["attachment"][0]["content"]).text == "hello"


def test_the_board_of_a_project_leads_from_what_is_to_do_to_what_is_done():
    server = LiveServer(Settings(), Registry([find_shipped("jira").twin()]))
    try:
        given = {"templates": ["jira:jira_base"], "impersonateEmail": "agent@example.com"}
        made = Platform(server.in_process).post("initEnv", given)
        address = f"{made['environmentUrl']}/rest/api/3/project"
        assert server.in_process.post(address, json={"key": "ENG", "name": "Engine"}).status_code == 201
        board = f"/inspect/environments/{made['environmentId']}/screens/jira/projects/ENG"
        page = server.in_process.get(board).text
    finally:
        server.close()
    places = [page.index(name) for name in ("To Do", "In Progress", "Done")]
    assert places == sorted(places)


def test_fields_and_the_server_are_shown_as_jira_describes_them(jira: httpx.Client):
    [shown] = jira.get("/field/search", params={"query": "summary"}).json()["values"]
    assert {*shown} == {"id", "key", "name", "schema", "isLocked"}
    assert jira.get("/serverInfo").json()["buildDate"].endswith("Z")
