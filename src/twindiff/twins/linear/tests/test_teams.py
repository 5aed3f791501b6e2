"""What a team begins with: states, cycles, and what it has from another.

https://linear.app/docs/teams · https://linear.app/docs/sub-teams · https://linear.app/docs/use-cycles
"""

from __future__ import annotations

import pytest

from .conftest import BACKLOG, DONE, ENG, IN_PROGRESS, UNSTARTED

STATES = "states(first: 20) { nodes { id name type inheritedFrom { id name } } }"
CYCLES = "cycles { nodes { number startsAt endsAt inheritedFrom { number } } }"


@pytest.fixture
def at(workspace):
    """A workspace on a Wednesday."""
    return workspace(clock={"mode": "steps", "start": "2030-01-02T12:00:00Z"})


def cycles(team):
    return sorted((each["number"], each["startsAt"][:10], each["endsAt"][:10]) for each in team["cycles"]["nodes"])


def names(team):
    return {each["name"]: each for each in team["states"]["nodes"]}


def test_a_new_team_with_cycles_has_those_ahead_of_it(at):
    team = at.create("team", CYCLES, name="Depot", cyclesEnabled=True, cycleDuration=2, upcomingCycleCount=3)
    assert cycles(team) == [
        (1, "2030-01-07", "2030-01-21"),
        (2, "2030-01-21", "2030-02-04"),
        (3, "2030-02-04", "2030-02-18"),
    ]


def test_cycles_begin_at_midnight_of_the_team_s_day_and_zone_with_a_cooldown_between(at):
    given = {"cycleStartDay": 4, "cycleDuration": 1, "cycleCooldownTime": 1, "timezone": "Asia/Tokyo"}
    team = at.create("team", CYCLES, name="Depot", cyclesEnabled=True, upcomingCycleCount=2, **given)
    starts = sorted(each["startsAt"] for each in team["cycles"]["nodes"])
    assert starts == ["2030-01-02T15:00:00.000Z", "2030-01-16T15:00:00.000Z"]


def test_a_new_team_without_cycles_has_none(linear):
    assert linear.create("team", CYCLES, name="Depot")["cycles"]["nodes"] == []


def test_cycles_that_are_switched_on_begin_when_the_team_says(at):
    team = at.create("team", name="Depot")["id"]
    since = "2030-03-04T00:00:00.000Z"
    seen = at.update("team", team, CYCLES, cyclesEnabled=True, cycleEnabledStartDate=since, upcomingCycleCount=1)
    assert cycles(seen) == [(1, "2030-03-04", "2030-03-18")]
    assert cycles(at.update("team", team, CYCLES, upcomingCycleCount=2))[1] == (2, "2030-03-18", "2030-04-01")


def test_cycles_that_are_switched_off_are_gone_with_what_was_in_them(at):
    team = at.create("team", "id cycles { nodes { id } }", name="Depot", cyclesEnabled=True)
    issue = at.issue("id cycle { number }", teamId=team["id"], cycleId=team["cycles"]["nodes"][0]["id"])
    assert issue["cycle"]
    assert cycles(at.update("team", team["id"], CYCLES, cyclesEnabled=False)) == []
    assert at(f'{{ issue(id: "{issue["id"]}") {{ cycle {{ number }} }} }}')["issue"]["cycle"] is None


def test_a_sub_team_has_its_parent_s_states_and_cycles(at):
    parent = at.create("team", f"id {STATES} {CYCLES}", name="Depot", cyclesEnabled=True)
    below = at.create("team", f"inheritWorkflowStatuses {STATES} {CYCLES}", name="Night shift", parentId=parent["id"])
    assert below["inheritWorkflowStatuses"] is True
    assert {name: each["inheritedFrom"]["id"] for name, each in names(below).items()} == {
        name: each["id"] for name, each in names(parent).items()
    }
    assert cycles(below) == cycles(parent)


def test_a_sub_team_that_does_not_inherit_has_states_of_its_own(linear):
    below = linear.create("team", STATES, name="Night shift", parentId=ENG, inheritWorkflowStatuses=False)
    assert {each["inheritedFrom"] for each in below["states"]["nodes"]} == {None}


def test_what_happens_to_a_state_happens_to_those_inherited_from_it(linear):
    below = linear.create("team", name="Night shift", parentId=ENG)["id"]
    made = linear.create("workflowState", teamId=ENG, name="Testing", type="started", color="#123456")["id"]
    linear.update("workflowState", made, name="In test")
    query = f"query($id: String!) {{ team(id: $id) {{ {STATES} }} }}"
    assert names(linear(query, id=below)["team"])["In test"]["inheritedFrom"] == {"id": made, "name": "In test"}
    linear(f'mutation {{ workflowStateArchive(id: "{made}") {{ success }} }}')
    assert "In test" not in names(linear(query, id=below)["team"])


