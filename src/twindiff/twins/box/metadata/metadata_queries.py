"""Metadata queries: find items by the values of an instance, with the syntax of a SQL WHERE clause.

https://developer.box.com/guides/metadata/queries/syntax
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from typing import Any, Literal, NamedTuple

from twindiff.kit import Call, Operations, Struct
from twindiff.twins.box.wire_style import marker_of, offset_in

from ..core.access import NONE, TABLE_OF, chain, find_folder, is_trashed, rights
from ..core.errors import InstanceNotFound, InvalidQuery, UnexpectedJsonType
from ..tables.further_tables import MetadataInstance
from ..views.item_views import instance_object, item_object
from .metadata_templates import find_template

api = Operations(prefix="/2.0")
_TOKEN = re.compile(r"\s*(?:(>=|<=|!=|<>|[=<>(),])|(:?[A-Za-z_][\w.-]*)|(-?\d+(?:\.\d+)?)|'((?:[^']|'')*)')")
_WORDS = frozenset(("and", "or", "not", "in", "like", "ilike", "is", "null"))
Test = Callable[[dict[str, Any]], bool]


class OrderBy(Struct):
    """A field by which results are ordered."""

    field_key: str
    direction: Literal["ASC", "DESC", "asc", "desc"] = "ASC"


class _Token(NamedTuple):
    kind: Literal["sign", "word", "name", "argument", "value"]
    value: Any


def tokens_of(query: str) -> list[_Token]:
    """Split a query into operators, words, names and values; raise InvalidQuery for anything else."""
    tokens: list[_Token] = []
    at = 0
    query = query.rstrip()
    while at < len(query):
        match = _TOKEN.match(query, at)
        if match is None:
            raise InvalidQuery(f"There is no sense in '{query[at : at + 20]}'")
        tokens.append(_token(match))
        at = match.end()
    return tokens


def _token(match: re.Match[str]) -> _Token:
    sign, name, number, text = match.groups()
    if sign:
        return _Token("sign", sign)
    if name:
        kind = "argument" if name.startswith(":") else "word" if name.lower() in _WORDS else "name"
        return _Token(kind, name[1:] if kind == "argument" else name.lower() if kind == "word" else name)
    return _Token("value", float(number) if number else text.replace("''", "'"))


class Query:
    """A recursive-descent parser that turns a query into a predicate on an instance's values."""

    def __init__(self, text: str, arguments: dict[str, Any]) -> None:
        self._tokens = tokens_of(text)[::-1]
        self._arguments = arguments

    def read(self) -> Test:
        """Parse the whole query; raise InvalidQuery if tokens are left over."""
        test = self._either()
        if self._tokens:
            raise InvalidQuery(f"Nothing was expected after the query, where '{self._tokens[-1].value}' is")
        return test

    def _either(self) -> Test:
        tests = [self._both()]
        while self._takes("or"):
            tests.append(self._both())
        return tests[0] if len(tests) == 1 else lambda data: any(test(data) for test in tests)

    def _both(self) -> Test:
        tests = [self._one()]
        while self._takes("and"):
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda data: all(test(data) for test in tests)

    def _one(self) -> Test:
        if self._takes("not"):
            inner = self._one()
            return lambda data: not inner(data)
        if self._takes("("):
            inner = self._either()
            self._needs(")")
            return inner
        return self._comparison(self._next("name").value)

    def _comparison(self, name: str) -> Test:
        if self._takes("is"):
            wanted = not self._takes("not")
            self._needs("null")
            return lambda data: (data.get(name) is None) is wanted
        negated = self._takes("not")
        if self._takes("in"):
            values = self._values()
            return lambda data: _is_among(data.get(name), values) is not negated
        for word in ("like", "ilike"):
            if self._takes(word):
                pattern = _pattern(str(self._value()), fold=word == "ilike")
                return lambda data: bool(pattern.fullmatch(str(data.get(name) or ""))) is not negated
        sign, value = self._next("sign").value, self._value()
        if sign not in _SIGNS or negated:
            raise InvalidQuery(f"'{sign}' compares nothing")
        return lambda data: _compare_values(sign, data.get(name), value)

    def _values(self) -> list[Any]:
        self._needs("(")
        values = [self._value()]
        while self._takes(","):
            values.append(self._value())
        self._needs(")")
        return [each for value in values for each in (value if isinstance(value, list) else [value])]  # pyright: ignore[reportUnknownVariableType]

    def _value(self) -> Any:
        token = self._tokens.pop() if self._tokens else None
        if token and token.kind == "value":
            return token.value
        if token and token.kind == "argument":
            if token.value not in self._arguments:
                raise UnexpectedJsonType(f"query_params does not have '{token.value}'")
            return self._arguments[token.value]
        raise InvalidQuery(f"A value was expected where '{token.value if token else 'the end'}' is")

    def _next(self, kind: str) -> _Token:
        if not self._tokens or self._tokens[-1].kind != kind:
            said = self._tokens[-1].value if self._tokens else "the end"
            raise InvalidQuery(f"A {kind} was expected where '{said}' is")
        return self._tokens.pop()

    def _takes(self, value: str) -> bool:
        if self._tokens and self._tokens[-1].kind in ("word", "sign") and self._tokens[-1].value == value:
            self._tokens.pop()
            return True
        return False

    def _needs(self, value: str) -> None:
        if not self._takes(value):
            raise InvalidQuery(f"'{value}' was expected")


