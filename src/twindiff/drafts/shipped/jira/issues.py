"""Issues: create, read, edit, delete, assign, and what may be created and edited.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .comments import add_comment
from .issue_fields import (
    EDITABLE,
    InvalidField,
    change_issue,
    find_issue,
    find_project,
    read_fields,
    read_person,
)
from .issue_views import select_fields, show_history, show_issue
from .site import EPIC_LINK, SPRINT, STORY_POINTS, find_named, me, read_once
from .site_views import address, list_transitions, show_priority, show_project, show_type
from .tables import CustomField, History, Issue, IssueType, Priority, Project, Status
from .wire_style import InvalidFields, JiraError, NoSuchObject, page_values

api = Operations()
MAX_BULK_ISSUES = 50
_NAMES = {
    "summary": "Summary", "description": "Description", "environment": "Environment", "issuetype": "Issue Type",
    "priority": "Priority", "resolution": "Resolution", "assignee": "Assignee", "reporter": "Reporter",
    "labels": "Labels", "components": "Components", "fixVersions": "Fix versions", "versions": "Affects versions",
    "parent": "Parent", "duedate": "Due date", "timetracking": "Time tracking", "project": "Project",
    STORY_POINTS: "Story point estimate", SPRINT: "Sprint", EPIC_LINK: "Epic Link",
}  # fmt: skip
_TYPES = {
    "labels": "array", "components": "array", "fixVersions": "array", "versions": "array", "assignee": "user",
    "reporter": "user", "priority": "priority", "issuetype": "issuetype", "resolution": "resolution",
    "project": "project", "duedate": "date", "timetracking": "timetracking", "parent": "issuelink",
    STORY_POINTS: "number", SPRINT: "array",
}  # fmt: skip


def get_issue_or_refuse(call: Call, said: str) -> Issue:
    """Return an issue by key or id; raises NoSuchObject in Jira's words."""
    issue = find_issue(call, said)
    if issue is None:
        raise NoSuchObject("Issue does not exist or you do not have permission to see it.")
    return issue


def custom_ids(call: Call) -> list[str]:
    """Return the ids of the site's own fields."""
    return read_once(call, "custom fields", lambda: [each.id for each in call.db.rows(CustomField)])


