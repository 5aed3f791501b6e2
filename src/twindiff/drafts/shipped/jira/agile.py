"""Boards, sprints, backlogs and ranks. https://developer.atlassian.com/cloud/jira/software/rest/intro/"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.rows import Expression, any_of
from twindiff.kit.twin import Operations

from .issue_fields import change_issue, find_project
from .issue_parts import read_time
from .issue_views import select_fields, show_issue, show_sprint
from .issues import custom_ids, get_issue_or_refuse
from .projects import get_project_or_refuse
from .searches import search_page
from .site_views import show_status
from .tables import Board, Issue, IssueType, Project, Sprint, Status
from .wire_style import InvalidFields, JiraError, NoSuchObject, page_values

api = Operations(prefix="/rest/agile/1.0")
Shown = dict[str, Any]
MAX_MOVED_ISSUES = 50
_NEXT_STATES = {"future": ("future", "active"), "active": ("active", "closed"), "closed": ("closed",)}


def _show_board(call: Call, board: Board) -> Shown:
    project = call.db.find(Project, Project.key == board.project_key)
    shown: Shown = {
        "id": board.id,
        "self": f"{call.base_url}/rest/agile/1.0/board/{board.id}",
        "name": board.name,
        "type": board.type,
        "isPrivate": False,
    }
    if project:
        shown["location"] = {
            "projectId": int(project.id),
            "displayName": f"{project.name} ({project.key})",
            "projectName": project.name,
            "projectKey": project.key,
            "projectTypeKey": project.project_type_key,
            "name": f"{project.name} ({project.key})",
        }
    return shown


def _get_board(call: Call, id: int) -> Board:
    board = call.db.find(Board, Board.id == id)
    if board is None:
        raise NoSuchObject(
            "The requested board cannot be viewed because it either does not exist or you do not have permission"
            " to view it."
        )
    return board


def _get_sprint(call: Call, id: int) -> Sprint:
    sprint = call.db.find(Sprint, Sprint.id == id)
    if sprint is None:
        raise NoSuchObject("Sprint does not exist or you do not have permission to view it.")
    return sprint


@api.get("/board")
def list_boards(
    call: Call,
    name: str = "",
    type: str = "",
    project_key_or_id: str = "",
    start_at: int = 0,
    max_results: int = 50,
) -> Shown:
    """List boards."""
    project = get_project_or_refuse(call, project_key_or_id) if project_key_or_id else None
    rows = call.db.rows(
        Board,
        *([Board.name.contains(name, fold=True)] if name else []),
        *([Board.type.in_(type.split(","))] if type else []),
        *([Board.project_key == project.key] if project else []),
    )
    return page_values([_show_board(call, each) for each in rows], start_at, max_results)


@api.post("/board", status=201)
def post_board(call: Call, name: str = "", type: str = "scrum", location: dict[str, Any] | None = None) -> Shown:
    """Create a board of a project."""
    if type not in ("scrum", "kanban", "agility"):
        raise JiraError("The board type must be scrum or kanban.")
    said = str((location or {}).get("projectKeyOrId", ""))
    project = find_project(call, said) if said else call.db.find(Project)
    if project is None or not name:
        raise JiraError("A board needs a name and the project of its location.")
    board = Board(id=call.db.next("board"), name=name, type=type, project_key=project.key)
    return _show_board(call, call.db.add(board))


@api.get("/board/{boardId}")
def get_board(call: Call, board_id: int) -> Shown:
    """Return a board."""
    return _show_board(call, _get_board(call, board_id))


@api.get("/board/{boardId}/configuration")
def get_configuration(call: Call, board_id: int) -> Shown:
    """Return the columns of a board."""
    board = _get_board(call, board_id)
    columns = [
        {"name": each.name, "statuses": [{"id": each.id, "self": show_status(call, each)["self"]}]}
        for each in call.db.rows(Status)
    ]
    return {
        **{
            name: value
            for name, value in _show_board(call, board).items()
            if name in ("id", "name", "type", "self", "location")
        },
        "columnConfig": {"columns": columns, "constraintType": "none"},
        "ranking": {"rankCustomFieldId": 10019},
    }


@api.get("/board/{boardId}/sprint")
def list_sprints(call: Call, board_id: int, state: str = "", start_at: int = 0, max_results: int = 50) -> Shown:
    """List the sprints of a board."""
    board = _get_board(call, board_id)
    if board.type == "kanban":
        raise JiraError("The board does not support sprints")
    states = [Sprint.state.in_(state.split(","))] if state else []
    rows = call.db.rows(Sprint, Sprint.board_id == board.id, *states)
    return page_values([show_sprint(call, each) for each in rows], start_at, max_results)


def _order_by_rank(jql: str) -> str:
    return jql if "order by" in jql.lower() else f"{jql} ORDER BY rank ASC"


def _list_issues(
    call: Call, jql: str, fields: Sequence[str] | None, start: int, most: int, *where: Expression
) -> Shown:
    return search_page(call, _order_by_rank(jql), fields or ["*all"], "", start, most, *where)


@api.get("/board/{boardId}/issue")
def list_board_issues(
    call: Call, board_id: int, jql: str = "", fields: list[str] | None = None, start_at: int = 0, max_results: int = 50
) -> Shown:
    """List the issues of a board."""
    board = _get_board(call, board_id)
    return _list_issues(call, jql, fields, start_at, max_results, Issue.project_key == board.project_key)


@api.get("/board/{boardId}/backlog")
def list_backlog(
    call: Call, board_id: int, jql: str = "", fields: list[str] | None = None, start_at: int = 0, max_results: int = 50
) -> Shown:
    """List the issues of a board that are in no active sprint and not done."""
    board = _get_board(call, board_id)
    active = [each.id for each in call.db.rows(Sprint, Sprint.state == "active")]
    done = [each.name for each in call.db.rows(Status, Status.category == "done")]
    open_ = Issue.status.in_([each.name for each in call.db.rows(Status) if each.name not in done])
    outside = any_of(Issue.sprint_id.is_null(), Issue.sprint_id.in_(_other_sprints(call, active)))
    return _list_issues(
        call, jql, fields, start_at, max_results, Issue.project_key == board.project_key, open_, outside
    )


def _other_sprints(call: Call, active: Sequence[int]) -> list[int]:
    return [each.id for each in call.db.rows(Sprint) if each.id not in active]


@api.get("/board/{boardId}/sprint/{sprintId}/issue")
def list_board_sprint_issues(
    call: Call,
    board_id: int,
    sprint_id: int,
    jql: str = "",
    fields: list[str] | None = None,
    start_at: int = 0,
    max_results: int = 50,
) -> Shown:
    """List the issues of a sprint of a board."""
    _get_board(call, board_id)
    return list_sprint_issues(call, sprint_id, jql, fields, start_at, max_results)


def _epics(call: Call) -> list[str]:
    return [each.name for each in call.db.rows(IssueType, IssueType.hierarchy_level > 0)]


@api.get("/board/{boardId}/epic")
def list_epics(call: Call, board_id: int, start_at: int = 0, max_results: int = 50) -> Shown:
    """List the epics of a board."""
    board = _get_board(call, board_id)
    rows = call.db.rows(
        Issue, Issue.project_key == board.project_key, Issue.issue_type.in_(_epics(call)), order=Issue.rank
    )
    shown = [
        {
            "id": int(each.id),
            "key": each.key,
            "self": f"{call.base_url}/rest/agile/1.0/epic/{each.id}",
            "name": each.summary,
            "summary": each.summary,
            "color": {"key": "color_1"},
            "done": each.resolution is not None,
        }
        for each in rows
    ]
    return page_values(shown, start_at, max_results)


@api.get("/epic/{epicIdOrKey}/issue")
def list_epic_issues(
    call: Call,
    epic_id_or_key: str,
    jql: str = "",
    fields: list[str] | None = None,
    start_at: int = 0,
    max_results: int = 50,
) -> Shown:
    """List the issues of an epic."""
    epic = get_issue_or_refuse(call, epic_id_or_key)
    return _list_issues(call, jql, fields, start_at, max_results, Issue.parent == epic.key)


@api.post("/epic/{epicIdOrKey}/issue", status=204)
def post_epic_issues(call: Call, epic_id_or_key: str, issues: list[str]) -> None:
    """Move issues to an epic."""
    epic = get_issue_or_refuse(call, epic_id_or_key)
    for each in _find_moved(call, issues):
        change_issue(call, each, {"parent": epic.key})


@api.get("/issue/{issueIdOrKey}")
def get_agile_issue(call: Call, issue_id_or_key: str, fields: list[str] | None = None, expand: str = "") -> Shown:
    """Return an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    return show_issue(call, issue, select_fields(fields or [], custom_ids(call), "*all"), expand.split(","))


