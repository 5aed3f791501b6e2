"""Lists: which rows a query asks for, in which order, and how the page says what comes next.

A page has a position, which is the number of rows before it. A parameter says it in the request; a field of the
envelope, a URL or the header `Link` says that of the next page. Connections of drafted GraphQL APIs are paged in
`graphql_execution`; cursors of both are encoded by `kit/paging.py`, which pages the lists of written twins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from twindiff.kit.errors import InvalidParameter
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.rows import Column, Expression, Order, Row, all_of, any_of, not_
from twindiff.kit.store import Store

from .conditions import RANGES, compare, equals, has_text, is_whole
from .documents import OperationDescription, Schema
from .names import snake, split_words
from .overlay import ListOverlay
from .resources import LINK_FIELDS
from .schemas import SchemaSet
from .tables import StoredResource

DEFAULT_PAGE_ROWS = 50
MAX_PAGE_ROWS = 1000
LIMITS = frozenset(
    ["limit", "per_page", "page_size", "max_results", "pagesize", "count", "first", "top", "size", "num_items"]
)
OFFSETS = frozenset(["offset", "start_at", "skip", "start", "start_index", "from"])
PAGES = frozenset(["page", "page_number", "pagenumber"])
# An `offset` that is a text is a cursor, as with Airtable; `_paging_role` tells the two apart by the type.
CURSORS = frozenset(
    [
        "cursor",
        "page_token",
        "next_cursor",
        "after",
        "starting_after",
        "start_cursor",
        "marker",
        "offset",
        "next_page_token",
        "next_token",
        "since_id",
        "last_id",
        "token",
        "continuation",
        "page_after",
    ]
)
POSITION_PARAMETERS = OFFSETS | PAGES | CURSORS
"""Parameters that say the position of a page."""
PagingStyle = Literal["", "cursor", "offset", "page", "link", "last_id"]
"""How an overlay says that lists are paged. `link` pages by number and says the next page in the header `Link`."""
ORDERS = frozenset(["sort", "order_by", "sort_by", "orderby", "ordering"])
DIRECTIONS = frozenset(["direction", "sort_order", "order", "sort_direction"])
SEARCHES = frozenset(["q", "query", "search", "text", "search_query", "filter_text", "term", "keyword", "keywords"])
_BRACKETED_FILTER = re.compile(r"^filters?\[(\w+)\]$")
"""A filter as JSON:API recommends it: `filter[status]`."""
_PAGING_ROLES = (
    ("limit", LIMITS),
    ("offset", OFFSETS),
    ("page", PAGES),
    ("order", ORDERS),
    ("direction", DIRECTIONS),
    ("search", SEARCHES),
)
PRESENTATION = frozenset(
    [
        "fields",
        "expand",
        "pretty",
        "opt_fields",
        "opt_pretty",
        "include",
        "embed",
        "format",
        "alt",
        "prettyprint",
        "pretty_print",
        "quota_user",
    ]
)
"""Parameters that say how an answer looks; a drafted twin answers in full."""


class ListQuery(NamedTuple):
    """What the parameters of a list operation mean, by their wire names."""

    limit: str = ""
    offset: str = ""
    page: str = ""
    cursor: str = ""
    order: str = ""
    direction: str = ""
    search: str = ""
    filters: Mapping[str, str] = {}
    """The field of each parameter that must equal it."""
    ranges: Mapping[str, tuple[str, str]] = {}
    """The field and the comparison of each parameter that bounds it."""
    ignored: tuple[str, ...] = ()
    """Parameters whose meaning is not known."""
    choosers: frozenset[str] = frozenset()
    """Parameters whose value `all` asks for every value of the field."""
    first_page: int = 1
    """The number of the first page."""
    is_newest_first: bool = False
    max_limit: int = MAX_PAGE_ROWS
    default_limit: int = DEFAULT_PAGE_ROWS
    style: PagingStyle = ""
    """How the overlay says that lists are paged; empty if it says nothing."""
    next: str = ""
    """The path in the answer of where the next page begins, as the overlay says it; so are the others."""
    total: str = ""
    has_more: str = ""
    is_relative: bool = False
    """Whether addresses of pages have no host."""

    @property
    def position_parameter(self) -> str:
        """The parameter that says the position of a page."""
        return self.cursor or self.page or self.offset


class ListPage(NamedTuple):
    """A page of rows, with what its envelope says."""

    rows: list[Row]
    total: int
    """The number of rows of the whole list."""
    offset: int
    limit: int
    last_key: str
    """The key of the last row of the page."""

    @property
    def has_more(self) -> bool:
        """Whether rows follow."""
        return self.offset + len(self.rows) < self.total


def read_list_query(operation: OperationDescription, fields: Mapping[str, Schema], schemas: SchemaSet) -> ListQuery:
    """Return what the parameters of a list operation mean, by their names."""
    by_snake = {snake(name): name for name in fields}
    roles: dict[str, str] = {}
    filters: dict[str, str] = {}
    ranges: dict[str, tuple[str, str]] = {}
    ignored: list[str] = []
    limits: Schema = {}
    for parameter in operation.parameters:
        wire = parameter.name
        name = snake(_BRACKETED_FILTER.sub(r"\1", wire))
        if parameter.place != "query" or name in PRESENTATION:
            continue
        role = _paging_role(name, schemas.type_of(parameter.schema))
        field = by_snake.get(name) or next(
            (by_snake[each] for each in _list_related_names(name) if each in by_snake), ""
        )
        bound = _range_of(name, by_snake)
        if role and not (field and role in ("order", "search")):
            roles.setdefault(role, wire)
            limits = schemas.flatten(parameter.schema) if role == "limit" else limits
        elif bound:
            ranges[wire] = bound
        elif field:
            filters[wire] = field
        else:
            ignored.append(wire)
    most = _whole(limits.get("maximum"), MAX_PAGE_ROWS)
    usual = min(_whole(limits.get("default"), DEFAULT_PAGE_ROWS), most)
    choosers = frozenset(
        each.name for each in operation.parameters if "all" in (schemas.flatten(each.schema).get("enum") or ())
    )
    query = ListQuery(filters=filters, ranges=ranges, ignored=tuple(ignored), max_limit=most, default_limit=usual)
    query = query._replace(choosers=choosers)
    return query._replace(**roles)  # pyright: ignore[reportArgumentType] - the roles are names of its texts


def declare_list(query: ListQuery, declared: ListOverlay) -> ListQuery:
    """Return what a list operation's parameters mean with what an overlay says of its pages."""
    role = _position_role(declared.style)
    is_declared = bool(declared.at and role)
    positions = (
        {each: declared.at if each == role else "" for each in ("cursor", "page", "offset")} if is_declared else {}
    )
    most = declared.max_limit or query.max_limit
    named = {declared.at, declared.limit}
    return query._replace(
        cursor=positions.get("cursor", query.cursor),
        page=positions.get("page", query.page),
        offset=positions.get("offset", query.offset),
        limit=declared.limit or query.limit,
        max_limit=min(most, MAX_PAGE_ROWS),
        default_limit=min(declared.default_limit or query.default_limit, most, MAX_PAGE_ROWS),
        first_page=declared.first_page,
        is_newest_first=declared.newest_first,
        style=declared.style,
        next=declared.next,
        total=declared.total,
        has_more=declared.has_more,
        is_relative=declared.relative,
        ignored=tuple(name for name in query.ignored if name not in named),
        filters={name: field for name, field in query.filters.items() if name not in named},
    )


