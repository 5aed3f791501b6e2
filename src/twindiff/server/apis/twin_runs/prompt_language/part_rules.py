"""Rules of pronouns, and of parts such as "two of them" and "the rest"."""

from __future__ import annotations

from .grammar_words import (
    BEING,
    HOLDING,
    NAMING,
    PRONOUNS,
    REST,
    THEM,
)
from .groups import SpokenGroup
from .reader_state import ReaderState
from .vendors import KINDS, Lead, Noun, ValueWord


class PartRules(ReaderState):
    """Rules of pronouns, and of parts such as "two of them" and "the rest"."""

    def take_pronoun(self, at: int) -> int:
        word = self._phrases.lower(at)
        is_first = not self._spoken.statement.groups
        if self._relation == "in" and word in ("it", "them", "this"):
            return self._put_in_pronoun(at)
        if word not in PRONOUNS or not is_first or self._spoken.last is not None:
            return at
        is_one = word in ("it", "this")
        self._spoken.pronoun = [
            each for each in self._spoken.before if each.is_one == is_one and each.kind.partition(".")[2] != "user"
        ]
        return at + 1 if self._spoken.pronoun else at

    def _put_in_pronoun(self, at: int) -> int:
        """Take "on it" after "Grace commented"."""
        inner = self._spoken.last
        if inner is None or inner.within:
            return at
        fit = [each for each in self._spoken.before if each.kind in KINDS[inner.kind].homes and each.is_one]
        if len({id(each.root()) for each in fit}) != 1:
            return at
        again = SpokenGroup(fit[0].kind, like=fit[0])
        self._spoken.add(again)
        inner.put_in(again)
        again.head, again.is_modifier, self._relation = inner, True, ""
        return at + 1

    def take_rest(self, at: int) -> int:
        end = self._phrases.match(at, REST)
        whole = self._spoken.whole() if end else None
        if whole is None:
            return at
        parts = [each for each in self._spoken.history if each.whole is whole]
        left = (whole.count or len(whole.names)) - sum(each.count or 0 for each in parts)
        if not parts or left < 1:
            return at
        of_them = self._phrases.match(end, tuple(f"of {them}" for them in THEM))
        self._open_part(whole, left, is_rest=True)
        return of_them or end

    def take_part(self, at: int) -> int:
        """Take "two of them", "of which 2", "half of them", "one of the bugs", and "two on the Pro plan"."""
        words = self._phrases
        if words.lower(at) == "of" and words.lower(at + 1) in THEM and words.number(at + 2) is not None:
            return self._part_of(self._spoken.whole(), words.number(at + 2), at + 3, at)
        count = words.number(at)
        word = words.lower(at)
        if count is None and word not in ("half", "none", "all", "both"):
            return at
        if words.lower(at + 1) == "of" and words.lower(at + 2) in THEM:
            whole = self._spoken.whole()
            return self._part_of(whole, self._share(word, count, whole), at + 3, at)
        if words.lower(at + 1) == "of" and words.lower(at + 2) in ("the", "these", "those", "its"):
            nouns, end = words.entries(at + 3, Noun)
            for noun in nouns:
                whole = self._spoken.whole(noun.kind.name)
                if whole is not None:
                    return self._part_of(whole, self._share(word, count, whole), end, at)
            return at
        if count is None or not self._is_predicate(at + 1):
            return at
        return self._part_of(self._spoken.whole(), count, at + 1, at)

    def _is_predicate(self, at: int) -> bool:
        words = self._phrases
        if words.noun_phrase(at) is not None and words.entries(at, ValueWord)[1] > at:
            return False
        is_said = bool(words.match(at, (*HOLDING, *BEING, "in", "on")) or words.entries(at, ValueWord, Lead)[1] > at)
        return is_said or (words.match(at, NAMING) > 0)

    def _share(self, word: str, count: int | None, whole: SpokenGroup | None) -> int | None:
        total = (whole.count or len(whole.names)) if whole else 0
        if word == "half":
            return None if total % 2 else total // 2
        if word == "both":
            return 2 if total == 2 else None
        return {"none": 0, "all": total}.get(word, count)

    def _part_of(self, whole: SpokenGroup | None, count: int | None, end: int, begin: int) -> int:
        if whole is None or count is None:
            return begin
        self._open_part(whole, count)
        return end

    def _open_part(self, whole: SpokenGroup, count: int, *, is_rest: bool = False) -> None:
        part = SpokenGroup(whole.kind, count, is_exact=True, is_plural=count != 1, whole=whole, is_rest=is_rest)
        whole.parts.append(part)
        self._spoken.add(part)
        self._spoken.target = part
        self._relation, self._is_free = "", False

    # Verbs
