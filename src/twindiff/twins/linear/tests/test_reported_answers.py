"""What people report of Linear's API: refusals, limits, titles of errors and mentions.

Sources: https://github.com/schpet/linear-cli/issues/260 (one parent), https://github.com/contentful-labs/gqli.rb/issues/23
(complexity), https://linear.app/developers/rate-limiting, https://github.com/linear/linear/issues/351 (mentions).
"""

from __future__ import annotations

import json

import pytest

from .conftest import AGENT, BACKLOG, ENG, JOHN, KEYS, PROD, SARAH, Linear

CREATE = "mutation($i: {0}CreateInput!) {{ {1}Create(input: $i) {{ success }} }}"
NODES = "{ nodes { id name teams { nodes { id key name } } labels { nodes { id name color } } } }"


@pytest.fixture(scope="module")
def linear(platform):
    """One workspace for all tests here."""
    return Linear(platform.environment("linear:linear_default", AGENT, tokens=KEYS))


@pytest.fixture(scope="module")
def guarded(platform):
    """A workspace where keys are taken seriously."""
    options = {"tokens": {"lin_api_agent": AGENT}, "auth": "strict"}
    return Linear(platform.environment("linear:linear_default", AGENT, **options))


def creating(kind):
    return CREATE.format(kind, kind[:1].lower() + kind[1:])


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("Issue", {"teamId": "ENG", "title": "x"}, "teamId must be a UUID."),
        ("Issue", {"teamId": ENG, "title": "x", "assigneeId": "me"}, "assigneeId must be a UUID."),
        ("Issue", {"teamId": ENG, "title": "x", "labelIds": ["Bug"]}, "each value in labelIds must be a UUID."),
        ("Issue", {"teamId": ENG, "title": "x", "id": "my-own-id"}, "id must be a UUID."),
        ("Project", {"teamIds": ["ENG"], "name": "x"}, "each value in teamIds must be a UUID."),
        (
            "Document",
            {"title": "x", "teamId": ENG, "issueId": "ENG-1"},
            "Exactly one of initiativeId, teamId, issueId, releaseId, cycleId or projectId must be defined.",
        ),
        (
            "Project",
            {"teamIds": [ENG], "name": "x", "description": "x" * 256},
            "description must be shorter than or equal to 255 characters.",
        ),
    ],
)
def test_an_input_is_refused_with_a_fixed_title_and_a_reason(linear, kind, given, said):
    error = linear.error(creating(kind), i=given)
    assert error["message"] == "Argument Validation Error"
    assert error["extensions"]["code"] == "INVALID_INPUT"
    assert error["extensions"]["userPresentableMessage"] == said


def test_an_unknown_entity_is_named_once(linear):
    error = linear.error('{ issue(id: "ENG-999") { id } }')
    assert error["message"] == "Entity not found: Issue"
    assert error["extensions"]["userPresentableMessage"] == "Could not find referenced Issue."


def test_a_comment_names_what_it_is_on_even_in_a_thread(linear):
    root = linear.create("comment", issueId="ENG-1", body="root")["id"]
    said = linear.refusal(creating("Comment"), i={"parentId": root, "body": "reply"})
    assert said.startswith("Exactly one of issueId, ")
    error = linear.error(creating("Comment"), i={"parentId": root, "issueId": "ENG-2", "body": "reply"})
    assert error["message"] == "incorrect parent"


@pytest.mark.parametrize("first", [None, ENG])
def test_a_label_of_the_workspace_and_one_of_a_team_have_different_names(linear, first):
    name = f"Dup{first}"
    linear.create("issueLabel", name=name, **({"teamId": first} if first else {}))
    given = {"name": name.upper(), **({} if first else {"teamId": ENG})}
    assert linear.error(creating("IssueLabel"), i=given)["message"] == "duplicate label name"
    other = linear.create("issueLabel", name=f"other {name}")["id"]
    change = "mutation($id: String!, $i: IssueLabelUpdateInput!) { issueLabelUpdate(id: $id, input: $i) { success } }"
    assert linear.error(change, id=other, i={"name": name})["message"] == "duplicate label name"


def test_two_teams_may_have_labels_of_one_name(linear):
    linear.create("issueLabel", name="Twice", teamId=ENG)
    assert linear.create("issueLabel", name="Twice", teamId=PROD)


def test_a_favorite_of_the_same_thing_is_returned(linear):
    first, again = (linear.create("favorite", issueId=key)["id"] for key in ("ENG-1", "ENG-1"))
    assert first == again


def test_a_state_of_another_team_is_a_discrepancy(linear):
    of_team = f'{{ workflowStates(filter: {{ team: {{ id: {{ eq: "{PROD}" }} }} }}) {{ nodes {{ id }} }} }}'
    given = {"teamId": ENG, "title": "x", "stateId": linear(of_team)["workflowStates"]["nodes"][0]["id"]}
    assert linear.error(creating("Issue"), i=given)["message"].startswith("Discrepancy between issue team and state")