def _position_role(style: PagingStyle) -> Literal["", "cursor", "page", "offset"]:
    """Return what the parameter of a style's position is: a cursor, the number of a page, or of rows."""
    match style:
        case "page" | "link":
            return "page"
        case "cursor" | "last_id":
            return "cursor"
        case "offset" | "":
            return style


def _paging_role(name: str, kind: str) -> str:
    """Return what a parameter of this name says of the page; empty if it says nothing."""
    if name in CURSORS and kind != "integer":
        return "cursor"
    return next((role for role, names in _PAGING_ROLES if name in names), "")


def _whole(value: Any, otherwise: int) -> int:
    return min(value, MAX_PAGE_ROWS) if isinstance(value, int) and value > 0 else otherwise


def _list_related_names(name: str) -> list[str]:
    words = name.split("_")
    stem = "_".join(words[:-1]) if words[-1] in ("id", "gid", "sid", "ids") else ""
    return [each for each in (stem, f"{stem}s" if stem else "", f"{name}_id", f"{name}s", f"{name}_gid") if each]


def _range_of(name: str, by_snake: Mapping[str, str]) -> tuple[str, str] | None:
    words = list(split_words(name))
    if words and words[-1] in RANGES:
        stem = "_".join(words[:-1])
        for each in (stem, f"{stem}_at", f"{stem}_on"):
            if each in by_snake:
                return by_snake[each], RANGES[words[-1]]
    return None


