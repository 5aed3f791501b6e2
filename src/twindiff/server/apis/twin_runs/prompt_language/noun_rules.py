"""Rules of noun phrases and names."""

from __future__ import annotations

from .attachments import attach, set_field, set_value
from .grammar_words import (
    DEPARTMENTS,
    EACH,
    HOLDING,
    LYING,
    NAMING,
)
from .groups import SpokenGroup
from .noun_phrases import NounPhrase
from .reader_state import ReaderState
from .vendors import KINDS, Noun, can_be_in, homes_of

LYING_WORDS = frozenset(LYING)
MAX_AHEAD = 12
"""Maximum number of tokens after a noun that are looked at for what its records are in."""


class NounRules(ReaderState):
    """Rules of noun phrases and names."""

    def take_noun_phrase(self, at: int) -> int:
        phrase = self._phrases.noun_phrase(at)
        if phrase is None:
            return at
        if phrase.determiner == "no" and self._phrases.lower(at) == "without":
            self._relation = "has"
        noun = self._choose(phrase)
        if phrase.determiner in ("the", "its", "their", "his", "her") and not phrase.names:
            names, _ = self._names_after(phrase, noun)
            if not names and phrase.count is None:
                return self._refer(phrase, noun, at)
        return self._open(phrase, noun, at)

    def _choose(self, phrase: NounPhrase) -> Noun:
        """The kind that a noun means: what fits the sentence, then the twin that was named last."""
        nouns = phrase.nouns
        if phrase.twin:
            return next((each for each in nouns if each.kind.twin == phrase.twin), nouns[0])
        if len(nouns) == 1:
            return nouns[0]
        names = phrase.names or self._names_after(phrase, nouns[0])[0]
        known = self._spoken.find_named(names[0], [each.kind.name for each in nouns]) if names else None
        if known is not None:
            return next(each for each in nouns if each.kind.name == known.kind)
        if self._deed is not None and not self._relation:
            of_deed = [each for each in nouns if each.kind.name in self._deed_kinds]
            if of_deed:
                return next((each for each in of_deed if each.kind.name == self._deed.kind), of_deed[0])
        named = self._spoken.statement.twins
        for group in self._spoken.chain():
            for each in nouns:
                kind = each.kind.name
                if can_be_in(kind, group.kind) or (self._relation == "in" and can_be_in(group.kind, kind)):
                    return each
        by_value = [
            each
            for each in nouns
            if all(any(value.kind.name == each.kind.name for value in values) for values in phrase.values)
        ] or [*nouns]
        twin = named[-1] if named else self._find_twin_ahead(phrase) or self._twin
        return next((each for each in by_value if each.kind.twin == twin), by_value[0])

    def _find_twin_ahead(self, phrase: NounPhrase) -> str:
        """The twin of what the rest of the sentence puts the records in, as in "an issue in acme/web"."""
        words = self._phrases
        for at in range(phrase.end, min(phrase.end + MAX_AHEAD, len(words.tokens))):
            if words.form(at) == "path":
                homes = {"github.repository"}
            elif LYING_WORDS & {words.lower(at - 1), words.lower(at - 2)}:
                homes = {each.kind.name for each in words.entries(at, Noun)[0]}
            else:
                continue
            for each in phrase.nouns:
                if homes & {*homes_of(each.kind.name)}:
                    return each.kind.twin
        return ""

    def _refer(self, phrase: NounPhrase, noun: Noun, at: int) -> int:
        """Take "the message": what was spoken of before."""
        kind = noun.kind.name
        group = self._spoken.earlier(kind)
        if phrase.values or phrase.prices or phrase.owner or group is None:
            return at
        if group.is_one == noun.is_plural and not (noun.is_plural and group.is_plural):
            return at
        again = SpokenGroup(kind, like=group, is_plural=noun.is_plural)
        relation, last = self._relation, self._spoken.last
        if relation and not attach(self._spoken, again, relation):
            return at
        self._spoken.add(again)
        self._spoken.target, self._relation = (last if again.is_modifier else again), ""
        return phrase.end

    def _names_after(self, phrase: NounPhrase, noun: Noun) -> tuple[list[str], int]:
        """The names after a noun, and the token after them."""
        words, at, kind = self._phrases, phrase.end, noun.kind
        most = 50 if noun.is_plural or words.form(at) == "quote" else 1
        most = min(most, phrase.count) if phrase.is_exact and phrase.count else most
        begin = words.match(at, NAMING)
        is_plain = is_name = begin > 0
        is_name = is_name or words.lower(at) == ":" or (at < len(words.tokens) and words.tokens[at].is_capital)
        if (
            not begin
            and words.lower(at) in (":", ",")
            and (phrase.count is not None or phrase.determiner in ("the", "another"))
        ):
            begin = at + 1 if words.lower(at) == ":" or words.form(at + 1) != "word" or words.is_capital(at + 1) else 0
        names, end = words.names(begin or at, kind, most, is_plain=is_plain, is_name=is_name)
        if names and words.lower(at) == "," and words.lower(end) == "," and not noun.is_plural:
            end += 1
        return (names, end) if names else ([], at)

    def _open(self, phrase: NounPhrase, noun: Noun, at: int) -> int:
        names, end = (phrase.names, phrase.end) if phrase.names else self._names_after(phrase, noun)
        kind = noun.kind
        if phrase.determiner == "another" and not names:
            return at
        group = self._merge(phrase, noun, names)
        if group is None:
            group = SpokenGroup(kind.name, phrase.count, phrase.is_exact, noun.is_plural, noun=phrase.noun)
            group.names = names
            group.is_all = phrase.determiner in EACH
            if not self._place(group):
                return at
        if phrase.owner and not self._own(group, phrase.owner):
            self._leave(phrase.owner)
        for values in phrase.values:
            value = next((each for each in values if each.kind.name == group.kind), None)
            if value is None or not set_value(group, value):
                self._leave(value.value if value else values[0].value)
        for price in phrase.prices:
            money = next((each.name for each in kind.fields if each.form == "money"), "")
            if not money or not set_field(group, money, price):
                self._leave(str(price.amount))
        self._spoken.target, self._relation, self._deed = None, "", None
        self._is_free = self._is_free and group.head is None
        return end

    def _own(self, group: SpokenGroup, owner: str) -> bool:
        """Put records in what "Acme's" names."""
        known = self._spoken.find_named(owner)
        if known is None or not can_be_in(group.kind, known.kind):
            return False
        home = SpokenGroup(known.kind, names=[owner])
        self._spoken.add(home)
        group.put_in(home)
        self._spoken.last = group
        return True

    def _merge(self, phrase: NounPhrase, noun: Noun, names: list[str]) -> SpokenGroup | None:
        """The record that a verb made, if the phrase is its object: "Ada posted 4 messages"."""
        deed = self._deed
        if deed is None or noun.kind.name not in self._deed_kinds or deed.names or self._relation:
            return None
        deed.kind = noun.kind.name
        deed.count, deed.is_exact, deed.is_plural = phrase.count, phrase.is_exact, noun.is_plural
        deed.names = names
        self._spoken.last = deed
        return deed

    def take_name(self, at: int) -> int:
        """Take a name without a noun: a known one, a channel, a file, or a person after "with"."""
        words = self._phrases
        token = words.tokens[at]
        if token.form == "quote":
            return self.take_text(at)
        if token.form == "emoji":
            group = self._spoken.find(lambda each: each.kind == "slack.reaction" and not each.names)
            return self._set_name(group, token.value, at + 1) if group else at
        name, end = (token.value, at + 1) if token.form in ("channel", "file", "path", "email") else words.capitals(at)
        if not name or (token.form == "word" and words.tokens[end - 1].is_possessive):
            return at
        if token.form == "email" and self._address(token.value):
            return at + 1
        if token.is_capital and name.lower() in DEPARTMENTS and words.match(end, HOLDING):
            return end if self._place(SpokenGroup("linear.team", names=[name])) else at
        kind = self._kind_of_name(name, token.form)
        if not kind:
            return at
        full = self._spoken.full_name(name)
        if full:
            return end if self._place(SpokenGroup(kind, names=[full])) else at
        return self._open_named(kind, name, at)

    def _open_named(self, kind: str, name: str, at: int) -> int:
        """Open a group of names; only people, channels and files without a noun come in lists."""
        words = self._phrases
        names, end = words.names(at, KINDS[kind], 50)
        is_list = kind.endswith((".user", ".channel", ".file")) or not self._spoken.find_named(name)
        if not names or (len(names) > 1 and not is_list):
            names, end = [name], (at + 1 if words.form(at) != "word" else words.capitals(at)[1])
        group = SpokenGroup(kind, names=names, is_plural=len(names) > 1)
        if kind.endswith(".user"):
            group.count, group.is_exact = len(names), True
            self._person = names[-1]
        if not self._place(group):
            return at
        self._spoken.target, self._relation = None, ""
        return end

    def _address(self, email: str) -> bool:
        """Take the address of a customer who was just named."""
        last = self._spoken.last
        is_customer = last is not None and last.kind == "stripe.customer" and len(last.names) == 1
        return last is not None and is_customer and self._relation == "" and set_field(last, "email", email)

    def _kind_of_name(self, name: str, form: str) -> str:
        known = self._spoken.find_named(self._spoken.full_name(name) or name)
        gathering = self._find_gathering()
        if form == "channel":
            return "slack.channel"
        if form == "path":
            return "github.repository"
        if known is not None:
            return known.kind
        if gathering and self._relation in ("has", "") and form in ("word", "email"):
            return gathering
        if form == "file":
            return "github.file" if self._twin == "github" else "box.file"
        last = self._spoken.last
        is_buyer = last is not None and last.kind in ("stripe.subscription", "stripe.customer")
        if self._relation == "in" and is_buyer and self._preposition in ("on", "to"):
            return "stripe.product"
        return ""

    def take_text(self, at: int) -> int:
        """Take a text in quotation marks: that of a message, or a name of what was spoken of last."""
        text = self._phrases.tokens[at].value
        known = self._spoken.find_named(text)
        if known is not None and self._relation == "in":
            return self.take_known(known, text, at)
        group = self._deed or self._spoken.last
        if group is not None and not group.names and not group.like and not group.whole:
            self._deed = None
            return self._set_name(group, text, at + 1)
        return self.take_known(known, text, at) if known is not None else at

    def take_known(self, known: SpokenGroup, text: str, at: int) -> int:
        group = SpokenGroup(known.kind, names=[text])
        if not self._place(group):
            return at
        self._relation = ""
        return at + 1