def create_issue(call: Call, fields: Mapping[str, Any], update: Mapping[str, Any] | None = None) -> Issue:
    """Add an issue; raises InvalidFields."""
    if not isinstance(fields, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - what a client sent
        raise JiraError("'fields' must be an object.")
    project, kind = _read_place(call, fields)
    missing = {} if "summary" in fields else {"summary": "You must specify a summary of the issue."}
    try:
        values = read_fields(call, fields, project.key, is_new=True)
    except InvalidFields as invalid:
        raise InvalidFields({**invalid.fields, **missing}) from None
    if missing:
        raise InvalidFields(missing)
    level = find_named(call, IssueType, kind).hierarchy_level
    if level < 0 and not values.get("parent"):
        raise InvalidFields({"parent": "Issue type is a sub-task but parent issue key or id not specified."})
    return _add_issue(call, project, {**values, "issue_type": kind}, update or {})


def _read_place(call: Call, fields: Mapping[str, Any]) -> tuple[Project, str]:
    """Return the project of a new issue, and the name of its type."""
    problems: dict[str, str] = {}
    place: Any = fields.get("project")
    given = cast(dict[str, Any], place) if isinstance(place, dict) else {}
    project = find_project(call, str(given.get("key") or given.get("id") or ""))
    if project is None:
        problems["project"] = "Specify a valid project ID or key"
    said: Any = fields.get("issuetype")
    named = cast(dict[str, Any], said) if isinstance(said, dict) else {}
    kind = find_named(call, IssueType, str(named.get("id") or named.get("name") or ""))
    if kind is None:
        problems["issuetype"] = "Specify a valid issue type" if said else "Specify an issue type"
    if project is None or kind is None:
        raise InvalidFields(problems)
    return project, kind.name


def _add_issue(call: Call, project: Project, values: dict[str, Any], update: Mapping[str, Any]) -> Issue:
    last = call.db.rows(Issue, Issue.project_key == project.key, order=-Issue.number, limit=1)
    number = call.db.next(f"issues of {project.key}", at_least=last[0].number + 1 if last else 1)
    now, caller = call.clock.iso(), me(call).account_id
    start = call.db.find(Status, Status.category == "new") or call.db.find(Status)
    taken: dict[str, Any] = {
        "reporter": caller,
        "priority": "Medium",
        "status": start.name if start else "To Do",
        **values,
    }
    issue = call.db.add(
        Issue(
            id=str(10_000 + call.db.next("issue")),
            key=f"{project.key}-{number}",
            project_key=project.key,
            number=number,
            creator=caller,
            created=now,
            updated=now,
            rank=call.db.next("rank") * 1000,
            **taken,
        )
    )
    return _apply_update(call, issue, update)


@api.post("/issue", status=201)
def post_issue(
    call: Call, fields: dict[str, Any] | None = None, update: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Create an issue or a subtask."""
    issue = create_issue(call, fields or {}, update)
    return {"id": issue.id, "key": issue.key, "self": address(call, f"issue/{issue.id}")}


@api.post("/issue/bulk", status=201)
def post_issues(call: Call, issue_updates: list[dict[str, Any]]) -> dict[str, Any]:
    """Create up to 50 issues; those that are refused are listed as errors."""
    if len(issue_updates) > MAX_BULK_ISSUES:
        raise JiraError(f"The number of issues to create must not exceed {MAX_BULK_ISSUES}.")
    made: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for number, each in enumerate(issue_updates):
        try:
            issue = create_issue(call, each.get("fields") or {}, each.get("update"))
        except JiraError as error:
            said = {"errorMessages": error.messages, "errors": error.fields}
            errors.append({"status": error.status, "elementErrors": said, "failedElementNumber": number})
        else:
            made.append({"id": issue.id, "key": issue.key, "self": address(call, f"issue/{issue.id}")})
    if errors and not made:
        raise InvalidFields(errors[0]["elementErrors"]["errors"])
    return {"issues": made, "errors": errors}


@api.get("/issue/{issueIdOrKey}")
def get_issue(call: Call, issue_id_or_key: str, fields: list[str] | None = None, expand: str = "") -> dict[str, Any]:
    """Return an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    chosen = select_fields(fields or [], custom_ids(call), "*all")
    shown = show_issue(call, issue, chosen, expand.split(","))
    if "names" in expand.split(","):
        shown["names"] = {name: label_field(name) for name in chosen}
    if "transitions" in expand.split(","):
        shown["transitions"] = list_transitions(call)
    return shown


@api.put("/issue/{issueIdOrKey}", status=204)
def put_issue(
    call: Call,
    issue_id_or_key: str,
    fields: dict[str, Any] | None = None,
    update: dict[str, Any] | None = None,
) -> None:
    """Edit an issue: `fields` sets values, `update` adds to and removes from them."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    if not fields and not update:
        raise JiraError("one of 'fields' or 'update' required")
    edit_issue(call, issue, fields or {}, update or {})


def edit_issue(call: Call, issue: Issue, fields: Mapping[str, Any], update: Mapping[str, Any]) -> Issue:
    """Set fields of an issue and apply the verbs of an update; raises InvalidFields."""
    both = [name for name in fields if name in update]
    if both:
        raise InvalidFields({both[0]: f"Field '{both[0]}' cannot appear in both 'fields' and 'update'"})
    issue = change_issue(call, issue, read_fields(call, fields, issue.project_key, is_new=False))
    return _apply_update(call, issue, update)


def _apply_update(call: Call, issue: Issue, update: Mapping[str, Any]) -> Issue:
    """Apply `{"labels": [{"add": "a"}, {"remove": "b"}], "comment": [{"add": {"body": …}}]}`."""
    fields: dict[str, Any] = {}
    for name, verb, value in _list_verbs(update):
        if name == "comment" and verb == "add" and isinstance(value, dict):
            given = cast(dict[str, Any], value)
            add_comment(call, issue, given.get("body"), given.get("visibility"))
        elif verb == "set":
            fields[name] = value
        elif verb in ("add", "remove"):
            fields[name] = _with_verb(issue, name, verb, value, fields.get(name))
        else:
            raise InvalidFields({name: f"The operation '{verb}' is not supported for the field."})
    return change_issue(call, issue, read_fields(call, fields, issue.project_key, is_new=False)) if fields else issue


def _list_verbs(update: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """Return the fields, verbs and values of an update; raises InvalidFields for another form."""
    listed: list[tuple[str, str, Any]] = []
    for name, verbs in update.items():
        for each in cast(list[Any], verbs if isinstance(verbs, list) else [verbs]):
            if not isinstance(each, dict):
                raise InvalidFields({name: "An update is a list of operations such as {'add': value}."})
            listed += [(name, verb, value) for verb, value in cast(dict[str, Any], each).items()]
    return listed


def _with_verb(issue: Issue, name: str, verb: str, value: Any, known: Any) -> list[Any]:
    """Return the list of a field with a value added or removed."""
    columns = {"labels": "labels", "components": "components", "fixVersions": "fix_versions", "versions": "versions"}
    if name not in columns:
        raise InvalidFields({name: f"The operation '{verb}' is not supported for the field."})
    current: list[Any] = known if known is not None else getattr(issue, columns[name])
    said: Any = cast(dict[str, Any], value).get("name", value) if isinstance(value, dict) else value
    return [*current, said] if verb == "add" else [each for each in current if each != said]


@api.delete("/issue/{issueIdOrKey}", status=204)
def delete_issue(call: Call, issue_id_or_key: str, delete_subtasks: bool = False) -> None:
    """Delete an issue; one with subtasks only if they are to be deleted too."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    below = call.db.rows(Issue, Issue.parent == issue.key)
    levels = {each.name: each.hierarchy_level for each in call.db.rows(IssueType)}
    subtasks = [each for each in below if levels.get(each.issue_type, 0) < 0]
    if subtasks and not delete_subtasks:
        raise JiraError(
            f"The issue '{issue.key}' has subtasks.  You must specify the 'deleteSubtasks' parameter to delete this"
            " issue and all its subtasks."
        )
    for each in below:
        if each in subtasks:
            call.db.remove(each)
        else:
            call.db.change(each, parent=None)
    call.db.remove(issue)


@api.put("/issue/{issueIdOrKey}/assignee", status=204)
def put_assignee(call: Call, issue_id_or_key: str, body: Annotated[dict[str, Any], Body]) -> None:
    """Assign an issue; an account of null unassigns it, and -1 is the project's default: nobody."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    said = body.get("accountId", body.get("name"))
    try:
        account = None if said in (None, "-1") else read_person(call, {"accountId": said})
    except InvalidField as problem:
        raise InvalidFields({"assignee": str(problem)}) from None
    change_issue(call, issue, {"assignee": account})


@api.get("/issue/{issueIdOrKey}/changelog")
def get_changelog(call: Call, issue_id_or_key: str, start_at: int = 0, max_results: int = 100) -> dict[str, Any]:
    """List the changes of an issue, the oldest first."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    rows = call.db.rows(History, History.issue_key == issue.key, order=History.created)
    return page_values([show_history(call, each) for each in rows], start_at, min(max_results, 100))


@api.get("/issue/{issueIdOrKey}/editmeta")
def get_editmeta(call: Call, issue_id_or_key: str) -> dict[str, Any]:
    """Return the fields that can be edited."""
    get_issue_or_refuse(call, issue_id_or_key)
    return {"fields": {name: _describe_field(call, name) for name in (*EDITABLE, *custom_ids(call))}}


def label_field(name: str) -> str:
    """Return the name of a field as people read it."""
    return _NAMES.get(name) or name[:1].upper() + name[1:]


def describe_schema(name: str) -> str:
    """Return the type of a field's values."""
    return _TYPES.get(name, "string")


def _describe_field(call: Call, name: str) -> dict[str, Any]:
    kind = describe_schema(name)
    operations = ["add", "set", "remove"] if kind == "array" else ["set"]
    custom = call.db.find(CustomField, CustomField.id == name)
    field: dict[str, Any] = {
        "required": name in ("summary", "issuetype", "project"),
        "schema": {"type": custom.type if custom else kind, "system": name},
        "name": custom.name if custom else label_field(name),
        "key": name,
        "fieldId": name,
        "hasDefaultValue": name in ("priority", "reporter"),
        "operations": operations,
    }
    if name == "priority":
        field["allowedValues"] = [show_priority(call, each) for each in call.db.rows(Priority, order=Priority.sequence)]
    if name == "issuetype":
        field["allowedValues"] = [show_type(call, each) for each in call.db.rows(IssueType)]
    return field


@api.get("/issue/createmeta")
def get_createmeta(
    call: Call,
    project_keys: list[str] | None = None,
    project_ids: list[str] | None = None,
    issuetype_names: list[str] | None = None,
    expand: str = "",
) -> dict[str, Any]:
    """List the projects in which the caller can create issues, with their types."""
    keys = [key for each in (*(project_keys or ()), *(project_ids or ())) for key in each.split(",")]
    projects = [
        each for each in call.db.rows(Project, order=Project.key) if not keys or each.key in keys or each.id in keys
    ]
    kinds = [each for each in call.db.rows(IssueType) if not issuetype_names or each.name in issuetype_names]
    shown = [show_type(call, each) for each in kinds]
    if "issuetypes.fields" in expand:
        fields = {name: _describe_field(call, name) for name in ("project", *EDITABLE, *custom_ids(call))}
        shown = [{**each, "fields": fields} for each in shown]
    return {
        "expand": "projects",
        "projects": [{**show_project(call, each), "issuetypes": shown} for each in projects],
    }


def _check_project(call: Call, said: str) -> Project:
    project = find_project(call, said)
    if project is None:
        raise NoSuchObject(f"No project could be found with key '{said}'.")
    return project


@api.get("/issue/createmeta/{projectIdOrKey}/issuetypes")
def get_creatable_types(call: Call, project_id_or_key: str, start_at: int = 0, max_results: int = 50) -> dict[str, Any]:
    """List the types of issues that can be created in a project."""
    _check_project(call, project_id_or_key)
    page = page_values([show_type(call, each) for each in call.db.rows(IssueType)], start_at, max_results)
    return {**page, "issueTypes": page.pop("values")}


@api.get("/issue/createmeta/{projectIdOrKey}/issuetypes/{issueTypeId}")
def get_creatable_fields(
    call: Call, project_id_or_key: str, issue_type_id: str, start_at: int = 0, max_results: int = 50
) -> dict[str, Any]:
    """List the fields of a new issue of a type."""
    _check_project(call, project_id_or_key)
    if find_named(call, IssueType, issue_type_id) is None:
        raise NoSuchObject("The issue type does not exist.")
    names = ["project", *dict.fromkeys((*EDITABLE, *custom_ids(call)))]
    page = page_values([_describe_field(call, each) for each in names], start_at, max_results)
    return {**page, "fields": page.pop("values")}


@api.get("/issue/{issueIdOrKey}/properties/{propertyKey}")
def get_property(call: Call, issue_id_or_key: str, property_key: str) -> dict[str, Any]:
    """Return a property of an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    if property_key not in issue.properties:
        raise NoSuchObject(f"The property with key '{property_key}' does not exist.")
    return {"key": property_key, "value": issue.properties[property_key]}


@api.get("/issue/{issueIdOrKey}/properties")
def list_properties(call: Call, issue_id_or_key: str) -> dict[str, Any]:
    """List the properties of an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    path = address(call, f"issue/{issue.id}/properties")
    return {"keys": [{"self": f"{path}/{key}", "key": key} for key in issue.properties]}


@api.put("/issue/{issueIdOrKey}/properties/{propertyKey}")
def put_property(call: Call, issue_id_or_key: str, property_key: str, body: Annotated[Any, Body]) -> None:
    """Set a property of an issue to any JSON value."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    call.db.change(issue, properties={**issue.properties, property_key: body})


@api.delete("/issue/{issueIdOrKey}/properties/{propertyKey}", status=204)
def delete_property(call: Call, issue_id_or_key: str, property_key: str) -> None:
    """Delete a property of an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    if property_key not in issue.properties:
        raise NoSuchObject(f"The property with key '{property_key}' does not exist.")
    call.db.change(issue, properties={key: value for key, value in issue.properties.items() if key != property_key})