def select_page(
    query: ListQuery, raw: Mapping[str, Any], stored: StoredResource, db: Store, where: Sequence[Expression]
) -> ListPage:
    """Return the page of rows that parameters ask for. Raises InvalidParameter for a cursor that no page gave."""
    conditions = [*where, *_read_conditions(query, raw, stored)]
    order = _order_of(query, raw, stored)
    limit = max(1, min(_number(raw, query.limit, query.default_limit), query.max_limit))
    offset = _number(raw, query.offset, 0)
    if query.page and query.page in raw:
        offset = max(_number(raw, query.page, query.first_page) - query.first_page, 0) * limit
    if query.cursor and raw.get(query.cursor):
        offset = _offset_of(str(raw[query.cursor]), query.cursor, stored, db, conditions, order)
    rows = db.rows(stored.row, *conditions, order=order, limit=limit, offset=offset)
    is_last = offset == 0 and len(rows) < limit
    total = len(rows) if is_last else db.count(stored.row, *conditions)
    last = str(getattr(rows[-1], stored.key.name)) if rows else ""
    return ListPage(rows, total, offset, limit, last)


def _read_conditions(query: ListQuery, raw: Mapping[str, Any], stored: StoredResource) -> Iterator[Expression]:
    for name, field in query.filters.items():
        if raw.get(name) is not None and not (raw[name] == "all" and name in query.choosers):
            yield equals(stored.column(field), raw[name])
    for name, (field, comparison) in query.ranges.items():
        if raw.get(name) is not None:
            yield compare(stored.column(field), comparison, raw[name])
    if query.search and raw.get(query.search):
        yield has_text(stored, str(raw[query.search]))


def _order_of(query: ListQuery, raw: Mapping[str, Any], stored: StoredResource) -> tuple[Column[Any] | Order, ...]:
    """Return the order by a field, given as `name`, `-name`, `name:desc` or `name desc`; by creation for an unknown."""
    created = getattr(stored.row, stored.order)
    given = str(raw.get(query.order, "")) if query.order else ""
    direction = str(raw.get(query.direction, "")) if query.direction else ""
    if not direction and str(raw.get("sort", "")).lower() in ("asc", "desc"):
        # GitLab and others name the field in `order_by`, and only the direction in `sort`.
        direction = str(raw["sort"])
        given = "" if query.order == "sort" else given
    name, _, suffix = given.lstrip("-+").replace(" ", ":").partition(":")
    is_down = given.startswith("-") or "desc" in (suffix.lower(), direction.lower())
    wanted = (snake(name), f"{snake(name)}_at")
    field = next((each for each in stored.columns if snake(each) in wanted), "") if name else ""
    if not field:
        return (-created,) if (is_down if direction else query.is_newest_first) else (created,)
    column = stored.column(field)
    return (-column, -created) if is_down else (column, created)


