"""Searches by JQL. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from twindiff.kit.call import Call
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.rows import Expression
from twindiff.kit.store import Ordering
from twindiff.kit.twin import Operations

from .issue_views import select_fields, show_issue
from .issues import custom_ids
from .jql_search import compile_jql
from .tables import Issue
from .wire_style import JiraError

api = Operations()
MAX_RESULTS = 100
MAX_RESULTS_BY_TOKEN = 5000


class IssueSlice(NamedTuple):
    """Part of the issues that a search finds, and how many there are."""

    issues: list[dict[str, Any]]
    total: int


def find_issues(
    call: Call, where: Sequence[Expression], order: Ordering, fields: Sequence[str], expand: str, start: int, most: int
) -> IssueSlice:
    """Return issues from `start` on, with the fields of the names."""
    rows = call.db.rows(Issue, *where, order=order, limit=most, offset=start)
    options = [each for each in expand.split(",") if each]
    return IssueSlice([show_issue(call, row, fields, options) for row in rows], call.db.count(Issue, *where))


def search_page(
    call: Call, jql: str, fields: Sequence[str] | None, expand: str, start: int, most: int, *where: Expression
) -> dict[str, Any]:
    """Return a page by offset of the issues of a query, of those that also meet `where`."""
    query = compile_jql(call, jql)
    chosen = select_fields(fields or [], custom_ids(call), "*navigable")
    most = min(max(most, 0), MAX_RESULTS)
    page = find_issues(call, (*query.where, *where), query.order, chosen, expand, max(start, 0), most)
    return {"expand": "schema,names", "startAt": start, "maxResults": most, "total": page.total, "issues": page.issues}


@api.get("/search")
def get_search(
    call: Call,
    jql: str = "",
    start_at: int = 0,
    max_results: int = 50,
    fields: list[str] | None = None,
    expand: str = "",
) -> dict[str, Any]:
    """Find issues by JQL, page by page. Atlassian has replaced it by `/search/jql`; clients still call it."""
    return search_page(call, jql, fields, expand, start_at, max_results)


@api.post("/search", reads=True)
def post_search(
    call: Call,
    jql: str = "",
    start_at: int = 0,
    max_results: int = 50,
    fields: list[str] | None = None,
    expand: list[str] | None = None,
) -> dict[str, Any]:
    """Find issues by JQL in the body."""
    return search_page(call, jql, fields, ",".join(expand or ()), start_at, max_results)


def _by_token(
    call: Call, jql: str, token: str | None, most: int, fields: Sequence[str] | None, expand: str
) -> dict[str, Any]:
    if not jql.strip() or jql.strip().lower().startswith("order by"):
        raise JiraError("Unbounded JQL queries are not allowed here. Please add a search restriction to your query.")
    query = compile_jql(call, jql)
    start = int(decode_cursor("jql", token)) if token else 0
    most = min(max(most, 1), MAX_RESULTS_BY_TOKEN)
    chosen = select_fields(fields or [], custom_ids(call), "id")
    page = find_issues(call, query.where, query.order, chosen, expand, start, most)
    if start + most >= page.total:
        return {"issues": page.issues, "isLast": True}
    return {"issues": page.issues, "nextPageToken": encode_cursor("jql", str(start + most)), "isLast": False}


@api.get("/search/jql")
def get_search_jql(
    call: Call,
    jql: str = "",
    next_page_token: str | None = None,
    max_results: int = 50,
    fields: list[str] | None = None,
    expand: str = "",
) -> dict[str, Any]:
    """Find issues by JQL, paged by token; without `fields` it returns only ids."""
    return _by_token(call, jql, next_page_token, max_results, fields, expand)


@api.post("/search/jql", reads=True)
def post_search_jql(
    call: Call,
    jql: str = "",
    next_page_token: str | None = None,
    max_results: int = 50,
    fields: list[str] | None = None,
    expand: str = "",
) -> dict[str, Any]:
    """Find issues by JQL in the body, paged by token."""
    return _by_token(call, jql, next_page_token, max_results, fields, expand)


@api.post("/search/approximate-count", reads=True)
def count_issues(call: Call, jql: str = "") -> dict[str, int]:
    """Count the issues of a query."""
    return {"count": call.db.count(Issue, *compile_jql(call, jql).where)}


@api.post("/jql/parse", reads=True)
def post_parse(call: Call, queries: list[str], validation: str = "strict") -> dict[str, Any]:
    """Say which queries are valid."""
    return {"queries": [_parse(call, each) for each in queries]}


def _parse(call: Call, query: str) -> dict[str, Any]:
    try:
        compile_jql(call, query)
    except JiraError as error:
        return {"query": query, "errors": error.messages}
    return {"query": query, "structure": {}}
