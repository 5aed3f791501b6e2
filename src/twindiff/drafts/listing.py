"""Lists: which rows a query asks for, in which order, and how the page says what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from twindiff.kit.errors import InvalidParameter
from twindiff.kit.paging import decode_cursor, encode_cursor

from .documents import OperationDescription, Schema
from .names import snake, split_words
from .schemas import SchemaSet

DEFAULT_PAGE_ROWS = 50
MAX_PAGE_ROWS = 1000
LIMITS = frozenset(
    ["limit", "per_page", "page_size", "max_results", "pagesize", "count", "first", "top", "size", "num_items"]
)
OFFSETS = frozenset(["offset", "start_at", "skip", "start", "start_index", "from"])
PAGES = frozenset(["page", "page_number", "pagenumber"])
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
PLACES = OFFSETS | PAGES | CURSORS
"""Parameters that say where a page begins."""
ORDERS = frozenset(["sort", "order_by", "sort_by", "orderby", "ordering"])
DIRECTIONS = frozenset(["direction", "sort_order", "order", "sort_direction"])
SEARCHES = frozenset(["q", "query", "search", "text", "search_query", "filter_text"])
RANGES = {
    "gt": 1,
    "after": 1,
    "since": 1,
    "min": 1,
    "gte": 0,
    "from": 0,
    "lt": -1,
    "before": -1,
    "until": -1,
    "lte": -2,
}
_PAGING_ROLES = (
    ("limit", LIMITS),
    ("offset", OFFSETS),
    ("page", PAGES),
    ("order", ORDERS),
    ("direction", DIRECTIONS),
    ("search", SEARCHES),
)
PRESENTATION = frozenset(
    ["fields", "expand", "pretty", "opt_fields", "opt_pretty", "include", "embed", "format", "alt", "prettyprint"]
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
    max_limit: int = MAX_PAGE_ROWS
    default_limit: int = DEFAULT_PAGE_ROWS


class ListPage(NamedTuple):
    """A page of rows, with what its envelope says."""

    rows: list[Mapping[str, Any]]
    total: int
    offset: int
    limit: int

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
        name, wire = snake(parameter.name), parameter.name
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
    return ListQuery(
        **roles, filters=filters, ranges=ranges, ignored=tuple(ignored), max_limit=most, default_limit=usual
    )


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
                return by_snake[each], words[-1]
    return None


def select_page(query: ListQuery, raw: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> ListPage:
    """Return the page that parameters ask for. Raises InvalidParameter for a cursor that no page gave."""
    chosen = [row for row in rows if _is_wanted(query, raw, row)]
    given_order = str(raw.get(query.order, "")) if query.order else ""
    if given_order:
        chosen = _sort(chosen, given_order, str(raw.get(query.direction, "")) if query.direction else "")
    limit = _number(raw, query.limit, query.default_limit)
    limit = max(1, min(limit, query.max_limit))
    offset = _number(raw, query.offset, 0)
    if query.page and query.page in raw:
        offset = max(_number(raw, query.page, 1) - 1, 0) * limit
    if query.cursor and raw.get(query.cursor):
        offset = _offset_of(str(raw[query.cursor]), query.cursor, chosen)
    page = chosen[offset : offset + limit]
    return ListPage(page, len(chosen), offset, limit)


def _offset_of(cursor: str, name: str, rows: Sequence[Mapping[str, Any]]) -> int:
    after = next((n for n, row in enumerate(rows) if str(row.get("id")) == cursor), None)
    if after is not None:
        return after + 1
    value = decode_cursor("page", cursor, _invalid_cursor(name))
    return int(value) if value.isdecimal() else 0


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


def _is_wanted(query: ListQuery, raw: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    for name, field in query.filters.items():
        if raw.get(name) is not None and not holds(row.get(field), raw[name]):
            return False
    for name, (field, comparison) in query.ranges.items():
        if raw.get(name) is not None and not _is_within(row.get(field), raw[name], comparison):
            return False
    text = str(raw.get(query.search) or "") if query.search else ""
    return not text or any(text.lower() in each.lower() for each in row.values() if isinstance(each, str))


_COMPARED = {
    **dict.fromkeys(("=", "eq", "is", "equals", "equal"), "="),
    **dict.fromkeys(("!=", "neq", "ne", "not_equals"), "!="),
    **dict.fromkeys((">", "gt"), "gt"),
    **dict.fromkeys((">=", "gte"), "gte"),
    **dict.fromkeys(("<", "lt"), "lt"),
    **dict.fromkeys(("<=", "lte"), "lte"),
    **dict.fromkeys(("~", "contains", "contains_token", "like"), "~"),
    **dict.fromkeys(("in", "any"), "in"),
}


def meets_filters(row: Mapping[str, Any], query: Any) -> bool:
    """Return whether a row meets all conditions in the body of a search, wherever they stand in it.

    A condition is an object that names a field (`field`, `propertyName`, `property`), an `operator` and a `value`.
    """
    if isinstance(query, list):
        return all(meets_filters(row, each) for each in cast(list[Any], query))
    if not isinstance(query, Mapping):
        return True
    fields = cast(Mapping[str, Any], query)
    name = next((fields[each] for each in ("field", "propertyName", "property", "attribute") if each in fields), None)
    if isinstance(name, str) and ("value" in fields or "values" in fields):
        comparison = _COMPARED.get(str(fields.get("operator", "=")).lower())
        wanted = fields.get("value", fields.get("values"))
        known = next((value for field, value in row.items() if snake(field) == snake(name)), None)
        return comparison is None or _compares(known, wanted, comparison)
    return all(meets_filters(row, each) for each in fields.values())


def _compares(value: Any, wanted: Any, comparison: str) -> bool:
    match comparison:
        case "=" | "in":
            return holds(value, wanted)
        case "!=":
            return not holds(value, wanted)
        case "~":
            return str(wanted).lower() in str(value or "").lower()
        case _:
            return _is_within(value, wanted, comparison)


def _is_within(value: Any, bound: Any, comparison: str) -> bool:
    if value is None:
        return False
    left: Any = value if isinstance(value, (int, float)) else str(value)
    try:
        right: Any = float(bound) if isinstance(value, (int, float)) else str(bound)
    except ValueError:
        return False
    side = RANGES[comparison]
    if side == 1:
        return left > right
    if side == 0:
        return left >= right
    return left < right if side == -1 else left <= right


def holds(value: Any, wanted: Any) -> bool:
    """Return whether a stored value is, names or contains what a parameter asks for."""
    if isinstance(value, list):
        return any(holds(each, wanted) for each in cast(list[Any], value))
    if isinstance(value, Mapping):
        from .resources import KEY_NAMES

        fields = cast(Mapping[str, Any], value)
        return any(holds(fields[key], wanted) for key in KEY_NAMES if fields.get(key) is not None)
    if isinstance(wanted, list):
        return any(holds(value, each) for each in cast(list[Any], wanted))
    if isinstance(value, bool):
        return str(wanted).lower() == str(value).lower()
    if value is None:
        return False
    return str(value) == str(wanted) or ("," in str(wanted) and str(value) in str(wanted).split(","))


def _sort(rows: list[Mapping[str, Any]], order: str, direction: str) -> list[Mapping[str, Any]]:
    """Sort by a field, given as `name`, `-name`, `name:desc` or `name desc`; an unknown field changes nothing."""
    field, _, suffix = order.lstrip("-+").replace(" ", ":").partition(":")
    wanted = next((name for row in rows for name in row if snake(name) in (snake(field), f"{snake(field)}_at")), "")
    if not wanted:
        return rows
    is_down = order.startswith("-") or "desc" in (suffix.lower(), direction.lower())
    return sorted(rows, key=lambda row: _sort_key(row.get(wanted)), reverse=is_down)


def _sort_key(value: Any) -> tuple[int, Any]:
    if value is None:
        return (0, "")
    return (1, value) if isinstance(value, (int, float)) else (2, str(value))


_TOTALS = frozenset(
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
    envelope: Mapping[str, Schema], listed: str, page: ListPage, query: ListQuery, url: str, schemas: SchemaSet
) -> dict[str, Any]:
    """Return the fields beside the list that say where the page lies and how to go on."""
    told: dict[str, Any] = {}
    for name, schema in envelope.items():
        if name == listed:
            continue
        value = _about_page(snake(name), schemas.type_of(schema), page, query, url)
        if isinstance(value, _Unknown):
            if schemas.type_of(schema) == "object":
                inner = schemas.properties(schema)
                nested = complete_envelope(inner, "", page, query, url, schemas) if inner else {}
                if nested and (page.has_more or not _is_only_next(nested)):
                    told[name] = nested
            continue
        if value is not None or schemas.allows_null(schema):
            told[name] = value
    return told


class _Unknown:
    """Says that a field tells nothing of the page."""


def _is_only_next(fields: Mapping[str, Any]) -> bool:
    return {snake(name) for name in fields} <= _NEXT | {"offset", "path", "uri"}


def _about_page(name: str, kind: str, page: ListPage, query: ListQuery, url: str) -> Any:
    if name in _TOTALS:
        return page.total
    if name in _MORE:
        return page.has_more
    if name in ("is_last", "last_page") and kind == "boolean":
        return not page.has_more
    if name in LIMITS:
        return page.limit
    if name in PAGES:
        return page.offset // page.limit + 1
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
        return f"{url}{query.cursor}={cursor_to(page)}"
    if query.page:
        return f"{url}{query.page}={page.offset // page.limit + 2}"
    return f"{url}{query.offset or 'offset'}={page.offset + len(page.rows)}"
