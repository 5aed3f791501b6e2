"""Searches of tickets, contacts and companies by a query such as `"priority:4 AND (status:2 OR tag:'vip')"`.

https://developers.freshdesk.com/api/#filter_tickets, #filter_contacts, #filter_companies
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .contacts import show_company, show_contact
from .tables import FreshdeskCompany, FreshdeskContact, FreshdeskTicket
from .tickets import show_ticket
from .wire_style import FreshdeskError, refuse_field

api = Operations(prefix="/api/v2")
Shown = dict[str, Any]
PAGE_ROWS = 30
MAX_PAGES = 10
MAX_QUERY_LETTERS = 512
"""Letters between the quotation marks."""
MAX_PARENTHESES = 50
_TERM = re.compile(
    r"\s*(?:(?P<sign>[()])|(?P<word>AND|OR)\b|(?P<field>\w+):(?P<bound>[<>]?)(?P<value>'[^']*'|[\w.@+-]+))"
)
_TIMES = {"created_at": "created_at", "updated_at": "updated_at"}
_TICKET = {
    **_TIMES, "agent_id": "responder_id", "group_id": "group_id", "priority": "priority", "status": "status",
    "tag": "tags", "type": "type",
}  # fmt: skip
_CONTACT = {
    **_TIMES, "company_id": "company_id", "email": "email", "mobile": "mobile", "phone": "phone", "tag": "tags",
    "language": "language", "time_zone": "time_zone", "twitter_id": "twitter_id",
    "unique_external_id": "unique_external_id",
}  # fmt: skip
_COMPANY = {**_TIMES, "domain": "domains"}
Condition = Callable[[Any], bool]


class _QueryReader:
    """Reads a query into a condition of rows. `fields` are the columns by the names of a query."""

    def __init__(self, query: str, fields: Mapping[str, str]) -> None:
        self._fields, self._query, self._place, self._open = fields, query, 0, 0

    def read(self) -> Condition:
        """Return the condition. Raises FreshdeskError for a query that is none."""
        condition = self._either()
        if self._query[self._place :].strip():
            raise _refuse_query()
        return condition

    def _next(self) -> re.Match[str] | None:
        return _TERM.match(self._query, self._place)

    def _take(self, name: str, *wanted: str) -> re.Match[str] | None:
        match = self._next()
        if match is None or match[name] is None or (wanted and match[name] not in wanted):
            return None
        self._place = match.end()
        return match

    def _either(self) -> Condition:
        parts = [self._both()]
        while self._take("word", "OR"):
            parts.append(self._both())
        return lambda row: any(part(row) for part in parts)

    def _both(self) -> Condition:
        parts = [self._one()]
        while self._take("word", "AND"):
            parts.append(self._one())
        return lambda row: all(part(row) for part in parts)

    def _one(self) -> Condition:
        if self._take("sign", "("):
            self._open += 1
            if self._open > MAX_PARENTHESES:
                raise _refuse_query()
            condition = self._either()
            if not self._take("sign", ")"):
                raise _refuse_query()
            return condition
        match = self._take("field")
        if match is None:
            raise _refuse_query()
        return self._compare(match["field"], match["bound"], match["value"])

    def _compare(self, field: str, bound: str, said: str) -> Condition:
        column = self._fields.get(field)
        if column is None and not field.startswith("cf_"):
            raise refuse_field(field, "Unexpected/invalid field in request", "invalid_field")
        value = None if said == "null" else said.strip("'")

        def fits(row: Any) -> bool:
            held: Any = getattr(row, column) if column else row.custom_fields.get(field)
            if bound and value is not None:
                known = str(held or "")[: len(value)]
                return bool(known) and (known >= value if bound == ">" else known <= value)
            if isinstance(held, list):
                return value in held or (value is None and not held)
            return held is None if value is None else str(held).lower() == value.lower()

        return fits


def _refuse_query() -> FreshdeskError:
    return refuse_field("query", "Given query is invalid. Please check the query string and try again.")


def _search(call: Call, table: Any, fields: Mapping[str, str], query: str, page: int) -> tuple[list[Any], int]:
    """Return the rows of a page that fit a query, and how many there are. Raises FreshdeskError."""
    if not 1 <= page <= MAX_PAGES:
        raise refuse_field("page", f"It should be a Positive Integer less than or equal to {MAX_PAGES}")
    if len(query) - 2 > MAX_QUERY_LETTERS or not re.fullmatch(r'"[^"]+"', query):
        raise _refuse_query()
    condition = _QueryReader(query[1:-1], fields).read()
    rows = [row for row in call.db.rows(table) if not getattr(row, "deleted", False) and condition(row)]
    return rows[(page - 1) * PAGE_ROWS : page * PAGE_ROWS], len(rows)


@api.get("/search/tickets")
def search_tickets(call: Call, query: str, page: int = 1) -> Shown:
    """Find tickets that are not deleted."""
    rows, total = _search(call, FreshdeskTicket, _TICKET, query, page)
    return {"results": [show_ticket(row) for row in rows], "total": total}


@api.get("/search/contacts")
def search_contacts(call: Call, query: str, page: int = 1) -> Shown:
    """Find contacts that are not deleted."""
    rows, total = _search(call, FreshdeskContact, _CONTACT, query, page)
    return {"results": [show_contact(row) for row in rows], "total": total}


@api.get("/search/companies")
def search_companies(call: Call, query: str, page: int = 1) -> Shown:
    """Find companies."""
    rows, total = _search(call, FreshdeskCompany, _COMPANY, query, page)
    return {"results": [show_company(row) for row in rows], "total": total}
