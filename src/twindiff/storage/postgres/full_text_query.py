"""Searches answered by the full-text index alone, except for texts that are too long for it.

Pages of keys are sorted and limited inside the lookup function, so that a frequent word returns no more than a page.
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
"""The alias of the keys by which a page is ordered."""


class IndexMatches:
    """The SQL of a search in one full-text index; `asked` is its query, or None if the index alone cannot answer."""

    def __init__(self, text: PostgresCompiler, form: TableForm, words: Expression) -> None:
        self._text, self._form, self._words = text, form, words
        self._column = text_of(words)
        self.asked = exactly_asked(words, self._column)

    def page(self, limit: int, offset: int) -> str:
        """Return a row source, for FROM, with the rows of a page."""
        # (SELECT "id" FROM "twin_slack"."messages(text page)"(%s::text, %s::bigint)
        #   UNION ALL SELECT "id" FROM (texts too long that match) ORDER BY "id" LIMIT %s::bigint OFFSET %s::bigint) p
        #   CROSS JOIN LATERAL (SELECT * FROM "twin_slack"."messages" WHERE "id" = p."id" OFFSET 0) t
        keys, bigint = names(self._form.key), self._bigint
        told = f"{self._lookup('page')}({self._bind_query()}, {bigint(limit + offset)})"
        listed = f"SELECT {keys} FROM {told} UNION ALL {self._looked_into(keys)}"
        page = f"{listed} ORDER BY {keys} LIMIT {bigint(limit)} OFFSET {bigint(offset)}"
        of_key = " AND ".join(f"{quote(name)} = {PAGE}.{quote(name)}" for name in self._form.key)
        row = f"(SELECT * FROM {self._form.name} WHERE {of_key} OFFSET 0) {OUTERMOST}"
        return f"({page}) {PAGE} CROSS JOIN LATERAL {row}"

    def count(self, most: int) -> str:
        """Return a query for the number of matching rows, at most `most`."""
        told = f"{self._lookup('count')}({self._bind_query()}, {self._bigint(most)})"
        others = f"SELECT count(*) FROM ({self._looked_into('1')}) o"
        return f"SELECT least({told} + ({others}), {self._bigint(most)})"

    def _looked_into(self, selected: str) -> str:
        """Return a query for matching rows whose texts are too long for the index."""
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
