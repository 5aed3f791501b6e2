"""The full-text index of a column, by FTS5.

It is in the same database as the table and maintained by triggers, so it is forked and rewound with the rows, and the
capture ignores it.

FTS5 merges the words of each transaction, at 27 microseconds per message. So a write only adds its rowid to a small
table of pending rows, at a quarter of that cost, and every 64th write flushes them all to FTS5. A search tests the
texts of pending rows directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

from twindiff.kit.full_text import IndexTerm
from twindiff.kit.rows import Table
from twindiff.storage.sql.full_text_query import Spelling
from twindiff.storage.sql.names import names, quote

from .facets import labels_in

MAX_NOTED_ROWS = 64
"""Pending rows beyond which they are flushed to FTS5."""
MANY_FOUND = 2_000
"""Rows with a word beyond which a page is read by key, since a scan soon finds enough of them."""
MAX_PART_SHARE = 4
"""The divisor of the row count beyond which a result is "most" rows: a quarter."""
MATCHED = "n"
"""The alias of rows whose texts are tested."""
MARK = "(words "
"""The part of the names of index tables that no table of a twin has."""

FOUND = "p"
"""The alias of rowids that a full-text index found."""
Share = Literal["few", "many", "most"]
SHARES: tuple[Share, ...] = ("few", "many", "most")


class WordIndex:
    """The SQL statements of the full-text index of one column."""

    def __init__(self, table: Table, column: str) -> None:
        self._table, self._column = quote(table.name), quote(column)
        self._name = f"{table.name}{MARK}{column})"
        self._words = quote(self._name)
        self._noted = quote(f"{self._name} noted")
        self._all = quote(f"{self._name} all")
        self._labels = partial(labels_in, table=table)

    def statements(self, places: Sequence[str]) -> Iterator[str]:
        """Yield the DDL of the index and its triggers; an update of one of the columns `places` reindexes the row."""
        # CREATE TRIGGER IF NOT EXISTS "messages(words text) added" AFTER INSERT ON "messages" BEGIN
        #   INSERT INTO "messages(words text) noted" SELECT new.rowid WHERE new."text" <> ''; END
        plain = "content='', columnsize=0, detail=none, prefix='1', tokenize='ascii'"
        yield f"CREATE VIRTUAL TABLE IF NOT EXISTS {self._words} USING fts5(words, {plain})"
        yield f"CREATE VIRTUAL TABLE IF NOT EXISTS {self._all} USING fts5vocab({self._words}, 'instance')"
        yield f"CREATE TABLE IF NOT EXISTS {self._noted} (row INTEGER PRIMARY KEY) STRICT"
        note = f"INSERT INTO {self._noted} SELECT new.rowid WHERE {_is_text('new.' + self._column)};"
        forget = f"DELETE FROM {self._noted} WHERE row = old.rowid;"
        yield self._trigger("added", f"INSERT ON {self._table}", note)
        yield self._trigger("changed", f"UPDATE OF {names(places)} ON {self._table}", self._take_out + forget + note)
        yield self._trigger("removed", f"DELETE ON {self._table}", self._take_out + forget)
        are_many = f"WHEN (SELECT count(*) FROM {self._noted}) >= {MAX_NOTED_ROWS}"
        yield self._trigger("full", f"INSERT ON {self._noted} {are_many}", self.settle)

    def _trigger(self, what: str, when: str, then: str) -> str:
        return f"CREATE TRIGGER IF NOT EXISTS {quote(f'{self._name} {what}')} AFTER {when} BEGIN {then} END"

    @property
    def settle(self) -> str:
        """The statements that flush pending rows to FTS5."""
        rows = f"SELECT rowid, {self._indexed_text('')} FROM {self._table} WHERE rowid IN ({self.noted}) ORDER BY rowid"
        return f"INSERT INTO {self._words} (rowid, words) {rows}; DELETE FROM {self._noted};"

    @property
    def _take_out(self) -> str:
        """Remove the former words of a row from FTS5 unless it is pending. A contentless index must be given them."""
        gone = f"SELECT 'delete', old.rowid, {self._indexed_text('old.')}"
        is_there = f"{_is_text('old.' + self._column)} AND old.rowid NOT IN ({self.noted})"
        return f"INSERT INTO {self._words} ({self._words}, rowid, words) {gone} WHERE {is_there};"

    def _indexed_text(self, row: str) -> str:
        """Return the text to index, words and then facets. FTS5 itself splits ASCII like `index_words` does."""
        text = f"{row}{self._column}"
        words = f"CASE WHEN octet_length({text}) > length({text}) THEN index_words({text}) ELSE {text} END"
        return f"{words}{self._labels(row)}"

    @property
    def noted(self) -> str:
        """A query for the rowids of pending rows."""
        return f"SELECT row FROM {self._noted}"

    def select_rows(self, place: str, selected: str = "rowid") -> str:
        """Return a query for the rowids that FTS5 finds by the query in the placeholder `place`."""
        return f"SELECT {selected} FROM {self._words} WHERE {self._words} MATCH {place}"

    @property
    def has_more(self) -> str:
        """A query that returns a row if FTS5 finds more than so many; OFFSET is faster than counting."""
        return f"{self.select_rows('?')} LIMIT 1 OFFSET ?"

    def matches(self, condition: str, further: str, span: str) -> str:
        """Return a query for the rowids that FTS5 finds by `?1`, and of pending rows for which `condition` holds.

        The former must also meet `further`, tested on the rows, and `span`, answered by an index of a column; both may
        be empty.
        """
        joined = f" CROSS JOIN {self._row_of(self._words, 'rowid')} AND {further}" if further else ""
        within = f" AND +{self._words}.rowid IN (SELECT rowid FROM {self._rows_in_span(span)})" if span else ""
        fitting = f"SELECT {self._words}.rowid AS row FROM {self._words}{joined} WHERE {self._words} MATCH ?1{within}"
        noted = f"{self._noted} CROSS JOIN {self._row_of(self._noted, 'row')} AND {condition}"
        return f"{fitting} UNION ALL SELECT {MATCHED}.rowid FROM {noted}"

    def in_span(self, span: str, condition: str) -> str:
        """Return a query for the rowids of an index range for which a condition holds."""
        spanned = f"(SELECT rowid AS row FROM {self._rows_in_span(span)}) s"
        return f"SELECT {MATCHED}.rowid AS row FROM {spanned} CROSS JOIN {self._row_of('s', 'row')} AND {condition}"

    def count_in(self, span: str, most: str) -> str:
        """Return a query for the number of rows in an index range, at most `most`."""
        return f"SELECT count(*) FROM (SELECT 1 FROM {self._rows_in_span(span)} LIMIT {most})"

    def _rows_in_span(self, span: str) -> str:
        return f"{self._table} {MATCHED} WHERE {span}"

    def _row_of(self, alias: str, number: str) -> str:
        """Return the join of a row by its rowid."""
        return f"{self._table} {MATCHED} ON {MATCHED}.rowid = {alias}.{number}"

    @property
    def endings(self) -> str:
        """A query for the words from `?1` to before `?2` in the index, at most `?3`.

        Each word is found from the previous one by `>= term || '0'`, since "0" is the first of letters and digits.
        """
        first, next = (f"(SELECT term FROM {self._all} WHERE term >= {at} LIMIT 1)" for at in ("?1", "w.term || '0'"))
        following = f"SELECT {next} FROM w WHERE w.term < ?2"
        words = f"SELECT {first} UNION ALL {following} LIMIT ?3"
        return f"WITH RECURSIVE w(term) AS ({words}) SELECT term FROM w WHERE term < ?2"

    @property
    def last(self) -> str:
        """A query for the highest rowid, an upper bound of the number of rows."""
        return f"SELECT coalesce(max(rowid), 0) FROM {self._table}"


def _is_text(text: str) -> str:
    return f"{text} <> ''"


def share(first: Callable[[str, Sequence[Any]], Any], index: WordIndex, asked: str) -> Share:
    """Estimate the share of rows that the FTS5 query `asked` finds.

    `first(statement, parameters)` returns the first row of a result.
    """
    (rows,) = first(index.last, ())
    if rows < MANY_FOUND:
        return "few"
    most = max(MANY_FOUND, rows // MAX_PART_SHARE)
    for each in (asked.replace('"*', '"'), asked):  # first without prefixes, for which FTS5 lists all words up front
        if first(index.has_more, (each, MANY_FOUND - 1)):
            return "most" if first(index.has_more, (each, most - 1)) else "many"
    return "few"


def select_either(queries: Sequence[tuple[WordIndex, str]]) -> str:
    """Return a query for the rowids that any of several indexes finds, each by its placeholder, and of pending rows.

    Its column `sure` says whether an index found the row. Each rowid comes once.
    """
    # SELECT rowid AS row, 1 AS sure FROM A WHERE A MATCH ?1 UNION ALL
    # SELECT rowid, 1 FROM B WHERE B MATCH ?2 AND +rowid NOT IN (SELECT rowid FROM A WHERE A MATCH ?1) UNION ALL
    # SELECT row, 0 FROM (SELECT row FROM A_noted UNION SELECT row FROM B_noted) n WHERE NOT EXISTS (…) AND …
    selects: list[str] = []
    for place, (index, asked) in enumerate(queries):
        earlier = "".join(f" AND +rowid NOT IN ({one.select_rows(other)})" for one, other in queries[:place])
        selects.append(f"{index.select_rows(asked, 'rowid AS row, 1 AS sure')}{earlier}")
    noted = " UNION ".join(index.noted for index, _ in queries)
    is_new = " AND ".join(f"NOT EXISTS ({index.select_rows(asked, '1')} AND rowid = n.row)" for index, asked in queries)
    return " UNION ALL ".join([*selects, f"SELECT row, 0 FROM ({noted}) n WHERE {is_new}"])


def word_indexes(table: Table) -> Iterator[WordIndex]:
    """Return the full-text indexes of a table."""
    return (WordIndex(table, name) for name in table.words)


def _part(part: IndexTerm) -> str:
    return f'"{part.text}"{"*" if part.is_start else ""}'


SPELLING = Spelling(" AND ", " OR ", _part)
"""The query syntax of FTS5: `("red" AND "blu"*)`."""