def _offset_of(
    cursor: str,
    name: str,
    stored: StoredResource,
    db: Store,
    where: Sequence[Expression],
    order: tuple[Column[Any] | Order, ...],
) -> int:
    """Return how many rows stand before a cursor, which is one that a page gave or the key of a row."""
    key = int(cursor) if stored.key.kind == "integer" and is_whole(cursor) else cursor
    if stored.key.kind != "integer" or isinstance(key, int):
        row = db.find(stored.row, stored.key == key)
        if row is not None:
            return db.count(stored.row, *where, not_(_stands_after(row, order)))
    value = decode_cursor("page", cursor, _invalid_cursor(name))
    return int(value) if value.isdecimal() else 0


def _stands_after(row: Row, order: Sequence[Column[Any] | Order]) -> Expression:
    """Return the condition that a row stands after another; NULL stands before all values."""
    after: list[Expression] = []
    equal: list[Expression] = []
    for each in order:
        column, is_down = (each.column, each.descending) if isinstance(each, Order) else (each, False)
        value = getattr(row, column.name)
        if value is None:
            later = any_of() if is_down else not_(column.is_null())
        else:
            later = any_of(column < value, column.is_null()) if is_down else column > value
        after.append(all_of(*equal, later))
        equal.append(column == value)
    return any_of(*after)


def _invalid_cursor(name: str) -> type[InvalidParameter]:
    class InvalidPageCursor(InvalidParameter):
        """The cursor is not one that this list gave."""

        def __init__(self) -> None:
            super().__init__(name, "is not a cursor that this list gave")

    return InvalidPageCursor


def cursor_to(page: ListPage) -> str:
    """Return the cursor to the page after one."""
    return encode_cursor("page", str(page.offset + len(page.rows)))


