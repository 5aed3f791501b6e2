"""Relates the groups of a sentence to each other: what is in what, and of what a word speaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from twindiff.server.apis.twin_runs.world_prompt_details import RULES, Meetings

from .groups import SpokenGroup, Statement
from .vendors import KINDS, ValueWord, can_be_in

MAX_GROUPS = 500
"""Maximum number of groups in one prompt."""
MAX_SPOKEN = 30
"""Maximum number of groups of a sentence that a word may speak of, the latest ones."""


class SpokenOf:
    """The groups that a sentence can speak of: its own, and those of the sentences before."""

    def __init__(self) -> None:
        self.history: list[SpokenGroup] = []
        """The groups of all sentences."""
        self.statement = Statement("")
        self.before: list[SpokenGroup] = []
        """The groups of the sentence before."""
        self.last: SpokenGroup | None = None
        self.target: SpokenGroup | None = None
        """What a predicate after "is" speaks of."""
        self.barrier = 0
        """The number of groups in the sentence before a twin began a new subject."""
        self.is_listed = False
        """Whether the words come after "and" or a comma."""
        self.pronoun: list[SpokenGroup] = []
        """What "it" may mean, until something shows what."""

    def begin(self, text: str) -> None:
        """Begin a sentence."""
        self.before = self.statement.groups or self.before
        self.statement = Statement(text)
        self.last = self.target = None
        self.barrier, self.pronoun = 0, []

    def add(self, group: SpokenGroup) -> bool:
        """Add a group to the sentence; false if the prompt has too many."""
        if len(self.history) >= MAX_GROUPS:
            return False
        self.history.append(group)
        self.statement.groups.append(group)
        self.last = group
        return True

    def chain(self) -> Iterator[SpokenGroup]:
        """The groups that a word may speak of: the latest, what it was attached to, and the others of the sentence."""
        seen: list[SpokenGroup] = []
        for each in (self.target, self.last):
            while each is not None and each not in seen:
                seen.append(each)
                each = each.head
        own = self.statement.groups[max(self.barrier, len(self.statement.groups) - MAX_SPOKEN) :]
        yield from (each for each in seen if each in own or each.like)
        yield from (each for each in reversed(own) if each not in seen)

    def find(self, fits: Callable[[SpokenGroup], bool]) -> SpokenGroup | None:
        """The nearest group of the sentence that fits, or what "it" means if just one group fits."""
        mention = next((each for each in self.chain() if fits(each)), None)
        if mention or not self.pronoun:
            return mention
        fit = [each for each in self.pronoun if fits(each)]
        if len({id(each.root()) for each in fit}) != 1:
            return None
        return self.speak_again(fit[0])

    def speak_again(self, group: SpokenGroup) -> SpokenGroup:
        """A group that speaks of the records of an earlier one."""
        again = SpokenGroup(group.kind, like=group, is_plural=group.is_plural)
        self.pronoun = []
        self.add(again)
        return again

    def find_named(self, name: str, kinds: Sequence[str] = ()) -> SpokenGroup | None:
        """The latest group in which a name was given to a record, of these kinds or of any."""
        for each in reversed(self.history):
            is_kind = each.kind in kinds if kinds else not KINDS[each.kind].is_text
            if is_kind and any(name.casefold() == known.casefold() for known in each.names):
                return each
        return None

    def full_name(self, first: str) -> str:
        """The full name of the only record whose name begins with this word; empty if the word is a name itself."""
        names = {name for each in self.history for name in each.names if not KINDS[each.kind].is_text}
        full = {name for name in names if name.split()[:1] == [first]}
        return full.pop() if len(full) == 1 and first not in names else ""

    def earlier(self, kind: str) -> SpokenGroup | None:
        """The latest group of a kind."""
        return next((each for each in reversed(self.history) if each.kind == kind), None)

    def whole(self, kind: str = "") -> SpokenGroup | None:
        """The latest group of several records, of a kind or of any."""
        groups = [*reversed(self.statement.groups), *reversed(self.before)]
        if kind:
            groups += [*reversed(self.history)]
        for each in groups:
            root = each.root()
            is_several = (root.count or 0) > 1 or len(root.names) > 1
            if is_several and root.whole is None and kind in ("", each.kind):
                return root
        return None


def set_field(group: SpokenGroup, name: str, value: Any) -> bool:
    """Set a field of a group; false if it has another value already. Words are added."""
    known = group.fields.get(name)
    if isinstance(value, list) and known is not None:
        group.fields[name] = [*dict.fromkeys([*known, *cast("list[str]", value)])]
        return True
    if known is not None and known != value:
        return False
    group.fields[name] = value
    return True


def apply_value(spoken: SpokenOf, values: Sequence[ValueWord]) -> bool:
    """Say a word such as "urgent" of the nearest group that it fits."""
    kinds = {each.kind.name for each in values}
    group = spoken.find(lambda each: each.kind in kinds)
    if group is None:
        return False
    value = next(each for each in values if each.kind.name == group.kind)
    return set_value(group, value)


def set_value(group: SpokenGroup, value: ValueWord) -> bool:
    """Set what a word says of a group; false if it has another value already."""
    if value.field.form != "when":
        return set_field(group, value.field.name, value.value)
    when: Meetings = group.fields.setdefault("when", Meetings())
    if value.value == "all-day":
        when.is_all_day = True
        return True
    if when.rule is not None:
        return False
    when.rule = RULES[value.value]
    return True


def attach(spoken: SpokenOf, group: SpokenGroup, relation: str) -> bool:
    """Relate a new group to one that the sentence speaks of, by `has`, `in` or, after a comma, nothing.

    False if the relation is said and no group fits: "a folder in a file" is not a file in a folder.
    """
    kind = group.kind
    if relation == "in":
        inner = spoken.find(lambda each: can_be_in(each.kind, kind) and group not in each.within)
        if inner is not None and inner.kind != kind:
            inner.put_in(group)
            group.head, group.is_modifier = inner, True
            return True
        if inner is not None and can_be_in(kind, kind):
            inner.put_in(group)
            group.head, group.is_modifier = inner, True
            return True
    if relation and _link(spoken, group, relation):
        return True
    if relation == "in":
        return False
    is_inner = relation == "has" or group.noun.startswith("sub")
    if spoken.pronoun and (direct := spoken.find(lambda each: each.kind in KINDS[kind].homes)):
        group.put_in(direct)
        group.head = direct
        return True
    outer = spoken.find(
        lambda each: (
            can_be_in(kind, each.kind) and (each.kind != kind or is_inner) and (relation != "" or not each.is_modifier)
        )
    )
    if outer is not None:
        outer = _find_described(outer, kind, is_listed=relation == "" and spoken.is_listed)
        group.put_in(outer)
        group.head = outer
        return True
    return relation == ""


def _find_described(nearest: SpokenGroup, kind: str, *, is_listed: bool) -> SpokenGroup:
    """What has the records: the file in "a file in a folder with 2 comments", A in "a folder A with a subfolder and 2
    files", and otherwise what is nearest.
    """
    head = nearest.head
    if head is None or not can_be_in(kind, head.kind):
        return nearest
    is_beside = is_listed and head.kind in KINDS[kind].homes and KINDS[kind].needs != nearest.kind
    return head if nearest.is_modifier or is_beside else nearest


def _link(spoken: SpokenOf, group: SpokenGroup, relation: str) -> bool:
    """Relate a product to a subscription, or through a new one to a customer."""
    through = KINDS[group.kind].through
    linking = spoken.find(lambda each: each.kind in through.values() or each.kind in through)
    if linking is None:
        return False
    if linking.kind in through and relation != "in" and not group.noun.startswith("plan"):
        return False
    if linking.kind in through:
        home = linking
        linking = _find_unlinked(spoken, home, through[home.kind])
        if linking is None:
            linking = SpokenGroup(through[home.kind], 1, noun="subscription", head=home)
            linking.put_in(home)
            spoken.add(linking)
    link = KINDS[linking.kind].link
    if link in linking.fields:
        return False
    linking.fields[link] = group
    group.head, group.is_modifier = linking, True
    return True


def _find_unlinked(spoken: SpokenOf, home: SpokenGroup, kind: str) -> SpokenGroup | None:
    """The one subscription of a customer of which the prompt has not said the product, as "a subscription of Acme"."""
    same = [each for each in spoken.history if each.kind == home.kind and each.names == home.names]
    homes = same if home.names else [home]
    held = {id(group): group for each in homes for group in each.holds if group.kind == kind}
    without = [each for each in held.values() if KINDS[kind].link not in each.fields]
    return without[0] if len(without) == 1 and without[0].is_one else None
