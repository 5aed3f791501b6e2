"""Roles, guests and private teams."""

from __future__ import annotations

import pytest

from .conftest import AGENT, ENG, JOHN, KEYS, PROD, SARAH, Linear


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


@pytest.fixture(scope="module")
def strict(platform):
    """One workspace that takes roles seriously, with a comment of John's, and Sarah an admin."""
    return Linear(platform.environment("linear:linear_default", AGENT, tokens=KEYS, auth="strict"))


JOHNS_COMMENT = "e10f59c3-7a49-4d52-8dba-8c8602f8c807"
FOR_ADMINS = (
    'organizationUpdate(input: { name: "Mine" })',
    f'userSuspend(id: "{JOHN}")',
    f'userChangeRole(id: "{JOHN}", role: guest)',
    'webhookCreate(input: { url: "https://a.example", resourceTypes: ["Issue"], allPublicTeams: true })',
    'projectStatusCreate(input: { name: "Odd", color: "#fff", type: planned, position: 9 })',
    'customerTierCreate(input: { name: "Gold", color: "#fff" })',
    'issueDelete(id: "ENG-4", permanentlyDelete: true)',
    f'teamUpdate(id: "{ENG}", input: {{ joinByDefault: true }})',
)
FOR_TEAM_OWNERS = (
    f'teamDelete(id: "{PROD}")',
    f'teamUpdate(id: "{ENG}", input: {{ name: "Engineers" }})',
    'teamMembershipUpdate(id: "tm-agent-eng", input: { sortOrder: 2 })',
    'teamMembershipDelete(id: "tm-john-eng")',
)


@pytest.mark.parametrize("root", FOR_ADMINS)
def test_an_operation_of_admins_is_refused_to_members(strict, root):
    answer = strict.http(json={"query": f"mutation {{ {root} {{ success }} }}"})
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["message"]) == (400, "Invalid role: admin required")
    assert (error["extensions"]["code"], error["extensions"]["statusCode"]) == ("FORBIDDEN", 403)


@pytest.mark.parametrize(
    "root",
    [
        "webhooks { nodes { id } }",
        f'team(id: "{ENG}") {{ webhooks {{ nodes {{ id }} }} }}',
        f'userSessions(id: "{JOHN}") {{ id }}',
    ],
)
def test_what_admins_alone_may_read_is_refused_to_members(strict, root):
    assert strict.error(f"{{ {root} }}")["message"] == "Invalid role: admin required"
    assert strict.as_user(SARAH)(f"{{ {root} }}")


@pytest.mark.parametrize("root", FOR_TEAM_OWNERS)
def test_an_operation_of_team_owners_is_refused_to_members(strict, root):
    assert strict.error(f"mutation {{ {root} {{ success }} }}")["extensions"]["type"] == "forbidden"


def test_owners_of_a_team_and_admins_change_it(strict):
    for user in (JOHN, SARAH):
        assert strict.as_user(user).update("team", ENG, "name", name=f"Of {user}") == {"name": f"Of {user}"}


@pytest.mark.parametrize("verb", ['Update(id: "%s", input: { body: "No" })', 'Delete(id: "%s")'])
def test_a_comment_is_its_author_s(strict, verb):
    query = f"mutation {{ comment{verb % JOHNS_COMMENT} {{ success }} }}"
    assert strict.error(query)["extensions"]["type"] == "forbidden"
    assert strict.as_user(JOHN)(query)


def test_an_admin_deletes_a_comment_of_others_and_does_not_edit_it(strict):
    comment = strict.create("comment", issueId="ENG-1", body="Mine")["id"]
    sarah = strict.as_user(SARAH)
    edit = f'mutation {{ commentUpdate(id: "{comment}", input: {{ body: "Yours" }}) {{ success }} }}'
    assert sarah.error(edit)["extensions"]["type"] == "forbidden"
    assert sarah(f'mutation {{ commentDelete(id: "{comment}") {{ success }} }}')


def test_members_delete_no_teams_of_a_lenient_workspace_either(linear):
    query = f'mutation {{ teamDelete(id: "{PROD}") {{ success }} }}'
    assert linear.error(query)["extensions"]["type"] == "forbidden"
    assert linear.as_user(SARAH)(query)


def test_a_refused_read_stays_refused_beside_one_that_fails(strict):
    answer = strict.ask('{ webhooks { nodes { id } } issue(id: "NO-1") { id } }')
    assert answer["data"] is None
    assert [each["path"] for each in answer["errors"]] == [["webhooks"], ["issue"]]
