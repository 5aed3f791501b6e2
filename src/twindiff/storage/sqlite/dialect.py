"""The SQL dialect of SQLite."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from twindiff.kit.computed_values import JOINT
from twindiff.kit.full_text import SearchTerm
from twindiff.kit.rows import AllOf, Column, ColumnType, Expression, Row, Table, table_of
from twindiff.storage.sql.compiler import MANY, Scope, Scopes, Search, SqlCompiler
from twindiff.storage.sql.full_text_query import Spelling, asked_for, asked_of, either_asked, words_needed
from twindiff.storage.sql.names import quote
from twindiff.storage.values import INT64, json_text

from .full_text_index import FOUND, MATCHED, SHARES, SPELLING, Share, WordIndex, select_either
from .json_key_index import EntryIndex

MARKS = 4
"""Values of a list with a placeholder each; more are one JSON parameter, so that the SQL text stays the same."""
MAX_LIKE_BYTES = 20_000
"""Characters of a LIKE pattern before escaping; SQLite's limit is 50,000 with the escapes."""
_WILD = str.maketrans({letter: f"\\{letter}" for letter in "%_\\"})
_JSON_TYPES: dict[ColumnType, str] = {
    "text": "'text'",
    "timestamp": "'text'",
    "date": "'text'",
    "integer": "'integer', 'real'",
    "float": "'integer', 'real'",
    "boolean": "'true', 'false'",
    "json": "'object', 'array'",
}


