"""Fields of users, organizations and teams.

https://docs.github.com/en/graphql/reference/objects
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.rows import Expression

from ..core.access import find_team
from ..core.visibility import visible_to_caller
from ..tables.repository_tables import Repository
from ..tables.user_tables import Membership, Team, TeamMember
from ..views.user_views import PAGES, user_node_id
from ..wire_style import NotVisible
from .nodes import GraphNode, connect, user_nodes
from .resolvers import compute, connect_rows, field

compute("User.id", "Organization.id", "Bot.id", "Mannequin.id")(lambda call, node: user_node_id(node.row))
compute("User.url", "Organization.url", "Bot.url", "Mannequin.url")(lambda call, node: f"{PAGES}/{node.row.login}")
compute("User.email")(lambda call, node: node.row.email or "")
compute("User.isViewer")(lambda call, node: node.row.login == call.actor)


@field("User.avatarUrl", "Organization.avatarUrl", "Bot.avatarUrl", "Mannequin.avatarUrl")
def _avatar(call: Call, node: GraphNode, size: int | None = None) -> str:
    return f"https://avatars.githubusercontent.com/u/{node.row.id}?v=4" + (f"&s={size}" if size else "")


@field("User.repositories", "Organization.repositories")
def _repositories(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where: list[Expression] = [Repository.owner == node.row.login, visible_to_caller(call)]
    if arguments.get("privacy"):
        where.append(Repository.private == (arguments["privacy"] == "PRIVATE"))
    if arguments.get("isFork") is not None:
        where.append(Repository.parent_id.is_null() if not arguments["isFork"] else Repository.parent_id > 0)
    columns = {
        "CREATED_AT": Repository.created_at,
        "UPDATED_AT": Repository.updated_at,
        "PUSHED_AT": Repository.pushed_at,
    }
    wanted: dict[str, Any] = arguments.get("orderBy") or {}
    column: Any = columns.get(wanted.get("field", ""), Repository.name)
    by = -column if wanted.get("direction") == "DESC" else column
    return connect_rows(call, Repository, where, by, lambda row: GraphNode("Repository", row), arguments)


@field("User.repository", "Organization.repository")
def _repository(call: Call, node: GraphNode, name: str) -> Any:
    row = call.db.find(Repository, Repository.full_name.equals(f"{node.row.login}/{name}"), visible_to_caller(call))
    return GraphNode("Repository", row) if row else None


@field("User.organizations")
def _organizations(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(Membership, Membership.user == node.row.login, order=Membership.org)
    return connect(user_nodes(call, [row.org for row in rows]), arguments)


@field("Organization.membersWithRole")
def _members(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(Membership, Membership.org == node.row.login, order=Membership.user)
    return connect(user_nodes(call, [row.user for row in rows]), arguments)


@field("Organization.teams")
def _teams(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect_rows(
        call, Team, [Team.org == node.row.login], Team.name, lambda row: GraphNode("Team", row), arguments
    )


@field("Organization.team")
def _team(call: Call, node: GraphNode, slug: str) -> Any:
    try:
        return GraphNode("Team", find_team(call, node.row, slug))
    except NotVisible:
        return None


@field("Team.members")
def _team_members(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(TeamMember, TeamMember.team_id == node.row.id, order=TeamMember.user)
    return connect(user_nodes(call, [row.user for row in rows]), arguments)
