"""Lists of issues and merge requests: of everything, of a project and of a group, with their filters.

https://docs.gitlab.com/api/issues/, /merge_requests/
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast
from urllib.parse import parse_qsl

from twindiff.kit.errors import InvalidParameter, MissingOperation
from twindiff.kit.http import ValueResponse
from twindiff.kit.rows import Expression
from twindiff.kit.twin import Operations

from ...drafting import Draft
from ..document_collections import DocumentRequest, Shown, declare_operation
from ..number_ids import read_number_id
from .project_scopes import API, GROUP, PROJECT, ProjectScopes, show_page, sort_key

_STATES = {"issues": ("opened", "closed", "all"), "merge_requests": ("opened", "closed", "merged", "locked", "all")}
_SCOPES = ("created_by_me", "assigned_to_me", "all")
_ORDERS = ("created_at", "updated_at", "due_date", "title", "weight", "merged_at", "popularity")
_UNSERVED_ORDERS = ("priority", "label_priority", "milestone_due", "relative_position")
_UNSERVED = (
    "approved_by_ids", "approved_by_usernames", "approver_ids", "deployed_after", "deployed_before", "due_date",
    "environment", "epic_id", "health_status", "iteration_id", "iteration_title", "my_reaction_emoji",
)  # fmt: skip
"""Parameters of the vendor's lists that are refused as not implemented."""
_MEMBERS = {
    "issues": f"GET {PROJECT}/issues/{{issue_iid}}",
    "merge_requests": f"GET {PROJECT}/merge_requests/{{merge_request_iid}}",
}
Meets = Callable[[Shown], bool]


class ItemLists:
    """The handlers, over the tables of a draft."""

    def __init__(self, draft: Draft, scopes: ProjectScopes) -> None:
        self._draft, self._scopes = draft, scopes

    def declare(self) -> Operations:
        """Return the operations with their paths."""
        api = Operations()
        for table in _MEMBERS:
            name = table.replace("_", " ")
            declare_operation(api, f"GET {API}/{table}", partial(self._list_all, table), f"List {name}.")
            declare_operation(api, f"GET {PROJECT}/{table}", partial(self._list_of_project, table), f"List {name}.")
            declare_operation(api, f"GET {GROUP}/{table}", partial(self._list_of_group, table), f"List {name}.")
        return api

    def _list_all(self, table: str, request: DocumentRequest) -> Any:
        return self._list(table, request, [], "created_by_me")

    def _list_of_project(self, table: str, request: DocumentRequest) -> Any:
        project = self._scopes.project(request.call, [request.path["project_id"]])[0]
        return self._list(table, request, [self._draft.row(table).project_id == int(project)], "all")

    def _list_of_group(self, table: str, request: DocumentRequest) -> Any:
        rows = self._scopes.list_projects_of(request.call, request.path["group_id"], is_deep=True)
        return self._list(table, request, [self._draft.row(table).project_id.in_([each.id for each in rows])], "all")

    def _list(self, table: str, request: DocumentRequest, where: list[Expression], scope: str) -> Any:
        query, call = read_query(request), request.call
        row: Any = self._draft.row(table)
        if (state := _read_choice(query, "state", _STATES[table], "all")) != "all":
            where.append(row.state == state)
        if iids := _list_texts(query, "iids"):
            where.append(row.iid.in_([_read_number("iids", each) for each in iids]))
        me = self._scopes.caller(call).get("id")
        meets = [*_read_scope(query, scope, me), *_read_persons(query), *_read_contents(query), *_read_times(query)]
        field, is_falling = _read_order(query)
        rows = call.db.rows(row, *where, order=(row.created_at, row.id))
        shown = [self._draft.show(call, each, _MEMBERS[table]) for each in rows]
        values: list[Shown] = [each.value if isinstance(each, ValueResponse) else each for each in shown]
        kept = sorted((each for each in values if all(meet(each) for meet in meets)), key=partial(sort_key, field))
        return show_page(request, kept[::-1] if is_falling else kept)


def read_query(request: DocumentRequest) -> Mapping[str, list[str]]:
    """Return the values of a query by name without `[]`. Raises MissingOperation for a filter that is not served."""
    sent = request.call.memo["exchange"].request
    query: dict[str, list[str]] = {}
    for name, value in parse_qsl(sent.query, keep_blank_values=True):
        if name in _UNSERVED or name.startswith("not["):
            raise MissingOperation(f"This drafted twin does not have the parameter '{name[:100]}' of this list.")
        query.setdefault(name.removesuffix("[]"), []).append(value)
    return query


def _list_texts(query: Mapping[str, list[str]], name: str) -> list[str]:
    """Return the values of a parameter, which may be repeated or have commas."""
    return [part.strip() for each in query.get(name, ()) for part in each.split(",") if part.strip()]


def _read_text(query: Mapping[str, list[str]], name: str) -> str:
    return query.get(name, [""])[-1].strip()


def _read_choice(query: Mapping[str, list[str]], name: str, choices: tuple[str, ...], default: str) -> str:
    given = _read_text(query, name) or default
    if given not in choices:
        raise InvalidParameter(name, "does not have a valid value")
    return given


def _read_number(name: str, text: str) -> int:
    number = read_number_id(text)
    if not number and text != "0":
        raise InvalidParameter(name, "is invalid")
    return number


