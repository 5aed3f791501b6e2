"""The rows that have words as the index alone tells them: only into texts that are too long for it is looked.

Pages of their keys are put in order and cut off where the index is read, so that of all rows that have frequent words
no more than a page is handed on.
"""

from __future__ import annotations

from twindiff.kit.rows import Expression
from twindiff.storage.sql.compiler import OUTERMOST, Scope
from twindiff.storage.sql.full_text_query import text_of
from twindiff.storage.sql.names import names, quote
from twindiff.storage.sql.tables import TableForm
from twindiff.storage.values import INT64

from .dialect import PostgresCompiler
from .full_text_index import TOO_LONG, exactly_asked, lookup
from .text_encoding import literal

PAGE = "p"
"""The alias of what a page's order is by."""


class IndexMatches:
    """What is looked up in one index of words, as SQL; `asked` is None where it cannot tell by itself."""

    def __init__(self, text: PostgresCompiler, form: TableForm, words: Expression) -> None:
        self._text, self._form, self._words = text, form, words
        self._column = text_of(words)
        self.asked = exactly_asked(words, self._column)

    def page(self, limit: int, offset: int) -> str:
        """The rows of a page, to be read."""
        keys, bigint = names(self._form.key), self._bigint
        told = f"{self._lookup('page')}({self._bind_query()}, {bigint(limit + offset)})"
        listed = f"SELECT {keys} FROM {told} UNION ALL {self._looked_into(keys)}"
        page = f"{listed} ORDER BY {keys} LIMIT {bigint(limit)} OFFSET {bigint(offset)}"
        of_key = " AND ".join(f"{quote(name)} = {PAGE}.{quote(name)}" for name in self._form.key)
        row = f"(SELECT * FROM {self._form.name} WHERE {of_key} OFFSET 0) {OUTERMOST}"
        return f"({page}) {PAGE} CROSS JOIN LATERAL {row}"

    def count(self, most: int) -> str:
        """How many there are, up to as many as are counted."""
        told = f"{self._lookup('count')}({self._bind_query()}, {self._bigint(most)})"
        others = f"SELECT count(*) FROM ({self._looked_into('1')}) o"
        return f"SELECT least({told} + ({others}), {self._bigint(most)})"

    def _looked_into(self, selected: str) -> str:
        """Those among the rows whose texts are too long for the index."""
        rows = f"{self._lookup('words')}({literal(TOO_LONG)})"
        scope = Scope(OUTERMOST, self._form.table.row)
        return f"SELECT {selected} FROM {rows} {OUTERMOST} WHERE {self._text.expression(self._words, (scope,))}"

    def _lookup(self, what: str) -> str:
        return lookup(self._text.schema, self._form.table, self._column.name, what)

    def _bind_query(self) -> str:
        self._text.parameters.append(self.asked)
        return "%s::text"

    def _bigint(self, number: int) -> str:
        self._text.parameters.append(min(number, INT64[-1]))
        return "%s::bigint"
