"""Parses documents to syntax trees, with a fast path for fields without arguments, alone or followed by `{ id }`.

Equal fields of this kind share one node, which has no location. If an error must report a location, the document is
parsed again by the library.
"""

from __future__ import annotations

import re

from graphql.language import DocumentNode, FieldNode, Lexer, NameNode, SelectionSetNode, Source, Token, TokenKind, parse
from graphql.language.parser import Parser

from twindiff.kit.throttling import yield_processor

_AFTER_A_NAME = frozenset({TokenKind.NAME, TokenKind.SPREAD, TokenKind.BRACE_R})
"""Tokens that can follow a field without alias, arguments, directives and selection."""
_KINDS = {kind.value: kind for kind in TokenKind if re.fullmatch(r"[!$&():=@\[\]{|}]|\.\.\.", kind.value)}
_PLAIN = re.compile(r"[ \t\r\n,\ufeff]*([A-Za-z_][A-Za-z0-9_]*|[!$&():=@\[\]{|}]|\.\.\.)")
"""A name or a punctuator, after ignored characters."""
_ID_ALONE = re.compile(r"[ \t\r\n,\ufeff]*\{[ \t\r\n,\ufeff]*id[ \t\r\n,\ufeff]*\}")
"""The most frequent selection."""


class _Lexer(Lexer):
    """Reads names and punctuators by one regular expression, not letter by letter; their tokens have no line."""

    def read_next_token(self, start: int) -> Token:
        yield_processor()
        match = _PLAIN.match(self.source.body, start)
        if match is None:
            return super().read_next_token(start)
        text = match[1]
        kind = _KINDS.get(text)
        return Token(kind or TokenKind.NAME, match.start(1), match.end(), 0, 0, None if kind else text)


class _FieldParser(Parser):
    def __init__(self, text: str, most_tokens: int) -> None:
        source = Source(text)
        self.lexer = _Lexer(source)
        self.fields: dict[tuple[str, int], FieldNode] = {}
        super().__init__(source, max_tokens=most_tokens, lexer=self.lexer)

    def parse_field(self) -> FieldNode:
        token = self.lexer.token
        if token.kind is not TokenKind.NAME:
            return super().parse_field()
        following = self.lexer.lookahead().kind
        if following in _AFTER_A_NAME:
            return self._reuse_field(str(token.value), None, 1)
        if following is TokenKind.BRACE_L and _ID_ALONE.match(self.lexer.source.body, token.end):
            return self._reuse_field(str(token.value), _ID, 4)
        return super().parse_field()

    def _reuse_field(self, name: str, below: SelectionSetNode | None, tokens: int) -> FieldNode:
        for _ in range(tokens):
            self.advance_lexer()
        field = self.fields.get((name, tokens))
        if field is None:
            field = self.fields[name, tokens] = _field(name, below)
        return field


def _field(name: str, below: SelectionSetNode | None = None) -> FieldNode:
    return FieldNode(alias=None, name=NameNode(value=name), arguments=(), directives=(), selection_set=below)


_ID = SelectionSetNode(selections=(_field("id"),))


def read(text: str, most_tokens: int) -> DocumentNode:
    """Parse a document; raises GraphQLError, also for more than `most_tokens` tokens, or RecursionError."""
    return _FieldParser(text, most_tokens).parse_document()


def read_with_places(text: str) -> DocumentNode:
    """Parse a document by the library alone, so that every node has a location."""
    return parse(text)
