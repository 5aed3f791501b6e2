"""Labels of repositories and of issues, and milestones.

https://docs.github.com/en/rest/issues/labels
https://docs.github.com/en/rest/issues/milestones
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType

from ..core.access import find_issue, find_repo
from ..core.listing import paginate, slice_page
from ..core.stamps import new_id, read_instant
from ..core.text_lengths import check_lengths
from ..event_delivery.announcements import announce
from ..tables.issue_tables import Issue, Label, Milestone
from ..tables.repository_tables import Repository
from ..views.issue_views import forget_labels, labels_of, show_label, show_milestone
from ..wire_style import NotVisible, invalid
from .issue_changes import change_labels, resolve_labels
from .issues import has_item, names_in

api = Operations()
MAX_NAME_LENGTH, MAX_DESCRIPTION_LENGTH = 50, 100
_COLOR = re.compile(r"[0-9a-fA-F]{6}")


def find_label(call: Call, repo: Repository, name: str) -> Label:
    """Return a label by its name, whatever its case; raise NotVisible."""
    label = call.db.find(Label, Label.repository_id == repo.id, Label.name.equals(name))
    if label is None:
        raise NotVisible
    return label


def check_label(
    call: Call, repo: Repository, name: Any, color: Any, description: Any, label_id: int | None = None
) -> dict[str, Any]:
    """Return the columns of a label that are given; raise GitHub's 422 for values that cannot be."""
    columns: dict[str, Any] = {}
    if name is not UNSET:
        if not name.strip():
            raise invalid("Label", "name", "missing_field")
        if len(name) > MAX_NAME_LENGTH:
            raise invalid("Label", "name", "custom", f"name is too long (maximum is {MAX_NAME_LENGTH} characters)")
        taken = call.db.find(Label, Label.repository_id == repo.id, Label.name.equals(name))
        if taken and taken.id != label_id:
            raise invalid("Label", "name", "already_exists")
        columns["name"] = name
    if color is not UNSET and color is not None:
        bare = color.removeprefix("#")
        if not _COLOR.fullmatch(bare):
            raise invalid("Label", "color")
        columns["color"] = bare
    if description is not UNSET:
        if len(description or "") > MAX_DESCRIPTION_LENGTH:
            text = f"description is too long (maximum is {MAX_DESCRIPTION_LENGTH} characters)"
            raise invalid("Label", "description", "custom", text)
        columns["description"] = description
    return columns


@api.get("/repos/{owner}/{repo}/labels")
def list_labels(call: Call, owner: str, repo: str) -> Any:
    """List the labels of a repository."""
    row = find_repo(call, owner, repo)
    return paginate(
        call, Label, Label.repository_id == row.id, by=Label.id, show=lambda each: show_label(call, row, each)
    )


@api.post("/repos/{owner}/{repo}/labels", status=201)
def create_label(
    call: Call, owner: str, repo: str, name: str, color: str | UnsetType = UNSET, description: str | None = None
) -> Any:
    """Make a label."""
    row = find_repo(call, owner, repo)
    columns = check_label(call, row, name, color, description)
    label = call.db.add(Label(id=new_id(call), repository_id=row.id, **columns))
    return _announce_label(call, row, label, "created")


def _announce_label(call: Call, repo: Repository, label: Label, action: str) -> dict[str, Any]:
    """Announce a change of a label, and return the label as it is shown."""
    shown = show_label(call, repo, label)
    announce(call, repo, "label", {"action": action, "label": shown})
    return shown


@api.get("/repos/{owner}/{repo}/labels/{name:path}")
def get_label(call: Call, owner: str, repo: str, name: str) -> Any:
    """Get a label."""
    row = find_repo(call, owner, repo)
    return show_label(call, row, find_label(call, row, name))


@api.patch("/repos/{owner}/{repo}/labels/{name:path}")
def update_label(
    call: Call,
    owner: str,
    repo: str,
    name: str,
    new_name: str | UnsetType = UNSET,
    color: str | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
) -> Any:
    """Change a label; its issues follow a new name."""
    row = find_repo(call, owner, repo)
    label = find_label(call, row, name)
    columns = check_label(call, row, new_name, color, description, label.id)
    if columns.get("name", label.name) != label.name:
        _replace_on_issues(call, row, label.name, [columns["name"]])
    if not columns:
        return show_label(call, row, label)
    return _announce_label(call, row, call.db.change(label, **columns), "edited")