@api.put("/issue/rank", status=204)
def put_rank(call: Call, issues: list[str], rank_before_issue: str = "", rank_after_issue: str = "") -> None:
    """Rank issues before or after another one."""
    moved = _find_moved(call, issues)
    other = get_issue_or_refuse(call, rank_before_issue or rank_after_issue)
    keys = [each.key for each in moved]
    order = [each for each in call.db.rows(Issue, order=(Issue.rank, Issue.number)) if each.key not in keys]
    place = next((number for number, each in enumerate(order) if each.key == other.key), 0)
    place += 0 if rank_before_issue else 1
    for number, each in enumerate([*order[:place], *moved, *order[place:]], 1):
        if each.rank != number * 1000:
            call.db.change(each, rank=number * 1000)


def _find_moved(call: Call, issues: Sequence[str]) -> list[Issue]:
    if len(issues) > MAX_MOVED_ISSUES:
        raise JiraError(f"At most {MAX_MOVED_ISSUES} issues can be moved at once.")
    return [get_issue_or_refuse(call, each) for each in issues]


@api.post("/backlog/issue", status=204)
def post_backlog(call: Call, issues: list[str]) -> None:
    """Move issues to the backlog, out of their sprints."""
    for each in _find_moved(call, issues):
        change_issue(call, each, {"sprint_id": None})