def test_too_complex_a_query_is_invalid_input_with_the_numbers(linear):
    answer = linear.http(json={"query": f"{{ projects(first: 100) {NODES} }}"})
    (error,) = answer.json()["errors"]
    assert answer.status_code == 400
    assert error["message"] == "Query too complex"
    assert error["extensions"]["code"] == "INPUT_ERROR"
    assert error["extensions"]["type"] == "invalid input"
    assert error["extensions"]["http"] == {"status": 400}
    said = error["extensions"]["userPresentableMessage"]
    assert said.startswith("The query is too complex. Complexity: ")
    assert said.endswith("Maximum allowed complexity: 10000.")


def test_the_limits_say_when_they_are_full_again_in_milliseconds_since_1970(workspace):
    linear = workspace(clock={"mode": "steps"})
    headers = linear.http(json={"query": "{ viewer { id } }"}).headers
    clock = linear("{ rateLimitStatus { limits { type reset } } }")["rateLimitStatus"]["limits"]
    for name in ("Requests", "Complexity"):
        assert 0 <= clock[0]["reset"] - int(headers[f"X-RateLimit-{name}-Reset"]) < 60_000
        limit, left = (int(headers[f"X-RateLimit-{name}-{word}"]) for word in ("Limit", "Remaining"))
        assert left < limit
    assert headers["X-Complexity"] == "2"


def test_what_remains_of_the_limits_falls_with_every_request(workspace):
    linear = workspace()
    answers = [linear.http(json={"query": "{ viewer { id name } }"}).headers for _ in range(3)]
    assert [int(each["X-RateLimit-Requests-Remaining"]) for each in answers] == [2499, 2498, 2497]
    assert [int(each["X-RateLimit-Complexity-Remaining"]) for each in answers] == [2_999_998, 2_999_996, 2_999_994]
    other = linear.as_user(JOHN).http(json={"query": "{ viewer { id } }"}).headers
    assert other["X-RateLimit-Requests-Remaining"] == "2499"


MENTIONS = "{ notifications { nodes { type category } } }"
PROFILE = "https://linear.app/test-org/profiles/sarah"


def notified(linear, user):
    return linear.as_user(user)(MENTIONS)["notifications"]["nodes"]


def test_the_url_of_a_profile_in_a_comment_is_a_mention(workspace):
    linear = workspace()
    comment = linear.create("comment", "id bodyData", issueId="ENG-1", body=f"Look, {PROFILE}!")
    (text, mention, _) = json.loads(comment["bodyData"])["content"][0]["content"]
    assert text == {"type": "text", "text": "Look, "}
    assert mention["attrs"]["id"] == SARAH
    (told,) = notified(linear, SARAH)
    assert (told["type"], told["category"]) == ("issueCommentMention", "mentions")
    linear.update("comment", comment["id"], body=f"{PROFILE} and https://linear.app/test-org/profiles/john.")
    assert len(notified(linear, SARAH)) == 1
    assert "issueCommentMention" in [each["type"] for each in notified(linear, JOHN)]


def test_the_url_of_a_profile_in_a_description_is_a_mention(workspace):
    linear = workspace()
    issue = linear.issue(description=f"Ask {PROFILE}", stateId=BACKLOG)["id"]
    linear.update("issue", issue, description=f"Ask {PROFILE} again")
    assert [each["type"] for each in notified(linear, SARAH)] == ["issueMention"]


def test_a_broken_rule_is_told_in_the_form_of_class_validator(linear):
    error = linear.error(creating("Issue"), i={"teamId": "ENG", "title": "x"})
    (problem,) = error["extensions"]["validationErrors"]
    assert (problem["property"], problem["value"]) == ("teamId", "ENG")
    assert problem["constraints"] == {"isUuid": "teamId must be a UUID."}


@pytest.mark.parametrize("root", ["issueCreate", "issueUpdate"])
def test_an_issue_is_in_projects_of_its_team_only(linear, root):
    made = "mutation($i: ProjectCreateInput!) { projectCreate(input: $i) { project { id } } }"
    project = linear(made, i={"name": f"of {root}", "teamIds": [PROD]})["projectCreate"]["project"]["id"]
    given = {"projectId": project} | ({"teamId": ENG, "title": "x"} if root == "issueCreate" else {})
    id = "" if root == "issueCreate" else '(id: "ENG-1", '
    query = f"mutation($i: {root[0].upper()}{root[1:]}Input!) {{ {root}{id or '('}input: $i) {{ success }} }}"
    error = linear.error(query, i=given)
    assert error["message"] == "Discrepancy between issue team and state, cycle or project."


