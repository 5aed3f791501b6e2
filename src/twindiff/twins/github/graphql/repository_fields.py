"""Fields of repositories, their labels, milestones and releases.

https://docs.github.com/en/graphql/reference/objects
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.rows import Expression

from ..core.access import may, permission_of
from ..core.node_ids import node_id
from ..core.visibility import assignable_logins
from ..git.refs import is_empty
from ..tables.issue_tables import Label, Milestone
from ..tables.repository_tables import Release, Repository
from ..tables.user_tables import User
from ..tables.work_tables import Star
from ..views.license_views import show_license
from ..views.repository_views import html_url, release_url, setting
from .nodes import GraphNode, connect, user_node, user_nodes
from .resolvers import compute, connect_rows, enclosing_repo, field

compute("Repository.nameWithOwner")(lambda call, node: node.row.full_name)
compute("Repository.owner")(lambda call, node: user_node(call, node.row.owner))
compute("Repository.homepageUrl")(lambda call, node: node.row.homepage)
compute("Repository.url")(lambda call, node: html_url(call, node.row))
compute("Repository.sshUrl")(lambda call, node: f"git@github.com:{node.row.full_name}.git")
compute("Repository.isFork")(lambda call, node: node.row.parent_id is not None)
compute("Repository.isEmpty")(lambda call, node: is_empty(call, node.row))
compute("Repository.visibility")(lambda call, node: node.row.visibility.upper())
compute("Repository.diskUsage")(lambda call, node: node.row.size)
compute("Repository.stargazerCount")(lambda call, node: call.db.count(Star, Star.repository_id == node.row.id))
compute("Repository.forkCount")(lambda call, node: call.db.count(Repository, Repository.parent_id == node.row.id))
compute("Repository.viewerCanAdminister")(lambda call, node: may(call, node.row, "admin"))
compute("Repository.hasIssuesEnabled")(lambda call, node: setting(node.row, "has_issues"))
compute("Repository.hasWikiEnabled")(lambda call, node: setting(node.row, "has_wiki"))
compute("Repository.hasProjectsEnabled")(lambda call, node: setting(node.row, "has_projects"))
compute("Repository.hasDiscussionsEnabled")(lambda call, node: setting(node.row, "has_discussions"))
compute("Repository.mergeCommitAllowed")(lambda call, node: setting(node.row, "allow_merge_commit"))
compute("Repository.squashMergeAllowed")(lambda call, node: setting(node.row, "allow_squash_merge"))
compute("Repository.rebaseMergeAllowed")(lambda call, node: setting(node.row, "allow_rebase_merge"))
compute("Repository.autoMergeAllowed")(lambda call, node: setting(node.row, "allow_auto_merge"))
compute("Repository.deleteBranchOnMerge")(lambda call, node: setting(node.row, "delete_branch_on_merge"))
compute("Repository.isInOrganization")(
    lambda call, node: call.db.count(User, User.login == node.row.owner, User.type == "Organization") > 0
)
compute("Repository.viewerHasStarred")(
    lambda call, node: call.db.count(Star, Star.repository_id == node.row.id, Star.user == call.actor) > 0
)
compute("Repository.viewerPermission")(
    lambda call, node: {"pull": "READ", "push": "WRITE"}.get(
        permission_of(call, node.row), permission_of(call, node.row).upper()
    )
)


@field("Repository.parent")
def _parent(call: Call, node: GraphNode) -> Any:
    row = call.db.find(Repository, Repository.id == node.row.parent_id) if node.row.parent_id else None
    return GraphNode("Repository", row) if row else None


@field("Repository.primaryLanguage")
def _language(call: Call, node: GraphNode) -> Any:
    name = node.row.language
    return {"id": node_id("LANG", 0, name), "name": name, "color": None} if name else None


@field("Repository.licenseInfo")
def _license(call: Call, node: GraphNode) -> Any:
    shown = show_license(call, node.row.license)
    return {"key": shown["key"], "name": shown["name"], "spdxId": shown["spdx_id"], "nickname": None} if shown else None


@field("Repository.repositoryTopics")
def _topics(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect([{"topic": {"name": name}} for name in node.row.topics], arguments)


@field("Repository.label")
def _label(call: Call, node: GraphNode, name: str) -> Any:
    row = call.db.find(Label, Label.repository_id == node.row.id, Label.name.equals(name))
    return GraphNode("Label", row, node.row) if row else None


@field("Repository.labels")
def _labels(call: Call, node: GraphNode, query: str | None = None, **arguments: Any) -> Any:
    where: list[Expression] = [Label.repository_id == node.row.id]
    where += [Label.name.contains(query, fold=True)] if query else []
    return connect_rows(call, Label, where, Label.name, lambda row: GraphNode("Label", row, node.row), arguments)


@field("Repository.milestone")
def _milestone(call: Call, node: GraphNode, number: int) -> Any:
    row = call.db.find(Milestone, Milestone.repository_id == node.row.id, Milestone.number == number)
    return GraphNode("Milestone", row, node.row) if row else None


@field("Repository.milestones")
def _milestones(
    call: Call, node: GraphNode, states: list[str] | None = None, query: str | None = None, **arguments: Any
) -> Any:
    where: list[Expression] = [Milestone.repository_id == node.row.id]
    where += [Milestone.title.contains(query, fold=True)] if query else []
    where += [Milestone.state.in_([state.lower() for state in states])] if states else []
    show = GraphNode
    return connect_rows(
        call, Milestone, where, Milestone.number, lambda row: show("Milestone", row, node.row), arguments
    )


@field("Repository.assignableUsers", "Repository.collaborators")
def _assignable(call: Call, node: GraphNode, query: str | None = None, **arguments: Any) -> Any:
    logins = [login for login in assignable_logins(call, node.row) if (query or "").lower() in login.lower()]
    return connect(user_nodes(call, logins), arguments)


def _release_rows(call: Call, node: GraphNode) -> list[Release]:
    rows = call.db.rows(Release, Release.repository_id == node.row.id, order=(-Release.created_at, -Release.id))
    return [row for row in rows if not row.draft or may(call, node.row, "push")]


@field("Repository.releases")
def _releases(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect([GraphNode("Release", row, node.row) for row in _release_rows(call, node)], arguments)


@field("Repository.latestRelease")
def _latest_release(call: Call, node: GraphNode) -> Any:
    rows = [row for row in _release_rows(call, node) if not row.draft and not row.prerelease]
    return GraphNode("Release", rows[0], node.row) if rows else None


compute("Release.description")(lambda call, node: node.row.body)
compute("Release.isLatest")(lambda call, node: bool(node.row.is_latest))
compute("Release.author")(lambda call, node: user_node(call, node.row.author))
compute("Release.url")(lambda call, node: release_url(call, enclosing_repo(node), node.row))
compute("Label.isDefault")(lambda call, node: node.row.default)
compute("Label.url")(lambda call, node: f"{html_url(call, enclosing_repo(node))}/labels/{node.row.name}")
compute("Milestone.state")(lambda call, node: node.row.state.upper())
compute("Milestone.url")(lambda call, node: f"{html_url(call, enclosing_repo(node))}/milestone/{node.row.number}")