def _number(raw: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = raw.get(name) if name else None
    return max(int(value), 0) if isinstance(value, (int, str)) and str(value).lstrip("-").isdecimal() else otherwise


COUNTS = frozenset(
    [
        "total",
        "total_count",
        "count",
        "total_results",
        "total_size",
        "total_items",
        "total_entries",
        "num_results",
        "total_records",
    ]
)
_MORE = frozenset(("has_more", "more", "has_next_page", "has_next"))
_NEXT = frozenset(
    ["next_cursor", "next_page_token", "cursor", "next_token", "next_marker", "next", "next_page_cursor", "next_offset"]
)


def complete_envelope(
    envelope: Mapping[str, Schema],
    listed: str,
    page: ListPage,
    query: ListQuery,
    url: str,
    schemas: SchemaSet,
    holder: str = "",
) -> dict[str, Any]:
    """Return the fields beside the list that say where the page lies and how to go on.

    `holder` is the name of the object that has them; empty for the whole answer.
    """
    told: dict[str, Any] = {}
    for name, schema in envelope.items():
        if name == listed:
            continue
        if holder in LINK_FIELDS:
            value = _link_of(name, page, query, url)
            is_object = "href" in schemas.properties(schema)
            value = {"href": value} if is_object and isinstance(value, str) else value
        else:
            value = _about_page(snake(name), schemas.type_of(schema), page, query, url)
        if isinstance(value, _Unknown):
            if schemas.type_of(schema) == "object":
                inner = schemas.properties(schema)
                nested = complete_envelope(inner, "", page, query, url, schemas, name) if inner else {}
                if nested and (page.has_more or not _is_only_next(nested)):
                    told[name] = nested
            continue
        if value is not None or schemas.allows_null(schema):
            told[name] = value
    return told


class _Unknown:
    """Says that a field tells nothing of the page."""


def _link_of(name: str, page: ListPage, query: ListQuery, url: str) -> Any:
    """Return an address among the links of a page."""
    if name == "self":
        return url.rstrip("?&")
    if name == "next":
        return _next_url(page, query, url) if page.has_more else None
    return _Unknown()


def _is_only_next(fields: Mapping[str, Any]) -> bool:
    return {snake(name) for name in fields} <= _NEXT | {"offset", "path", "uri"}


def _about_page(name: str, kind: str, page: ListPage, query: ListQuery, url: str) -> Any:
    if name in COUNTS:
        return page.total
    if name in _MORE:
        return page.has_more
    if name in ("total_pages", "page_count", "num_pages", "pages_count") and kind == "integer":
        return -(-page.total // page.limit)
    if name in ("is_last", "last_page") and kind == "boolean":
        return not page.has_more
    if name in LIMITS:
        return page.limit
    if name in PAGES:
        return page.offset // page.limit + query.first_page
    if name in ("offset", "start_at", "start", "skip") and kind == "integer":
        return page.offset
    if name in _NEXT or name == "offset" or name in ("next_page_uri", "next_page_url", "next_url", "next_link"):
        return _next_of(name, kind, page, query, url)
    if name in ("uri", "path") and page.has_more:
        return _next_url(page, query, url)
    return _Unknown()


def _next_of(name: str, kind: str, page: ListPage, query: ListQuery, url: str) -> Any:
    if not page.has_more:
        return None
    if kind == "integer":
        return page.offset + len(page.rows)
    if name.endswith(("uri", "url", "link")) or (name == "next" and not query.cursor):
        return _next_url(page, query, url)
    return cursor_to(page)


def _next_url(page: ListPage, query: ListQuery, url: str) -> str:
    if query.cursor:
        return f"{url}{query.cursor}={page.last_key if query.style == 'last_id' else cursor_to(page)}"
    if query.page:
        return f"{url}{query.page}={page.offset // page.limit + query.first_page + 1}"
    return f"{url}{query.offset or 'offset'}={page.offset + len(page.rows)}"


def find_declared_fields(query: ListQuery, page: ListPage, url: str) -> Iterator[tuple[str, Any]]:
    """Yield the paths in the answer, and their values, that the overlay says to tell of the page.

    Where no page follows, the path of the next one is None, and so is what holds it if it holds nothing else.
    """
    if query.total:
        yield query.total, page.total
    if query.has_more:
        yield query.has_more, page.has_more
    if query.next:
        yield query.next, find_next_position(query, page, url) if page.has_more else None


def find_next_position(query: ListQuery, page: ListPage, url: str) -> Any:
    """Return where the next page begins, in the overlay's style of paging."""
    last = query.next.rpartition(".")[2]
    if snake(last).endswith(("url", "uri", "link", "href")):
        return _next_url(page, query, url)
    match query.style:
        case "link":
            return _next_url(page, query, url)
        case "offset":
            return page.offset + len(page.rows)
        case "page":
            return page.offset // page.limit + query.first_page + 1
        case "last_id":
            return page.last_key
        case "cursor" | "":
            return cursor_to(page)


def put_at(fields: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at a dotted path; None removes it, and what holds nothing else."""
    name, _, rest = path.partition(".")
    if not rest:
        fields[name] = value
        return
    inner: Any = fields.get(name)
    inner = dict(cast(Mapping[str, Any], inner)) if isinstance(inner, Mapping) else {}
    put_at(inner, rest, value)
    if any(each is not None for each in inner.values()):
        fields[name] = inner
    else:
        fields.pop(name, None)


def is_linked(query: ListQuery, *, is_bare: bool) -> bool:
    """Return whether a list says in the header `Link` how to go on: one whose answer has no room for it does."""
    return query.style == "link" or (is_bare and not query.style and bool(query.position_parameter))


def link_header(page: ListPage, query: ListQuery, url: str) -> str:
    """Return the header `Link` with the pages around one (RFC 8288); empty if it is the only one."""
    links = [f'<{_next_url(page, query, url)}>; rel="next"'] if page.has_more else []
    if query.page and not query.cursor:
        number, last = page.offset // page.limit, max(page.total - 1, 0) // page.limit
        around = {"prev": number - 1, "first": 0} if number else {}
        around |= {"last": last} if page.has_more else {}
        links += [f'<{url}{query.page}={at + query.first_page}>; rel="{name}"' for name, at in around.items()]
    return ", ".join(links)
