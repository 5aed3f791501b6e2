"""What SQLite says in its own way."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from twindiff.kit.computed_values import JOINT
from twindiff.kit.full_text import SearchTerm
from twindiff.kit.rows import AllOf, Column, ColumnType, Expression, Row, Table, table_of
from twindiff.storage.sql.compiler import MANY, Scope, Search, SqlCompiler
from twindiff.storage.sql.full_text_query import Spelling, asked_for, asked_of, words_needed
from twindiff.storage.sql.names import quote
from twindiff.storage.values import INT64, json_text

from .full_text_index import MATCHED, SPELLING, Share, WordIndex
from .json_key_index import EntryIndex

MARKS = 4
"""Values of a list that are written out; more travel as one parameter, so that the text stays the same."""
MAX_LIKE_BYTES = 20_000
"""Letters of a LIKE; SQLite takes 50,000, of which the escapes are some."""
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
    """SQL for SQLite; `share` says how many rows an index of words finds, `few` whether one of entries finds few.

    `spelling` says how FTS5 is asked of a text.

    What many rows have is met soon in whatever order rows are read, and to list those that have it would take longer.
    """

    def __init__(
        self,
        share: Callable[[WordIndex, str], Share] = lambda index, asked: "few",
        few: Callable[[EntryIndex, str, str], bool] = lambda index, key, text: True,
        spelling: Callable[[Column[Any]], Spelling] = lambda column: SPELLING,
    ) -> None:
        super().__init__()
        self._share = share
        self._spelling = spelling
        self._few = few
        self._granted: set[tuple[str, SearchTerm]] = set()
        """Words that all rows have by the way in which they are found, each with the text that has it."""
        self._read: set[str] = set()
        """Texts that are looked into."""

    def table(self, row: type[Row]) -> str:
        return quote(table_of(row).name)

    def value(self, value: object, column: Column[Any]) -> str:
        return self.place(stored_value(value, column))

    def place(self, stored: Any) -> str:
        """A place for a value as it is stored; by its number, so that it can be anywhere in the text."""
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
        """Compare as bytes: a length in characters would end at U+0000."""
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
        """SQLite folds ASCII by itself, and quicker; only a text with other letters, or U+0000, needs our function."""
        folded = text.casefold()
        beyond_ascii, ours = _beyond_ascii(left), super().contains_fold
        if not folded.isascii():
            return f"({beyond_ascii} AND {ours(left, text)})"
        if not folded.isprintable() or len(folded) > MAX_LIKE_BYTES:
            return ours(left, text)
        like = f"{left} LIKE {self.place(f'%{folded.translate(_WILD)}%')} ESCAPE '\\'"
        return f"({like} OR ({beyond_ascii} AND {ours(left, text)}))"

    def has_word(self, left: str, word: SearchTerm) -> str:
        """SQLite finds words in ASCII by itself, and quicker; texts and words with other letters need our function.

        A CASE looks no further than it must; SQLite works out both sides of an AND or OR that is a value.
        """
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
        """An index tells by itself where whole words are; only into texts that it does not have yet is looked."""
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
        """The numbers of the rows for which conditions hold.

        FTS5 tells of them when it is asked, an index of `span`, and into rows it is looked for what is `further` asked.
        """
        self.place(asked)
        return WordIndex(table_of(column.table), column.name).matches(
            *(self._of_matched(column, parts) for parts in (where, further, span))
        )

    def in_span(self, column: Column[Any], span: Sequence[Expression], where: Sequence[Expression]) -> str:
        """The numbers of the rows for which conditions hold, of those few that an index of `span` tells of."""
        return WordIndex(table_of(column.table), column.name).in_span(
            *(self._of_matched(column, parts) for parts in (span, where))
        )

    def count_in(self, column: Column[Any], span: Sequence[Expression], most: int) -> str:
        """How many rows an index of `span` tells of, up to as many as are counted."""
        spanned = self._of_matched(column, span)
        return WordIndex(table_of(column.table), column.name).count_in(spanned, self.place(most))

    def _of_matched(self, column: Column[Any], where: Sequence[Expression]) -> str:
        """Conditions of rows into whose texts is looked."""
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
        """Look words up in the indexes that the table has of them.

        Rows that many are found of come by their order, up to as many as are wanted: a plus keeps SQLite from going by
        their numbers. Where most are, it is quicker to read what they say than to list them first.
        """
        conditions: list[str] = []
        for name in table.words:
            index, column, text = WordIndex(table, name), table.columns[name], f"{alias}.{quote(name)}"
            asked = asked_for(AllOf(tuple(where)), column, self._spelling(column))
            share = self._share(index, asked) if asked else None
            if share == "most":
                self._read.add(text)
            elif asked:
                row = f"{'+' if share == 'many' else ''}{alias}.rowid"
                conditions.append(f"{row} IN ({index.select_rows(self.place(asked))} UNION ALL {index.noted})")
                self._granted.update((text, word) for word in words_needed(where, column))
        return Search(condition=" AND ".join(conditions))


def _globs(word: SearchTerm) -> list[str]:
    """The forms of a word as patterns for a text in ASCII, in lower case and between blanks."""
    forms = [form.lower() for form in word.forms]
    edges = [("[^0-9a-z]" if letter.isalnum() else "" for letter in (form[:1], form[-1:])) for form in forms]
    escaped = ["".join(f"[{letter}]" if letter in "*?[" else letter for letter in form) for form in forms]
    ends = [(before, "" if word.is_start else after) for before, after in edges]
    return [f"*{before}{form}{after}*" for form, (before, after) in zip(escaped, ends, strict=True)]


def _beyond_ascii(left: str) -> str:
    """Whether a text has other letters than ASCII's."""
    return f"octet_length({left}) > length({left})"


def _path(column: Column[Any]) -> str:
    """The path inside a Json column as SQLite reads it."""
    path = "$" + "".join(f".{json.dumps(key, ensure_ascii=False)}" for key in column.path)
    return "'" + path.replace("'", "''") + "'"


def stored_value(value: Any, column: Column[Any]) -> Any:
    """A value as it is compared with a column; an integer that no column can hold is beyond all that it can."""
    if column.kind == "json" and (not column.path or isinstance(value, dict | list)):
        return json_text(cast(Any, value))
    if type(value) is int and value not in INT64:
        return float("inf" if value > 0 else "-inf") if column.kind == "integer" else float(value)
    return value
