"""Teams, their members and their hierarchy.  https://linear.app/docs/teams"""

from __future__ import annotations

import re
from typing import Any

from twindiff.kit import Call, exists, not_
from twindiff.kit.computed_values import reachable_rows
from twindiff.kit.graphql import ConnectionRows, Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.rows import Expression, Step

from ..core.actors import acting_user
from ..core.counts import tally
from ..core.issue_names import go_beyond
from ..core.permissions import list_hidden_teams
from ..model.issues import Issue
from ..model.teams import Team, TeamMembership
from ..model.users import User
from ..model.workflows import Cycle, WorkflowState
from .initial_workflows import adopt, furnish_states, furnish_triage, release
from .team_cycles import end_cycles, plan_cycles

api = Section()

_KEY = re.compile(r"[A-Z][A-Z0-9]{0,6}")
SETTINGS = {
    "color": "#5e6ad2",
    "autoArchivePeriod": 6.0,
    "cycleDuration": 2.0,
    "upcomingCycleCount": 2.0,
    "cycleStartDay": 1.0,
    "defaultIssueEstimate": 1.0,
    "issueEstimationType": "notUsed",
    "setIssueSortOrderOnStateChange": "default",
    "timezone": "America/Los_Angeles",
    "groupIssueHistory": True,
}
_COPIED = (
    "autoClosePeriod",
    "cycleCooldownTime",
    "cycleIssueAutoAssignCompleted",
    "cycleIssueAutoAssignStarted",
    "cycleLockToActive",
    "cyclesEnabled",
    "issueEstimationAllowZero",
    "issueEstimationExtended",
    "requirePriorityToLeaveTriage",
    "triageEnabled",
)
"""Further settings that a team copies from the team it is modelled on."""
_SCHEDULE = ("cyclesEnabled", "cycleDuration", "cycleCooldownTime", "cycleStartDay", "upcomingCycleCount", "timezone")
_EXAMPLE = "copySettingsFromTeamId"


