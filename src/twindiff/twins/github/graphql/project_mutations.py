"""Mutations of projects.

https://docs.github.com/en/graphql/reference/mutations
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..issues import issues
from ..issues.issues import IssueBody
from ..projects import project_changes
from ..projects.project_changes import check_writer, set_archived, set_value
from ..projects.project_fields import Field, build_configuration, build_options, check_field_name, find_field
from ..projects.project_views import item_node_id, project_node_id
from ..tables.issue_tables import Issue
from ..tables.project_tables import Project, ProjectItem
from ..tables.user_tables import User
from .mutations import Input, list_names, mutation, run_operation
from .nodes import GraphNode, GraphRefusal, connect, find_node
from .project_fields import check_project_scope, field_node, project_node, project_of
from .resolvers import issue_half

_VALUES = {
    "text": "text",
    "number": "number",
    "date": "date",
    "singleSelectOptionId": "single_select",
    "iterationId": "iteration",
}
"""The kinds of fields that the members of `ProjectV2FieldValue` are for."""


def _writable(call: Call, given: Input) -> Project:
    """Return the project of an input, which the caller may change."""
    project: Project = find_node(call, given["projectId"], "ProjectV2").row
    check_project_scope(call, call.db.get(User, project.owner), "PATCH", "projectV2")
    check_writer(call, project)
    return project


def _find_item(call: Call, project: Project, given: Input) -> ProjectItem:
    item: ProjectItem = find_node(call, given["itemId"], "ProjectV2Item").row
    if item.project_id != project.id:
        raise GraphRefusal("The item does not exist in the project", "NOT_FOUND")
    return item


def _find_field(call: Call, text: str, project: Project | None = None) -> tuple[Project, Field]:
    node = find_node(call, text, "ProjectV2Field", "ProjectV2SingleSelectField", "ProjectV2IterationField")
    own: Project = node.row.project
    if project is not None and own.id != project.id:
        raise GraphRefusal("The field does not belong to the project", "NOT_FOUND")
    return own, node.row.field


def _find_owner(call: Call, given: Input) -> User:
    owner: User = find_node(call, given["ownerId"], "User", "Organization").row
    check_project_scope(call, owner, "POST", "projectV2")
    return owner


def _payload(project: Project) -> Any:
    return {"projectV2": project_node(project)}


@mutation
def create_project_v2(call: Call, given: Input) -> Any:
    """Run `createProjectV2`, and return its payload."""
    project = project_changes.create_project(call, _find_owner(call, given), given["title"])
    for name, kind, subject in (("repositoryId", "Repository", "repositories"), ("teamId", "Team", "teams")):
        if given.get(name):
            node = find_node(call, given[name], kind)
            project_changes.link_project(call, project, subject, node.row.id, linked=True)
    return _payload(project)


@mutation
def update_project_v2(call: Call, given: Input) -> Any:
    """Run `updateProjectV2`, and return its payload."""
    project = _writable(call, given)
    names = {"title": "title", "shortDescription": "short_description", "readme": "description", "public": "public"}
    columns = {column: given[name] for name, column in names.items() if given.get(name) is not None}
    project = project_changes.edit_project(call, project, **columns)
    if given.get("closed") is not None:
        project = project_changes.close_project(call, project, closed=given["closed"])
    return _payload(project)


@mutation
def delete_project_v2(call: Call, given: Input) -> Any:
    """Run `deleteProjectV2`, and return its payload."""
    project = _writable(call, given)
    project_changes.delete_project(call, project)
    return _payload(project)


@mutation
def copy_project_v2(call: Call, given: Input) -> Any:
    """Run `copyProjectV2`, and return its payload."""
    project: Project = find_node(call, given["projectId"], "ProjectV2").row
    owner, drafts = _find_owner(call, given), bool(given.get("includeDraftIssues"))
    return _payload(project_changes.copy_project(call, project, owner, given["title"], with_drafts=drafts))


def _link(call: Call, given: Input, kind: str, subject: str, *, linked: bool) -> Any:
    project = _writable(call, given)
    node = find_node(call, given["repositoryId" if kind == "Repository" else "teamId"], kind)
    owner: str = node.row.owner if kind == "Repository" else node.row.org
    if owner != project.owner:
        raise GraphRefusal(f"The {kind.lower()} and the project must have the same owner", "UNPROCESSABLE")
    project_changes.link_project(call, project, subject, node.row.id, linked=linked)
    return {kind.lower(): node}


@mutation
def link_project_v2_to_repository(call: Call, given: Input) -> Any:
    """Run `linkProjectV2ToRepository`, and return its payload."""
    return _link(call, given, "Repository", "repositories", linked=True)


@mutation
def unlink_project_v2_from_repository(call: Call, given: Input) -> Any:
    """Run `unlinkProjectV2FromRepository`, and return its payload."""
    return _link(call, given, "Repository", "repositories", linked=False)


@mutation
def link_project_v2_to_team(call: Call, given: Input) -> Any:
    """Run `linkProjectV2ToTeam`, and return its payload."""
    return _link(call, given, "Team", "teams", linked=True)


@mutation
def unlink_project_v2_from_team(call: Call, given: Input) -> Any:
    """Run `unlinkProjectV2FromTeam`, and return its payload."""
    return _link(call, given, "Team", "teams", linked=False)


@mutation
def mark_project_v2_as_template(call: Call, given: Input) -> Any:
    """Run `markProjectV2AsTemplate`, and return its payload."""
    return _payload(call.db.change(_writable(call, given), is_template=True))


@mutation
def unmark_project_v2_as_template(call: Call, given: Input) -> Any:
    """Run `unmarkProjectV2AsTemplate`, and return its payload."""
    return _payload(call.db.change(_writable(call, given), is_template=False))


def _configuration(given: Input) -> Input | None:
    """Return the configuration of iterations of an input with the names that rows have."""
    whole: Input | None = given.get("iterationConfiguration")
    if whole is None:
        return None
    iterations = [{**each, "start_date": each["startDate"]} for each in whole["iterations"]]
    return {"start_date": whole["startDate"], "duration": whole["duration"], "iterations": iterations}


@mutation
def create_project_v2_field(call: Call, given: Input) -> Any:
    """Run `createProjectV2Field`, and return its payload."""
    project, kind = _writable(call, given), given["dataType"].lower()
    details = {"options": given.get("singleSelectOptions"), "configuration": _configuration(given)}
    own = project_changes.add_field(call, project, given["name"], kind, **details)
    return {"projectV2Field": field_node(call.db.get(Project, project.id), own)}


@mutation
def update_project_v2_field(call: Call, given: Input) -> Any:
    """Run `updateProjectV2Field`, and return its payload."""
    project, own = _find_field(call, given["fieldId"])
    project = _writable(call, {"projectId": project_node_id(call, project)})
    if given.get("name") is not None:
        check_field_name(project, given["name"], own["id"])
        own = {**own, "name": given["name"].strip()}
    if given.get("singleSelectOptions") is not None and "options" in own:
        own = {**own, "options": build_options(call, given["singleSelectOptions"], own["options"])}
    if (configuration := _configuration(given)) and "configuration" in own:
        own = {**own, "configuration": build_configuration(call, configuration)}
    return {"projectV2Field": field_node(project_changes.replace_field(call, project, own), own)}


@mutation
def delete_project_v2_field(call: Call, given: Input) -> Any:
    """Run `deleteProjectV2Field`, and return its payload."""
    project, own = _find_field(call, given["fieldId"])
    project = _writable(call, {"projectId": project_node_id(call, project)})
    return {"projectV2Field": field_node(project_changes.delete_field(call, project, own), own)}


@mutation
def add_project_v2_item_by_id(call: Call, given: Input) -> Any:
    """Run `addProjectV2ItemById`, and return its payload."""
    project = _writable(call, given)
    content = find_node(call, given["contentId"], "Issue", "PullRequest")
    item = project_changes.add_issue(call, project, issue_half(call, content))
    return {"item": GraphNode("ProjectV2Item", item)}


@mutation
def add_project_v2_draft_issue(call: Call, given: Input) -> Any:
    """Run `addProjectV2DraftIssue`, and return its payload."""
    project, people = _writable(call, given), list_names(call, given.get("assigneeIds"), "User", "login")
    item = project_changes.add_draft(call, project, given["title"], given.get("body"), people)
    return {"projectItem": GraphNode("ProjectV2Item", item)}


@mutation
def update_project_v2_draft_issue(call: Call, given: Input) -> Any:
    """Run `updateProjectV2DraftIssue`, and return its payload."""
    item: ProjectItem = find_node(call, given["draftIssueId"], "DraftIssue").row
    project = _writable(call, {"projectId": project_node_id(call, project_of(call, item))})
    columns: Input = {name: given[name] for name in ("title", "body") if given.get(name) is not None}
    if given.get("assigneeIds") is not None:
        columns["assignees"] = list_names(call, given["assigneeIds"], "User", "login")
    return {"draftIssue": GraphNode("DraftIssue", project_changes.edit_draft(call, project, item, **columns))}


@mutation
def convert_project_v2_draft_issue_item_to_issue(call: Call, given: Input) -> Any:
    """Run `convertProjectV2DraftIssueItemToIssue`, and return its payload."""
    item: ProjectItem = find_node(call, given["itemId"], "ProjectV2Item").row
    project = _writable(call, {"projectId": project_node_id(call, project_of(call, item))})
    if item.content_type != "DraftIssue":
        raise GraphRefusal("The item is not a draft issue", "UNPROCESSABLE")
    node = find_node(call, given["repositoryId"], "Repository")
    body = IssueBody(title=item.title or "", body=item.body or "", assignees=list(item.assignees or []))
    shown = run_operation(call, issues.create_issue, node, body)
    item = project_changes.convert_draft(call, project, item, call.db.get(Issue, shown["id"]))
    return {"item": GraphNode("ProjectV2Item", item)}


@mutation
def update_project_v2_item_field_value(call: Call, given: Input) -> Any:
    """Run `updateProjectV2ItemFieldValue`, and return its payload."""
    project = _writable(call, given)
    item, (_, own) = _find_item(call, project, given), _find_field(call, given["fieldId"], project)
    values = {name: value for name, value in given["value"].items() if value is not None}
    if len(values) != 1:
        raise GraphRefusal("The value must have exactly one member", "UNPROCESSABLE")
    ((name, value),) = values.items()
    kind = own["data_type"]
    if _VALUES[name] != kind and kind in _VALUES.values():
        value = 0 if kind != "number" else ""  # of another type, so that the refusal names what is expected
    item = set_value(call, project, item, find_field(project, own["id"]), value)
    return {"projectV2Item": GraphNode("ProjectV2Item", item)}


@mutation
def clear_project_v2_item_field_value(call: Call, given: Input) -> Any:
    """Run `clearProjectV2ItemFieldValue`, and return its payload."""
    project = _writable(call, given)
    item, (_, own) = _find_item(call, project, given), _find_field(call, given["fieldId"], project)
    return {"projectV2Item": GraphNode("ProjectV2Item", set_value(call, project, item, own, None))}


@mutation
def update_project_v2_item_position(call: Call, given: Input) -> Any:
    """Run `updateProjectV2ItemPosition`, and return its payload."""
    project = _writable(call, given)
    item = _find_item(call, project, given)
    after = _find_item(call, project, {"itemId": given["afterId"]}) if given.get("afterId") else None
    if item.archived_at or (after and (after.archived_at or after.id == item.id)):
        raise GraphRefusal("Archived items have no position, and no item stands behind itself", "UNPROCESSABLE")
    rows = project_changes.move_item(call, project, item, after)
    return {"items": connect([GraphNode("ProjectV2Item", row) for row in rows], {"first": 100})}


@mutation
def archive_project_v2_item(call: Call, given: Input) -> Any:
    """Run `archiveProjectV2Item`, and return its payload."""
    project = _writable(call, given)
    item = set_archived(call, project, _find_item(call, project, given), archived=True)
    return {"item": GraphNode("ProjectV2Item", item)}


@mutation
def unarchive_project_v2_item(call: Call, given: Input) -> Any:
    """Run `unarchiveProjectV2Item`, and return its payload."""
    project = _writable(call, given)
    item = set_archived(call, project, _find_item(call, project, given), archived=False)
    return {"item": GraphNode("ProjectV2Item", item)}


@mutation
def delete_project_v2_item(call: Call, given: Input) -> Any:
    """Run `deleteProjectV2Item`, and return its payload."""
    project = _writable(call, given)
    item = _find_item(call, project, given)
    project_changes.delete_item(call, project, item)
    return {"deletedItemId": item_node_id(item)}
