"""The SQL dialect of PostgreSQL: every parameter has an explicit type, and text is encoded by `text_encoding`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from twindiff.kit.computed_values import JOINT
from twindiff.kit.full_text import SearchTerm
from twindiff.kit.rows import Column, ColumnType, Expression, Row, Table, Where, table_of
from twindiff.storage.sql.compiler import NO_SEARCH, Scopes, Search, SqlCompiler, kind_of
from twindiff.storage.sql.full_text_query import asked_for
from twindiff.storage.sql.names import quote
from twindiff.storage.values import INT64

from .case_folding import HEAD
from .ddl import stored_type
from .full_text_index import MAX_TEXT_CHARACTERS, SPELLING, exactly_asked, function_argument, lookup
from .json_key_index import indexed_columns
from .text_encoding import escape_text, literal, written_json

_TEXTS = ("text", "timestamp", "date")
_NUMBERS = ("integer", "float")
_JSON_TYPES: dict[ColumnType, str] = {
    **dict.fromkeys(_TEXTS, "'string'"),
    **dict.fromkeys(_NUMBERS, "'number'"),
    "boolean": "'boolean'",
    "json": "'object', 'array'",
}  # pyright: ignore[reportAssignmentType] - the keys are column types
_JSON_VALUES: dict[ColumnType, str] = {
    **dict.fromkeys(_TEXTS, "({} #>> '{{}}') COLLATE \"C\""),
    **dict.fromkeys(_NUMBERS, "({} #>> '{{}}')::numeric"),
    "boolean": "({} #>> '{{}}')::boolean",
    "json": '({}::text) COLLATE "C"',
}  # pyright: ignore[reportAssignmentType]


Listed = Callable[[Table, str, str, str], list[Any] | None]
LeaveFewer = Callable[[Sequence[Expression], Table, str, str], bool]


class PostgresCompiler(SqlCompiler):
    """Compiles SQL for PostgreSQL; `schema` contains the tables.

    `listed(table, column, key, text)` returns the keys of the rows with a text under a key of a Json column, or None if
    they are many. `leave_fewer(others, table, column, asked)` tells whether conditions with other indexes leave fewer
    rows than a full-text query finds.
    """

    def __init__(
        self,
        schema: str,
        listed: Listed = lambda table, column, key, text: None,
        leave_fewer: LeaveFewer = lambda others, table, column, asked: False,
    ) -> None:
        super().__init__()
        self.schema = schema
        self._listed = listed
        self._leave_fewer = leave_fewer
        self._told: dict[int, str] = {}
        """Conditions that the full-text index answers exactly, by `id`, each with the test that it has the text."""

    def table(self, row: type[Row]) -> str:
        return f"{quote(self.schema)}.{quote(table_of(row).name)}"

    def value(self, value: object, column: Column[Any]) -> str:
        return self._place(*_to_stored(value, kind_of(value) if column.path else column.kind))

    def _place(self, kind: str, stored: Any) -> str:
        self.parameters.append(stored)
        return f"%s::{kind}"

    def among(self, left: str, values: Sequence[object], column: Column[Any]) -> str:
        stored = [_to_stored(value, column.kind) for value in values]
        kinds = {kind for kind, _ in stored}
        (kind,) = kinds if len(kinds) == 1 else ("numeric",)
        listed = [Decimal(value) if kind == "numeric" else value for _, value in stored]
        return f"{left} = ANY({self._place(f'{kind}[]', listed)})"

    def json_text(self, reference: str, column: Column[Any]) -> str:
        return f"{self._at(reference, column)}::text"

    def _at(self, reference: str, column: Column[Any]) -> str:
        """Return the value at the path of a Json column, as JSON."""
        self.parameters += [escape_text(key) for key in column.path]
        return f"({reference}::json{' -> %s::text' * len(column.path)})"

    def of_kind(self, reference: str, column: Column[Any], kind: ColumnType) -> str:
        is_of_kind = f"json_typeof({self._at(reference, column)}) IN ({_JSON_TYPES[kind]})"
        return f"(CASE WHEN {is_of_kind} THEN {_JSON_VALUES[kind].format(self._at(reference, column))} END)"

    def contains(self, left: str, text: str) -> str:
        return f"strpos({left}, {self._text(text)}) > 0"

    def starts(self, left: str, text: str) -> str:
        return f"starts_with({left}, {self._text(text)})"

    def ends(self, left: str, text: str) -> str:
        return f"right({left}, {len(escape_text(text))}) = {self._text(text)}"

    def equals(self, left: str, text: str) -> str:
        return f"{left} = {self._text(text)}"

    def _text(self, text: str) -> str:
        return self._place("text", escape_text(text))

    def equals_fold(self, left: str, text: str) -> str:
        """Compare a prefix, which may be indexed (`Table.folded`), and the text, which may be too long for an index."""
        # (twindiff.folded_head(t."name") = %s::text AND twindiff.casefold(t."name") = %s::text)
        if "%s" in left:  # inside JSON: there is no index, and the placeholder cannot be repeated
            return super().equals_fold(left, text)
        start = escape_text(text.casefold())[:HEAD]
        return f"(twindiff.folded_head({left}) = {self._place('text', start)} AND {super().equals_fold(left, text)})"

    def fold_case(self, left: str) -> str:
        return f"twindiff.casefold({left})"

    def bare(self, left: str) -> str:
        return f"twindiff.without_accents({left})"

    def has_word(self, left: str, word: SearchTerm) -> str:
        return f"{self.bare(left)} ~ {self._text(word.pattern)}"

    def entry(self, left: str, column: Column[Any], text: str) -> str:
        table = table_of(column.table)
        if column.name not in indexed_columns(table) or len(column.path) != 1:
            return ""
        keys = self._listed(table, column.name, column.path[0], text)
        if keys is None:
            return ""
        key = table.columns[table.key[0]]
        row, kind = left.removesuffix(quote(column.name)), f"{stored_type(key)}[]"
        is_listed = f"{row}{quote(key.name)} = ANY({self._place(kind, keys)})"
        return f"({is_listed} AND {self.of_kind(left, column, 'text')} = {self.value(text, column)})"

    def search(self, table: Table, where: Sequence[Expression], alias: str) -> Search:
        """Search words in a full-text index of the table, unless other conditions leave fewer rows."""
        # FROM "twin_slack"."messages(text words)"(%s::text) t
        for name in table.words:
            column = table.columns[name]
            told = {id(part): exact for part in where if (exact := exactly_asked(part, column))}
            parts = [told.get(id(part)) or asked_for(part, column, SPELLING) for part in where]
            wanted = SPELLING.both.join(part for part in parts if part)
            others = [part for part in where if _is_by_index(part, table)]
            if wanted and not (others and self._leave_fewer(others, table, name, function_argument(f"({wanted})"))):
                self._told = {each: f"length({alias}.{quote(name)}) <= {MAX_TEXT_CHARACTERS}" for each in told}
                place = self._place("text", function_argument(f"({wanted})"))
                return Search(source=f"{lookup(self.schema, table, name)}({place})")
        return NO_SEARCH

    def expression(self, part: Expression, scopes: Scopes) -> str:
        """Test conditions that the index answers exactly only on texts that are too long for it."""
        looked_into = super().expression(part, scopes)
        is_told = self._told.get(id(part)) if len(scopes) == 1 else None
        return f"({is_told} OR {looked_into})" if is_told else looked_into

    # PostgreSQL overestimates the size of closures and would scan the table; LATERAL with OFFSET 0 forces the index.

    def further(self, way: str, steps: str) -> str:
        step = f"SELECT n.v FROM ({steps}) n WHERE n.k = {way}.v AND n.v IS NOT NULL OFFSET 0"
        return f"SELECT n.v FROM {way} CROSS JOIN LATERAL ({step}) n"

    def looked_up(self, table: str, alias: str, key: str, value: str) -> str:
        return f"CROSS JOIN LATERAL (SELECT * FROM {table} WHERE {key} = {value} OFFSET 0) {alias}"

    def microseconds(self, instant: str) -> str:
        return f"(extract(epoch FROM ({instant})::timestamp) * 1000000)::bigint"

    def items(self, reference: str) -> str:
        held = f"(SELECT {reference}::json AS list) h"
        listed = "(CASE json_typeof(h.list) WHEN 'array' THEN h.list END)"
        value = "(CASE json_typeof(i.item) WHEN 'string' THEN i.item #>> '{}' END) COLLATE \"C\" AS value"
        return f"(SELECT i.place, {value} FROM {held}, json_array_elements({listed}) WITH ORDINALITY i(item, place))"

    def aggregate_text(self, text: str, order: str) -> str:
        return f"string_agg({text}, {literal(JOINT)} ORDER BY {order})"


_BY_INDEX = frozenset(("=", "in", "<", "<=", ">", ">="))


def _is_by_index(part: Expression, table: Table) -> bool:
    """Whether a condition is an equality or range of the first column of an index."""
    if not isinstance(part, Where) or part.op not in _BY_INDEX or part.column.path or isinstance(part.value, Column):
        return False
    return any(table.columns.get(each[0]) is part.column for each in (table.key, *table.unique, *table.indexes))


def _to_stored(value: Any, kind: ColumnType) -> tuple[str, Any]:
    """Return the SQL type for comparing a value with a column of a kind, and the value in that type."""
    if kind in _NUMBERS:
        return _number(value, kind)
    if kind == "boolean":
        return "boolean", bool(value)
    return "text", written_json(value) if kind == "json" else escape_text(str(value))


def _number(value: Any, kind: ColumnType) -> tuple[str, Any]:
    if kind == "integer" and isinstance(value, int) and value in INT64:
        return "bigint", int(value)
    if kind == "integer":
        return "numeric", Decimal(value)
    return "double precision", float(value)
