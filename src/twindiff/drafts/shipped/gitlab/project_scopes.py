"""Finds what paths name above the documents of GitLab, and says how those look.

https://docs.gitlab.com/api/rest/
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, cast
from urllib.parse import urlencode

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, InvalidParameter, NotFound
from twindiff.kit.http import ValueResponse
from twindiff.kit.rows import Row

from ...drafting import Draft
from ..document_collections import ALL, CollectionStyle, DocumentCollection, DocumentRequest, Shown
from ..document_fields import FieldType
from ..number_ids import read_number_id

MAX_PAGE = 100
Scope = Callable[[Call, Sequence[str]], Sequence[str]]
READ = frozenset(["list", "read"])
NO_UPDATE = ALL - {"update"}
API = "/api/v4"
PROJECT, GROUP = f"{API}/projects/{{project_id}}", f"{API}/groups/{{group_id}}"


class GitLabDocuments(CollectionStyle):
    """Lists are bare, pages are in headers, ids are numbers, and times ISO 8601."""

    times = ("created_at", "updated_at")
    is_lenient = True
    parameters: ClassVar = {
        "page": (int, 1), "per_page": (int, 20), "order_by": (str, None), "sort": (str, None),
    }  # fmt: skip

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        return InvalidParameter(field, "does not have a valid value" if kind.words else "is invalid")

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        return show_page(request, sort_shown(request, shown))

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        return InvalidParameter(absent[0], "is missing")

    def refuse_taken(self, name: str, taken: str, value: Any) -> ApiError:
        return InvalidParameter(taken, f"({value}) has already been taken")

    def show_now(self, call: Call) -> Any:
        return f"{call.clock.iso()[:23]}Z" if "." in call.clock.iso() else f"{call.clock.iso()[:19]}.000Z"


class UndatedDocuments(GitLabDocuments):
    """As others, without times."""

    times = ()


DATED, PLAIN = GitLabDocuments(), UndatedDocuments()


def show_page(request: DocumentRequest, shown: list[Shown]) -> ValueResponse:
    """Return the page of a list that a request asks for, with the headers that say which it is."""
    page, size = max(request.read_whole("page", 1), 1), min(max(request.read_whole("per_page", 20), 1), MAX_PAGE)
    start = (page - 1) * size
    return ValueResponse(shown[start : start + size], 0, _page_headers(request, page, size, len(shown)))


def sort_shown(request: DocumentRequest, shown: list[Shown]) -> list[Shown]:
    """Return documents in the order that a request names by `order_by` and `sort`, changed when it says."""
    query = request.query
    for name, is_met in (("updated_after", str.__ge__), ("updated_before", str.__le__)):
        if query.get(name):
            shown = [each for each in shown if is_met(str(each.get("updated_at") or ""), str(query[name]))]
    field, direction = query.get("order_by"), query.get("sort")
    if direction not in (None, "asc", "desc"):
        raise InvalidParameter("sort", "does not have a valid value")
    if field and any(field in each for each in shown):
        shown = sorted(shown, key=partial(sort_key, field))
    elif field and shown:
        raise InvalidParameter("order_by", "does not have a valid value")
    return shown[::-1] if direction == "desc" or (field and not direction) else shown


def sort_key(field: str, shown: Shown) -> tuple[bool, float, str]:
    """Return what a document is sorted by; those without a value come first."""
    value = shown.get(field)
    is_number = isinstance(value, (int, float))
    return (value is not None, float(value) if is_number else 0.0, "" if is_number else str(value))


def _page_headers(request: DocumentRequest, page: int, size: int, total: int) -> tuple[tuple[str, str], ...]:
    """Return the headers that say which page an answer is, and the links of the others."""
    last = max(-(-total // size), 1)
    around = {"prev": page - 1, "next": page + 1, "first": 1, "last": last}
    shown = {name: at for name, at in around.items() if 1 <= at <= last}
    exchange = request.call.memo["exchange"]
    query = {**exchange.request.query_parameters(), "per_page": size}
    url = f"{request.call.base_url}{exchange.request.path}?"
    links = [f'<{url}{urlencode({**query, "page": at})}>; rel="{name}"' for name, at in shown.items()]
    counts = {"X-Total": total, "X-Total-Pages": last, "X-Per-Page": size, "X-Page": page}
    beside = {"X-Next-Page": shown.get("next", ""), "X-Prev-Page": shown.get("prev", "")}
    headers = {"Link": ", ".join(links), **counts, **beside}
    return tuple((name, str(value)) for name, value in headers.items())


class ProjectScopes:
    """Finds what paths name above documents: projects by id or path, issues and the like by their number in them."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def find_row(self, call: Call, table: str, said: str, *others: str) -> Row:
        """Return the row of a table whose id, or one of `others`, a path names. Raises NotFound."""
        row: Any = self._draft.row(table)
        for name in ("id", *others):
            column = getattr(row, name)
            row_named = call.db.find(row, column == (read_number_id(said) if name == "id" else said))
            if row_named is not None:
                return row_named
        raise NotFound(table.removesuffix("s").replace("_", " "), said)

    def project(self, call: Call, given: Sequence[str]) -> Sequence[str]:
        """Return the id of a project, and what else the path has."""
        row: Any = self.find_row(call, "projects", given[0], "path_with_namespace")
        return [str(row.id), *given[1:]]

    def group(self, call: Call, given: Sequence[str]) -> Sequence[str]:
        """Return the id of a group, and what else the path has."""
        row: Any = self.find_row(call, "groups", given[0], "full_path")
        return [str(row.id), *given[1:]]

    def list_projects_of(self, call: Call, group: str, *, is_deep: bool) -> list[Any]:
        """Return the rows of a group's projects, newest first, with those of the groups below it if it `is_deep`."""
        above: Any = self.find_row(call, "groups", group, "full_path")
        row: Any = self._draft.row("projects")
        projects: list[Any] = []
        for each in call.db.rows(row, order=-row.creation_number):
            path, begins = str(each.path_with_namespace), f"{above.full_path}/"
            is_below = path.startswith(begins) and (is_deep or "/" not in path[len(begins) :])
            if is_below or each.group_id == above.id:
                projects.append(each)
        return projects

    def user(self, call: Call, given: Sequence[str]) -> Sequence[str]:
        """Return the id of a user; nothing for the caller, whose keys are also at paths without an id."""
        row: Any = self.find_row(call, "users", given[0])
        return [] if row.id == self.caller(call).get("id") else [str(row.id)]

    def find_numbered(self, table: str) -> Scope:
        """Return a function that finds an object by its number in a project."""

        def find(call: Call, given: Sequence[str]) -> Sequence[str]:
            scope = self.project(call, given)
            row: Any = self._draft.row(table)
            if call.db.find(row, row.project_id == int(scope[0]), row.iid == read_number_id(scope[1])) is None:
                raise NotFound(table.removesuffix("s").replace("_", " "), scope[1])
            return scope

        return find

    def caller(self, call: Call) -> Shown:
        """Return the caller as objects show who made them."""
        row: Any = self._draft.row("users")
        key = self._draft.find_user_key(call)
        user: Any = call.db.find(row, row.id == key) if key is not None else None
        names = ("id", "username", "name", "state", "avatar_url", "web_url")
        return {name: getattr(user, name, None) for name in names} if user else {}

    def add_author(self, request: DocumentRequest, fields: Shown) -> None:
        """Name the caller as the author of a new document."""
        fields.setdefault("author", self.caller(request.call))

    def add_owner(self, request: DocumentRequest, fields: Shown) -> None:
        """Name the caller as the owner of a new document."""
        fields.setdefault("owner", self.caller(request.call))

    def add_user(self, request: DocumentRequest, fields: Shown) -> None:
        """Name the caller as the user of a new document."""
        fields.setdefault("user", self.caller(request.call))

    def add_place(self, request: DocumentRequest, fields: Shown) -> None:
        """Name the project of a new document, and the caller as its user."""
        fields.setdefault("project_id", int(self.project(request.call, [request.path["project_id"]])[0]))
        self.add_user(request, fields)


def declare_below(above: str, resolve: Scope, word: str, name: str, **more: Any) -> DocumentCollection:
    """Return the collection `word` below a project, group or the like, whose keys `resolve` finds."""
    style = more.pop("style", DATED)
    table = more.pop("table", f"{'group' if '/groups/' in above else 'project'}_{word.replace('/', '_')}")
    return DocumentCollection(
        table=table, path=f"{above}/{word}", style=style, name=name, resolve=resolve,
        updates_by=more.pop("updates_by", ("PUT",)), **more,
    )  # fmt: skip


def rescope_projects(calls: Sequence[Any]) -> Callable[[Sequence[str]], Sequence[str]]:
    """Return a function that replaces the path of a project by its id, as recorded answers show it."""
    ids: dict[str, str] = {}
    for call in calls:
        answer: Any = call.answer
        for each in cast(list[Any], answer) if isinstance(answer, list) else [answer]:
            if isinstance(each, dict):
                shown = cast(Mapping[str, Any], each)
                path = shown.get("path_with_namespace") or shown.get("full_path")
                if path and shown.get("id"):
                    ids.setdefault(str(path), str(shown["id"]))
    return lambda given: [ids.get(each, each) for each in given]
