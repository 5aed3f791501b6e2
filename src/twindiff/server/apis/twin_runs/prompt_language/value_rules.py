"""Rules of verbs, fields and their values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from twindiff.server.apis.twin_runs.world_prompt_details import Meetings

from .attachments import apply_value, set_field
from .grammar_words import (
    BEING,
    HOLDING,
    LYING,
    NEVER_NAMES,
    NO_PERSONS,
    PERSONAL,
    PRONOUNS,
    RELATIVE,
    TOPIC_ENDS,
)
from .groups import SpokenGroup
from .reader_state import ReaderState
from .time_phrases import read_day, read_meeting
from .vendors import KINDS, Deed, Lead, ValueWord, can_be_in

LABELS = KINDS["github.label"]
"""The kind whose names have the form of labels."""
_SEED = re.compile(r"seed \d{1,9}\b")


class ValueRules(ReaderState):
    """Rules of verbs, fields and their values."""

    def take_subject(self, at: int) -> int:
        """Take a person or customer who does something: "Ada posted", "Acme paid", "she commented"."""
        words = self._phrases
        if words.lower(at) in PERSONAL:
            name, end = self._person, at + 1
        elif words.form(at) == "email":
            name, end = words.tokens[at].value, at + 1
        else:
            name, end = words.capitals(at)
        if not name or words.tokens[end - 1].is_possessive:
            return at
        after = words.match(end, ("has", "have", "had", "also", "has also", "then", "has just")) or end
        deeds, done = words.entries(after, Deed)
        if not deeds:
            return at
        return done if self._do(deeds, name) else at

    def take_deed(self, at: int) -> int:
        """Take the verb of what was spoken of, as in "a customer who paid $20"."""
        deeds, end = self._phrases.entries(at, Deed)
        return end if deeds and self._do(deeds, "") else at

    def _do(self, deeds: Sequence[Deed], name: str) -> bool:
        deed = self._choose_deed(deeds)
        self._deed_kinds = {each.kind.name for each in deeds}
        group = SpokenGroup(deed.kind.name, 1, noun=deed.kind.nouns[0][0], fields=dict(deed.verb.fields))
        if deed.verb.person:
            if not name:
                return False
            group.fields[deed.verb.person] = self._person = name
        else:
            home = self._find_subject(deed.verb.home, name)
            if home is None:
                return False
            group.put_in(home)
            group.head = home
        self._deed = group
        self._relation, self._spoken.target = "", None
        return self._spoken.add(group)

    def _choose_deed(self, deeds: Sequence[Deed]) -> Deed:
        """The deed on what was spoken of, or in the twin that was named last."""
        recent = [*self._spoken.statement.groups, *self._spoken.before]
        for deed in deeds:
            if deed.kind.twin == self._twin and self._spoken.statement.twins:
                return deed
        for group in reversed(recent):
            for deed in deeds:
                if can_be_in(deed.kind.name, group.kind):
                    return deed
        return next((each for each in deeds if each.kind.twin == self._twin), deeds[0])

    def _find_subject(self, kind: str, name: str) -> SpokenGroup | None:
        if name:
            group = SpokenGroup(kind, names=[name])
            self._spoken.add(group)
            return group
        return self._spoken.find(lambda each: each.kind == kind)

    def take_lead(self, at: int) -> int:
        """Take words before a value, and the value: "assigned to Ada", "labelled bug", "about refunds"."""
        leads, end = self._phrases.entries(at, Lead)
        if not leads:
            return at
        kinds = {each.kind.name for each in leads}
        group = self._spoken.find(lambda each: each.kind in kinds)
        if group is None and self._phrases.lower(end) == "of":
            self._pending = leads
            return end + 1
        if group is None:
            return at
        for lead in (each for each in leads if each.kind.name == group.kind):
            after = self._value_after(group, lead, end)
            if after > end:
                self._relation = ""
                return after
        return at

    def _value_after(self, group: SpokenGroup, lead: Lead, at: int) -> int:
        words, field = self._phrases, lead.field
        at = at + 1 if words.match(at, ("is", "of")) and field.form in ("text", "date") else at
        if field.form == "person":
            name, end = words.person(at, is_plain=lead.kind.twin == "github")
            if name and name.lower() not in NO_PERSONS and set_field(group, field.name, name):
                self._person = name
                return end
        elif field.form == "words":
            labels, end = words.names(at, LABELS, 10, is_plain=True)
            return end if labels and set_field(group, field.name, labels) else at
        elif field.form == "text":
            names, end = words.names(at, lead.kind, 1)
            return end if names and set_field(group, field.name, names[0]) else at
        elif field.form == "money":
            return self._price_of(group, field.name, at)
        elif field.form == "choice":
            value = field.words.get(words.lower(at)) or field.words.get(f"{words.lower(at)} {field.name}")
            return at + 1 if value and set_field(group, field.name, value) else at
        elif field.form == "date":
            day, end = read_day(words, at)
            return end if day and set_field(group, field.name, day) else at
        elif field.form == "topic":
            return self._topic(group, field.name, at)
        return at

    def _topic(self, group: SpokenGroup, name: str, at: int) -> int:
        """Take the words of a topic, up to a word that says something else."""
        words, begin = self._phrases, at
        if words.form(at) == "quote":
            return at + 1 if set_field(group, name, words.tokens[at].value) else at
        while words.form(at) in ("word", "number") and at - begin < 8:
            if self._ends_topic(at):
                break
            at += 1
        topic = " ".join(each.text for each in words.tokens[begin:at])
        return at if topic and set_field(group, name, topic) else begin

    def _ends_topic(self, at: int) -> bool:
        words = self._phrases
        ends = NO_PERSONS | RELATIVE | PRONOUNS | PERSONAL | NEVER_NAMES | TOPIC_ENDS
        is_said = bool(words.match(at, (*HOLDING, *LYING, *BEING)) or words.entries(at, Lead)[0])
        return is_said or words.lower(at) in ends or read_day(words, at)[0] is not None

    # Values

    def take_value(self, at: int) -> int:
        values, end = self._phrases.entries(at, ValueWord)
        if not values or not apply_value(self._spoken, values):
            return at
        self._relation = ""
        return end

    def take_price(self, at: int) -> int:
        words = self._phrases
        price, _ = words.price(at)
        if price is None:
            return at
        group = self._spoken.find(lambda each: any(field.form == "money" for field in KINDS[each.kind].fields))
        if group is None:
            return at
        field = next(each.name for each in KINDS[group.kind].fields if each.form == "money")
        return self._price_of(group, field, at)

    def take_time(self, at: int) -> int:
        """Take the time of a meeting, or the day of a message."""
        event = self._spoken.find(lambda each: each.kind == "calendar.event")
        words = self._phrases
        if event is not None and not event.like:
            end = read_meeting(words, at, event.fields.setdefault("when", Meetings()))
            if end > at:
                self._relation = ""
                return end
        day, end = read_day(words, at)
        group = self._spoken.find(lambda each: self._find_day_field(each) != "") if day else None
        if day is None or group is None or not set_field(group, self._find_day_field(group), day):
            return at
        return end
