"""The vendors of prompts, and the words of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from .box_kinds import BOX
from .calendar_kinds import CALENDAR
from .github_kinds import GITHUB
from .kinds import Kind, KindField, Verb
from .linear_kinds import LINEAR
from .notion_kinds import NOTION
from .slack_kinds import SLACK
from .stripe_kinds import STRIPE

VENDORS = {each.twin: each for each in (SLACK, LINEAR, STRIPE, BOX, CALENDAR, NOTION, GITHUB)}
KINDS = {kind.name: kind for vendor in VENDORS.values() for kind in vendor.kinds}


class Noun(NamedTuple):
    """A noun of a kind."""

    kind: Kind
    is_plural: bool


class ValueWord(NamedTuple):
    """A word that says the value of a field, such as `urgent`."""

    kind: Kind
    field: KindField
    value: str


class Lead(NamedTuple):
    """Words before the value of a field, such as `assigned to`."""

    kind: Kind
    field: KindField


class Deed(NamedTuple):
    """A verb that makes a record of its subject."""

    kind: Kind
    verb: Verb


Entry = Noun | ValueWord | Lead | Deed


class Lexicon:
    """The words of vendors; a phrase of several words has an entry of its own."""

    def __init__(self, twins: Sequence[str]) -> None:
        self._entries: dict[str, list[Entry]] = {}
        self.twins: dict[str, str] = {}
        for twin, vendor in VENDORS.items():
            self.twins.update(dict.fromkeys(vendor.words, twin))
            for kind in vendor.kinds if twin in twins else ():
                self._add_kind(kind)
        self.longest = max((phrase.count(" ") + 1 for phrase in (*self._entries, *self.twins)), default=1)

    def _add_kind(self, kind: Kind) -> None:
        for singular, plural in kind.nouns:
            self._add(singular, Noun(kind, is_plural=False))
            self._add(plural, Noun(kind, is_plural=True))
        for field in kind.fields:
            for word, value in field.words.items():
                self._add(word, ValueWord(kind, field, value))
            for lead in field.leads:
                self._add(lead, Lead(kind, field))
        for word, verb in kind.verbs.items():
            self._add(word, Deed(kind, verb))

    def _add(self, phrase: str, entry: Entry) -> None:
        self._entries.setdefault(phrase, []).append(entry)

    def find(self, phrase: str) -> list[Entry]:
        """The entries of a phrase in lower case."""
        return self._entries.get(phrase, [])


def can_be_in(inner: str, outer: str) -> bool:
    """Whether records of a kind are in records of another, directly or through a third."""
    return outer in homes_of(inner)


@cache
def homes_of(kind: str) -> tuple[str, ...]:
    """All kinds that records of a kind can be in, the nearest first."""
    homes: list[str] = [*KINDS[kind].homes]
    for each in homes:
        homes += [outer for outer in KINDS[each].homes if outer not in homes]
    return (*homes,)
