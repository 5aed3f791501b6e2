"""Splits a sentence into tokens."""

from __future__ import annotations

import re
from typing import NamedTuple

from .german_words import ENGLISH

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<quote>["„“](?P<quoted>[^"„“”\n]{1,300})["“”])
    |(?P<emoji>:[a-z0-9_+-]{1,60}:)
    |(?P<channel>\#[a-z0-9][\w-]{0,79})
    |(?P<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})
    |(?P<date>\d{4}-\d\d-\d\d(?!\d))
    |(?P<path>[A-Za-z0-9][\w.-]{0,60}/[A-Za-z][\w.-]{0,60})
    |(?P<file>[\w-]{1,80}(?:\.[\w-]{1,20}){0,3}\.[A-Za-z][A-Za-z0-9]{1,4}(?![\w]))
    |(?P<number>\d{1,6}(?![\w.,:%/]*\d)(?![\w%]))
    |(?P<word>[^\W\d_](?:[\w'\u2019&-]*[\w])?)
    |(?P<odd>\d[\w.,:%/]*[\w%])
    |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
_POSSESSIVE = re.compile(r"(.+?)(?:['\u2019]s|(?<=s)['\u2019])$")


class Token(NamedTuple):
    """A token: its form, its text as it stands, its value, and where it begins and ends in the sentence."""

    form: str
    text: str
    value: str
    begin: int
    end: int
    is_possessive: bool = False

    @property
    def lower(self) -> str:
        """The text in lower case; a German word is the English one that means the same."""
        lower = self.text.lower()
        return ENGLISH.get(lower, lower)

    @property
    def is_capital(self) -> bool:
        """Whether this is a word that begins with a capital letter."""
        return self.form == "word" and self.text[0].isupper()


def split_tokens(text: str) -> list[Token]:
    """Split a sentence into tokens without the space between them; "Ben's" is one token, with the value `Ben`."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        form = match.lastgroup or "mark"
        if form == "quoted":
            form = "quote"
        if form == "space":
            continue
        value, possessive = match["quoted"] or match[0], None
        if form == "word":
            possessive = _POSSESSIVE.match(match[0])
            value = possessive[1] if possessive else match[0]
        tokens.append(
            Token(
                form,
                match[0],
                value.lstrip("#") if form == "channel" else value,
                match.start(),
                match.end(),
                possessive is not None,
            )
        )
    return tokens
