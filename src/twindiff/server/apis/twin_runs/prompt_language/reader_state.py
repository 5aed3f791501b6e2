"""The state of reading a prompt, and what all rules share."""

from __future__ import annotations

from collections.abc import Sequence

from .attachments import SpokenOf, attach, set_field
from .groups import SpokenGroup, Statement
from .noun_phrases import PhraseReader
from .vendors import KINDS, VENDORS, Lead, Lexicon, can_be_in


class ReaderState:
    """The state of reading a prompt, and what all rules share."""

    def __init__(self, twins: Sequence[str]) -> None:
        self._lexicon = Lexicon(twins)
        self._spoken = SpokenOf()
        self.statements: list[Statement] = []
        self.steps = 0
        """The number of steps of parsing."""
        self._twin = ""
        """The twin that was named last."""
        self._person = ""
        """Who was named last, whom "she" means."""
        self._relation = self._preposition = ""
        self._is_shared = False
        self._is_free = True
        """Whether the latest words allow a noun that relates to nothing, as after a twin."""
        self._pending: list[Lead] = []
        """The field that "the topic of" names, until "is" is read."""
        self._deed: SpokenGroup | None = None
        """A record that a verb made, until its object is read."""
        self._deed_kinds: set[str] = set()
        """The kinds of records that the verb makes."""
        self._phrases = PhraseReader("", self._lexicon)

    @property
    def groups(self) -> list[SpokenGroup]:
        """The groups of all sentences."""
        return self._spoken.history

    def _leave(self, words: str) -> None:
        self._spoken.statement.unread.append(words)
        self._relation = ""

    def _place(self, group: SpokenGroup) -> bool:
        """Add a group, related to what the sentence speaks of."""
        relation = self._relation
        if group.kind == "box.user" and relation == "has" and not self._is_shared:
            return False
        is_placed = attach(self._spoken, group, relation)
        if not is_placed and not self._is_free:
            return False
        return self._spoken.add(group)

    def _find_gathering(self) -> str:
        """The kind of the people of what was spoken of last."""
        if self._is_shared:
            return "box.user"
        last = self._spoken.target or self._spoken.last
        if last is None or self._relation != "has":
            return last.kind if last is not None and last.kind.endswith(".user") else ""
        people = next(
            (kind.name for kind in VENDORS[last.kind.partition(".")[0]].kinds if kind.name.endswith(".user")), ""
        )
        return people if people != "box.user" and people and can_be_in(people, last.kind) else ""

    def _set_name(self, group: SpokenGroup, name: str, end: int) -> int:
        group.names = [name]
        return end

    def _find_day_field(self, group: SpokenGroup) -> str:
        """The field of a day that needs no word before it."""
        fields = KINDS[group.kind].fields
        return next((each.name for each in fields if each.form == "date" and not each.leads), "")

    # Nouns and names

    def _price_of(self, group: SpokenGroup, field: str, at: int) -> int:
        price, end = self._phrases.price(at)
        if price is None or not set_field(group, field, price):
            return at
        self._relation = ""
        return end
