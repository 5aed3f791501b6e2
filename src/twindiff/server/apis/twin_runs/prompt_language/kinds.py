"""What a vendor declares of its records: kinds with their nouns, fields and homes, and how they are made and found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Form = Literal["choice", "person", "words", "money", "text", "topic", "date", "when"]
"""What a field holds.

`choice` is one of several words, `words` are labels and the like, `topic` is what a text is about, `date` is a day,
`when` the time of a meeting.
"""
Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""The rows of a twin, by table name."""
LABEL_LEADS = (
    "labelled", "labeled", "tagged", "with the label", "with label", "with a label", "with the labels", "with labels",
    "has the label", "has a label", "has the labels", "has labels",
)  # fmt: skip
"""Words before the labels of an issue."""
AGENT_EMAIL = "agent@example.com"


class KindField(NamedTuple):
    """A field of a kind. `words` are values by the words that say them; `leads` are the words before a value."""

    name: str
    form: Form
    words: Mapping[str, str] = {}
    leads: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    """The words for what a record is if the prompt does not say it."""
    otherwise: str = ""
    """What the others of a whole are if a part of it is as usual."""


class Verb(NamedTuple):
    """A verb that makes a record of its subject: a person in field `person`, or the record of kind `home`."""

    person: str = ""
    home: str = ""
    fields: Mapping[str, str] = {}


class Kind(NamedTuple):
    """A kind of records.

    `nouns` are pairs of singular and plural. `homes` are the kinds that a record is in, the nearest first; a record in
    a home is also in the homes of that. `through` is the kind that links this kind to its key: a customer is on a
    plan through a subscription, whose field `link` names the plan.
    """

    name: str
    nouns: tuple[tuple[str, str], ...]
    homes: tuple[str, ...] = ()
    fields: tuple[KindField, ...] = ()
    verbs: Mapping[str, Verb] = {}
    has_plain_names: bool = False
    """Whether names may be words in lower case, as labels have."""
    is_text: bool = False
    """Whether the name is a text, which stands in quotation marks."""
    through: Mapping[str, str] = {}
    link: str = ""
    implied: Mapping[str, tuple[tuple[str, str], ...]] = {}
    """By status: what a record brings about, as kinds with their statuses, such as the invoice of a subscription."""
    needs: str = ""
    """The kind of record that each one must be in."""
    needs_own: bool = False
    """Whether no other record of the kind is in that one, as each refund has a payment of its own."""
    most: int = 200

    @property
    def twin(self) -> str:
        """The twin that holds the records."""
        return self.name.partition(".")[0]

    def field(self, name: str) -> KindField | None:
        """The field of a name, if there is one."""
        return next((each for each in self.fields if each.name == name), None)


@dataclass(eq=False)
class WorldEntity:
    """A record of a world, to be made or found in rows.

    `places` are the records that it is in. A found record has a set of words in each `choice` and `words` field, a
    tuple of names in a `person` field, and a list of prices in a `money` field.
    """

    kind: str
    name: str = ""
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    places: list[WorldEntity] = field(default_factory=list["WorldEntity"])
    aliases: tuple[str, ...] = ()

    def place(self, kind: str) -> WorldEntity | None:
        """The first record of a kind that this one is in, directly or not."""
        return next((each for each in self.surroundings() if each.kind == kind), None)

    def surroundings(self) -> list[WorldEntity]:
        """All records that this one is in, the nearest first."""
        around = [*self.places]
        for each in around:
            around += [outer for outer in each.places if outer not in around]
        return around

    def is_called(self, name: str) -> bool:
        """Whether this is one of the names of the record."""
        wanted = name.casefold()
        return wanted in (self.name.casefold(), *(each.casefold() for each in self.aliases))


class Vendor(NamedTuple):
    """A vendor's table: its twin, the words for it, its kinds, and how they are made and found.

    `write` makes the seed configuration of entities; `read` finds the entities of rows.
    """

    twin: str
    words: tuple[str, ...]
    kinds: tuple[Kind, ...]
    write: Callable[[World], dict[str, Any]]
    read: Callable[[Rows], list[WorldEntity]]


class World:
    """The entities that a seed configuration is made of."""

    def __init__(self, entities: Sequence[WorldEntity], people: Sequence[dict[str, str]]) -> None:
        self._entities = entities
        self.people = people
        """The people of all twins, as users of a seed configuration."""

    def of(self, kind: str, home: WorldEntity | None = None) -> list[WorldEntity]:
        """The entities of a kind; with `home`, those that are directly in it."""
        return [each for each in self._entities if each.kind == kind and (home is None or home in each.places)]

    def loose(self, kind: str) -> list[WorldEntity]:
        """The entities of a kind that are in nothing."""
        return [each for each in self.of(kind) if not each.places]


def drop_none(**fields: Any) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def persons(rows: Sequence[Mapping[str, Any]], kind: str, key: str, name: str, email: str) -> dict[str, WorldEntity]:
    """The people of a table by their key, except the agent."""
    return {
        str(row[key]): WorldEntity(kind, row[name] or "", aliases=(row[email],) if row[email] else ())
        for row in rows
        if row[email] != AGENT_EMAIL and row[email] is not None
    }


def list_names(person: WorldEntity | None) -> tuple[str, ...]:
    """The names of a person, as a `person` field of a found entity has them."""
    return (person.name, *person.aliases) if person else ()