class SqliteCompiler(SqlCompiler):
    """Compiles SQL for SQLite.

    `share(index, query)` estimates the share of rows that a full-text query finds. `few(index, key, text)` tells
    whether a JSON key index finds few rows. `spelling(column)` is the syntax of FTS5 queries on a column.
    `counts` says that all matching rows are counted.

    An index is not used for conditions that many rows meet: a scan in any order soon finds enough of them for a page,
    while listing all of them would take longer.
    """

    def __init__(
        self,
        share: Callable[[WordIndex, str], Share] = lambda index, asked: "few",
        few: Callable[[EntryIndex, str, str], bool] = lambda index, key, text: True,
        spelling: Callable[[Column[Any]], Spelling] = lambda column: SPELLING,
        *,
        counts: bool = False,
    ) -> None:
        super().__init__()
        self._counts = counts
        self._granted_part: Expression | None = None
        self._share = share
        self._spelling = spelling
        self._few = few
        self._granted: set[tuple[str, SearchTerm]] = set()
        """Words that the search already guarantees in all rows, each with the SQL reference of its text."""
        self._read: set[str] = set()
        """References of texts that are tested row by row instead of by their index."""

    def table(self, row: type[Row]) -> str:
        return quote(table_of(row).name)

    def value(self, value: object, column: Column[Any]) -> str:
        return self.place(stored_value(value, column))

    def place(self, stored: Any) -> str:
        """Add a stored value as a parameter; its placeholder is numbered, so that it can be anywhere in the text."""
        self.parameters.append(stored)
        return f"?{len(self.parameters)}"

    def among(self, left: str, values: Sequence[object], column: Column[Any]) -> str:
        if len(values) <= (MARKS if column.kind == "text" else MANY):
            return f"{left} IN ({', '.join([self.value(value, column) for value in values])})"
        stored = values if column.kind == "text" else [stored_value(value, column) for value in values]
        return f"{left} IN (SELECT value FROM json_each({self.place(msgspec.json.encode(stored).decode())}))"

    def json_text(self, reference: str, column: Column[Any]) -> str:
        return f"{reference} -> {_path(column)}"

    def of_kind(self, reference: str, column: Column[Any], kind: ColumnType) -> str:
        place = f"{reference}, {_path(column)}"
        return f"(CASE WHEN json_type({place}) IN ({_JSON_TYPES[kind]}) THEN json_extract({place}) END)"

    def contains(self, left: str, text: str) -> str:
        return f"instr({left}, {self.place(text)}) > 0"

    def starts(self, left: str, text: str) -> str:
        return self._bytes_are(left, text, f"1, {len(text.encode())}")

    def ends(self, left: str, text: str) -> str:
        return self._bytes_are(left, text, f"-{len(text.encode())}")

    def _bytes_are(self, left: str, text: str, span: str) -> str:
        """Compare a span of a text as bytes, since a length in characters would end at U+0000."""
        if not text:
            return f"{left} IS NOT NULL"
        return f"substr(CAST({left} AS BLOB), {span}) = {self.place(text.encode())}"

    def equals(self, left: str, text: str) -> str:
        return f"{left} = {self.place(text)}"

    def fold_case(self, left: str) -> str:
        return f"casefold({left})"

    def bare(self, left: str) -> str:
        return f"without_accents({left})"

    def microseconds(self, instant: str) -> str:
        return f"(unixepoch(substr({instant}, 1, 19)) * 1000000 + CAST(substr({instant}, 21) AS INTEGER))"

    def items(self, reference: str) -> str:
        value = "CASE type WHEN 'text' THEN value END AS value"
        listed = f"CASE json_type({reference}) WHEN 'array' THEN {reference} END"
        return f"(SELECT key AS place, {value} FROM json_each({listed}))"

    def aggregate_text(self, text: str, order: str) -> str:
        return f"group_concat({text}, char({ord(JOINT)}) ORDER BY {order})"

    def contains_fold(self, left: str, text: str) -> str:
        """Use SQLite's LIKE, which is faster but folds ASCII only; other texts, or U+0000, need our `casefold`."""
        # (t."name" LIKE ?1 ESCAPE '\' OR
        #   (octet_length(t."name") > length(t."name") AND instr(casefold(t."name"), ?2) > 0))
        folded = text.casefold()
        beyond_ascii, ours = _beyond_ascii(left), super().contains_fold
        if not folded.isascii():
            return f"({beyond_ascii} AND {ours(left, text)})"
        if not folded.isprintable() or len(folded) > MAX_LIKE_BYTES:
            return ours(left, text)
        like = f"{left} LIKE {self.place(f'%{folded.translate(_WILD)}%')} ESCAPE '\\'"
        return f"({like} OR ({beyond_ascii} AND {ours(left, text)}))"

    def has_word(self, left: str, word: SearchTerm) -> str:
        """Use SQLite's LIKE and GLOB for ASCII, which are faster; other texts and words need our `has_word`.

        CASE evaluates no more than necessary, whereas SQLite evaluates both sides of an AND or OR used as a value.
        """
        # CASE WHEN octet_length(t."text") > length(t."text") THEN has_word(t."text", ?1)
        #   WHEN NOT t."text" LIKE ?2 ESCAPE '\' THEN 0 ELSE (' ' || lower(t."text") || ' ') GLOB ?3 END
        ours = f"has_word({left}, {self.place(word.pattern)})"
        if not all(form.isascii() and form.isprintable() and " " not in form for form in word.forms):
            return ours
        start = word.beginning
        if len(start) > MAX_LIKE_BYTES:
            return ours
        like = f"{left} LIKE {self.place(f'%{start.translate(_WILD)}%')} ESCAPE '\\'"
        *others, last = [f"(' ' || lower({left}) || ' ') GLOB {self.place(glob)}" for glob in _globs(word)]
        cases = "".join(f" WHEN {form} THEN 1" for form in others)
        return f"CASE WHEN {_beyond_ascii(left)} THEN {ours} WHEN NOT {like} THEN 0{cases} ELSE {last} END"

    def has_indexed_word(self, left: str, word: SearchTerm, column: Column[Any]) -> str:
        """Test by the full-text index; only texts of pending rows, which it lacks, are searched themselves."""
        if left in self._read or not word.is_plain:
            return self.has_word(left, word)
        index, row = WordIndex(table_of(column.table), column.name), f"{left.removesuffix(quote(column.name))}rowid"
        is_granted = (left, word) in self._granted
        known = "1" if is_granted else f"{row} IN ({index.select_rows(self.place(asked_of(word, SPELLING)))})"
        return f"CASE WHEN {row} IN ({index.noted}) THEN {self.has_word(left, word)} ELSE {known} END"

    def matches(
        self,
        column: Column[Any],
        asked: str,
        where: Sequence[Expression],
        further: Sequence[Expression],
        span: Sequence[Expression],
    ) -> str:
        """Return a query for the rowids of the rows for which all conditions hold.

        `asked` is the FTS5 query. `span` are conditions that an index of a column answers; `further` ones are tested on
        the rows. `where` are all conditions, for pending rows that FTS5 does not have yet.
        """
        self.place(asked)
        return WordIndex(table_of(column.table), column.name).matches(
            *(self._of_matched(column, parts) for parts in (where, further, span))
        )

    def in_span(self, column: Column[Any], span: Sequence[Expression], where: Sequence[Expression]) -> str:
        """Return a query for the rowids of the rows for which conditions hold, among the few of an index range."""
        return WordIndex(table_of(column.table), column.name).in_span(
            *(self._of_matched(column, parts) for parts in (span, where))
        )

    def count_in(self, column: Column[Any], span: Sequence[Expression], most: int) -> str:
        """Return a query for the number of rows in the index range `span`, at most `most`."""
        spanned = self._of_matched(column, span)
        return WordIndex(table_of(column.table), column.name).count_in(spanned, self.place(most))

    def _of_matched(self, column: Column[Any], where: Sequence[Expression]) -> str:
        """Compile conditions on rows whose texts are searched themselves."""
        self._read.add(f"{MATCHED}.{quote(column.name)}")
        return self.where(where, (Scope(MATCHED, column.table),))

    def entry(self, left: str, column: Column[Any], text: str) -> str:
        table = table_of(column.table)
        if column.name not in table.entries or len(column.path) != 1:
            return ""
        index, (key,) = EntryIndex(table, column.name), column.path
        if not self._few(index, key, text):
            return ""
        return (
            f"{left.removesuffix(quote(column.name))}rowid IN ({index.select_rows(self.place(key), self.place(text))})"
        )

    def search(self, table: Table, where: Sequence[Expression], alias: str) -> Search:
        """Search words in the full-text indexes of the table, depending on the share of rows that they find.

        With "few" rows, SQLite reads those by rowid. With "many", it reads rows in the requested order and tests each
        against the list; the unary plus before `rowid` disables the lookup by rowid. With "most", texts are tested row
        by row, since listing the rows first would take longer. A count joins the rows to what the index finds.
        """
        # t.rowid IN (SELECT rowid FROM "messages(words text)" WHERE "messages(words text)" MATCH ?1
        #   UNION ALL SELECT row FROM "messages(words text) noted")
        conditions: list[str] = []
        source, is_searched = "", False
        for name in table.words:
            index, column, text = WordIndex(table, name), table.columns[name], f"{alias}.{quote(name)}"
            asked = asked_for(AllOf(tuple(where)), column, self._spelling(column))
            if not asked:
                continue
            is_searched = True
            share = "few" if self._counts else self._share(index, asked)
            if share == "most":
                self._read.add(text)
                continue
            rowids = f"{index.select_rows(self.place(asked), 'rowid AS row')} UNION ALL {index.noted}"
            if self._counts and not source:
                source = _join_found(rowids, table)
                conditions.append(f"{alias}.rowid = {FOUND}.row")
            else:
                conditions.append(f"{'+' if share == 'many' else ''}{alias}.rowid IN ({rowids})")
            self._granted.update((text, word) for word in words_needed(where, column))
        return Search(source, " AND ".join(conditions)) if is_searched else self._search_either(table, where, alias)

    def _search_either(self, table: Table, where: Sequence[Expression], alias: str) -> Search:
        """Search words that any of several texts may have: from the index, if that finds few rows or all are counted.

        Texts that the index does not answer for are tested row by row.
        """
        choices = [(part, asked) for part in where if (asked := either_asked(part, table, self._spelling))]
        if not choices:
            return Search()
        self._read.update(f"{alias}.{quote(name)}" for _, asked in choices for name in asked)
        rank, chosen = 0, choices[0]
        if len(choices) > 1 or not self._counts:
            ranks = [
                max(SHARES.index(self._share(WordIndex(table, name), query)) for name, query in asked.items())
                for _, asked in choices
            ]
            rank, chosen = min(zip(ranks, choices, strict=True), key=lambda ranked: ranked[0])
        if rank and not self._counts:
            return Search()
        self._granted_part, asked = chosen
        queries = [(WordIndex(table, name), self.place(query)) for name, query in asked.items()]
        return Search(_join_found(select_either(queries), table), f"{alias}.rowid = {FOUND}.row")

    def expression(self, part: Expression, scopes: Scopes) -> str:
        """Compile a condition; of the one that a search answers, only the rows that the index lacks are tested."""
        compiled = super().expression(part, scopes)
        return f"({FOUND}.sure OR {compiled})" if part is self._granted_part and len(scopes) == 1 else compiled


