"""Visibility: private teams are visible to members, guests see joined teams only, an inbox is visible to its owner.

https://linear.app/docs/members-roles · https://linear.app/docs/private-teams
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, all_of, any_of, exists, not_
from twindiff.kit.graphql import Entity, Section
from twindiff.kit.rows import Expression

from ..model.associations import ProjectTeam
from ..model.attachments import Attachment
from ..model.comments import Comment
from ..model.documents import Document, Template
from ..model.history import IssueHistory
from ..model.issues import Issue, IssueRelation
from ..model.labels import IssueLabel
from ..model.notifications import Notification
from ..model.projects import Project
from ..model.subscriptions import NotificationSubscription
from ..model.teams import Team, TeamMembership
from ..model.users import User
from ..model.views import CustomView, Favorite
from ..model.workflows import Cycle, WorkflowState

api = Section()


def list_hidden_teams(call: Call) -> list[str]:
    """Return the ids of the teams that the actor may not see."""
    if "hidden_teams" not in call.memo:
        call.memo["hidden_teams"] = _load_hidden_teams(call)
    return call.memo["hidden_teams"]


def _load_hidden_teams(call: Call) -> list[str]:
    team, member, user = Team.row, TeamMembership.row, User.row
    is_guest = exists(user, user.id == call.actor, user.guest)
    joined = exists(member, member.teamId == team.id, member.userId == call.actor)
    closed = any_of(team.private, is_guest)
    return [key for (key,) in call.db.rows(team, closed, not_(joined), columns=(team.id,))]


def outside(column: Any, teams: list[str]) -> Expression:
    """Build the condition that a team column is NULL or names none of `teams`."""
    return any_of(column.is_null(), not_(column.in_(teams)))


def _by_team(entity: type[Entity]) -> None:
    @api.visible(entity)
    def visible(call: Call) -> Expression | None:  # pyright: ignore[reportUnusedFunction] - registered
        teams = list_hidden_teams(call)
        return outside(entity.row.teamId, teams) if teams else None


def _by_issue(entity: type[Entity]) -> None:
    @api.visible(entity)
    def visible(call: Call) -> Expression | None:  # pyright: ignore[reportUnusedFunction] - registered
        teams = list_hidden_teams(call)
        issue = Issue.row
        column = entity.row.issueId
        return not_(exists(issue, issue.id == column, issue.teamId.in_(teams))) if teams else None


for _entity in (Issue, WorkflowState, Cycle, IssueLabel, Document, Template, TeamMembership):
    _by_team(_entity)
for _entity in (Comment, Attachment, IssueHistory, IssueRelation):
    _by_issue(_entity)


@api.visible(Team)
def teams_seen(call: Call) -> Expression | None:
    """Return the condition for teams that the actor may see, or None if they may see all."""
    teams = list_hidden_teams(call)
    return not_(Team.row.id.in_(teams)) if teams else None


@api.visible(Project)
def projects_seen(call: Call) -> Expression | None:
    """Return the condition for visible projects: those with a visible team or without any team."""
    teams = list_hidden_teams(call)
    if not teams:
        return None
    link = ProjectTeam
    mine = exists(link, link.project_id == Project.row.id, not_(link.team_id.in_(teams)))
    return any_of(mine, not_(exists(link, link.project_id == Project.row.id)))


@api.visible(Notification)
def own_notifications(call: Call) -> Expression:
    """Return the condition for the actor's own notifications."""
    return Notification.row.userId == call.actor


@api.visible(NotificationSubscription)
def own_subscriptions(call: Call) -> Expression:
    """Return the condition for the actor's own subscriptions."""
    return NotificationSubscription.row.subscriberId == call.actor


@api.visible(Favorite)
def own_favorites(call: Call) -> Expression:
    """Return the condition for the actor's own favorites."""
    return Favorite.row.ownerId == call.actor


@api.visible(CustomView)
def views_seen(call: Call) -> Expression:
    """Return the condition for the actor's own views, and shared views of teams that the actor may see."""
    view = CustomView.row
    mine = any_of(view.ownerId == call.actor, view.creatorId == call.actor)
    teams = list_hidden_teams(call)
    shared: Expression = view.shared
    return any_of(mine, all_of(shared, outside(view.teamId, teams)) if teams else shared)
