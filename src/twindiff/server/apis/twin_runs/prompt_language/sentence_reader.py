"""Reads a prompt into statements, token by token; words that no rule takes are left over in their sentence."""

from __future__ import annotations

from collections.abc import Callable

from twindiff.server.apis.twin_runs.world_prompt_sentences import split_sentences

from .attachments import MAX_GROUPS
from .groups import SpokenGroup
from .noun_phrases import PhraseReader
from .noun_rules import NounRules
from .part_rules import PartRules
from .small_words import SmallWords
from .vendors import KINDS


class PromptReader(NounRules, PartRules, SmallWords):
    """Reads the sentences of a prompt in order."""

    def read(self, prompt: str) -> None:
        """Read all sentences of a prompt."""
        for original, text in split_sentences(prompt):
            self._spoken.begin(original)
            self.statements.append(self._spoken.statement)
            known = {name.lower() for group in self.groups for name in group.names}
            self._phrases = PhraseReader(text, self._lexicon, known)
            self._relation, self._deed, self._is_shared, self._is_free, self._pending = "", None, False, True, []
            at = 0
            while at < len(self._phrases.tokens):
                at = self._step(at)
            self._end()

    def _step(self, at: int) -> int:
        """Take the words at a token; returns the token after them."""
        self.steps += 1
        self._spoken.is_listed = at > 0 and self._phrases.lower(at - 1) in ("and", "&", ",")
        for take in RULES if len(self.groups) < MAX_GROUPS else ():
            end = take(self, at)
            if end > at:
                return end
        self._leave(self._phrases.tokens[at].text)
        return at + 1

    def _end(self) -> None:
        """Leave over what was not finished, and attach what a reply or the like answers, if the sentence does not."""
        if self._pending:
            self._leave(self._pending[0].field.name)
        for group in [*self._spoken.statement.groups]:
            kind = KINDS[group.kind]
            if kind.is_text:
                self._find_mentioned(group)
            if kind.is_text or kind.name == "slack.reaction":
                self._find_implied_home(group)

    def _find_mentioned(self, group: SpokenGroup) -> None:
        """Let `the message "Hi"` mean the one that the prompt had before; leave it over if that may be another."""
        is_mention = group.count is None and len(group.names) == 1
        if not is_mention or group.within or group.like or group.whole:
            return
        name, twin = group.names[0].casefold(), KINDS[group.kind].twin
        alike = [
            each.root()
            for each in self._spoken.history
            if each is not group and KINDS[each.kind].is_text and KINDS[each.kind].twin == twin
            if name in (known.casefold() for known in each.names)
        ]
        same = {id(each): each for each in alike}
        if len(same) == 1 and alike[0].kind == group.kind and len(alike[0].names) == 1:
            group.like = alike[0]
        elif same:
            self._leave(f'"{group.names[0]}"')

    def _find_implied_home(self, group: SpokenGroup) -> None:
        """What is answered is what was spoken of last; a number of comments alone is one in all."""
        is_placed = group.within or group.like or group.whole
        if is_placed or (group.is_exact and not group.names) or group.kind == "slack.message":
            return
        homes = KINDS[group.kind].homes
        earlier = [each for each in self._spoken.history if each.kind in homes and each is not group]
        if earlier:
            again = SpokenGroup(earlier[-1].kind, like=earlier[-1])
            self._spoken.add(again)
            group.put_in(again)

    # Small words


RULES: tuple[Callable[[PromptReader, int], int], ...] = (
    PromptReader.take_mark,
    PromptReader.take_seed,
    PromptReader.take_twin,
    PromptReader.take_rest,
    PromptReader.take_part,
    PromptReader.take_pronoun,
    PromptReader.take_price,
    PromptReader.take_time,
    PromptReader.take_subject,
    PromptReader.take_lead,
    PromptReader.take_noun_phrase,
    PromptReader.take_value,
    PromptReader.take_deed,
    PromptReader.take_holding,
    PromptReader.take_lying,
    PromptReader.take_being,
    PromptReader.take_relative,
    PromptReader.take_each,
    PromptReader.take_name,
    PromptReader.take_filler,
)
"""The rules, in the order in which they are tried."""
