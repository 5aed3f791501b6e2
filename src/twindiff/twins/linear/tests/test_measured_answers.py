"""What others measured at Linear's API, or were answered by it: filters, dates, conflicts, scopes and reactions.

Sources: https://github.com/brekkylab/backlot/pull/116 and 133 (filters, dates, attachments, both sort and orderBy),
https://github.com/PipedreamHQ/pipedream/issues/14876 (roles), https://linear.app/developers/oauth-2-0-authentication.
"""

from __future__ import annotations

from uuid import uuid4

import pytest

from .conftest import AGENT, ENG, KEYS, Linear

CREATE = "mutation($i: {0}CreateInput!) {{ {1}Create(input: $i) {{ success }} }}"
APP = {"client_id": "app", "redirect_uri": "http://localhost:3000/cb", "response_type": "code", "state": "x"}


@pytest.fixture(scope="module")
def linear(platform):
    """One strict workspace for all tests here."""
    return Linear(platform.environment("linear:linear_default", AGENT, tokens=KEYS, auth="strict"))


def found(linear, condition):
    nodes = linear(f"{{ issues(filter: {{ {condition} }}) {{ nodes {{ identifier }} }} }}")["issues"]["nodes"]
    return [each["identifier"] for each in nodes]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "{ issues(sort: [{ title: {} }], orderBy: createdAt) { nodes { id } } }",
            "Cannot use both sort and orderBy options",
        ),
        ('{ issueSearch(query: "a") { nodes { id } } }', "deprecated"),
    ],
)
def test_a_query_that_is_refused(linear, query, said):
    assert linear.error(query)["message"] == said


@pytest.mark.parametrize(
    "date", ["1", "2021", "2021-03", "2021-03-05", "2021-03-05 10:00", "2021-03-05T10:00Z", "-P90Y"]
)
def test_a_date_that_a_filter_reads(linear, date):
    assert found(linear, f'createdAt: {{ gt: "{date}" }}')


@pytest.mark.parametrize("date", ["20210305", "1700000000", "P", "", "2021-13-01", "2021-03-05T10"])
def test_a_date_that_a_filter_does_not_read(linear, date):
    error = linear.error(f'{{ issues(filter: {{ createdAt: {{ gt: "{date}" }} }}) {{ nodes {{ id }} }} }}')
    assert error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
    assert error["message"].endswith(f"Unable to parse value '{date}' into a valid date")


@pytest.mark.parametrize("condition", ['id: { eq: "ZZZ-404" }', 'project: { id: { eq: "not-a-uuid" } }'])
def test_an_id_that_is_an_identifier_or_the_end_of_an_address_finds_nothing(linear, condition):
    assert found(linear, condition) == []


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ('sourceType: { neq: "x" }', 0),
        ('sourceType: { eq: "unknown" }', 0),
        ("subtitle: { null: true }", 1),
        ('subtitle: { nin: ["x"] }', 1),
        ('subtitle: { notContains: "x" }', 0),
        ('subtitle: { eq: "" }', 0),
    ],
)
def test_negative_operators_drop_what_an_attachment_lacks(linear, condition, count):
    made = linear.create("attachment", "sourceType", issueId="ENG-1", title="t", url="https://a.example/1")
    assert made == {"sourceType": "unknown"}
    query = f'{{ issue(id: "ENG-1") {{ attachments(filter: {{ {condition} }}) {{ nodes {{ id }} }} }} }}'
    assert len(linear(query)["issue"]["attachments"]["nodes"]) == count


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("issue", {"teamId": ENG, "title": "x"}),
        ("comment", {"issueId": "ENG-1", "body": "x"}),
        ("project", {"teamIds": [ENG], "name": "x"}),
    ],
)
def test_an_id_that_is_taken_is_a_conflict(linear, kind, given):
    named = kind.capitalize()
    given = {**given, "id": str(uuid4())}
    linear.create(kind, **given)
    answer = linear.http(json={"query": CREATE.format(named, kind), "variables": {"i": given}})
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["message"] == f"conflict on insert of {named}"
    assert error["extensions"]["userPresentableMessage"] == f"Entity {named} with id {given['id']} already exists."


def test_archiving_leaves_the_time_of_the_last_change(linear):
    issue = linear.issue("id updatedAt")
    query = f'mutation {{ issueArchive(id: "{issue["id"]}") {{ entity {{ updatedAt archivedAt }} }} }}'
    archived = linear(query)["issueArchive"]["entity"]
    assert archived["updatedAt"] == issue["updatedAt"] < archived["archivedAt"]


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"scope": "read,offline_access"}, "Invalid scope: offline_access"),
        ({"scope": "read,admin", "actor": "app"}, "Invalid scope: admin"),
    ],
)
def test_a_scope_that_is_not_given_is_said_at_the_redirect(linear, asked, error):
    where = linear.http("GET", "oauth/authorize", params={**APP, **asked}, follow_redirects=False).headers["location"]
    assert dict(each.split("=") for each in where.split("?")[1].split("&")) == {
        "error": "invalid_scope",
        "error_description": error.replace(" ", "+").replace(":", "%3A"),
        "state": "x",
    }


@pytest.mark.parametrize(
    ("scope", "allowed", "missing"),
    [
        ("read", "{ viewer { id } }", "write"),
        ("read,write", 'mutation { issueUpdate(id: "ENG-1", input: { title: "x" }) { success } }', "admin"),
    ],
)
def test_a_token_does_what_its_scopes_allow(linear, scope, allowed, missing):
    code = linear.http("GET", "oauth/authorize", params={**APP, "scope": scope}, follow_redirects=False)
    form = {"grant_type": "authorization_code", "code": code.headers["location"].split("code=")[1].split("&")[0], **APP}
    token = linear.http("POST", "oauth/token", data={**form, "client_secret": "s"}).json()["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    assert "errors" not in linear.http(json={"query": allowed}, headers=headers).json()
    query = {
        "write": 'mutation { issueUpdate(id: "ENG-1", input: { title: "x" }) { success } }',
        "admin": "{ webhooks { nodes { id } } }",
    }[missing]
    answer = linear.http(json={"query": query}, headers=headers)
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (400, "FORBIDDEN")


@pytest.mark.parametrize("on", ["issueId", "commentId", "projectUpdateId"])
def test_an_emoji_that_there_is_not_is_no_reaction(linear, on):
    comment = linear.create("comment", issueId="ENG-1", body="x")["id"]
    project = linear.create("project", name="x", teamIds=[ENG])["id"]
    update = linear.create("projectUpdate", projectId=project, body="x")["id"]
    target = {"issueId": "ENG-1", "commentId": comment, "projectUpdateId": update}[on]
    assert linear.create("reaction", **{on: target}, emoji="tada")
    for emoji in ("no_such_emoji", "", "hello there"):
        query = CREATE.format("Reaction", "reaction")
        assert linear.error(query, i={on: target, "emoji": emoji})["extensions"]["code"] == "INVALID_INPUT"


def test_an_emoji_of_the_workspace_is_a_reaction_under_its_name(linear):
    linear.create("emoji", name="gripper", url="https://a.example/g.png")
    assert linear.create("reaction", "emoji", issueId="ENG-2", emoji="gripper") == {"emoji": "gripper"}