def _replace_on_issues(call: Call, repo: Repository, name: str, others: list[str]) -> None:
    for issue in call.db.rows(Issue, Issue.repository_id == repo.id, has_item(Issue.labels, name)):
        names = [new for each in issue.labels for new in ([each] if each != name else others)]
        call.db.change(issue, labels=names)
    forget_labels(call)


@api.delete("/repos/{owner}/{repo}/labels/{name:path}", status=204)
def delete_label(call: Call, owner: str, repo: str, name: str) -> None:
    """Delete a label, also from all issues."""
    row = find_repo(call, owner, repo)
    label = find_label(call, row, name)
    _replace_on_issues(call, row, label.name, [])
    call.db.remove(label)
    _announce_label(call, row, label, "deleted")


@api.get("/repos/{owner}/{repo}/issues/{issue_number}/labels")
def list_issue_labels(call: Call, owner: str, repo: str, issue_number: int) -> Any:
    """List the labels of an issue."""
    row = find_repo(call, owner, repo)
    return slice_page(call, labels_of(call, row, find_issue(call, row, issue_number).labels))


def _read_names(body: Any) -> list[str]:
    """Return the label names of a body: a list, or an object with a list in `labels`."""
    items = body.get("labels", []) if isinstance(body, dict) else body  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if isinstance(items, str):
        return [items]
    return names_in(items, "name") if isinstance(items, list) else []  # pyright: ignore[reportUnknownArgumentType]


@api.post("/repos/{owner}/{repo}/issues/{issue_number}/labels")
def add_labels(call: Call, owner: str, repo: str, issue_number: int, body: Annotated[Any, Body]) -> Any:
    """Add labels to an issue; those that the repository lacks are made."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    names = resolve_labels(call, row, [*issue.labels, *_read_names(body)])
    return labels_of(call, row, change_labels(call, row, issue, names).labels)


@api.put("/repos/{owner}/{repo}/issues/{issue_number}/labels")
def set_labels(call: Call, owner: str, repo: str, issue_number: int, body: Annotated[Any, Body]) -> Any:
    """Set the labels of an issue."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    return labels_of(call, row, change_labels(call, row, issue, resolve_labels(call, row, _read_names(body))).labels)


@api.delete("/repos/{owner}/{repo}/issues/{issue_number}/labels", status=204)
def clear_labels(call: Call, owner: str, repo: str, issue_number: int) -> None:
    """Remove all labels from an issue."""
    row = find_repo(call, owner, repo)
    change_labels(call, row, find_issue(call, row, issue_number), [])


