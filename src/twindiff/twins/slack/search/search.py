"""Search of messages and files.

https://docs.slack.dev/reference/methods?family=search
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from twindiff.kit import Call, Column, Operations, all_of, any_of, exists, not_, page
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.rows import Expression, Order

from ..core.access import readable_by
from ..core.errors import InvalidCursor, NoQuery
from ..core.tables import File, FileMessage, Message
from ..documents.documents import find_documents_by_title
from ..files.files import render_files
from .search_filters import Filters
from .search_query import Alternatives, Term, parse
from .search_views import Window, around, message_match, render_result_part
from .search_words import word_of, words_of

api = Operations()

Count = Annotated[int, msgspec.Meta(ge=1)]
Page = Annotated[int, msgspec.Meta(ge=1, le=100)]
Sort = Literal["score", "timestamp", ""]
Direction = Literal["asc", "desc", ""]

_MAX_PAGE_ITEMS = 100
_MAX_TERMS = 100
"""The most words, phrases and modifiers of a query, since each is matched against every message."""


class Search(NamedTuple):
    """A search of the caller: the parsed query, the page and the order."""

    call: Call
    groups: list[Alternatives]
    window: Window
    order: Order
    highlight: bool


@api.method("search.messages", reads=True, scope="search:read")
def messages(
    call: Call,
    query: str,
    count: Count = 20,
    page: Page = 1,
    cursor: str = "",
    sort: Sort = "score",
    sort_dir: Direction = "desc",
    highlight: bool = False,
) -> dict[str, Any]:
    """Search the messages that the caller may read, by words, phrases and modifiers.

    Every match contains all words, so the order by score is simply newest first.
    https://docs.slack.dev/reference/methods/search.messages
    """
    search = _search(call, query, count, page, sort_dir, highlight=highlight)
    part = _messages_from(search, cursor) if cursor else _messages(search)
    return {"query": query, "messages": part}


@api.method("search.all", reads=True, scope="search:read")
def all(
    call: Call,
    query: str,
    count: Count = 20,
    page: Page = 1,
    sort: Sort = "score",
    sort_dir: Direction = "desc",
    highlight: bool = False,
) -> dict[str, Any]:
    """Search messages and files by words, phrases and modifiers.

    https://docs.slack.dev/reference/methods/search.all
    """
    search = _search(call, query, count, page, sort_dir, highlight=highlight)
    posts: dict[str, Any] = {"total": 0, "matches": []}
    return {"query": query, "messages": _messages(search), "files": _files(search), "posts": posts}


@api.method("search.files", reads=True, scope="search:read")
def files(
    call: Call,
    query: str,
    count: Count = 20,
    page: Page = 1,
    sort: Sort = "score",
    sort_dir: Direction = "desc",
    highlight: bool = False,
) -> dict[str, Any]:
    """Search files by words in names and titles, and by modifiers that apply to the messages sharing them.

    https://docs.slack.dev/reference/methods/search.files
    """
    return {"query": query, "files": _files(_search(call, query, count, page, sort_dir, highlight=highlight))}


def _search(call: Call, query: str, count: int, page: int, direction: Direction, *, highlight: bool) -> Search:
    if not query.strip():
        raise NoQuery
    order = Order(Message.message_id, descending=direction != "asc")
    return Search(call, _parse_query(query), Window(page, min(count, _MAX_PAGE_ITEMS)), order, highlight)


def _parse_query(query: str) -> list[Alternatives]:
    """Parse a query; raises InvalidParameter if it has too many terms, before any message is scanned."""
    groups = parse(query)
    terms = sum(map(len, groups))
    if terms > _MAX_TERMS:
        raise InvalidParameter("query", f"must have at most {_MAX_TERMS} words and modifiers; {terms:,} were given")
    return groups


def _messages(search: Search) -> dict[str, Any]:
    where = _conditions(search)
    db, window = search.call.db, search.window
    offset = (window.page - 1) * window.size
    ids = db.rows(Message, *where, order=search.order, limit=window.size, offset=offset, columns=(Message.message_id,))
    shown = [ts for (ts,) in ids]
    rows = db.rows(Message, Message.message_id.in_(shown), order=search.order) if shown else []
    return render_result_part(_matches(search, rows), _total(search, where, offset, shown), window)


def _total(search: Search, where: list[Expression], offset: int, shown: list[str]) -> int:
    """Return the number of matches. Only counts those after the page, as the page has scanned the ones before."""
    db = search.call.db
    if not shown:
        return db.count(Message, *where) if offset else 0
    so_far = offset + len(shown)
    if len(shown) < search.window.size:
        return so_far
    later = Message.message_id < shown[-1] if search.order.descending else Message.message_id > shown[-1]
    return so_far + db.count(Message, *where, later)


def _messages_from(search: Search, cursor: str) -> dict[str, Any]:
    """Return a page by cursor; `*` asks for the first page."""
    where = _conditions(search)
    db, window = search.call.db, search.window._replace(page=1)
    start = "" if cursor == "*" else cursor
    matching = page(db, Message, *where, by=search.order, limit=window.size, cursor=start, invalid=InvalidCursor)
    part = render_result_part(_matches(search, matching.rows), db.count(Message, *where), window)
    part["pagination"]["next_cursor"] = part["paging"]["next_cursor"] = matching.next_cursor
    return part


def _conditions(search: Search) -> list[Expression]:
    call = search.call
    return [*Filters(call).all(search.groups), readable_by(call.db, call.actor)]


def _matches(search: Search, rows: list[Message]) -> list[dict[str, Any]]:
    known = around(search.call.db, rows, search.call.actor)
    words = words_of(search.groups)
    return [message_match(message, known, words, highlight=search.highlight) for message in rows]


def _files(search: Search) -> dict[str, Any]:
    """Return files whose names or titles have the words, shared in messages that match the modifiers.

    Canvases and lists are not shared in messages, so they are found only by queries without modifiers.
    """
    filters, db = Filters(search.call), search.call.db
    about_text = [group for group in search.groups if not any(term.modifier for term in group)]
    about_message = [group for group in search.groups if group not in about_text]
    named = _matches_words(about_text, File.file_name, File.title)
    message = exists(
        Message,
        Message.message_id == FileMessage.message_id,
        *filters.all(about_message),
        readable_by(db, search.call.actor),
    )
    where = all_of(named, exists(FileMessage, FileMessage.file_id == File.file_id, message))
    dated = [(made or "", id) for made, id in db.rows(File, where, columns=(File.created_at, File.file_id))]
    if not about_message:
        dated += find_documents_by_title(search.call, lambda title: _matches_words(about_text, title))
    ids = [id for _, id in sorted(dated, reverse=search.order.descending)]
    first = (search.window.page - 1) * search.window.size
    return render_result_part(
        render_files(search.call, ids[first : first + search.window.size]), len(ids), search.window
    )


def _matches_words(groups: list[Alternatives], *names: Column[Any]) -> Expression:
    """Select rows that have the words of a query in one of these columns."""
    return all_of(*(any_of(*(_has_word(term, names) for term in group)) for group in groups))


def _has_word(term: Term, names: tuple[Column[Any], ...]) -> Expression:
    word = word_of(term)
    condition = any_of(*(name.has_word(word) for name in names)) if word else all_of()
    return not_(condition) if term.excluded else condition
