"""The search over tickets, users, organizations and groups.

https://developer.zendesk.com/api-reference/ticketing/ticket-management/search/
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .objects import show_group, show_organization
from .tables import ZendeskComment, ZendeskGroup, ZendeskOrganization, ZendeskTicket, ZendeskUser
from .tickets import list_tickets_there, show_ticket
from .users import list_users_there, matches_word, show_user
from .wire_style import PageChoice, Shown, ZendeskError, page_rows, refuse_parameter, show_time

api = Operations(prefix="/api/v2/search")
_TERM = re.compile(r"(-?)([a-z_]+)(:|<=|>=|<|>)(.*)", re.DOTALL)
_ORDER = ("new", "open", "pending", "hold", "solved", "closed")
_RANKS = {"status": _ORDER, "priority": ("low", "normal", "high", "urgent")}
_PEOPLE = {"requester": "requester_id", "assignee": "assignee_id", "submitter": "submitter_id"}
_COLUMNS: Mapping[type, Mapping[str, str]] = {
    ZendeskTicket: {
        **_PEOPLE, "group": "group_id", "organization": "organization_id", "ticket_type": "type", "tags": "tags",
        "created": "created_at", "updated": "updated_at", "due_date": "due_at",
        **{name: name for name in ("status", "priority", "subject", "description", "external_id")},
    },
    ZendeskUser: {"created": "created_at", "updated": "updated_at", "organization": "organization_id",
                  **{name: name for name in ("name", "email", "role", "phone", "external_id", "notes", "tags")}},
    ZendeskOrganization: {"created": "created_at", "updated": "updated_at",
                          **{name: name for name in ("name", "external_id", "details", "notes", "tags")}},
    ZendeskGroup: {"created": "created_at", "name": "name"},
}  # fmt: skip
_TYPES = {"ticket": ZendeskTicket, "user": ZendeskUser, "organization": ZendeskOrganization, "group": ZendeskGroup}
_SHOWS: Mapping[type, Any] = {
    ZendeskTicket: show_ticket, ZendeskUser: show_user, ZendeskOrganization: show_organization,
    ZendeskGroup: show_group,
}  # fmt: skip


def _find(call: Call, query: str) -> list[Any]:
    """Return the records that meet all terms of a query. Raises ZendeskError for a term that is not understood."""
    try:
        words = shlex.split(query.replace("'", "\\'"))
    except ValueError:
        words = query.split()
    kinds, terms = [*_TYPES.values()], [_TERM.fullmatch(word) or word for word in words]
    for term in list(terms):
        if isinstance(term, re.Match) and term[2] == "type":
            kinds = [_TYPES[term[4]]] if term[4] in _TYPES else []
            terms.remove(term)
    rows: list[Any] = [
        *list_tickets_there(call), *list_users_there(call), *call.db.rows(ZendeskOrganization),
        *(row for row in call.db.rows(ZendeskGroup) if not row.deleted),
    ]  # fmt: skip
    return [row for row in rows if type(row) in kinds and all(_meets(call, row, term) for term in terms)]


def _meets(call: Call, row: Any, term: re.Match[str] | str) -> bool:
    if isinstance(term, str):
        return term == "*" or (term.isdecimal() and str(row.id) == term) or _has_word(call, row, term.lower())
    negated, name, operator, value = term.groups()
    if not any(name in names for names in _COLUMNS.values()):
        known = sorted({each for names in _COLUMNS.values() for each in names} | {"type"})
        raise ZendeskError(501, {"error": "NotImplemented", "description": f"A search by {name} is not served; "
                                 f"these are: {', '.join(known)}"})  # fmt: skip
    column = _COLUMNS[type(row)].get(name)
    if column is None:
        return False
    return _holds(call, getattr(row, column), name, operator, value) != bool(negated)


def _holds(call: Call, held: Any, name: str, operator: str, value: str) -> bool:
    if value.lower() == "none":
        return held in (None, [], "")
    if name in _PEOPLE or name in ("group", "organization"):
        return _is_named(call, held, name, value)
    if isinstance(held, list):
        return value in held
    if name in ("created", "updated", "due_date") and held is not None:
        held = show_time(str(held))[: len(value)]
    if name in _RANKS:
        if value not in _RANKS[name]:
            return False
        held, wanted = (_RANKS[name].index(held) if held in _RANKS[name] else -1), _RANKS[name].index(value)
        return _compares(held, operator, wanted)
    if operator == ":" and name not in ("created", "updated", "due_date", "external_id", "role"):
        return value.lower().strip("*") in str(held or "").lower()
    return _compares(str(held or ""), operator, value)


def _compares(held: Any, operator: str, wanted: Any) -> bool:
    return {
        ":": held == wanted,
        "<": held < wanted,
        ">": held > wanted,
        "<=": held <= wanted,
        ">=": held >= wanted,
    }[operator]


def _is_named(call: Call, held: int | None, name: str, value: str) -> bool:
    """Return whether the person, the group or the organization with an id has a name, an address or that id."""
    if held is None:
        return False
    if str(held) == value:
        return True
    table = {"group": ZendeskGroup, "organization": ZendeskOrganization}.get(name, ZendeskUser)
    row: Any = call.db.find(table, table.id == held)
    if isinstance(row, ZendeskUser):
        return matches_word(call, row, value)
    return row is not None and value.lower() in row.name.lower()


def _has_word(call: Call, row: Any, word: str) -> bool:
    if isinstance(row, ZendeskUser):
        return matches_word(call, row, word)
    if isinstance(row, ZendeskTicket):
        comments = call.db.rows(ZendeskComment, ZendeskComment.ticket_id == row.id)
        texts = [row.subject or "", *(each.body for each in comments), *row.tags]
    else:
        texts = [row.name, getattr(row, "details", None) or ""]
    return any(word.strip("*") in text.lower() for text in texts)


def _show(call: Call, row: Any) -> Shown:
    kind = next(name for name, table in _TYPES.items() if type(row) is table)
    return {**_SHOWS[type(row)](call, row), "result_type": kind}


@api.get("")
def search(
    call: Call,
    query: str,
    sort_by: str = "",
    sort_order: str = "desc",
    page: PageChoice = 1,
    per_page: int = 100,
) -> Shown:
    """Find records by words and terms such as `type:ticket status<solved requester:ada@example.com`."""
    rows = _find(call, query)
    if sort_by:
        if sort_by not in ("created_at", "updated_at", "status", "priority", "ticket_type"):
            raise refuse_parameter(f"sort_by {sort_by} is not one of those of a search", "Invalid parameter")
        rows.sort(key=lambda row: str(getattr(row, sort_by.removeprefix("ticket_"), "") or ""))
        rows = rows[::-1] if sort_order == "desc" else rows
    url = f"{call.base_url}/api/v2/search.json?query={quote(query)}"
    shown = page_rows(url, "results", rows, lambda row: _show(call, row), page, per_page)
    return {**shown, "facets": None}


@api.get("/count")
def count_found(call: Call, query: str) -> Shown:
    """Return how many records a query finds."""
    return {"count": len(_find(call, query))}