def _is_among(held: Any, values: list[Any]) -> bool:
    return any(each in values for each in held) if isinstance(held, list) else held in values  # pyright: ignore[reportUnknownVariableType]


def _pattern(text: str, *, fold: bool) -> re.Pattern[str]:
    shell = re.sub(r"([\[*?])", r"[\1]", text).replace("%", "*").replace("_", "?")
    return re.compile(translate(shell), re.IGNORECASE if fold else 0)


_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda held, value: held == value,
    "!=": lambda held, value: held != value,
    "<>": lambda held, value: held != value,
    "<": lambda held, value: held < value,
    "<=": lambda held, value: held <= value,
    ">": lambda held, value: held > value,
    ">=": lambda held, value: held >= value,
}


def _compare_values(sign: str, held: Any, value: Any) -> bool:
    if held is None:
        return False
    if isinstance(held, list) and sign == "=":
        return value in held
    if isinstance(held, int | float) and isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return False
    try:
        return _SIGNS[sign](held, value)
    except TypeError:
        return False


@api.post("/metadata_queries/execute_read", reads=True)
def execute(
    call: Call,
    from_: str,
    ancestor_folder_id: str,
    query: str = "",
    query_params: dict[str, Any] | None = None,
    order_by: list[OrderBy] | None = None,
    limit: int = 100,
    marker: str = "",
    fields: list[str] | None = None,
) -> dict[str, Any]:
    """Find files and folders below a folder by the values of their instances of one template.

    https://developer.box.com/reference/post-metadata-queries-execute-read
    """
    if not 0 <= limit <= 100:
        raise InvalidQuery("limit must be 0 to 100")
    scope, _, key = from_.partition(".")
    template = find_template(call, scope, key) if key and scope.startswith(("enterprise", "global")) else None
    if template is None:
        raise InstanceNotFound(f"There is no template '{from_}'; it is named scope.templateKey")
    folder = find_folder(call, ancestor_folder_id)
    test: Test = Query(query, query_params or {}).read() if query.strip() else lambda data: True
    of = (MetadataInstance.scope == template.scope, MetadataInstance.template_key == template.template_key)
    rows = [row for row in call.db.rows(MetadataInstance, *of) if test(row.data)]
    matches = [(row, item) for row in rows if (item := _item_below(call, row, folder.id))]
    for each in reversed(order_by or []):
        matches.sort(key=lambda pair: _rank(pair[0].data.get(each.field_key)), reverse=each.direction.upper() == "DESC")
    start = offset_in(marker)
    page = matches[start : start + limit]
    entries = [_entry(call, row, item, fields) for row, item in page]
    more = {"next_marker": marker_of(start + limit)} if start + limit < len(matches) else {}
    return {"entries": entries, "limit": limit, **more}


def _rank(value: Any) -> tuple[int, float, str]:
    """Return the sort key of a value: missing values, then numbers, then texts."""
    if value is None:
        return (0, 0.0, "")
    return (1, float(value), "") if isinstance(value, int | float) else (2, 0.0, str(value))


def _item_below(call: Call, row: MetadataInstance, folder_id: str) -> Any:
    table = TABLE_OF[row.item_type]
    item = call.db.find(table, table.id == row.item_id)
    if item is None or is_trashed(call, item) or rights(call, item) == NONE:
        return None
    around = [each.id for each in chain(call, item.parent_id)]
    return item if folder_id == "0" or folder_id in around or folder_id == item.id else None


def _entry(call: Call, row: MetadataInstance, item: Any, fields: list[str] | None) -> dict[str, Any]:
    """Render an item as a result: only type and id, or the requested fields and metadata."""
    if not fields:
        return item_object(call, item, ("sequence_id",))
    plain = tuple(name for name in fields if not name.startswith("metadata."))
    shown = item_object(call, item, plain or ("sequence_id",))
    if len(plain) < len(fields):
        shown["metadata"] = {row.scope: {row.template_key: instance_object(row)}}
    return shown