def _join_found(rowids: str, table: Table) -> str:
    """Return the rows of a table joined to the rowids that a query finds, which are read first and in their order."""
    return f"({rowids}) {FOUND} CROSS JOIN {quote(table.name)}"


def _globs(word: SearchTerm) -> list[str]:
    """Return GLOB patterns of the forms of a word, for an ASCII text in lower case and between spaces.

    The word "cat" becomes `*[^0-9a-z]cat[^0-9a-z]*`.
    """
    forms = [form.lower() for form in word.forms]
    edges = [("[^0-9a-z]" if letter.isalnum() else "" for letter in (form[:1], form[-1:])) for form in forms]
    escaped = ["".join(f"[{letter}]" if letter in "*?[" else letter for letter in form) for form in forms]
    ends = [(before, "" if word.is_start else after) for before, after in edges]
    return [f"*{before}{form}{after}*" for form, (before, after) in zip(escaped, ends, strict=True)]


def _beyond_ascii(left: str) -> str:
    """Test whether a text has characters beyond ASCII."""
    return f"octet_length({left}) > length({left})"


def _path(column: Column[Any]) -> str:
    """Return the path inside a Json column as an SQL literal, such as `'$."user"."id"'`."""
    path = "$" + "".join(f".{json.dumps(key, ensure_ascii=False)}" for key in column.path)
    return "'" + path.replace("'", "''") + "'"


def stored_value(value: Any, column: Column[Any]) -> Any:
    """Convert a value for comparison with a column; an integer beyond 64 bits becomes a float or infinity."""
    if column.kind == "json" and (not column.path or isinstance(value, dict | list)):
        return json_text(cast(Any, value))
    if type(value) is int and value not in INT64:
        return float("inf" if value > 0 else "-inf") if column.kind == "integer" else float(value)
    return value
