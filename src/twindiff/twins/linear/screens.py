"""Inspector views of a workspace: a board per team and a page per issue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Call
from twindiff.kit.inspector_views import Card, Lane, Screen, ScreenLink, ScreenPost
from twindiff.kit.store import Store

from .model.comments import Comment
from .model.issues import Issue
from .model.teams import Team
from .model.users import User
from .model.workflows import WorkflowState

SHOWN = 100
"""Maximum number of cards in a lane, and of comments on an issue."""
TYPES = ("triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate")
"""The types of workflow states in Linear's display order."""


def screen(call: Call, path: str) -> Screen | None:
    """Render the board at `teams/KEY`, by default the first team's, or the issue at `issues/KEY-NUMBER`; else None."""
    db = call.db
    teams: Sequence[Any] = db.rows(Team.row, order=Team.row.name, limit=500)
    places = [("Teams", [ScreenLink(each.name, f"teams/{each.key}") for each in teams])]
    kind, _, name = path.partition("/")
    if kind == "issues":
        issue = db.find(Issue.row, Issue.row.identifier == name)
        return _issue(db, issue)._replace(places=places) if issue else None
    team = next((each for each in teams if not path or path == f"teams/{each.key}"), None)
    if team is None:
        return None if path else Screen("No teams")
    return _board(db, team)._replace(places=places)


def _board(db: Store, team: Any) -> Screen:
    states: Sequence[Any] = db.rows(WorkflowState.row, WorkflowState.row.teamId == team.id)
    people = _people(db)
    return Screen(
        title=team.name,
        subtitle=team.description or "",
        lanes=[_lane(db, state, people) for state in sorted(states, key=_place)],
    )


def _place(state: Any) -> tuple[int, float]:
    return TYPES.index(state.type) if state.type in TYPES else len(TYPES), state.position


def _lane(db: Store, state: Any, people: dict[str, str]) -> Lane:
    issues: Sequence[Any] = db.rows(
        Issue.row,
        Issue.row.stateId == state.id,
        Issue.row.archivedAt.is_null(),
        order=(Issue.row.sortOrder, Issue.row.number),
        limit=SHOWN,
    )
    return Lane(state.name, [_card(each, people) for each in issues])


def _card(issue: Any, people: dict[str, str]) -> Card:
    notes = [issue.priorityLabel if issue.priority else "", people.get(issue.assigneeId or "", "")]
    return Card(f"{issue.identifier} {issue.title}", f"issues/{issue.identifier}", [each for each in notes if each])


def _issue(db: Store, issue: Any) -> Screen:
    people = _people(db)
    state: Any = db.find(WorkflowState.row, WorkflowState.row.id == issue.stateId)
    mine = Comment.row.issueId == issue.id
    comments: Sequence[Any] = db.rows(Comment.row, mine, order=Comment.row.createdAt, limit=SHOWN)
    facts = {
        "Status": state.name if state else "",
        "Priority": issue.priorityLabel,
        "Assignee": people.get(issue.assigneeId or "", ""),
        "Created by": people.get(issue.creatorId or "", ""),
        "Due": issue.dueDate or "",
        "Estimate": f"{issue.estimate:g}" if issue.estimate is not None else "",
    }
    return Screen(
        title=f"{issue.identifier} {issue.title}",
        facts=[(name, text) for name, text in facts.items() if text],
        text=issue.description or "",
        entries=[
            ScreenPost(people.get(each.userId or "", "somebody"), each.createdAt or "", each.body) for each in comments
        ],
    )


def _people(db: Store) -> dict[str, str]:
    users: Sequence[Any] = db.rows(User.row, limit=1000)
    return {each.id: each.displayName or each.name for each in users}
