"""What a prompt says: groups of records, by sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class SpokenGroup:
    """Records of one kind that a phrase speaks of.

    `count` is None if the phrase does not say it; `is_exact` tells "three" from "a". `within` are the groups that the
    records are in, and `holds` the groups that are in each of them. `whole` is the group that this one is a part of.
    `like` is the group that this one speaks of again, as "it" does.
    """

    kind: str
    count: int | None = None
    is_exact: bool = False
    is_plural: bool = False
    names: list[str] = field(default_factory=list[str])
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    within: list[SpokenGroup] = field(default_factory=list["SpokenGroup"])
    holds: list[SpokenGroup] = field(default_factory=list["SpokenGroup"])
    is_each: bool = False
    """Whether the number is that of each record that they are in, as in "5 messages each"."""
    is_all: bool = False
    """Whether all records of the kind are meant, as in "each channel"."""
    whole: SpokenGroup | None = None
    parts: list[SpokenGroup] = field(default_factory=list["SpokenGroup"])
    like: SpokenGroup | None = None
    is_rest: bool = False
    noun: str = ""
    head: SpokenGroup | None = None
    """The group that this one was attached to by its phrase."""
    is_modifier: bool = False
    """Whether the group was attached by "in" or the like, and not by "with"."""

    @property
    def is_one(self) -> bool:
        """Whether the group speaks of a single record."""
        if self.like is not None and not self.whole:
            return self.like.is_one
        return (self.count == 1 and len(self.names) < 2) or (self.count is None and len(self.names) == 1)

    def put_in(self, place: SpokenGroup) -> None:
        """Say that the records are in those of another group."""
        if place not in self.within:
            self.within.append(place)
            place.holds.append(self)

    def siblings(self) -> list[SpokenGroup]:
        """The parts of the whole that this one is a part of."""
        return self.whole.parts if self.whole else []

    def root(self) -> SpokenGroup:
        """The group that is spoken of, also through "it" and "two of them"."""
        return self.like.root() if self.like else self


@dataclass(eq=False)
class Statement:
    """One sentence: its groups, the twins it names, and the words that no rule takes."""

    text: str
    groups: list[SpokenGroup] = field(default_factory=list[SpokenGroup])
    twins: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])
    is_seed: bool = False
