"""Verifies statements on the entities that were found in the rows of a finished world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from twindiff.server.apis.twin_runs.world_prompt_details import Price

from .groups import SpokenGroup, Statement
from .kinds import Rows, WorldEntity
from .meeting_times import is_at
from .vendors import KINDS, VENDORS


def find_ambiguous(statements: Sequence[Statement]) -> set[int]:
    """The `id` of groups of which nothing tells whether other numbers of the prompt are of the same records.

    These are bare numbers of one kind that differ in their noun or stand in one sentence, as in "5 bugs and 5 tasks",
    and a bare number beside one of described records, as in "2 urgent issues and 5 issues".
    """
    counted = [(statement, group) for statement in statements for group in statement.groups if _is_counted(group)]
    unclear: set[int] = set()
    for statement, group in counted:
        for other_statement, other in counted:
            is_same = other is not group and (group.kind, _homes(group)) == (other.kind, _homes(other))
            if not is_same or _is_described(group) or (_is_described(other) and statement is not other_statement):
                continue
            if statement is other_statement or group.noun.rstrip("s") != other.noun.rstrip("s"):
                unclear.add(id(group))
    return unclear


def _is_counted(group: SpokenGroup) -> bool:
    is_number = group.is_exact and bool(group.count) and not (group.whole or group.like or group.names or group.is_each)
    return is_number and not group.kind.endswith(".user")


def _is_described(group: SpokenGroup) -> bool:
    return bool(group.fields)


def _homes(group: SpokenGroup) -> list[object]:
    return [tuple(each.root().names) or id(each.root()) for each in group.within]


class FoundWorld:
    """The entities of a world by kind."""

    def __init__(self, rows: Mapping[str, Rows]) -> None:
        self.twins = {twin for twin in rows if twin in VENDORS}
        self._by_kind: dict[str, list[WorldEntity]] = {}
        for twin in self.twins:
            for entity in VENDORS[twin].read(rows[twin]):
                self._by_kind.setdefault(entity.kind, []).append(entity)
        self._around = {id(each): {id(outer) for outer in each.surroundings()} for each in self._all()}

    def _all(self) -> Iterator[WorldEntity]:
        return (each for entities in self._by_kind.values() for each in entities)

    def of(self, kind: str) -> list[WorldEntity]:
        """The entities of a kind."""
        return self._by_kind.get(kind, [])

    def inside(self, home: WorldEntity, kind: str) -> list[WorldEntity]:
        """The entities of a kind in another one; in one that nests, as folders do, only directly."""
        if home.kind in KINDS[home.kind].homes:
            return [each for each in self.of(kind) if home in each.places]
        return [each for each in self.of(kind) if id(home) in self._around[id(each)]]

    # Comparisons

    def fits(self, entity: WorldEntity, group: SpokenGroup, *, named: bool = True) -> bool:
        """Whether a group speaks of an entity, whatever it says of what is in it; `named` is whether names count."""
        if entity.kind != group.kind:
            return False
        if named and group.names and not any(entity.is_called(name) for name in group.names):
            return False
        for earlier in (group.like, group.whole):
            if earlier is not None and not self.has_all(entity, earlier):
                return False
        if not all(self._has(entity, name, value) for name, value in group.fields.items()):
            return False
        return all(self.is_in(entity, home) for home in group.within)

    def has_all(self, entity: WorldEntity, group: SpokenGroup, *, named: bool = True) -> bool:
        """Whether a group speaks of an entity, with what it says of what is in it."""
        return self.fits(entity, group, named=named) and all(
            self.holds(entity, each) for each in group.holds if not is_shared(group, each)
        )

    def is_in(self, entity: WorldEntity, home: SpokenGroup) -> bool:
        """Whether an entity is in a record of a group."""
        return any(self.fits(place, home) for place in entity.surroundings())

    def holds(self, home: WorldEntity, group: SpokenGroup) -> bool:
        """Whether as many records as a group says are in an entity."""
        inside = self.inside(home, group.kind)
        return not self._miscount(group, inside)

    def _miscount(self, group: SpokenGroup, among: Sequence[WorldEntity]) -> str:
        """What is wrong with the number of a group's records among some entities; empty if nothing is."""
        named = [each for each in among if self.has_all(each, group)]
        missing = [name for name in group.names if not any(each.is_called(name) for each in named)]
        if missing:
            return self._explain_missing(group, missing[0], among)
        if group.is_exact and group.names and (group.count or 0) > len(group.names):
            return (
                ""
                if len(named) == group.count
                else f"{len(named)} of the {_noun(group, 2)} have that name, not {group.count}"
            )
        if group.is_exact:
            known = [each for each in among if self.has_all(each, group, named=False) and not _is_nested(each, group)]
            return (
                ""
                if len(known) == group.count
                else f"there are {len(known)} {_noun(group, 2)}{describe_group(group)}, not {group.count}"
            )
        wanted = max(group.count if group.count is not None else 1, len(group.names))
        return (
            ""
            if len(named) >= wanted
            else f"there are {len(named)} {_noun(group, 2)}{describe_group(group)}, not {wanted}"
        )

    def _explain_missing(self, group: SpokenGroup, name: str, among: Sequence[WorldEntity]) -> str:
        """Why no record of a name is as a group says."""
        for each in among:
            if each.is_called(name) and self.fits(each, group):
                for held in group.holds:
                    wrong = self._miscount(held, self.inside(each, held.kind))
                    if wrong and not is_shared(group, held):
                        return f"{wrong}, in '{name}'"
        return f"there is no {_noun(group, 1)} '{name}'{describe_group(group)}"

    def _has(self, entity: WorldEntity, name: str, wanted: Any) -> bool:
        field, held = KINDS[entity.kind].field(name), entity.fields.get(name)
        if isinstance(wanted, SpokenGroup):
            return self._is_of(entity, wanted)
        if field is None or held is None:
            return False
        if field.form == "choice":
            return wanted in held
        if field.form == "person":
            return wanted.casefold() in [each.casefold() for each in held]
        if field.form == "words":
            return {each.casefold() for each in wanted} <= {each.casefold() for each in held}
        if field.form == "money":
            return any(_is_price(each, wanted) for each in held)
        if field.form == "topic":
            return _words(wanted) in " ".join(held.casefold().split())
        if field.form == "when":
            return is_at(held, wanted)
        return held == wanted

    def _is_of(self, entity: WorldEntity, product: SpokenGroup) -> bool:
        """Whether a subscription is to a product of a group, at its price."""
        link = KINDS[entity.kind].link
        root = product.root()
        if root.names and entity.fields[link] not in root.names:
            return False
        price: Price | None = product.fields.get("price")
        return price is None or any(_is_price(each, price) for each in entity.fields["price"])

    # Claims

    def refute_all(self, statements: Sequence[Statement]) -> Iterator[tuple[Statement, list[str]]]:
        """Yield each statement with the reasons why the world does not show it."""
        unclear = find_ambiguous(statements)
        for statement in statements:
            same = {_noun(each, 2) for each in statement.groups if id(each) in unclear}
            reasons = [f"its numbers of {kind} are of the same records" for kind in sorted(same)]
            yield statement, [*self.refute(statement), *reasons]

    def refute(self, statement: Statement) -> list[str]:
        """The reasons why the world does not show a statement on its own; empty if it does."""
        reasons: list[str] = []
        if statement.unread:
            reasons.append(f"no rule takes {', '.join(repr(words) for words in statement.unread)}")
        if not (statement.groups or statement.twins or statement.is_seed):
            reasons.append("it says nothing of what a twin holds")
        reasons += [f"there is no twin {twin} in this world" for twin in statement.twins if twin not in self.twins]
        for group in statement.groups:
            reasons += self._refute_group(group, statement)
        return [*dict.fromkeys(each for each in reasons if each)]

    def _refute_group(self, group: SpokenGroup, statement: Statement) -> Iterator[str]:
        yield from (f"{', '.join(words)} differ by case only" for words in _list_same_words(group))
        twin = KINDS[group.kind].twin
        if twin not in self.twins:
            yield f"there is no twin {twin} in this world, which has the {_noun(group, 2)}"
        elif statement.twins and twin not in statement.twins:
            yield f"{statement.twins[0]} has no {_noun(group, 2)}, {twin} has"
        elif group.within and group.whole is None and group.like is None:
            yield from self._refute_same_names(group)  # the rest is checked with what it is in
        elif group.whole is not None:
            yield from self._refute_part(group, group.whole)
        elif group.is_all:
            meant = [each for each in self.of(group.kind) if all(self.is_in(each, home) for home in group.within)]
            wrong = [each for each in meant if not self.has_all(each, group)]
            if not meant:
                yield f"there are no {_noun(group, 2)}"
            yield from (f"'{each.name}' is not as it says" for each in wrong[:1])
        else:
            yield self._miscount(group, self.of(group.kind))
            yield from self._refute_same_names(group)
            yield from self._refute_shared(group)
            if group.like is not None:
                yield from self._refute_again(group, group.like)

    def _refute_same_names(self, group: SpokenGroup) -> Iterator[str]:
        """Refuse what is said of a name that several records have, unless it holds for all of them.

        Several records may have one text, but what is denied of it is denied of each.
        """
        is_denied = any(each.is_exact and each.count == 0 for each in group.holds)
        if (KINDS[group.kind].is_text and not is_denied) or not group.names:
            return
        for each in self.of(group.kind):
            is_here = all(self.is_in(each, home) for home in group.within)
            if is_here and any(each.is_called(name) for name in group.names) and not self.has_all(each, group):
                yield f"another {_noun(group, 1)} '{each.name}' is not so"

    def _refute_shared(self, group: SpokenGroup) -> Iterator[str]:
        """Compare numbers that several records share, such as "2 folders with 6 files"."""
        for held in group.holds:
            if is_shared(group, held):
                homes = [each for each in self.of(group.kind) if self.has_all(each, group)]
                among = {id(each): each for home in homes for each in self.inside(home, held.kind)}
                yield self._miscount(held, [*among.values()])
                if any(not self.inside(home, held.kind) for home in homes):
                    yield f"not all of these {_noun(group, 2)} have {_noun(held, 2)}"

    def _refute_again(self, group: SpokenGroup, earlier: SpokenGroup) -> Iterator[str]:
        """What is said again of several records must hold for all of them."""
        if not group.is_one:
            wrong = [
                each for each in self.of(group.kind) if self.has_all(each, earlier) and not self.has_all(each, group)
            ]
            yield from (f"'{each.name}' is not so" for each in wrong[:1])

    def _refute_part(self, part: SpokenGroup, whole: SpokenGroup) -> Iterator[str]:
        of_whole = [each for each in self.of(whole.kind) if self.has_all(each, whole)]
        total = whole.count or len(whole.names)
        if len(of_whole) != total:
            yield f"there are {len(of_whole)} {_noun(whole, 2)}{describe_group(whole)}, not {total}"
        alike = [each for each in of_whole if self.has_all(each, part)]
        if len(alike) != part.count:
            yield f"there are {len(alike)} {_noun(whole, 2)}{describe_group(part)} of these {total}, not {part.count}"
        yield from self._refute_shared(part)
        if not (part.fields or part.holds or part.names or part.within):
            yield f"it does not say what {part.count} of the {_noun(whole, 2)} are"


