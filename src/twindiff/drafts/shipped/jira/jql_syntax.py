"""Reads JQL into a tree. https://support.atlassian.com/jira-software-cloud/docs/what-is-advanced-search-in-jira-cloud/"""

from __future__ import annotations

import re
from typing import NamedTuple

from .wire_style import JiraError

MAX_JQL_LETTERS = 20_000
MAX_DEPTH = 50
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<operator>!=|!~|<=|>=|=|~|<|>|&&|\|\||!)"""
    r"""|(?P<mark>[(),])|(?P<word>cf\[\d+\]|[^\s"'=!<>~(),&|]+))"""
)


class JqlFunction(NamedTuple):
    """A function such as `startOfDay(-1)`."""

    name: str
    arguments: tuple[str, ...]


class Clause(NamedTuple):
    """A comparison of a field; the operator is in lower case, such as `not in` or `is`."""

    field: str
    operator: str
    values: tuple[str | JqlFunction, ...]


class Negation(NamedTuple):
    """A part that is not true."""

    part: JqlPart


class Junction(NamedTuple):
    """Parts of which all (`and`) or some (`or`) are true."""

    how: str
    parts: tuple[JqlPart, ...]


JqlPart = Clause | Negation | Junction


class Jql(NamedTuple):
    """A query: its condition, if any, and pairs of field and `asc` or `desc`."""

    where: JqlPart | None
    order: tuple[tuple[str, str], ...]


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def parse_jql(text: str) -> Jql:
    """Read a query; raises JiraError in Jira's words."""
    if len(text) > MAX_JQL_LETTERS:
        raise JiraError(f"The JQL query is longer than {MAX_JQL_LETTERS:,} characters.")
    return _JqlParser(text).parse()


class _JqlParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split(text)
        self._at = 0

    def _split(self, text: str) -> list[_Token]:
        tokens: list[_Token] = []
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise self._error(f"The character '{text[place:].strip()[0]}' is a reserved JQL character", place)
            tokens.append(_Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            place = match.end()
        return tokens

    def _error(self, said: str, place: int) -> JiraError:
        return JiraError(f"Error in the JQL Query: {said}. (line 1, character {place + 1})")

    def _build_error(self, expected: str) -> JiraError:
        if self._at >= len(self._tokens):
            return self._error(f"Expecting {expected} before the end of the query", len(self._text))
        token = self._tokens[self._at]
        return self._error(f"Expecting {expected} but got '{token.text}'", token.at)

    def _peek(self, *words: str, ahead: int = 0) -> bool:
        place = self._at + ahead
        return (
            place < len(self._tokens)
            and self._tokens[place].text.lower() in words
            and self._tokens[place].kind != "text"
        )

    def _take(self, *words: str) -> bool:
        if self._peek(*words):
            self._at += 1
            return True
        return False

    def parse(self) -> Jql:
        where = None if not self._tokens or self._peek("order") else self._any(0)
        order: list[tuple[str, str]] = []
        if self._take("order"):
            if not self._take("by"):
                raise self._build_error("'by'")
            while True:
                name = self._value("field")
                assert isinstance(name, str)
                order.append((name, "desc" if self._take("desc") else "asc" if self._take("asc") else ""))
                if not self._take(","):
                    break
        if self._at < len(self._tokens):
            raise self._build_error("either 'OR' or 'AND'")
        return Jql(where, tuple(order))

    def _any(self, depth: int) -> JqlPart:
        parts = [self._all(depth)]
        while self._take("or", "||"):
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else Junction("or", tuple(parts))

    def _all(self, depth: int) -> JqlPart:
        parts = [self._one(depth)]
        while self._take("and", "&&"):
            parts.append(self._one(depth))
        return parts[0] if len(parts) == 1 else Junction("and", tuple(parts))

    def _one(self, depth: int) -> JqlPart:
        if depth > MAX_DEPTH:
            raise JiraError("The JQL query is nested too deeply.")
        if self._take("not", "!"):
            return Negation(self._one(depth + 1))
        if self._take("("):
            inner = self._any(depth + 1)
            if not self._take(")"):
                raise self._build_error("')'")
            return inner
        return self._clause()

    def _clause(self) -> Clause:
        field = self._value("a field")
        assert isinstance(field, str)
        operator = self._operator()
        if operator.endswith("in"):
            return Clause(field, operator, self._list())
        return Clause(field, operator, (self._value("a value", functions=True),))

    def _operator(self) -> str:
        for words in (("not", "in"), ("is", "not"), ("was", "not", "in"), ("was", "not"), ("was", "in")):
            if all(self._peek(word, ahead=number) for number, word in enumerate(words)):
                self._at += len(words)
                return " ".join(words)
        for word in ("=", "!=", "~", "!~", "<=", ">=", "<", ">", "in", "is", "was", "changed"):
            if self._take(word):
                return word
        raise self._build_error("operator")

    def _list(self) -> tuple[str | JqlFunction, ...]:
        if not self._take("("):
            return (self._value("'('", functions=True, only_functions=True),)
        values = [self._value("a value", functions=True)]
        while self._take(","):
            values.append(self._value("a value", functions=True))
        if not self._take(")"):
            raise self._build_error("')'")
        return tuple(values)

    def _value(self, expected: str, *, functions: bool = False, only_functions: bool = False) -> str | JqlFunction:
        if self._at >= len(self._tokens) or self._tokens[self._at].kind not in ("text", "word"):
            raise self._build_error(expected)
        token = self._tokens[self._at]
        if functions and token.kind == "word" and self._peek("(", ahead=1):
            self._at += 2
            return self._function(token.text)
        if only_functions:
            raise self._build_error(expected)
        self._at += 1
        return re.sub(r"\\(.)", r"\1", token.text[1:-1]) if token.kind == "text" else token.text

    def _function(self, name: str) -> JqlFunction:
        arguments: list[str] = []
        while not self._take(")"):
            value = self._value("a value")
            assert isinstance(value, str)
            arguments.append(value)
            self._take(",")
        return JqlFunction(name.lower(), tuple(arguments))
