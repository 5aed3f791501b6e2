"""Rules of punctuation, twins and words that relate others."""

from __future__ import annotations

import re

from .grammar_words import (
    ARTICLES,
    AS_PEOPLE,
    BEING,
    DEFINITE,
    FILLERS,
    HOLDING,
    LYING,
    NAMING,
    RELATIVE,
    SAYING,
    VAGUE,
)
from .value_rules import ValueRules
from .vendors import KINDS, Lead, ValueWord

LABELS = KINDS["github.label"]
"""The kind whose names have the form of labels."""
_SEED = re.compile(r"seed \d{1,9}\b")


class SmallWords(ValueRules):
    """Rules of punctuation, twins and words that relate others."""

    def take_mark(self, at: int) -> int:
        token = self._phrases.tokens[at]
        if token.form != "mark" or token.text not in ",:()\u2013\u2014&-;":
            return at
        if token.text in ",(\u2013\u2014":
            self._relation = ""
        return at + 1

    def take_seed(self, at: int) -> int:
        tokens = self._phrases.tokens
        match = _SEED.match(self._phrases.text, tokens[at].begin)
        self._spoken.statement.is_seed |= match is not None
        return at + 2 if match else at

    def take_twin(self, at: int) -> int:
        words = self._phrases
        start = at + 1 if words.lower(at) in (*ARTICLES, *DEFINITE, "our", "my", "this") else at
        twin, end = words.twin(start)
        if not twin:
            return at
        if self._has_noun(start):
            return at
        statement = self._spoken.statement
        if twin not in statement.twins:
            statement.twins.append(twin)
        self._twin = twin
        if self._relation != "in":
            self._spoken.barrier = len(statement.groups)
            self._spoken.last = self._spoken.target = None
            self._is_free = True
        self._relation = ""
        return end

    def _has_noun(self, at: int) -> bool:
        """Whether a twin stands before a noun, or is itself one that is named, as in "a calendar called Work"."""
        phrase = self._phrases.noun_phrase(at)
        if phrase is None:
            return False
        end = phrase.end
        is_named = bool(self._phrases.match(end, NAMING)) or self._phrases.form(end) == "quote"
        return phrase.twin != "" or is_named

    def take_holding(self, at: int) -> int:
        end = self._phrases.match(at, HOLDING)
        values, after = self._phrases.entries(at, Lead, ValueWord)
        kinds = {each.kind.name for each in values}
        if not end or (after > end and self._spoken.find(lambda each: each.kind in kinds)):
            return at
        self._relation = "has"
        self._is_free = self._is_free and self._spoken.last is None
        return end

    def take_lying(self, at: int) -> int:
        words = self._phrases
        if words.match(at, ("shared with",)):
            folder = self._spoken.find(lambda each: each.kind == "box.folder")
            if folder is None:
                return at
            self._relation, self._is_shared, self._spoken.target = "has", True, folder
            return at + 2
        end = words.match(at, LYING)
        if self._deed is not None and self._deed.kind == "slack.message" and words.lower(at) == "for":
            at = at + 1 if words.lower(at + 1) in ARTICLES else at
            return max(self._topic(self._deed, "about", at + 1), at)
        if not end or words.entries(at, Lead, ValueWord)[1] > end:
            return at
        self._relation, self._preposition = "in", words.lower(at)
        self._is_free = self._is_free and self._spoken.last is None
        return end

    def take_being(self, at: int) -> int:
        end = self._phrases.match(at, BEING)
        if not end:
            return at
        target = self._spoken.last
        while target is not None and target.is_modifier and target.head is not None:
            target = target.head
        self._spoken.target, self._relation = target, ""
        for lead in self._pending:
            if target is not None and target.kind == lead.kind.name:
                self._pending = []
                return max(end, self._value_after(target, lead, end))
        return end

    def take_relative(self, at: int) -> int:
        words = self._phrases
        if words.lower(at) not in RELATIVE or self._spoken.last is None:
            return at
        if self._deed is not None and self._deed.kind == "slack.message":
            return self.take_report(at)
        after = words.match(at + 1, BEING)
        self._spoken.target = self._spoken.last
        self._relation = ""
        return after or at + 1

    def take_report(self, at: int) -> int:
        """Take "that the export is broken" after "Ben reported in #bugs": the text of the message."""
        words, message = self._phrases, self._deed
        said = words.tokens[at + 1 :]
        is_vague = any(each.lower in VAGUE or each.form not in ("word", "number") for each in said)
        if words.lower(at) != "that" or message is None or message.names or len(said) < 2 or is_vague:
            return at
        text = words.text[said[0].begin : said[-1].end]
        message.names, self._deed = [f"{text[:1].upper()}{text[1:]}"], None
        return len(words.tokens)

    def take_each(self, at: int) -> int:
        last = self._spoken.last
        if self._phrases.lower(at) != "each" or last is None or not last.within:
            return at
        last.is_each = True
        return at + 1

    def take_filler(self, at: int) -> int:
        last = self._spoken.last
        if last is not None and last.kind.endswith(".user") and (end := self._phrases.match(at, AS_PEOPLE)):
            return end
        is_text = last is not None and KINDS[last.kind].is_text and not last.names
        if is_text and (end := self._phrases.match(at, SAYING)) and self._phrases.form(end) == "quote":
            return end
        is_article = self._phrases.lower(at) in ARTICLES and self._phrases.form(at + 1) == "word"
        is_article = is_article and not self._phrases.is_capital(at + 1)
        if is_article and self._phrases.is_capital(at) and at and self._phrases.form(at - 1) != "mark":
            return at  # the "A" of "a folder A with 2 files" is a name
        return at + 1 if is_article or self._phrases.lower(at) in FILLERS else at

    # Parts and pronouns
