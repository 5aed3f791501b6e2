"""An index of the words of a text, by FTS5: which rows have a word, without a look at any of them.

It lies in the same pages as the table and triggers keep it, so it goes wherever the rows go, and no capture sees it.

FTS5 merges what each transaction brings, at 27 microseconds for a message. So a change only notes the number of its row
in a small table, at a quarter of that, and every 64th brings all of them to FTS5. A search looks into the texts of the
rows that are noted; until then FTS5 has no words of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from twindiff.kit.rows import Table
from twindiff.kit.words import Part
from twindiff.storage.sql.names import names, quote
from twindiff.storage.sql.word_query import Spelling

MOST_NOTED = 64
"""Rows that wait for FTS5."""
MANY_FOUND = 2_000
"""Rows with a word from which on a page of them is read by key, which soon comes to as many as it wants."""
MOST_PART = 4
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

    def statements(self, places: Sequence[str]) -> Iterator[str]:
        """What creates it and keeps it; `places` are the columns at whose change a row is noted anew."""
        plain = "content='', columnsize=0, detail=none, tokenize='ascii'"
        yield f"CREATE VIRTUAL TABLE IF NOT EXISTS {self._words} USING fts5(words, {plain})"
        yield f"CREATE VIRTUAL TABLE IF NOT EXISTS {self._all} USING fts5vocab({self._words}, 'instance')"
        yield f"CREATE TABLE IF NOT EXISTS {self._noted} (row INTEGER PRIMARY KEY) STRICT"
        note = f"INSERT INTO {self._noted} SELECT new.rowid WHERE {_is_text('new.' + self._column)};"
        forget = f"DELETE FROM {self._noted} WHERE row = old.rowid;"
        yield self._trigger("added", f"INSERT ON {self._table}", note)
        yield self._trigger("changed", f"UPDATE OF {names(places)} ON {self._table}", self._take_out + forget + note)
        yield self._trigger("removed", f"DELETE ON {self._table}", self._take_out + forget)
        are_many = f"WHEN (SELECT count(*) FROM {self._noted}) >= {MOST_NOTED}"
        yield self._trigger("full", f"INSERT ON {self._noted} {are_many}", self.settle)

    def _trigger(self, what: str, when: str, then: str) -> str:
        return f"CREATE TRIGGER IF NOT EXISTS {quote(f'{self._name} {what}')} AFTER {when} BEGIN {then} END"

    @property
    def settle(self) -> str:
        """Bring what is noted to FTS5."""
        words, noted = _words_of(self._column), f"rowid IN ({self.noted})"
        return (
            f"INSERT INTO {self._words} (rowid, words) SELECT rowid, {words} FROM {self._table} WHERE {noted}"
            f" ORDER BY rowid; DELETE FROM {self._noted};"
        )

    @property
    def _take_out(self) -> str:
        """Take the words that a row has had out of FTS5, which must be told them, if they are there."""
        text = f"old.{self._column}"
        gone = f"SELECT 'delete', old.rowid, {_words_of(text)}"
        is_there = f"{_is_text(text)} AND old.rowid NOT IN ({self.noted})"
        return f"INSERT INTO {self._words} ({self._words}, rowid, words) {gone} WHERE {is_there};"

    @property
    def noted(self) -> str:
        """The rows that FTS5 has nothing of yet."""
        return f"SELECT row FROM {self._noted}"

    def found(self, place: str) -> str:
        """The rows of which FTS5 knows that they fit what it is asked at a place."""
        return f"SELECT rowid FROM {self._words} WHERE {self._words} MATCH {place}"

    @property
    def count(self) -> str:
        """How many rows FTS5 knows that fit, up to as many as are counted."""
        return f"SELECT count(*) FROM ({self.found('?')} LIMIT ?)"

    def matches(self, condition: str) -> str:
        """The numbers of the rows that fit what is asked, or of which FTS5 has nothing yet and a condition holds."""
        noted = f"SELECT {MATCHED}.rowid FROM {self._table} {MATCHED} WHERE {MATCHED}.rowid IN ({self.noted})"
        return f"SELECT rowid AS row FROM {self._words} WHERE {self._words} MATCH ?1 UNION ALL {noted} AND {condition}"

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


def _words_of(text: str) -> str:
    """What FTS5 takes apart at blanks; ASCII it takes apart by itself as `index_words` does."""
    return f"CASE WHEN octet_length({text}) > length({text}) THEN index_words({text}) ELSE {text} END"


def word_indexes(table: Table) -> Iterator[WordIndex]:
    """The indexes of words of a table."""
    return (WordIndex(table, name) for name in table.words)


def _part(part: Part) -> str:
    return f'"{part.text}"{"*" if part.is_start else ""}'


SPELLING = Spelling(" AND ", " OR ", _part)
"""How FTS5 is asked."""
