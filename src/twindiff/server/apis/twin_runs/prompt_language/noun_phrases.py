"""Reads noun phrases: a determiner or a number, adjectives, a noun and names."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from twindiff.server.apis.twin_runs.world_prompt_details import PRICE, Price, price_of

from .grammar_words import (
    ARTICLES,
    BEING,
    DAY_NAMES,
    DEFINITE,
    DEPARTMENTS,
    EACH,
    FILLERS,
    HOLDING,
    LYING,
    NAMING,
    NEVER_NAMES,
    NO_PERSONS,
    NONE,
    NUMBERS,
    PERSONAL,
    PRONOUNS,
    RELATIVE,
)
from .kinds import Kind
from .prompt_tokens import Token, split_tokens
from .vendors import Deed, Entry, Lead, Lexicon, Noun, ValueWord

GRAMMAR = (
    ARTICLES | DEFINITE | NONE | EACH | RELATIVE | FILLERS | PRONOUNS | PERSONAL | NEVER_NAMES | frozenset(NUMBERS)
    | frozenset((*HOLDING, *LYING, *BEING, *NAMING))
)  # fmt: skip
MAX_CAPITALS = 6
MAX_MODIFIERS = 16
"""Tokens that may stand before a noun."""
E = TypeVar("E", bound=Entry)
_KEY = re.compile(r"[A-Z][A-Z0-9]{0,9}-\d+")
"""Keys that Linear gives to issues itself."""


@dataclass
class NounPhrase:
    """A noun phrase. `nouns` are the kinds that the noun may mean; `end` is the token after the phrase."""

    determiner: str = ""
    count: int | None = None
    is_exact: bool = False
    values: list[list[ValueWord]] = field(default_factory=list[list[ValueWord]])
    prices: list[Price] = field(default_factory=list[Price])
    names: list[str] = field(default_factory=list[str])
    nouns: list[Noun] = field(default_factory=list[Noun])
    noun: str = ""
    twin: str = ""
    owner: str = ""
    end: int = 0


class PhraseReader:
    """Reads the phrases of one sentence."""

    def __init__(self, text: str, lexicon: Lexicon, known: Collection[str] = ()) -> None:
        """`known` are the names of records in lower case, which are names even where they are nouns."""
        self.text = text
        self._known = known
        self.tokens: Sequence[Token] = split_tokens(text)
        self._lowers = [each.lower for each in self.tokens]
        self._runs = [0] * (len(self.tokens) + 1)
        for at in range(len(self.tokens) - 1, -1, -1):
            self._runs[at] = self._runs[at + 1] + 1 if self.tokens[at].form in ("word", "number") else 0
        self._begins = [each.begin for each in self.tokens]
        self._lexicon = lexicon

    def lower(self, at: int) -> str:
        """A token in lower case; empty beyond the end."""
        return self._lowers[at] if at < len(self._lowers) else ""

    def form(self, at: int) -> str:
        """The form of a token; empty beyond the end."""
        return self.tokens[at].form if at < len(self.tokens) else ""

    def is_capital(self, at: int) -> bool:
        """Whether a token is a word that begins with a capital letter."""
        return at < len(self.tokens) and self.tokens[at].is_capital

    def match(self, at: int, phrases: Sequence[str] | frozenset[str]) -> int:
        """The end of the longest of some phrases that stands at a token, or 0."""
        for length in range(min(4, self._longest(at)), 0, -1):
            if self._phrase(at, length) in phrases:
                return at + length
        return 0

    def _phrase(self, at: int, length: int) -> str:
        return " ".join(self._lowers[at : at + length])

    def _longest(self, at: int) -> int:
        """The number of words and numbers that follow each other at a token."""
        return self._runs[at] if at < len(self._runs) else 0

    def entries(self, at: int, *types: type[E]) -> tuple[list[E], int]:
        """The entries of the longest phrase at a token that has any of these types, and its end."""
        for length in range(min(self._lexicon.longest, self._longest(at)), 0, -1):
            phrase = self._phrase(at, length)
            entries = [each for each in self._lexicon.find(phrase) if isinstance(each, types)] if phrase else []
            if entries:
                return entries, at + length
        return [], at

    def twin(self, at: int) -> tuple[str, int]:
        """The twin that is named at a token, and the end of its name."""
        for length in range(min(2, self._longest(at)), 0, -1):
            phrase = self._phrase(at, length)
            if phrase in self._lexicon.twins:
                return self._lexicon.twins[phrase], at + length
        return "", at

    def price(self, at: int) -> tuple[Price | None, int]:
        """The price at a token, and the token after it."""
        match = PRICE.match(self.text, self.tokens[at].begin) if at < len(self.tokens) else None
        price = price_of(match) if match else None
        return (price, self.token_after(match.end())) if match and price else (None, at)

    def token_after(self, position: int) -> int:
        """The first token that begins at a position of the text or later."""
        return bisect_left(self._begins, position)

    def number(self, at: int) -> int | None:
        """The number at a token."""
        if self.form(at) == "number":
            return int(self.tokens[at].text)
        return NUMBERS.get(self.lower(at)) if self.form(at) == "word" else None

    def capitals(self, at: int, *, is_name: bool = False) -> tuple[str, int]:
        """The words at a token that begin with a capital letter, with numbers between or after them.

        A noun does not begin a name, unless `is_name` says that one follows, or the name is known.
        """
        words: list[str] = []
        while at < len(self.tokens) and len(words) < MAX_CAPITALS and self._continues(at, words, is_name=is_name):
            words.append(self.tokens[at].value)
            at += 1
            if self.tokens[at - 1].is_possessive:
                break
        return " ".join(words), at

    def _continues(self, at: int, words: Sequence[str], *, is_name: bool) -> bool:
        token = self.tokens[at]
        if token.form == "number":
            return bool(words) and not self.entries(at + 1, Noun)[0]
        if not token.is_capital or self.twin(at)[0] or token.lower in DAY_NAMES | NO_PERSONS:
            return False
        if words:
            return is_name or self.entries(at, Noun)[1] == at
        return token.lower not in GRAMMAR and (is_name or not self._starts_common(at))

    def _starts_common(self, at: int) -> bool:
        """Whether a capital is that of the first word of a sentence, or a noun."""
        if self.tokens[at].value.lower() in self._known:
            return False
        if at and self.entries(at, Noun)[1] == at + 1 and self.entries(at + 1, Noun)[0]:
            return False
        return bool(self.entries(at, Noun)[0]) or (at == 0 and bool(self.entries(at, ValueWord, Lead, Deed)[0]))

    # Noun phrases

    def noun_phrase(self, at: int) -> NounPhrase | None:
        """The noun phrase that begins at a token."""
        phrase = NounPhrase()
        at = self._determine(phrase, at)
        first = at
        while at < min(len(self.tokens), first + MAX_MODIFIERS):
            nouns, end = self.entries(at, Noun)
            is_known = self.tokens[at].is_capital and self.tokens[at].lower in self._known
            if nouns and not is_known and not self._is_modifier(at, end):
                phrase.nouns = nouns
                phrase.noun, phrase.end = self._phrase(at, end - at), end
                return phrase
            after = self._modify(phrase, at)
            if after == at:
                return None
            at = after
        return None

    def _is_modifier(self, at: int, end: int) -> bool:
        """Whether a noun stands before another one, as in "the Team plan" and "a calendar event"."""
        is_before = bool(self.entries(end, Noun)[0])
        return is_before and (bool(self.twin(at)[0]) or (at > 0 and self.tokens[at].is_capital))

    def _determine(self, phrase: NounPhrase, at: int) -> int:
        """Read a determiner and a number."""
        word = self.lower(at)
        if word in ARTICLES:
            phrase.determiner, phrase.count = "a", 1
            return at + 1
        if word in DEFINITE | EACH | {"another", "its", "their", "his", "her"}:
            phrase.determiner = word
            at += 1
        elif word in NONE:
            phrase.determiner, phrase.count, phrase.is_exact = "no", 0, True
            return at + 2 if self.lower(at + 1) in ("any", "other") else at + 1
        is_bound = self.match(at, ("at least", "exactly"))
        is_least = self.lower(at) == "at" and is_bound > 0
        number = self.number(is_bound or at)
        if number is not None:
            phrase.count, phrase.is_exact = number, not is_least
            return (is_bound or at) + 1
        return at

    def _modify(self, phrase: NounPhrase, at: int) -> int:
        """Read one word before a noun: an adjective, a price, a twin, a name or an owner."""
        values, end = self.entries(at, ValueWord)
        if values:
            phrase.values.append(values)
            return end
        price, end = self.price(at)
        if price:
            phrase.prices.append(price)
            return end
        twin, end = self.twin(at)
        if twin and not phrase.twin:
            phrase.twin = twin
            return end
        if phrase.names or at >= len(self.tokens):
            return at
        token = self.tokens[at]
        if token.form in ("quote", "channel", "path", "file"):
            name, end = token.value, at + 1
        else:
            name, end = self.capitals(at)
            if at == 0 and end == 1 and not token.is_possessive and name.lower() not in self._known:
                return at  # it may be an adjective, which the first word of a sentence does not tell from a name
        if not name:
            return at
        if self.tokens[end - 1].is_possessive:
            if phrase.owner:
                return at
            phrase.owner = name
        else:
            phrase.names = [name]
        return end

    # Names

    def names(
        self, at: int, kind: Kind, most: int, *, is_plain: bool = False, is_name: bool = False
    ) -> tuple[list[str], int]:
        """The names of a list that begins at a token, at most so many, and the token after them.

        `is_plain` allows words in lower case, `is_name` capitals that are nouns.
        """
        names: list[str] = []
        is_list = is_name
        begin = at
        while len(names) < most:
            is_any = is_plain or kind.has_plain_names
            name, end = self._name(at, kind, is_plain=is_any, is_name=is_name or (bool(names) and is_list))
            if not name or (names and self._is_subject(end)):
                break
            names.append(name)
            begin = end
            at = self._separator(end)
            if at == end:
                break
        return names, begin

    def _separator(self, at: int) -> int:
        if self.lower(at) == ",":
            at += 1
        return at + 1 if self.lower(at) in ("and", "&") else at

    def _is_subject(self, end: int) -> bool:
        """Whether the name before a token begins a clause of its own, as in "and Ada posted"."""
        is_deed = bool(self.entries(end, Deed, Noun)[0])
        return is_deed or self.lower(end) in ("has", "is", "was", "costs") or bool(self.match(end, ("has been",)))

    def _name(self, at: int, kind: Kind, *, is_plain: bool, is_name: bool) -> tuple[str, int]:
        """The name of a record of a kind at a token."""
        if at >= len(self.tokens):
            return "", at
        token = self.tokens[at]
        if token.form not in ("word", "number"):
            is_meant = token.form == "quote" or _may_name(token.form, kind)
            return (token.value, at + 1) if is_meant else ("", at)
        if (
            kind.is_text
            or kind.name == "slack.reaction"
            or (_KEY.fullmatch(token.text) and kind.name == "linear.issue")
        ):
            return "", at
        name, end = self.capitals(at, is_name=is_name)
        if name and not self.tokens[end - 1].is_possessive:
            return name, end
        is_label = is_plain and kind.name.endswith(".label") and token.form == "word" and token.lower not in GRAMMAR
        if is_label and not self.entries(at, Lead, Deed)[0]:
            return token.value, at + 1
        is_free = (
            token.form == "word" and token.lower not in GRAMMAR and not self.entries(at, ValueWord, Lead, Noun, Deed)[0]
        )
        if is_plain and (is_free or token.form == "number"):
            return token.value, at + 1
        return "", at

    def person(self, at: int, *, is_plain: bool = False) -> tuple[str, int]:
        """The person who is named at a token by name, address or, if `is_plain`, login."""
        if self.form(at) == "email":
            return self.tokens[at].value, at + 1
        name, end = self.capitals(at)
        if name.lower() in DEPARTMENTS:
            return "", at
        if name and not self.tokens[end - 1].is_possessive:
            return name, end
        lower = self.lower(at)
        if is_plain and self.form(at) == "word" and lower not in GRAMMAR | NO_PERSONS and not self.entries(at, Noun)[0]:
            return self.tokens[at].value, at + 1
        return "", at


def _may_name(form: str, kind: Kind) -> bool:
    """Whether a token of a form, such as `email`, may be the name of a record of a kind."""
    if form in ("path", "file"):
        return not kind.is_text and kind.name != "slack.reaction"
    meant = {"emoji": ".reaction", "channel": ".channel", "email": (".user", ".customer")}
    return form in meant and kind.name.endswith(meant[form])