def is_shared(home: SpokenGroup, held: SpokenGroup) -> bool:
    """Whether several records share a number of others: "2 folders with 6 files", and not "with a file"."""
    is_several = bool(held.count) if held.is_exact else bool(held.names)
    return is_several and not held.is_each and not home.is_one and not home.is_all


def _list_same_words(group: SpokenGroup) -> list[list[str]]:
    """The labels and the like of a group that differ by case only, of which a vendor keeps one."""
    by_word: dict[str, list[str]] = {}
    for each in group.fields.values():
        for word in cast("list[str]", each) if isinstance(each, list) else ():
            by_word.setdefault(word.casefold(), []).append(word)
    return [words for words in by_word.values() if len(words) > 1]


def _is_nested(entity: WorldEntity, group: SpokenGroup) -> bool:
    """Whether a folder is in a folder, of which a number of folders alone does not speak."""
    return not group.within and any(each.kind == entity.kind for each in entity.places)


def describe_group(group: SpokenGroup) -> str:
    """What a group says of its records besides their number, for messages."""
    words = [
        f"whose {name} is {value}" if isinstance(value, str) and value else f"of that {name}"
        for name, value in group.fields.items()
    ]
    return "".join(f" {each}" for each in words)


def _noun(group: SpokenGroup, number: int) -> str:
    singular, plural = KINDS[group.kind].nouns[0]
    return singular if number == 1 else plural


def _is_price(price: Price, wanted: Price) -> bool:
    return price[:2] == wanted[:2] and wanted.interval in (None, price.interval)


def _words(topic: str) -> str:
    words = topic.casefold().split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words)
