"""Projects, fields, views and items as the REST API and webhooks show them.

https://docs.github.com/en/rest/projects
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import may
from ..core.node_ids import node_id
from ..core.stamps import show_instant, times_of
from ..tables.issue_tables import Issue, PullRequest
from ..tables.project_tables import Project, ProjectItem, ProjectStatusUpdate
from ..tables.repository_tables import Repository
from ..tables.user_tables import User
from ..views.issue_views import show_issue
from ..views.pull_views import show_pull
from ..views.user_views import PAGES, show_user, user_of
from .project_fields import Field, find_iteration, find_option, is_completed

Shown = dict[str, Any]
FIELD_PREFIXES = {"single_select": "PVTSSF", "iteration": "PVTIF"}
"""The prefixes of node ids of fields, where these differ from PVTF."""


def project_node_id(call: Call, project: Project) -> str:
    """Return the node id of a project."""
    return node_id("PVT", call.db.get(User, project.owner).id, project.id)


def item_node_id(item: ProjectItem) -> str:
    """Return the node id of an item."""
    return node_id("PVTI", item.project_id, item.id)


def draft_node_id(item: ProjectItem) -> str:
    """Return the node id of the draft that an item is."""
    return node_id("DI", item.project_id, item.id)


def field_node_id(project: Project, field: Field) -> str:
    """Return the node id of a field."""
    return node_id(FIELD_PREFIXES.get(field["data_type"], "PVTF"), project.id, field["id"])


def owner_path(call: Call, project: Project) -> str:
    """Return the path of a project's owner: `orgs/…` or `users/…`."""
    owner = call.db.get(User, project.owner)
    return f"{'orgs' if owner.type == 'Organization' else 'users'}/{owner.login}"


def project_url(call: Call, project: Project) -> str:
    """Return the API's address of a project."""
    return f"{call.base_url}/{owner_path(call, project)}/projectsV2/{project.number}"


def page_url(call: Call, project: Project) -> str:
    """Return the address of a project's page."""
    return f"{PAGES}/{owner_path(call, project)}/projects/{project.number}"


def list_status_updates(call: Call, project: Project) -> list[ProjectStatusUpdate]:
    """Return the status updates of a project, newest first."""
    by = (-ProjectStatusUpdate.created_at, -ProjectStatusUpdate.id)
    return list(call.db.rows(ProjectStatusUpdate, ProjectStatusUpdate.project_id == project.id, order=by))


def show_status_update(call: Call, project: Project, update: ProjectStatusUpdate) -> dict[str, Any]:
    """Render a status update."""
    return {
        "id": update.id,
        "node_id": node_id("PVTSU", project.id, update.id),
        "project_node_id": project_node_id(call, project),
        "creator": user_of(call, update.creator),
        **times_of(update),
        "status": update.status,
        "start_date": update.start_date,
        "target_date": update.target_date,
        "body": update.body,
    }


def show_project(call: Call, project: Project) -> Shown:
    """Render a project."""
    updates = list_status_updates(call, project)
    return {
        "id": project.id,
        "node_id": project_node_id(call, project),
        "owner": show_user(call, call.db.get(User, project.owner)),
        "creator": user_of(call, project.creator),
        "title": project.title,
        "description": project.description,
        "public": project.public,
        "closed_at": show_instant(project.closed_at),
        **times_of(project),
        "number": project.number,
        "short_description": project.short_description,
        "deleted_at": None,
        "deleted_by": None,
        "state": "closed" if project.closed_at else "open",
        "latest_status_update": show_status_update(call, project, updates[0]) if updates else None,
        "is_template": bool(project.is_template),
    }


def _text(raw: str) -> dict[str, str]:
    return {"raw": raw, "html": raw}


def show_field(call: Call, project: Project, field: Field) -> Shown:
    """Render a field of a project."""
    shown: Shown = {
        "id": field["id"],
        "node_id": field_node_id(project, field),
        "name": field["name"],
        "data_type": field["data_type"],
        "project_url": project_url(call, project),
        **times_of(project),
    }
    if "options" in field:
        shown["options"] = [_show_option(each) for each in field["options"]]
    if "configuration" in field:
        iterations = [_show_iteration(call, each) for each in field["configuration"]["iterations"]]
        shown["configuration"] = {**field["configuration"], "iterations": iterations}
    return shown


