"""An index of the words of a text, by FTS5: which rows have a word, without a look at any of them.

It lies in the same pages as the table and triggers keep it, so it goes wherever the rows go, and no capture sees it.

FTS5 merges what each transaction brings, at 27 microseconds for a message. So a change only notes the number of its row
in a small table, at a quarter of that, and every 64th brings all of them to FTS5. A search looks into the texts of the
rows that are noted; until then FTS5 has no words of them.
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
"""Rows that wait for FTS5."""
MANY_FOUND = 2_000
"""Rows with a word from which on a page of them is read by key, which soon comes to as many as it wants."""
MAX_PART_SHARE = 4
"""The part of all rows that is most of them: a quarter."""
MATCHED = "n"
"""The alias of rows that are looked into."""
MARK = "(words "
"""What the names of these tables have, and no twin's."""

Share = Literal["few", "many", "most"]


class WordIndex:
    """The index of one text of a table, by its SQL."""

    def __init__(self, table: Table, column: str) -> None:
        self._table, self._column = quote(table.name), quote(column)
        self._name = f"{table.name}{MARK}{column})"
        self._words = quote(self._name)
        self._noted = quote(f"{self._name} noted")
        self._all = quote(f"{self._name} all")
        self._labels = partial(labels_in, table=table)

    def statements(self, places: Sequence[str]) -> Iterator[str]:
        """What creates it and keeps it; `places` are the columns at whose change a row is noted anew."""
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
        """Bring what is noted to FTS5."""
        rows = f"SELECT rowid, {self._indexed_text('')} FROM {self._table} WHERE rowid IN ({self.noted}) ORDER BY rowid"
        return f"INSERT INTO {self._words} (rowid, words) {rows}; DELETE FROM {self._noted};"

    @property
    def _take_out(self) -> str:
        """Take the words that a row has had out of FTS5, which must be told them, if they are there."""
        gone = f"SELECT 'delete', old.rowid, {self._indexed_text('old.')}"
        is_there = f"{_is_text('old.' + self._column)} AND old.rowid NOT IN ({self.noted})"
        return f"INSERT INTO {self._words} ({self._words}, rowid, words) {gone} WHERE {is_there};"

    def _indexed_text(self, row: str) -> str:
        """What FTS5 is told of a row, at whose blanks it parts words; ASCII it takes apart as `index_words` does."""
        text = f"{row}{self._column}"
        words = f"CASE WHEN octet_length({text}) > length({text}) THEN index_words({text}) ELSE {text} END"
        return f"{words}{self._labels(row)}"

    @property
    def noted(self) -> str:
        """The rows that FTS5 has nothing of yet."""
        return f"SELECT row FROM {self._noted}"

    def select_rows(self, place: str) -> str:
        """The rows of which FTS5 knows that they fit what it is asked at a place."""
        return f"SELECT rowid FROM {self._words} WHERE {self._words} MATCH {place}"

    @property
    def has_more(self) -> str:
        """A row that FTS5 finds behind so many others, if there is one; to skip them is quicker than to count them."""
        return f"{self.select_rows('?')} LIMIT 1 OFFSET ?"

    def matches(self, condition: str, further: str, span: str) -> str:
        """The numbers of the rows that fit what is asked, or of which FTS5 has nothing yet and a condition holds.

        What there is `further` must hold for the former too, and so must `span`, of which an index tells.
        """
        joined = f" CROSS JOIN {self._row_of(self._words, 'rowid')} AND {further}" if further else ""
        within = f" AND +{self._words}.rowid IN (SELECT rowid FROM {self._rows_in_span(span)})" if span else ""
        fitting = f"SELECT {self._words}.rowid AS row FROM {self._words}{joined} WHERE {self._words} MATCH ?1{within}"
        noted = f"{self._noted} CROSS JOIN {self._row_of(self._noted, 'row')} AND {condition}"
        return f"{fitting} UNION ALL SELECT {MATCHED}.rowid FROM {noted}"

    def in_span(self, span: str, condition: str) -> str:
        """The numbers of the rows of a span, of which an index tells, for which a condition holds."""
        spanned = f"(SELECT rowid AS row FROM {self._rows_in_span(span)}) s"
        return f"SELECT {MATCHED}.rowid AS row FROM {spanned} CROSS JOIN {self._row_of('s', 'row')} AND {condition}"

    def count_in(self, span: str, most: str) -> str:
        """How many rows there are in a span, up to as many as are counted."""
        return f"SELECT count(*) FROM (SELECT 1 FROM {self._rows_in_span(span)} LIMIT {most})"

    def _rows_in_span(self, span: str) -> str:
        return f"{self._table} {MATCHED} WHERE {span}"

    def _row_of(self, alias: str, number: str) -> str:
        """A row that is looked up by its number."""
        return f"{self._table} {MATCHED} ON {MATCHED}.rowid = {alias}.{number}"

    @property
    def endings(self) -> str:
        """The words that begin in a way, up to what follows the last of them, and as many as are wanted.

        A word is looked up behind the one before it: of letters and digits "0" comes first.
        """
        first, next = (f"(SELECT term FROM {self._all} WHERE term >= {at} LIMIT 1)" for at in ("?1", "w.term || '0'"))
        following = f"SELECT {next} FROM w WHERE w.term < ?2"
        words = f"SELECT {first} UNION ALL {following} LIMIT ?3"
        return f"WITH RECURSIVE w(term) AS ({words}) SELECT term FROM w WHERE term < ?2"

    @property
    def last(self) -> str:
        """The number of the last row, of which there are at most as many."""
        return f"SELECT coalesce(max(rowid), 0) FROM {self._table}"


def _is_text(text: str) -> str:
    return f"{text} <> ''"


def share(first: Callable[[str, Sequence[Any]], Any], index: WordIndex, asked: str) -> Share:
    """How many of the rows have what an index is asked for; `first` gives the first row that a statement finds."""
    (rows,) = first(index.last, ())
    if rows < MANY_FOUND:
        return "few"
    most = max(MANY_FOUND, rows // MAX_PART_SHARE)
    for each in (asked.replace('"*', '"'), asked):  # of beginnings FTS5 lists all words before it gives any
        if first(index.has_more, (each, MANY_FOUND - 1)):
            return "most" if first(index.has_more, (each, most - 1)) else "many"
    return "few"


def word_indexes(table: Table) -> Iterator[WordIndex]:
    """The indexes of words of a table."""
    return (WordIndex(table, name) for name in table.words)


def _part(part: IndexTerm) -> str:
    return f'"{part.text}"{"*" if part.is_start else ""}'


SPELLING = Spelling(" AND ", " OR ", _part)
"""How FTS5 is asked."""
