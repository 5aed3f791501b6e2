"""Documents to syntax trees. Most of a document is fields that are a name and nothing else; those are read quickly.

Such a field is the same node wherever it stands, and knows no place in the text. When somebody must be told a place,
the library reads the text again.
"""

from __future__ import annotations

from graphql.language import DocumentNode, FieldNode, Lexer, NameNode, Source, TokenKind, parse
from graphql.language.parser import Parser

_AFTER_A_NAME = frozenset({TokenKind.NAME, TokenKind.SPREAD, TokenKind.BRACE_R})
"""What may follow a field without alias, arguments, directives and selection."""


class _Reader(Parser):
    def __init__(self, text: str, most_tokens: int) -> None:
        source = Source(text)
        self.lexer = Lexer(source)
        self.fields: dict[str, FieldNode] = {}
        super().__init__(source, max_tokens=most_tokens, lexer=self.lexer)

    def parse_field(self) -> FieldNode:
        token = self.lexer.token
        if token.kind is not TokenKind.NAME or self.lexer.lookahead().kind not in _AFTER_A_NAME:
            return super().parse_field()
        self.advance_lexer()
        name = str(token.value)
        field = self.fields.get(name)
        if field is None:
            named = NameNode(value=name)
            field = FieldNode(alias=None, name=named, arguments=(), directives=(), selection_set=None)
            self.fields[name] = field
        return field


def read(text: str, most_tokens: int) -> DocumentNode:
    """The syntax tree of a text; raises what the library raises."""
    return _Reader(text, most_tokens).parse_document()


def read_with_places(text: str) -> DocumentNode:
    """The same by the library alone: every node knows where it stands."""
    return parse(text)