def _show_option(option: Shown) -> Shown:
    texts = {"name": _text(option["name"]), "description": _text(option.get("description", ""))}
    return {"id": option["id"], **texts, "color": option["color"]}


def _show_iteration(call: Call, iteration: Shown) -> Shown:
    return {**iteration, "title": _text(iteration["title"]), "completed": is_completed(call, iteration)}


def show_view(call: Call, project: Project, view: Shown) -> Shown:
    """Render a view of a project."""
    plain = [each["id"] for each in project.fields[:3]]
    lists = {"visible_fields": plain, "sort_by": [], "group_by": [], "vertical_group_by": []}
    return {
        **lists,
        **view,
        "node_id": node_id("PVTV", project.id, view["id"]),
        "project_url": project_url(call, project),
        "html_url": f"{page_url(call, project)}/views/{view['number']}",
        "creator": user_of(call, project.creator),
        **times_of(project),
    }


def find_content(call: Call, item: ProjectItem) -> tuple[Issue, Repository] | None:
    """Return the issue half and the repository of an item's content; None for drafts and for what is not visible."""
    issue = call.db.find(Issue, Issue.id == item.issue_id) if item.issue_id else None
    if issue is None:
        return None
    repo = call.db.get(Repository, issue.repository_id)
    return (issue, repo) if may(call, repo, "pull") else None


def _show_content(call: Call, item: ProjectItem) -> Shown | None:
    if item.content_type == "DraftIssue":
        texts = {"id": item.id, "node_id": draft_node_id(item), "title": item.title, "body": item.body}
        return {**texts, "user": user_of(call, item.creator), **times_of(item)}
    content = find_content(call, item)
    if content is None:
        return None
    issue, repo = content
    pull = call.db.find(PullRequest, PullRequest.issue_id == issue.id) if issue.is_pull_request else None
    return show_pull(call, repo, pull) if pull else show_issue(call, repo, issue)


def _show_value(call: Call, item: ProjectItem, field: Field, content: Shown | None) -> Any:
    """Return the value of a field: of the project, or of the issue that the item is."""
    if field["data_type"] == "title":
        return _text((content or {}).get("title") or item.title or "")
    if field["data_type"] in ("assignees", "labels", "milestone", "repository"):
        return (content or {}).get(field["data_type"])
    value = item.values.get(str(field["id"]))
    if field["data_type"] == "single_select":
        option = find_option(field, value)
        return _show_option(option) if option else None
    if field["data_type"] == "iteration":
        iteration = find_iteration(field, value)
        return _show_iteration(call, iteration) if iteration else None
    return value


def show_item(call: Call, project: Project, item: ProjectItem) -> Shown:
    """Render an item with its content and the values of its fields."""
    url = project_url(call, project)
    content = _show_content(call, item)
    chosen = [name for name in str(call.memo["query"].get("fields", "")).split(",") if name]
    fields = [
        {
            "id": field["id"],
            "name": field["name"],
            "data_type": field["data_type"],
            "value": _show_value(call, item, field, content),
        }
        for field in project.fields
        if not chosen or str(field["id"]) in chosen
    ]
    return {
        "id": item.id,
        "node_id": item_node_id(item),
        "project_url": url,
        "item_url": f"{url}/items/{item.id}",
        "content_type": item.content_type,
        "content": content,
        "creator": user_of(call, item.creator),
        **times_of(item),
        "archived_at": show_instant(item.archived_at),
        "fields": fields,
    }


def _content_node_id(call: Call, item: ProjectItem) -> str:
    issue = call.db.find(Issue, Issue.id == item.issue_id) if item.issue_id else None
    if issue is None:
        return draft_node_id(item)
    pull = call.db.find(PullRequest, PullRequest.issue_id == issue.id) if issue.is_pull_request else None
    return node_id("PR", pull.repository_id, pull.id) if pull else node_id("I", issue.repository_id, issue.id)


def show_item_event(call: Call, project: Project, item: ProjectItem) -> Shown:
    """Render an item as webhooks have it."""
    return {
        "id": item.id,
        "node_id": item_node_id(item),
        "project_node_id": project_node_id(call, project),
        "content_node_id": _content_node_id(call, item),
        "content_type": item.content_type,
        "creator": user_of(call, item.creator),
        **times_of(item),
        "archived_at": show_instant(item.archived_at),
    }