def test_a_milestone_brings_an_issue_into_projects_of_its_team_only(linear):
    project = "mutation($i: ProjectCreateInput!) { projectCreate(input: $i) { project { id } } }"
    id = linear(project, i={"name": "with a milestone", "teamIds": [PROD]})["projectCreate"]["project"]["id"]
    made = (
        "mutation($i: ProjectMilestoneCreateInput!) { projectMilestoneCreate(input: $i) { projectMilestone { id } } }"
    )
    milestone = linear(made, i={"name": "M", "projectId": id})["projectMilestoneCreate"]["projectMilestone"]["id"]
    error = linear.error(creating("Issue"), i={"teamId": ENG, "title": "x", "projectMilestoneId": milestone})
    assert error["message"] == "Discrepancy between issue team and state, cycle or project."


@pytest.mark.parametrize(("kind", "bearers"), [("Issue", "issues"), ("Project", "projects")])
def test_a_group_of_labels_is_put_on_nothing(linear, kind, bearers):
    root, name = f"{kind.lower()}LabelCreate", f"{kind.lower()}Label"
    made = f"mutation($i: {kind}LabelCreateInput!) {{ made: {root}(input: $i) {{ it: {name} {{ id }} }} }}"
    group = linear(made, i={"name": f"group of {bearers}", "isGroup": True})["made"]["it"]["id"]
    given = {"teamId": ENG, "title": "x"} if kind == "Issue" else {"teamIds": [ENG], "name": "x"}
    error = linear.error(creating(kind), i={**given, "labelIds": [group]})
    assert (error["message"], error["extensions"]["code"]) == ("labelIds contain parent labels", "INPUT_ERROR")
    wanted = f"The label 'group of {bearers}' is a group and cannot be assigned to {bearers} directly."
    assert error["extensions"]["userPresentableMessage"] == wanted


def test_a_slack_message_is_linked_to_an_issue_once(linear):
    link = 'mutation { attachmentLinkSlack(issueId: "ENG-2", url: "https://a.slack.com/archives/C1/p1") { success } }'
    assert linear(link)["attachmentLinkSlack"]["success"]
    error = linear.error(link)
    assert error["message"] == "Duplicate attachment for duplicate url"
    assert error["extensions"]["userPresentableMessage"] == "An attachment with the same URL already exists."


@pytest.mark.parametrize(
    ("header", "status", "said"),
    [
        ({}, 401, "Authentication required, not authenticated"),
        ({"Authorization": "lin_api_other"}, 401, "Authentication required, not authenticated"),
        ({"Authorization": "Bearer lin_api_agent"}, 400, "It looks like you're trying to use an API key as a Bearer"),
        ({"Authorization": "lin_api_agent"}, 200, ""),
    ],
)
def test_a_key_stands_bare_in_the_header_of_a_strict_environment(guarded, header, status, said):
    answer = guarded.http(json={"query": "{ viewer { id } }"}, headers=header)
    assert answer.status_code == status
    assert answer.json().get("errors", [{"message": ""}])[0]["message"].startswith(said)


def test_webhooks_are_managed_by_admins_in_a_strict_environment(guarded, linear):
    query = (
        'mutation { webhookCreate(input: {url: "https://a.b", teamId: "%s", resourceTypes: ["Issue"]}) { success } }'
    )
    key = {"Authorization": "lin_api_agent"}
    error = guarded.http(json={"query": query % ENG}, headers=key).json()["errors"][0]
    assert (error["extensions"]["code"], error["message"]) == (
        "FORBIDDEN",
        "Invalid role: admin required",
    )
    assert linear(query % ENG)["webhookCreate"]["success"]


@pytest.mark.parametrize(
    ("query", "is_strict_alone"),
    [
        ('{ issues(filter: {team: {id: {eq: "DEV"}}}) { nodes { id } } }', False),
        ('{ issues(filter: {state: {id: {in: ["Done"]}}}) { nodes { id } } }', False),
        ('{ comments(filter: {user: {id: {neq: "me@x.com"}}}) { nodes { id } } }', False),
        ('{ cycles(filter: {id: {eq: "P"}}) { nodes { id } } }', False),
        ('{ projects(filter: {id: {eq: "00000000-0000-0000-0000-000000000000"}}) { nodes { id } } }', False),
        ('{ issues(filter: {id: {eq: "not-a-uuid"}}) { nodes { id } } }', False),
        ('{ issues(filter: {team: {id: {eq: "ENG"}}}) { nodes { id } } }', True),
    ],
)
def test_an_id_in_a_filter_is_a_uuid(linear, guarded, query, is_strict_alone):
    answer = guarded.http(json={"query": query}, headers={"Authorization": "lin_api_agent"})
    assert (answer.status_code, answer.json()["data"]) == (200, None)
    assert answer.json()["errors"][0]["extensions"]["userPresentableMessage"] == "id must be a UUID."
    if is_strict_alone:
        assert linear(query)["issues"]["nodes"]
    else:
        assert linear.error(query)["message"] == "Argument Validation Error"
