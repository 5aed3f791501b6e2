"""Guests and private teams."""

from __future__ import annotations

import pytest

from .conftest import AGENT, JOHN, PROD, SARAH


@pytest.fixture
def guest(workspace_with):
    """John as a guest who is in no team but Engineering."""
    return workspace_with(users=[{"id": JOHN, "guest": True}]).as_user(JOHN)


def test_a_guest_sees_only_joined_teams(guest):
    assert guest("{ teams { nodes { key } } }")["teams"]["nodes"] == [{"key": "ENG"}]


def test_a_guest_does_not_see_the_states_of_other_teams(guest):
    teams = guest("{ workflowStates(first: 100) { nodes { team { key } } } }")["workflowStates"]["nodes"]
    assert {each["team"]["key"] for each in teams} == {"ENG"}


def test_a_guest_makes_no_teams(guest):
    assert (
        "Guests"
        in guest.error('mutation { teamCreate(input: { name: "New" }) { success } }')["extensions"][
            "userPresentableMessage"
        ]
    )


@pytest.fixture
def private(workspace_with):
    """A workspace where Product is private, with one issue and Sarah as the only member."""
    linear = workspace_with(
        teams=[{"id": PROD, "private": True}],
        team_memberships=[{
            "id": "member-sarah", "teamId": PROD, "userId": SARAH,
            "createdAt": "2025-01-01T00:00:00", "updatedAt": "2025-01-01T00:00:00",
        }],
    )  # fmt: skip
    linear.as_user(SARAH).issue(teamId=PROD, title="Salaries")
    return linear


def test_a_private_team_s_issue_is_not_found(private):
    assert private.error('{ issue(id: "PROD-1") { id } }')["extensions"]["type"] == "invalid input"
    assert private.as_user(SARAH)('{ issue(id: "PROD-1") { title } }')["issue"]["title"] == "Salaries"


def test_a_private_team_s_issues_are_in_no_list(private):
    assert private('{ searchIssues(term: "salaries") { totalCount } }')["searchIssues"]["totalCount"] == 0
    titles = [each["title"] for each in private("{ issues { nodes { title } } }")["issues"]["nodes"]]
    assert "Salaries" not in titles


def test_a_private_team_is_reached_through_no_relation(private):
    names = private("{ organization { teams { nodes { key } } } users { nodes { teams { nodes { key } } } } }")
    assert "PROD" not in str(names)


def test_comments_of_hidden_issues_are_hidden(private):
    private.as_user(SARAH).create("comment", issueId="PROD-1", body="More for everyone")
    bodies = [each["body"] for each in private("{ comments { nodes { body } } }")["comments"]["nodes"]]
    assert "More for everyone" not in bodies


def test_nothing_can_be_written_to_a_hidden_team(private):
    error = private.error(f'mutation {{ issueCreate(input: {{ teamId: "{PROD}", title: "Peek" }}) {{ success }} }}')
    assert error["message"] == "Entity not found: Team"


def test_an_inbox_is_one_s_own(linear):
    linear.issue(assigneeId=JOHN)
    assert linear("{ notifications { nodes { id } } }")["notifications"]["nodes"] == []
    (told,) = linear.as_user(JOHN)("{ notifications { nodes { type } } }")["notifications"]["nodes"]
    assert told["type"] == "issueAssignedToYou"


def test_a_favorite_is_one_s_own(linear):
    linear.create("favorite", issueId="ENG-1")
    assert len(linear("{ favorites { nodes { id } } }")["favorites"]["nodes"]) == 1
    assert linear.as_user(JOHN)("{ favorites { nodes { id } } }")["favorites"]["nodes"] == []


def test_only_admins_change_the_workspace_and_other_people(linear):
    query = 'mutation { organizationUpdate(input: { name: "Mine" }) { success } }'
    assert linear.error(query)["extensions"]["type"] == "forbidden"
    assert linear.as_user(SARAH)(query)["organizationUpdate"]["success"]
    query = f'mutation {{ userUpdate(id: "{JOHN}", input: {{ statusLabel: "Out" }}) {{ success }} }}'
    assert linear.error(query)["extensions"]["type"] == "forbidden"


def test_the_agent_may_change_itself(linear):
    assert linear.update("user", AGENT, "statusLabel", statusLabel="Busy") == {"statusLabel": "Busy"}
    assert linear("{ viewer { id isMe } }")["viewer"] == {"id": AGENT, "isMe": True}