def _read_scope(query: Mapping[str, list[str]], default: str, me: Any) -> list[Meets]:
    # Older clients write scopes with hyphens.
    given = {**query, "scope": [_read_text(query, "scope").replace("-", "_")]}
    if any(_read_text(query, each) for each in ("author_id", "author_username", "assignee_id", "assignee_username")):
        default = "all"
    match _read_choice(given, "scope", _SCOPES, default):
        case "created_by_me":
            return [partial(_names_one, "author", "id", [str(me)])]
        case "assigned_to_me":
            return [partial(_names_one, "assignees", "id", [str(me)])]
        case _:
            return []


def _read_persons(query: Mapping[str, list[str]]) -> list[Meets]:
    """Return the conditions on authors, assignees and reviewers, by id or by name."""
    meets: list[Meets] = []
    for role, field in (("author", "author"), ("assignee", "assignees"), ("reviewer", "reviewers")):
        id, names = _read_text(query, f"{role}_id"), _list_texts(query, f"{role}_username")
        if id and names:
            raise InvalidParameter(f"{role}_id, {role}_username", "are mutually exclusive")
        if names:
            meets += [partial(_names_one, field, "username", [each]) for each in names]
        elif id and role != "author" and id.lower() in ("none", "any"):
            meets.append(partial(_is_there, field, id.lower() == "any"))
        elif id:
            meets.append(partial(_names_one, field, "id", [str(_read_number(f"{role}_id", id))]))
    return meets


def _read_contents(query: Mapping[str, list[str]]) -> list[Meets]:
    """Return the conditions on labels, the milestone, texts, branches and flags."""
    meets = [*_read_milestone(query), *_read_flags(query)]
    labels = _list_texts(query, "labels")
    if labels and labels[0].lower() in ("none", "any"):
        meets.append(partial(_is_there, "labels", labels[0].lower() == "any"))
    elif labels:
        meets.append(partial(_has_labels, labels))
    if search := _read_text(query, "search").lower():
        fields = _list_texts(query, "in") or ["title", "description"]
        if any(each not in ("title", "description") for each in fields):
            raise InvalidParameter("in", "does not have a valid value")
        meets.append(partial(_has_text, search, fields))
    return meets


def _read_milestone(query: Mapping[str, list[str]]) -> list[Meets]:
    title, number = _read_text(query, "milestone"), _read_text(query, "milestone_id")
    given = title or number
    if given.lower().removeprefix("#") in ("upcoming", "started"):
        raise MissingOperation(f"This drafted twin does not have the milestone '{given}' of this list.")
    if given.lower() in ("any", "none"):
        return [partial(_is_there, "milestone", given.lower() == "any")]
    if title:
        return [partial(_names_one, "milestone", "title", [title])]
    return [partial(_names_one, "milestone", "id", [str(_read_number("milestone_id", number))])] if number else []


def _read_flags(query: Mapping[str, list[str]]) -> list[Meets]:
    names = ("source_branch", "target_branch", "issue_type")
    meets: list[Meets] = [partial(_is_value, name, value) for name in names if (value := _read_text(query, name))]
    for name, field in (("confidential", "confidential"), ("draft", "draft"), ("wip", "draft")):
        if value := _read_text(query, name).lower():
            if value not in ("true", "false", "1", "0", "yes", "no"):
                raise InvalidParameter(name, "is invalid")
            meets.append(partial(_is_value, field, value in ("true", "1", "yes")))
    return meets


def _read_times(query: Mapping[str, list[str]]) -> list[Meets]:
    names = [(field, side) for field in ("created", "updated", "merged") for side in ("after", "before")]
    return [
        partial(_is_on_side, f"{field}_at", side, _read_time(f"{field}_{side}", given))
        for field, side in names
        if (given := _read_text(query, f"{field}_{side}"))
    ]


def _read_order(query: Mapping[str, list[str]]) -> tuple[str, bool]:
    """Return the field by which a list is sorted, and whether it falls."""
    field = _read_choice(query, "order_by", (*_ORDERS, *_UNSERVED_ORDERS), "created_at")
    if field in _UNSERVED_ORDERS:
        raise MissingOperation(f"This drafted twin does not have the order '{field}' of this list.")
    is_falling = _read_choice(query, "sort", ("asc", "desc"), "desc") == "desc"
    return "upvotes" if field == "popularity" else field, is_falling


def _read_time(name: str, text: str) -> datetime:
    try:
        given = datetime.fromisoformat(text)
        return given.astimezone(UTC) if given.tzinfo else given.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise InvalidParameter(name, "is invalid") from None


def _objects_of(field: str, shown: Shown) -> list[Mapping[str, Any]]:
    value: Any = shown.get(field)
    listed = cast(list[Any], value) if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, Mapping)]


def _names_one(field: str, name: str, wanted: list[str], shown: Shown) -> bool:
    """Return whether an object in a field, or in its list, is named by one of some values."""
    return any(str(each.get(name)) in wanted for each in _objects_of(field, shown))


def _is_there(field: str, wanted: bool, shown: Shown) -> bool:
    return bool(shown.get(field)) is wanted


def _has_labels(wanted: list[str], shown: Shown) -> bool:
    labels: list[Any] = shown.get("labels") or []
    return all(each in [str(label) for label in labels] for each in wanted)


def _has_text(text: str, fields: list[str], shown: Shown) -> bool:
    return any(text in str(shown.get(each) or "").lower() for each in fields)


def _is_value(field: str, wanted: Any, shown: Shown) -> bool:
    return shown.get(field) == wanted


def _is_on_side(field: str, side: str, bound: datetime, shown: Shown) -> bool:
    if not shown.get(field):
        return False
    at = _read_time(field, str(shown[field]))
    return at >= bound if side == "after" else at <= bound