@api.delete("/repos/{owner}/{repo}/issues/{issue_number}/labels/{name:path}")
def remove_label(call: Call, owner: str, repo: str, issue_number: int, name: str) -> Any:
    """Remove a label from an issue; 404 if the issue does not have it."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    if name.lower() not in [each.lower() for each in issue.labels]:
        raise NotVisible("Label does not exist")
    rest = [each for each in issue.labels if each.lower() != name.lower()]
    return labels_of(call, row, change_labels(call, row, issue, rest).labels)


@api.get("/repos/{owner}/{repo}/milestones")
def list_milestones(
    call: Call, owner: str, repo: str, state: str = "open", sort: str = "due_on", direction: str = "asc"
) -> Any:
    """List the milestones of a repository."""
    row = find_repo(call, owner, repo)
    where = [Milestone.repository_id == row.id, *([Milestone.state == state] if state != "all" else [])]
    column = Milestone.due_on if sort == "due_on" else Milestone.number
    by = (-column, Milestone.number) if direction == "desc" else (column, Milestone.number)
    return paginate(call, Milestone, *where, by=by, show=lambda each: show_milestone(call, row, each))


def _milestone_columns(call: Call, title: Any, state: Any, description: Any, due_on: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if title is not UNSET:
        if not title.strip():
            raise invalid("Milestone", "title", "missing_field")
        columns["title"] = title
    if state is not UNSET:
        columns |= {"state": state, "closed_at": call.clock.iso() if state == "closed" else None}
    if description is not UNSET:
        columns["description"] = description
    if due_on is not UNSET:
        columns["due_on"] = read_instant(due_on, "Milestone", "due_on") if due_on else None
    return columns


@api.post("/repos/{owner}/{repo}/milestones", status=201)
def create_milestone(
    call: Call,
    owner: str,
    repo: str,
    title: str,
    state: Literal["open", "closed"] = "open",
    description: str | None = None,
    due_on: str | None = None,
) -> Any:
    """Make a milestone."""
    row = find_repo(call, owner, repo)
    columns = _milestone_columns(call, title, state, description, due_on)
    _check_title(call, row, title)
    known = call.db.rows(Milestone, Milestone.repository_id == row.id, order=-Milestone.number, limit=1)
    now, number = call.clock.iso(), known[0].number + 1 if known else 1
    more: dict[str, Any] = {"number": number, "creator": call.actor, "created_at": now, "updated_at": now}
    milestone = call.db.add(Milestone(id=new_id(call), repository_id=row.id, **more, **columns))
    return _announce_milestone(call, row, milestone, "created")


def _announce_milestone(call: Call, repo: Repository, milestone: Milestone, action: str) -> dict[str, Any]:
    """Announce a change of a milestone, and return the milestone as it is shown."""
    shown = show_milestone(call, repo, milestone)
    announce(call, repo, "milestone", {"action": action, "milestone": shown})
    return shown


def _check_title(call: Call, repo: Repository, title: str, milestone_id: int | None = None) -> None:
    check_lengths("Milestone", title=title)
    taken = call.db.find(Milestone, Milestone.repository_id == repo.id, Milestone.title == title)
    if taken and taken.id != milestone_id:
        raise invalid("Milestone", "title", "already_exists")


def find_milestone(call: Call, repo: Repository, number: int) -> Milestone:
    """Return a milestone by its number; raise NotVisible."""
    row = call.db.find(Milestone, Milestone.repository_id == repo.id, Milestone.number == number)
    if row is None:
        raise NotVisible
    return row


@api.get("/repos/{owner}/{repo}/milestones/{milestone_number}")
def get_milestone(call: Call, owner: str, repo: str, milestone_number: int) -> Any:
    """Get a milestone."""
    row = find_repo(call, owner, repo)
    return show_milestone(call, row, find_milestone(call, row, milestone_number))


@api.patch("/repos/{owner}/{repo}/milestones/{milestone_number}")
def update_milestone(
    call: Call,
    owner: str,
    repo: str,
    milestone_number: int,
    title: str | UnsetType = UNSET,
    state: Literal["open", "closed"] | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
    due_on: str | UnsetType | None = UNSET,
) -> Any:
    """Change a milestone."""
    row = find_repo(call, owner, repo)
    milestone = find_milestone(call, row, milestone_number)
    columns = _milestone_columns(call, title, state, description, due_on)
    if isinstance(title, str):
        _check_title(call, row, title, milestone.id)
    moved = {"open": "opened", "closed": "closed"}.get(str(state), "edited")
    action = moved if state != milestone.state else "edited"
    changed = call.db.change(milestone, updated_at=call.clock.iso(), **columns)
    return _announce_milestone(call, row, changed, action)


@api.delete("/repos/{owner}/{repo}/milestones/{milestone_number}", status=204)
def delete_milestone(call: Call, owner: str, repo: str, milestone_number: int) -> None:
    """Delete a milestone; its issues lose it."""
    row = find_repo(call, owner, repo)
    milestone = find_milestone(call, row, milestone_number)
    for issue in call.db.rows(Issue, Issue.milestone_id == milestone.id):
        call.db.change(issue, milestone_id=None)
    call.db.remove(milestone)
    _announce_milestone(call, row, milestone, "deleted")


@api.get("/repos/{owner}/{repo}/milestones/{milestone_number}/labels")
def list_milestone_labels(call: Call, owner: str, repo: str, milestone_number: int) -> Any:
    """List the labels of a milestone's issues."""
    row = find_repo(call, owner, repo)
    milestone = find_milestone(call, row, milestone_number)
    issues = call.db.rows(Issue, Issue.milestone_id == milestone.id)
    names = dict.fromkeys(name for issue in issues for name in issue.labels)
    return slice_page(call, labels_of(call, row, list(names)))
