"""What changes projects and their items, for the REST API and GraphQL alike; organizations' hooks are told.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#projects_v2
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import membership_of
from ..core.stamps import new_id, show_instant
from ..event_delivery.announcements import announce_in_org
from ..tables.issue_tables import Issue
from ..tables.project_tables import Project, ProjectItem, ProjectLink
from ..tables.user_tables import User
from ..wire_style import Forbidden, NotVisible, Unprocessable, invalid
from .project_fields import Field, build_field, check_value, find_iteration, find_option, initial_fields, initial_views
from .project_views import field_node_id, item_node_id, show_item_event, show_project

MAX_TITLE_CHARACTERS = 256
NO_WRITES = "Must have write access to the project."
NO_ADMIN = "Must have admin access to the project."


def can_see(call: Call, project: Project) -> bool:
    """Return whether the caller sees a project: public ones, its own, and those of its organizations."""
    return project.public or is_writer(call, project)


def is_writer(call: Call, project: Project) -> bool:
    """Return whether the caller may change a project, as its owner or as a member of the organization."""
    return project.owner == call.actor or membership_of(call, project.owner, call.actor) is not None


def is_admin(call: Call, project: Project) -> bool:
    """Return whether the caller may close, publish and delete a project."""
    membership = membership_of(call, project.owner, call.actor)
    is_org_owner = membership is not None and membership.role == "admin"
    return project.owner == call.actor or is_org_owner or (project.creator == call.actor and membership is not None)


def check_writer(call: Call, project: Project) -> None:
    """Raise Forbidden unless the caller may change a project."""
    if not is_writer(call, project):
        raise Forbidden(NO_WRITES)


def check_admin(call: Call, project: Project) -> None:
    """Raise Forbidden unless the caller may close, publish and delete a project."""
    if not is_admin(call, project):
        raise Forbidden(NO_ADMIN)


def list_projects_of(call: Call, owner: str, query: str = "") -> list[Project]:
    """Return the projects of an owner that the caller sees; `query` has `is:open`, `is:closed` and words of titles."""
    words = query.lower().split()
    states = {word[3:] for word in words if word in ("is:open", "is:closed")}
    plain = [word for word in words if ":" not in word]
    rows = call.db.rows(Project, Project.owner == owner, order=Project.number)
    return [
        row
        for row in rows
        if can_see(call, row)
        and all(word in row.title.lower() for word in plain)
        and (not states or ("closed" if row.closed_at else "open") in states)
    ]


def item_order() -> tuple[Any, Any]:
    """Return the order that items stand in."""
    return (ProjectItem.position, ProjectItem.id)


def list_items_of(call: Call, project: Project) -> list[ProjectItem]:
    """Return the items of a project that are not archived, in order."""
    where = (ProjectItem.project_id == project.id, ProjectItem.archived_at.is_null())
    return list(call.db.rows(ProjectItem, *where, order=item_order()))


def _check_title(title: str, resource: str = "ProjectV2") -> str:
    if not title.strip():
        raise invalid(resource, "title", "missing_field")
    if len(title) > MAX_TITLE_CHARACTERS:
        raise Unprocessable(f"Title is too long (maximum is {MAX_TITLE_CHARACTERS} characters)")
    return title.strip()


def _announce_project(call: Call, project: Project, action: str, **more: Any) -> None:
    announce_in_org(
        call, project.owner, "projects_v2", {"action": action, "projects_v2": show_project(call, project), **more}
    )


def _announce_item(call: Call, project: Project, item: ProjectItem, action: str, **more: Any) -> None:
    shown = {"action": action, "projects_v2_item": show_item_event(call, project, item), **more}
    announce_in_org(call, project.owner, "projects_v2_item", shown)


def create_project(call: Call, owner: User, title: str, **columns: Any) -> Project:
    """Make a project of a user or an organization, which the caller has to be or to be a member of."""
    if owner.login != call.actor and membership_of(call, owner.login, call.actor) is None:
        raise Forbidden(f"{call.actor} does not have permission to create projects on {owner.login}.")
    numbers = call.db.rows(Project, Project.owner == owner.login, columns=(Project.number,))
    last = max((row[0] for row in numbers), default=0)
    number, now = call.db.next(f"project {owner.login}", at_least=last + 1), call.clock.iso()
    given: dict[str, Any] = {"fields": initial_fields(call), "views": initial_views(call), **columns}
    times: dict[str, Any] = {"created_at": now, "updated_at": now, "creator": call.actor}
    project = Project(id=new_id(call), owner=owner.login, number=number, title=_check_title(title), **given, **times)
    call.db.add(project)
    _announce_project(call, project, "created")
    return project


def edit_project(call: Call, project: Project, **columns: Any) -> Project:
    """Change the texts of a project, and whether it is public."""
    if "title" in columns:
        columns["title"] = _check_title(columns["title"])
    if "public" in columns and columns["public"] != project.public:
        check_admin(call, project)
    changes = {
        name: {"from": getattr(project, name), "to": value}
        for name, value in columns.items()
        if getattr(project, name) != value
    }
    if not changes:
        return project
    project = call.db.change(project, updated_at=call.clock.iso(), **columns)
    _announce_project(call, project, "edited", changes=changes)
    return project


def close_project(call: Call, project: Project, *, closed: bool) -> Project:
    """Close a project, or open it again."""
    check_admin(call, project)
    if closed == bool(project.closed_at):
        return project
    now = call.clock.iso()
    project = call.db.change(project, closed_at=now if closed else None, updated_at=now)
    _announce_project(call, project, "closed" if closed else "reopened")
    return project


def delete_project(call: Call, project: Project) -> None:
    """Delete a project with its items."""
    check_admin(call, project)
    _announce_project(call, project, "deleted")
    call.db.remove(project)


def copy_project(call: Call, project: Project, owner: User, title: str, *, with_drafts: bool) -> Project:
    """Make a project with the fields and views of another one, and on demand with its drafts."""
    details: dict[str, Any] = {"short_description": project.short_description, "description": project.description}
    fields = [{**each, "id": new_id(call)} for each in project.fields]
    ids = {str(old["id"]): str(new["id"]) for old, new in zip(project.fields, fields, strict=True)}
    views = [{**each, "id": new_id(call)} for each in project.views or initial_views(call)]
    made = create_project(call, owner, title, fields=fields, views=views, **details)
    for item in list_items_of(call, project) if with_drafts else []:
        if item.content_type == "DraftIssue":
            values = {ids[key]: value for key, value in item.values.items() if key in ids}
            add_item(call, made, "DraftIssue", title=item.title, body=item.body, values=values)
    return made


def _next_position(call: Call, project: Project) -> int | None:
    """Return the position behind all items; None while no item has been moved, so that ids are the order."""
    where = (ProjectItem.project_id == project.id, ProjectItem.position > 0)
    last = next(iter(call.db.rows(ProjectItem, *where, order=-ProjectItem.position, limit=1)), None)
    return last.position + 1 if last and last.position else None


def add_item(call: Call, project: Project, kind: str, **columns: Any) -> ProjectItem:
    """Add the row of an item, after the items that the project has."""
    now = call.clock.iso()
    times: dict[str, Any] = {"created_at": now, "updated_at": now, "creator": call.actor}
    place: dict[str, Any] = {"id": new_id(call), "project_id": project.id, "position": _next_position(call, project)}
    item = call.db.add(ProjectItem(content_type=kind, **place, **times, **columns))
    _announce_item(call, project, item, "created")
    return item


def add_issue(call: Call, project: Project, issue: Issue) -> ProjectItem:
    """Add an issue or a pull request to a project; return the item that is there already, if it is."""
    known = call.db.find(ProjectItem, ProjectItem.project_id == project.id, ProjectItem.issue_id == issue.id)
    if known is None:
        return add_item(call, project, "PullRequest" if issue.is_pull_request else "Issue", issue_id=issue.id)
    return set_archived(call, project, known, archived=False) if known.archived_at else known


def add_draft(call: Call, project: Project, title: str, body: str | None, assignees: list[str]) -> ProjectItem:
    """Add a draft to a project."""
    title = _check_title(title, "ProjectV2Item")
    return add_item(call, project, "DraftIssue", title=title, body=body, assignees=assignees or None)


def edit_draft(call: Call, project: Project, item: ProjectItem, **columns: Any) -> ProjectItem:
    """Change the texts and assignees of a draft."""
    if "title" in columns:
        columns["title"] = _check_title(columns["title"], "ProjectV2Item")
    former = item.body
    item = call.db.change(item, updated_at=call.clock.iso(), **columns)
    more = {"changes": {"body": {"from": former, "to": item.body}}} if former != item.body else {}
    _announce_item(call, project, item, "edited", **more)
    return item


def set_value(call: Call, project: Project, item: ProjectItem, field: Field, value: Any) -> ProjectItem:
    """Set or with None clear the value of a field of an item."""
    value, key = check_value(field, value), str(field["id"])
    former: Any = item.values.get(key)
    values = {name: each for name, each in item.values.items() if name != key}
    item = call.db.change(item, values=values if value is None else {**values, key: value}, updated_at=call.clock.iso())
    about = {"field_node_id": field_node_id(project, field), "field_type": field["data_type"]}
    about |= {"field_name": field["name"], "project_number": project.number}
    ends = {"from": _show_end(field, former), "to": _show_end(field, value)}
    _announce_item(call, project, item, "edited", changes={"field_value": {**about, **ends}})
    return item


def _show_end(field: Field, value: Any) -> Any:
    """Return a former or a new value as webhooks have it: options and iterations as objects."""
    if field["data_type"] == "iteration":
        return find_iteration(field, value)
    return find_option(field, value) if field["data_type"] == "single_select" else value


def set_archived(call: Call, project: Project, item: ProjectItem, *, archived: bool) -> ProjectItem:
    """Archive an item, or restore it."""
    if archived == bool(item.archived_at):
        return item
    now, former = call.clock.iso(), item.archived_at
    position = item.position if archived else _next_position(call, project)
    item = call.db.change(item, archived_at=now if archived else None, position=position, updated_at=now)
    changes = {"archived_at": {"from": show_instant(former), "to": show_instant(item.archived_at)}}
    _announce_item(call, project, item, "archived" if archived else "restored", changes=changes)
    return item


def convert_draft(call: Call, project: Project, item: ProjectItem, issue: Issue) -> ProjectItem:
    """Make a draft the issue that was opened for it."""
    now = call.clock.iso()
    item = call.db.change(
        item, content_type="Issue", issue_id=issue.id, title=None, body=None, assignees=None, updated_at=now
    )
    changes = {"content_type": {"from": "DraftIssue", "to": "Issue"}}
    _announce_item(call, project, item, "converted", changes=changes)
    return item


def move_item(call: Call, project: Project, item: ProjectItem, after: ProjectItem | None) -> list[ProjectItem]:
    """Put an item behind another one, or first; return all items in order."""
    former = list_items_of(call, project)
    rest = [each for each in former if each.id != item.id]
    place = 0 if after is None else [each.id for each in rest].index(after.id) + 1
    order = [*rest[:place], item, *rest[place:]]
    moved = [call.db.change(each, position=number) for number, each in enumerate(order, 1)]
    at = [each.id for each in former].index(item.id)
    ends = {"from": item_node_id(former[at - 1]) if at else None, "to": item_node_id(after) if after else None}
    _announce_item(call, project, item, "reordered", changes={"previous_projects_v2_item_node_id": ends})
    return moved


def delete_item(call: Call, project: Project, item: ProjectItem) -> None:
    """Remove an item from a project."""
    _announce_item(call, project, item, "deleted")
    call.db.remove(item)


def add_field(call: Call, project: Project, name: str, kind: str, **details: Any) -> Field:
    """Add a field to a project, and return it."""
    field = build_field(call, project, name, kind, details)
    call.db.change(project, fields=[*project.fields, field], updated_at=call.clock.iso())
    return field


def replace_field(call: Call, project: Project, field: Field) -> Project:
    """Change a field of a project."""
    fields = [field if each["id"] == field["id"] else each for each in project.fields]
    return call.db.change(project, fields=fields, updated_at=call.clock.iso())


def delete_field(call: Call, project: Project, field: Field) -> Project:
    """Remove a field from a project; items lose their values of it."""
    if field["data_type"] not in ("text", "number", "date", "single_select", "iteration") or field["name"] == "Status":
        raise Unprocessable("Only custom fields can be deleted.")
    key = str(field["id"])
    for item in call.db.rows(ProjectItem, ProjectItem.project_id == project.id):
        if key in item.values:
            call.db.change(item, values={name: each for name, each in item.values.items() if name != key})
    return call.db.change(project, fields=[each for each in project.fields if each["id"] != field["id"]])


def link_project(call: Call, project: Project, subject: str, subject_id: int, *, linked: bool) -> None:
    """List a project in a repository or a team, or take it off their list; repeating changes nothing."""
    where = (ProjectLink.project_id == project.id, ProjectLink.subject == subject, ProjectLink.subject_id == subject_id)
    known = call.db.find(ProjectLink, *where)
    if linked and known is None:
        call.db.add(ProjectLink(project_id=project.id, subject=subject, subject_id=subject_id))
    if not linked and known:
        call.db.remove(known)


def find_project(call: Call, owner: str, number: int) -> Project:
    """Return a project of an owner that the caller sees; raise NotVisible."""
    project = call.db.find(Project, Project.owner == owner, Project.number == number)
    if project is None or not can_see(call, project):
        raise NotVisible
    return project