def test_an_inherited_state_is_changed_at_the_parent_only(linear):
    below = linear.create("team", STATES, name="Night shift", parentId=ENG)
    key = names(below)["Todo"]["id"]
    query = f'mutation {{ workflowStateUpdate(id: "{key}", input: {{ name: "To do" }}) {{ success }} }}'
    assert "change it there" in linear.refusal(query)


def test_a_team_that_gets_a_parent_has_its_states_and_moves_its_issues(linear):
    team = linear.create("team", f"id {STATES}", name="Depot")
    waiting = linear.create("workflowState", teamId=team["id"], name="Waiting", type="started", color="#123456")["id"]
    issue = linear.issue("id", teamId=team["id"], stateId=waiting)["id"]
    review = names(linear(f'{{ team(id: "{ENG}") {{ {STATES} }} }}')["team"])["In Review"]["id"]
    query = f"""mutation($id: String!, $parent: String, $to: JSONObject!) {{
        teamUpdate(id: $id, input: {{ parentId: $parent }}, mapping: {{ workflowStates: $to }}) {{
            team {{ {STATES} }} }} }}"""
    seen = names(linear(query, id=team["id"], parent=ENG, to={waiting: review})["teamUpdate"]["team"])
    assert "Waiting" not in seen
    assert all(each["inheritedFrom"] for each in seen.values())
    state = linear(f'{{ issue(id: "{issue}") {{ state {{ name team {{ id }} }} }} }}')["issue"]["state"]
    assert state == {"name": "In Review", "team": {"id": team["id"]}}


def test_a_team_is_made_after_the_example_of_another(linear):
    example = linear.create("team", name="Depot", cycleCooldownTime=1, triageEnabled=True)["id"]
    linear.create("workflowState", teamId=example, name="Testing", type="started", color="#123456")
    query = f"""mutation($id: String) {{
        teamCreate(input: {{ name: "Yard" }}, copySettingsFromTeamId: $id) {{
            team {{ triageEnabled cycleCooldownTime {STATES} }} }} }}"""
    team = linear(query, id=example)["teamCreate"]["team"]
    assert (team["triageEnabled"], team["cycleCooldownTime"]) == (True, 1)
    assert "Testing" in names(team)


LOCK, STARTED, COMPLETED = "cycleLockToActive", "cycleIssueAutoAssignStarted", "cycleIssueAutoAssignCompleted"


@pytest.mark.parametrize(
    ("setting", "begun", "state", "ends_in_cycle"),
    [
        (None, True, BACKLOG, True),
        (LOCK, True, BACKLOG, False),
        (STARTED, True, BACKLOG, True),
        (LOCK, False, UNSTARTED, True),
        (LOCK, False, IN_PROGRESS, True),
        (LOCK, False, DONE, False),
        (STARTED, False, UNSTARTED, False),
        (STARTED, False, IN_PROGRESS, True),
        (COMPLETED, False, IN_PROGRESS, False),
        (COMPLETED, False, DONE, True),
        (None, False, DONE, False),
    ],
)
def test_issues_enter_and_leave_cycles_as_their_team_says(at, setting, begun, state, ends_in_cycle):
    """https://linear.app/docs/cycle-automations"""
    cycle = at.create("cycle", teamId=ENG, startsAt="2030-01-01T00:00:00Z", endsAt="2030-01-15T00:00:00Z")["id"]
    at.update("team", ENG, **({setting: True} if setting else {STARTED: False}))
    issue = at.issue(stateId=UNSTARTED if begun else BACKLOG, **({"cycleId": cycle} if begun else {}))["id"]
    seen = at.update("issue", issue, "cycle { id } addedToCycleAt", stateId=state)
    assert ((seen["cycle"] or {}).get("id"), seen["addedToCycleAt"] is not None) == (
        (cycle, True) if ends_in_cycle else (None, False)
    )


@pytest.mark.parametrize(("state", "is_in_cycle"), [(BACKLOG, False), (UNSTARTED, True)])
def test_a_new_issue_of_a_team_that_requires_cycles_is_in_one_unless_in_the_backlog(at, state, is_in_cycle):
    cycle = at.create("cycle", teamId=ENG, startsAt="2030-01-01T00:00:00Z", endsAt="2030-01-15T00:00:00Z")["id"]
    at.update("team", ENG, cycleLockToActive=True)
    given = {} if is_in_cycle else {"cycleId": cycle}
    assert at.issue("cycle { id }", stateId=state, **given)["cycle"] == ({"id": cycle} if is_in_cycle else None)
