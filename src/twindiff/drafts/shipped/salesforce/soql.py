"""Reads SOQL. https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .wire_style import SalesforceError

MAX_QUERY_LETTERS = 100_000
MAX_DEPTH = 30
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^'\\]|\\.)*')|(?P<time>\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)))|(?P<date>\d{4}-\d\d-\d\d)"
    r"|(?P<number>-?\d+(?:\.\d+)?)|(?P<word>[A-Za-z_][\w.]*(?::\d+)?)|(?P<mark><=|>=|!=|<>|[=<>(),]))"
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class Selected(NamedTuple):
    """A selected field, or an aggregate of one (`function` and `field`, which is empty for `COUNT()`)."""

    field: str
    function: str = ""
    alias: str = ""


class SoqlValue(NamedTuple):
    """A value of a condition; `kind` is `text`, `number`, `date`, `time`, `word` (true, null, TODAY) or `query`."""

    kind: str
    value: Any


class SoqlCondition(NamedTuple):
    """A comparison, or `and`, `or` and `not` of parts."""

    operator: str
    field: str = ""
    values: tuple[SoqlValue, ...] = ()
    parts: tuple[Any, ...] = ()


class OrderTerm(NamedTuple):
    """A term of an order."""

    field: str
    descends: bool
    nulls_last: bool


class Soql(NamedTuple):
    """A query."""

    fields: tuple[Selected, ...]
    children: tuple[Soql, ...]
    source: str
    where: SoqlCondition | None
    group: tuple[str, ...]
    having: SoqlCondition | None
    """A condition on groups, whose fields may be aggregates: `count(Id)`."""
    order: tuple[OrderTerm, ...]
    limit: int | None
    offset: int


def parse_soql(text: str) -> Soql:
    """Read a query; raises SalesforceError with MALFORMED_QUERY."""
    if len(text) > MAX_QUERY_LETTERS:
        raise SalesforceError("QUERY_TOO_COMPLICATED", f"The query is longer than {MAX_QUERY_LETTERS:,} letters")
    parser = _SoqlParser(text)
    query = parser.query(0)
    parser.end()
    return query


class _SoqlParser:
    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        self._at = place = 0
        self._is_having = False
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise SalesforceError("MALFORMED_QUERY", f"unexpected token: '{text[place:].strip()[:1]}'")
            self._tokens.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()

    def _peek(self, *words: str, ahead: int = 0) -> bool:
        place = self._at + ahead
        return (
            place < len(self._tokens)
            and self._tokens[place][0] in ("word", "mark")
            and self._tokens[place][1].lower() in words
        )

    def _take(self, *words: str) -> bool:
        if self._peek(*words):
            self._at += 1
            return True
        return False

    def _error(self) -> SalesforceError:
        if self._at >= len(self._tokens):
            return SalesforceError("MALFORMED_QUERY", "unexpected token: '<EOF>'")
        return SalesforceError("MALFORMED_QUERY", f"unexpected token: '{self._tokens[self._at][1]}'")

    def _need(self, *words: str) -> None:
        if not self._take(*words):
            raise self._error()

    def _word(self) -> str:
        if self._at >= len(self._tokens) or self._tokens[self._at][0] != "word":
            raise self._error()
        self._at += 1
        return self._tokens[self._at - 1][1]

    def end(self) -> None:
        """Raise SalesforceError unless all was read."""
        if self._at < len(self._tokens):
            raise self._error()

    def query(self, depth: int) -> Soql:
        """Read a query or a subquery."""
        if depth > MAX_DEPTH:
            raise SalesforceError("MALFORMED_QUERY", "The query is nested too deeply")
        self._need("select")
        fields: list[Selected] = []
        children: list[Soql] = []
        while True:
            if self._take("("):
                children.append(self.query(depth + 1))
                self._need(")")
            else:
                fields.append(self._read_selected())
            if not self._take(","):
                break
        self._need("from")
        source = self._word()
        is_alias = self._at < len(self._tokens) and self._tokens[self._at][0] == "word"
        if is_alias and not self._peek("where", "group", "order", "limit", "offset", "with", "for", "having"):
            self._at += 1
        where = self._any(depth) if self._take("where") else None
        group = self._group()
        having = self._having(depth) if group else None
        order = self._order()
        limit = self._number() if self._take("limit") else None
        offset = self._number() if self._take("offset") else 0
        return Soql(tuple(fields), tuple(children), source, where, group, having, order, limit, offset or 0)

    def _read_selected(self) -> Selected:
        name = self._word()
        function = ""
        if self._take("("):
            function, name = name.lower(), "" if self._peek(")") else self._word()
            self._need(")")
        alias = self._word() if function and not self._peek("from", ",") and self._at < len(self._tokens) else ""
        return Selected(name, function, alias)

    def _group(self) -> tuple[str, ...]:
        if not self._take("group"):
            return ()
        self._need("by")
        names = [self._word()]
        while self._take(","):
            names.append(self._word())
        return tuple(names)

    def _having(self, depth: int) -> SoqlCondition | None:
        if not self._take("having"):
            return None
        self._is_having = True
        condition = self._any(depth)
        self._is_having = False
        return condition

    def _order(self) -> tuple[OrderTerm, ...]:
        if not self._take("order"):
            return ()
        self._need("by")
        terms: list[OrderTerm] = []
        while True:
            chosen = self._read_order_field()
            descends = self._take("desc") or (self._take("asc") and False)
            nulls_last = False
            if self._take("nulls"):
                nulls_last = self._take("last")
                if not nulls_last:
                    self._need("first")
            terms.append(OrderTerm(chosen, descends, nulls_last))
            if not self._take(","):
                return tuple(terms)

    def _read_order_field(self) -> str:
        name = self._word()
        if self._take("("):
            inner = "" if self._peek(")") else self._word()
            self._need(")")
            return f"{name.lower()}({inner})"
        return name

    def _number(self) -> int:
        if self._at >= len(self._tokens) or self._tokens[self._at][0] != "number":
            raise self._error()
        self._at += 1
        return int(float(self._tokens[self._at - 1][1]))

    def _any(self, depth: int) -> SoqlCondition:
        parts = [self._all(depth)]
        while self._take("or"):
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else SoqlCondition("or", parts=tuple(parts))

    def _all(self, depth: int) -> SoqlCondition:
        parts = [self._one(depth)]
        while self._take("and"):
            parts.append(self._one(depth))
        return parts[0] if len(parts) == 1 else SoqlCondition("and", parts=tuple(parts))

    def _one(self, depth: int) -> SoqlCondition:
        if depth > MAX_DEPTH:
            raise SalesforceError("MALFORMED_QUERY", "The query is nested too deeply")
        if self._take("not"):
            return SoqlCondition("not", parts=(self._one(depth + 1),))
        if self._take("("):
            inner = self._any(depth + 1)
            self._need(")")
            return inner
        field = self._read_order_field() if self._is_having else self._word()
        if self._take("not"):
            self._need("in")
            return SoqlCondition("not in", field, self._list(depth))
        if self._take("in"):
            return SoqlCondition("in", field, self._list(depth))
        for operator in ("=", "!=", "<>", "<=", ">=", "<", ">", "like", "includes", "excludes"):
            if self._take(operator):
                values = self._list(depth) if operator.endswith("cludes") else (self._value(),)
                return SoqlCondition("!=" if operator == "<>" else operator, field, values)
        raise self._error()

    def _list(self, depth: int) -> tuple[SoqlValue, ...]:
        self._need("(")
        if self._peek("select") and not self._is_having:
            inner = (SoqlValue("query", self.query(depth + 1)),)
            self._need(")")
            return inner
        values = [self._value()]
        while self._take(","):
            values.append(self._value())
        self._need(")")
        return tuple(values)

    def _value(self) -> SoqlValue:
        if self._at >= len(self._tokens) or self._tokens[self._at][0] == "mark":
            raise self._error()
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "text":
            return SoqlValue("text", re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text[1:-1]))
        return SoqlValue(kind, float(text) if kind == "number" else text)