@api.post("/sprint", status=201)
def post_sprint(
    call: Call,
    name: str = "",
    origin_board_id: int | None = None,
    start_date: str | None = None,
    end_date: str | None = None,
    goal: str = "",
) -> Shown:
    """Create a future sprint."""
    if not name.strip() or len(name) > 30:
        raise InvalidFields({"name": "The sprint name must be between 1 and 30 characters."})
    if origin_board_id is None:
        raise InvalidFields({"originBoardId": "The originBoardId is required."})
    board = _get_board(call, origin_board_id)
    sprint = Sprint(
        id=call.db.next("sprint"),
        name=name,
        board_id=board.id,
        goal=goal,
        start_date=read_time(start_date, "startDate") if start_date else None,
        end_date=read_time(end_date, "endDate") if end_date else None,
        created=call.clock.iso(),
    )
    return show_sprint(call, call.db.add(sprint))


@api.get("/sprint/{sprintId}")
def get_sprint(call: Call, sprint_id: int) -> Shown:
    """Return a sprint."""
    return show_sprint(call, _get_sprint(call, sprint_id))


@api.post("/sprint/{sprintId}")
def post_sprint_change(
    call: Call,
    sprint_id: int,
    name: str | None = None,
    state: str | None = None,
    start_date: str | None = None,
    end_date: str | None = None,
    goal: str | None = None,
) -> Shown:
    """Change a sprint: start it with the state `active`, complete it with `closed`."""
    sprint = _get_sprint(call, sprint_id)
    given: dict[str, Any] = {"name": name, "goal": goal}
    given["start_date"] = read_time(start_date, "startDate") if start_date else None
    given["end_date"] = read_time(end_date, "endDate") if end_date else None
    given = {field: value for field, value in given.items() if value is not None}
    return show_sprint(call, _set_state(call, call.db.change(sprint, **given) if given else sprint, state))


@api.put("/sprint/{sprintId}")
def put_sprint(
    call: Call,
    sprint_id: int,
    name: str | None = None,
    state: str | None = None,
    start_date: str | None = None,
    end_date: str | None = None,
    goal: str | None = None,
) -> Shown:
    """Replace a sprint."""
    return post_sprint_change(call, sprint_id, name, state, start_date, end_date, goal)


def _set_state(call: Call, sprint: Sprint, state: str | None) -> Sprint:
    if state is None or state == sprint.state:
        return sprint
    if state not in _NEXT_STATES[sprint.state]:
        raise JiraError(f"A sprint that is {sprint.state} cannot become '{state}'.")
    now = call.clock.iso()
    if state == "active":
        if sprint.end_date is None:
            raise JiraError("The end date of a sprint must be set before it is started.")
        return call.db.change(sprint, state=state, start_date=sprint.start_date or now)
    _leave_sprint(call, sprint)
    return call.db.change(sprint, state=state, complete_date=now)


def _leave_sprint(call: Call, sprint: Sprint) -> None:
    """Move the issues that are not done out of a sprint that is completed."""
    done = [each.name for each in call.db.rows(Status, Status.category == "done")]
    for issue in call.db.rows(Issue, Issue.sprint_id == sprint.id):
        if issue.status not in done:
            change_issue(call, issue, {"sprint_id": None})


@api.delete("/sprint/{sprintId}", status=204)
def delete_sprint(call: Call, sprint_id: int) -> None:
    """Delete a sprint; its issues go back to the backlog."""
    sprint = _get_sprint(call, sprint_id)
    for issue in call.db.rows(Issue, Issue.sprint_id == sprint.id):
        change_issue(call, issue, {"sprint_id": None})
    call.db.remove(sprint)


@api.get("/sprint/{sprintId}/issue")
def list_sprint_issues(
    call: Call, sprint_id: int, jql: str = "", fields: list[str] | None = None, start_at: int = 0, max_results: int = 50
) -> Shown:
    """List the issues of a sprint."""
    sprint = _get_sprint(call, sprint_id)
    return _list_issues(call, jql, fields, start_at, max_results, Issue.sprint_id == sprint.id)


@api.post("/sprint/{sprintId}/issue", status=204)
def post_sprint_issues(call: Call, sprint_id: int, issues: list[str]) -> None:
    """Move issues to a sprint that is not closed."""
    sprint = _get_sprint(call, sprint_id)
    if sprint.state == "closed":
        raise JiraError("Issues can only be moved to open or active sprints.")
    for each in _find_moved(call, issues):
        change_issue(call, each, {"sprint_id": sprint.id})
