"""Bad input is refused in Linear's shape, and nothing is written."""

from __future__ import annotations

import pytest

from .conftest import ENG, PROD

NOBODY = "00000000-0000-4000-8000-000000000000"
REFERENCES = ("stateId", "assigneeId", "projectId", "cycleId", "labelIds")
CREATE = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }"


@pytest.fixture
def refused(linear):
    """The error's code and message; nothing may have been written."""

    def refuse(query, **variables):
        error = linear.error(query, **variables)
        changes = linear.diff("all")
        assert not any(changes[side] for side in ("inserts", "updates", "deletes"))
        assert error["extensions"]["type"]
        return error["extensions"]["code"], error["extensions"].get("userPresentableMessage", error["message"])

    return refuse


def test_unknown_fields_come_with_a_suggestion(refused):
    code, message = refused("{ issues { nodes { titel } } }")
    assert code == "GRAPHQL_VALIDATION_FAILED"
    assert 'Did you mean "title"' in message


def test_a_document_that_is_not_valid_answers_400(linear):
    assert linear.http(json={"query": "{ issues { nodes { titel } } }"}).status_code == 400
    assert linear.http(json={"query": "{ issues {"}).status_code == 400


@pytest.mark.parametrize("query", ["{ issues { nodes { titel } } }", "{ issues {", '{ issue(id: "x) { id } }'])
def test_a_document_that_is_not_valid_has_no_words_for_people(linear, query):
    extensions = linear.error(query)["extensions"]
    assert extensions == {
        "http": {"status": 400, "headers": {}},
        "code": "GRAPHQL_VALIDATION_FAILED",
        "type": "graphql error",
        "userError": True,
    }


def test_an_error_of_execution_answers_200(linear):
    answer = linear.http(json={"query": '{ issue(id: "ENG-99") { id } }'})
    assert answer.status_code == 200
    (error,) = answer.json()["errors"]
    assert error["path"] == ["issue"]
    assert error["extensions"] == {
        "type": "invalid input",
        "code": "INPUT_ERROR",
        "statusCode": 400,
        "userError": True,
        "userPresentableMessage": "Could not find referenced Issue.",
    }


def test_wrong_variable_types(refused):
    code, message = refused(CREATE, input={"teamId": ENG, "title": 5})
    assert code == "GRAPHQL_VALIDATION_FAILED"
    assert "String cannot represent a non string value" in message


def test_missing_required_input(refused):
    assert "teamId" in refused(CREATE, input={"title": "Nowhere"})[1]


def test_an_issue_without_a_title(refused):
    assert refused(CREATE, input={"teamId": ENG})[0] == "INVALID_INPUT"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("teamId", "Could not find referenced Team."),
        ("parentId", "Could not find referenced Issue."),
        *((each, f"{each} contained an entry that could not be found.") for each in REFERENCES),
    ],
)
def test_unknown_ids(refused, field, said):
    value = [NOBODY] if field.endswith("s") else NOBODY
    assert refused(CREATE, input={"teamId": ENG, "title": "x", field: value}) == ("INPUT_ERROR", said)


def test_a_state_of_another_team(linear, refused):
    query = f'{{ workflowStates(filter: {{ team: {{ id: {{ eq: "{PROD}" }} }} }}) {{ nodes {{ id }} }} }}'
    state = linear(query)["workflowStates"]["nodes"][0]["id"]
    assert "another team" in refused(CREATE, input={"teamId": ENG, "title": "x", "stateId": state})[1]


def test_a_priority_beyond_four(refused):
    assert "priority" in refused(CREATE, input={"teamId": ENG, "title": "x", "priority": 5})[1]


def test_an_issue_related_to_itself(refused):
    query = """mutation { issueRelationCreate(input: { issueId: "ENG-1", relatedIssueId: "ENG-1", type: blocks })
        { success } }"""
    assert "relatedIssueId cannot have the same value as issueId." in refused(query)[1]


def test_a_comment_on_nothing(refused):
    assert refused('mutation { commentCreate(input: { body: "Hm" }) { success } }')[0] == "INVALID_INPUT"


def test_what_linear_has_and_the_twin_lacks(linear):
    answer = linear.http(json={"query": '{ applicationInfo(clientId: "x") { name } }'})
    assert answer.status_code == 200
    (error,) = answer.json()["errors"]
    assert error["extensions"]["code"] == "NOT_IMPLEMENTED"
    assert error["path"] == ["applicationInfo"]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ('{ issue(id: "ENG-999") { id } }', "entity_not_found"),
        ('mutation { issueCreate(input: { teamId: "none", title: "x" }) { success } }', "invalid_input"),
        ('{ projects(filter: { activityType: { eq: "some" } }) { nodes { id } } }', "not_implemented"),
        ('{ applicationInfo(clientId: "x") { name } }', "missing_operation"),
        ("{ viewer { name } }", None),
    ],
)
def test_an_error_in_an_answer_of_success_is_in_the_call_log(linear, query, error):
    assert linear.http(json={"query": query}).status_code == 200
    environment = linear.environment
    assert environment.platform.get(f"env/{environment.id}/calls")["calls"][-1]["error"] == error


def test_deep_nesting(refused):
    assert refused('{ issue(id: "ENG-1") ' + "{ parent " * 100 + "{ id }" + " }" * 100 + " }")[0] == "RATELIMITED"


def test_many_aliases(refused):
    query = "{" + " ".join(f"a{n}: issues(first: 250) {{ nodes {{ id title }} }}" for n in range(200)) + "}"
    assert refused(query)[0] == "INPUT_ERROR"


def test_a_query_of_a_megabyte(linear):
    answer = linear.http(json={"query": "{ viewer { id " + "name " * 250_000 + "} }"})
    assert answer.status_code in (400, 413)
    assert "errors" in answer.json()


def test_the_same_field_thousands_of_times(refused):
    assert refused("{ viewer {" + " id" * 10_000 + " } }")[0] == "RATELIMITED"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"query": 5}', b'{"variables": {}}', b"\xff"])
def test_bodies_that_are_no_request(linear, body):
    answer = linear.http(content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert "errors" in answer.json()


def test_a_request_without_a_key_where_keys_are_taken_seriously(workspace):
    answer = workspace(auth="strict").http(json={"query": "{ viewer { id } }"}, headers={"Authorization": ""})
    assert answer.status_code == 401
    assert answer.json()["errors"][0]["extensions"]["type"] == "authentication error"


def test_answers_carry_the_limits(linear):
    headers = linear.http(json={"query": "{ viewer { id } }"}).headers
    assert int(headers["X-Complexity"]) >= 1
    assert headers["X-RateLimit-Requests-Limit"]


@pytest.mark.parametrize("path", ["graphql", "", "v1/anything"])
def test_every_path_below_the_twin_answers(linear, path):
    assert linear.http(path=path, json={"query": "{ viewer { id } }"}).json()["data"]["viewer"]


def test_a_browser_gets_a_page(linear):
    answer = linear.http("GET", headers={"Accept": "text/html"})
    assert answer.headers["content-type"].startswith("text/html")