@api.before_create(Team)
def create_team(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new team. Its key is given or derived from its name, and must be unique."""
    user = acting_user(call)
    if user.guest:
        raise InvalidInput("Guests cannot create teams.")
    if not values["name"].strip():
        raise InvalidInput("name: a team needs a name.")
    values["organizationId"] = user.organizationId
    values["key"] = _key(call, given.get("key") or _key_of(values["name"]), given="key" in given)
    values["displayName"] = values["name"]
    values["inviteHash"] = call.ids.new("", 10).lower()
    values["visibility"] = "private" if values.get("private") else "public"
    copied = _copy_settings(call, given)
    values |= {name: value for name, value in {**SETTINGS, **copied}.items() if given.get(name) is None}
    if values.get("parentId"):
        _check_parent(call, values["parentId"], values["id"])
        values |= _schedule(call, values["parentId"])
        values["inheritWorkflowStatuses"] = given.get("inheritWorkflowStatuses", True)


def _copy_settings(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the team that the request names as an example, or none."""
    if not given.get(_EXAMPLE):
        return {}
    example = entity_operations.find(call, Team, given[_EXAMPLE])
    return {name: getattr(example, name) for name in (*SETTINGS, *_COPIED)}


def _schedule(call: Call, parent_id: str) -> dict[str, Any]:
    """Return the cycle settings that a sub-team takes from its parent.  https://linear.app/docs/sub-teams"""
    parent = call.db.get(Team.row, parent_id)
    return {name: getattr(parent, name) for name in _SCHEDULE} if parent.cyclesEnabled else {}


def _key_of(name: str) -> str:
    """Derive a team key from a name: `SITER` for `Site reliability`."""
    letters = re.sub(r"[^A-Z0-9]", "", name.upper()).lstrip("0123456789")
    return letters[:5] or "TEAM"


def _key(call: Call, wanted: str, *, given: bool) -> str:
    key = wanted.upper()
    if not _KEY.fullmatch(key):
        raise InvalidInput("key: a team's key is one to seven letters and digits that begin with a letter.")
    number = 1
    while call.db.find(Team.row, Team.row.key == key):
        if given:
            raise InvalidInput(f"key: the key {key} is in use by another team.")
        number += 1
        key = f"{wanted.upper()[:5]}{number}"
    return key


def _check_parent(call: Call, parent_id: str, team_id: str) -> None:
    above: str | None = parent_id
    for _ in range(10):
        if above == team_id:
            raise InvalidInput("parentId: a team cannot be below itself.")
        parent = call.db.find(Team.row, Team.row.id == above) if above else None
        above = parent.parentId if parent else None


@api.after_create(Team)
def furnish_team(call: Call, row: Any, given: dict[str, Any]) -> Any:
    """Create the states, the owner's membership and the cycles of a new team."""
    now = call.clock.iso()
    fresh = {"teamId": row.id, "createdAt": now, "updatedAt": now}
    standing = furnish_states(call, row, given.get(_EXAMPLE))
    membership = {**fresh, "userId": call.actor, "owner": True, "sortOrder": 0.0}
    call.db.add(TeamMembership.row(id=call.ids.uuid(), **membership))
    team = call.db.change(row, **standing)
    if team.cyclesEnabled:
        plan_cycles(call, team)
    return team


@api.mutation("teamCreate")
def team_create(call: Call, input: dict[str, Any], copy_settings_from_team_id: str | None = None) -> dict[str, Any]:
    """Create a team, optionally with the settings of another team."""
    return {"team": entity_operations.create(call, Team, {**input, _EXAMPLE: copy_settings_from_team_id})}


@api.mutation("teamUpdate")
def team_update(call: Call, id: str, input: dict[str, Any], mapping: dict[str, Any] | None = None) -> dict[str, Any]:
    """Update a team. `mapping.workflowStates` says where issues move if the team inherits its parent's states."""
    before = entity_operations.find(call, Team, id)
    after = entity_operations.update(call, Team, before, input)
    after = furnish_triage(call, _inherit(call, before, after, (mapping or {}).get("workflowStates") or {}))
    _cycle(call, before, after, input.get("cycleEnabledStartDate"))
    if after.retiredAt and not before.retiredAt:
        _retire_below(call, after, input.get("handleSubTeamsOnRetirement"))
    return {"team": after}


def _retire_below(call: Call, team: Any, handling: str | None) -> None:
    """Retire or detach the sub-teams of a retired team, as `handling` says."""
    row, now = Team.row, call.clock.iso()
    for below in call.db.rows(row, row.parentId == team.id) if handling else ():
        if handling == "retire":
            call.db.change(below, retiredAt=now, updatedAt=now)
        else:
            call.db.change(below, parentId=None, inheritWorkflowStatuses=False, updatedAt=now)
            release(call, below)


def _inherit(call: Call, before: Any, after: Any, mapping: dict[str, str]) -> Any:
    inherits = (after.inheritWorkflowStatuses, after.parentId)
    if inherits == (before.inheritWorkflowStatuses, before.parentId):
        return after
    if all(inherits):
        return adopt(call, after, mapping)
    release(call, after)
    return after


def _cycle(call: Call, before: Any, after: Any, since: str | None) -> None:
    wanted = (after.cyclesEnabled, after.upcomingCycleCount)
    if wanted == (before.cyclesEnabled, before.upcomingCycleCount):
        return
    if after.cyclesEnabled:
        plan_cycles(call, after, since)
    elif before.cyclesEnabled:
        end_cycles(call, after)


@api.before_update(Team)
def update_team(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate the changes of a team and add the columns derived from them."""
    if changes.get("key", row.key) != row.key:
        changes["key"] = _key(call, changes["key"], given=True)
        go_beyond(call, row, changes["key"])
    if changes.get("name", row.name) != row.name:
        changes["displayName"] = changes["name"]
    if changes.get("parentId"):
        _check_parent(call, changes["parentId"], row.id)
        if changes["parentId"] != row.parentId:
            changes["inheritWorkflowStatuses"] = given.get("inheritWorkflowStatuses", True)
    if "private" in changes:
        changes["visibility"] = "private" if changes["private"] else "public"
    if changes.get("defaultIssueStateId"):
        state = call.db.get(WorkflowState.row, changes["defaultIssueStateId"])
        if state.teamId != row.id:
            raise InvalidInput("defaultIssueStateId: the state belongs to another team.")


@api.before_create(TeamMembership)
def create_membership(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput if the user is a member of the team already."""
    member = TeamMembership.row
    if call.db.find(member, member.teamId == values["teamId"], member.userId == values["userId"]):
        raise InvalidInput("userId: the user is a member of the team already.")


@api.field(Team, "issueCount", needs="id")
def issue_count(call: Call, rows: list[Any], include_archived: bool = False) -> list[int]:
    """Return the number of issues in each team."""
    issue = Issue.row
    kept = () if include_archived else (issue.archivedAt.is_null(),)
    return tally(call, issue.teamId, rows, *kept)


@api.field(Team, "membership", needs="id")
def membership(call: Call, rows: list[Any], user_id: str) -> list[Any]:
    """Return a user's membership in each team, or None."""
    member = TeamMembership.row
    user = call.actor if user_id == "me" else user_id
    teams = tuple(row.id for row in rows)
    by_team = {row.teamId: row for row in call.db.rows(member, member.userId == user, member.teamId.in_(teams))}
    return [by_team.get(row.id) for row in rows]


@api.field(Team, "viewerMembership", needs="id")
def viewer_membership(call: Call, rows: list[Any]) -> list[Any]:
    """Return the caller's membership in each team, or None."""
    return membership(call, rows, call.actor)


@api.field(Team, "viewerCanJoin", needs="id")
def viewer_can_join(call: Call, rows: list[Any]) -> list[bool]:
    """Return whether the caller can join each team: members can join open teams that they are not in."""
    guest = acting_user(call).guest
    return [not guest and joined is None for joined in membership(call, rows, call.actor)]


@api.field(Team, "viewerCanLeave", needs="id")
def viewer_can_leave(call: Call, rows: list[Any]) -> list[bool]:
    """Return whether the caller can leave each team, which all of its members can."""
    return [joined is not None for joined in membership(call, rows, call.actor)]


@api.field(Team, "ancestors", needs="id parentId")
def ancestors(call: Call, rows: list[Any]) -> list[Any]:
    """Return the ancestors of each team, nearest first."""
    if not any(row.parentId for row in rows):
        return [[] for _ in rows]
    known = {team.id: team for team in call.db.rows(Team.row)}
    return [_above(known, row.parentId) for row in rows]


def _above(known: dict[str, Any], key: str | None) -> list[Any]:
    parents: list[Any] = []
    while key in known and len(parents) < len(known):
        parents.append(known[key])
        key = known[key].parentId
    return parents


@api.filter(Team, "ancestors")
def filter_ancestors(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the ancestors of a team, at any distance."""
    team = Team.row
    above = reachable_rows(team.id, Step(team.id, team.parentId))
    return entity_operations.collection(call, Team, comparator, team.id != team.id, source=above)


@api.filter(Team, "owners")
def owners(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the owners of a team."""
    return _members(call, comparator, TeamMembership.row.owner)


@api.filter(Team, "users")
def members(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the members of a team."""
    return _members(call, comparator)


def _members(call: Call, comparator: dict[str, Any], *kind: Expression) -> Expression:
    member = TeamMembership.row
    joined = exists(member, member.userId == User.row.id, member.teamId == Team.row.id, *kind)
    return entity_operations.collection(call, User, comparator, joined)


@api.field(Team, "activeCycle", needs="id")
def active_cycle(call: Call, rows: list[Any]) -> list[Any]:
    """Return the current cycle of each team, or None."""
    cycle, now = Cycle.row, call.clock.iso()
    teams = tuple(row.id for row in rows)
    running = call.db.rows(cycle, cycle.teamId.in_(teams), cycle.startsAt <= now, cycle.endsAt > now)
    by_team = {row.teamId: row for row in running if row.archivedAt is None}
    return [by_team.get(row.id) for row in rows]


@api.query(
    "administrableTeams(after: String, before: String, filter: TeamFilter, first: Int, "
    "includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): TeamConnection!"
)
def administrable_teams(call: Call, **paging: Any) -> Any:
    """List the teams whose settings the caller may change: all for an admin, else the caller's own teams."""
    if acting_user(call).admin:
        return ConnectionRows(Team)
    member = TeamMembership.row
    return ConnectionRows(Team, (exists(member, member.teamId == Team.row.id, member.userId == call.actor),))


@api.query("archivedTeams: [Team!]!")
def archived_teams(call: Call) -> list[Any]:
    """List the deleted teams."""
    team, hidden = Team.row, list_hidden_teams(call)
    seen = (not_(team.id.in_(hidden)),) if hidden else ()
    return call.db.rows(team, not_(team.archivedAt.is_null()), *seen, order=team.name)


@api.mutation("teamCyclesDelete(id: String!): TeamPayload!")
def team_cycles_delete(call: Call, id: str) -> dict[str, Any]:
    """Archive all cycles of a team and remove its issues from them."""
    team, cycle, issue, now = entity_operations.find(call, Team, id), Cycle.row, Issue.row, call.clock.iso()
    for row in call.db.rows(cycle, cycle.teamId == team.id, cycle.archivedAt.is_null()):
        call.db.change(row, archivedAt=now, updatedAt=now)
    for row in call.db.rows(issue, issue.teamId == team.id, not_(issue.cycleId.is_null())):
        call.db.change(row, cycleId=None, addedToCycleAt=None, updatedAt=now)
    return {"team": team}
