"""Fills a Pipedrive company from a configuration: organizations, persons, deals, activities, notes and products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection

from ...seeding import describe_unknown
from .fields_and_filters import USER, company_rows
from .item_kinds import KINDS, ItemKind, create_item
from .tables import (
    PipedriveDeal,
    PipedriveField,
    PipedriveOrganization,
    PipedrivePerson,
    PipedriveStage,
    PipedriveUser,
)
from .wire_style import PipedriveError

Values = dict[str, Any]
_REFERENCES: dict[str, tuple[str, Any]] = {
    "organization": ("org_id", PipedriveOrganization), "org": ("org_id", PipedriveOrganization),
    "person": ("person_id", PipedrivePerson), "deal": ("deal_id", PipedriveDeal),
    "stage": ("stage_id", PipedriveStage), "owner": ("owner_id", PipedriveUser),
}  # fmt: skip
"""By the word under which a configuration gives a name: the field that holds the id, and what it is an id of."""
_SET_BY_SERVER = {"id", "details", "is_active", "add_time", "update_time"}


class PipedriveSeedUser(SeedSection):
    """A person of the company."""

    name: str
    email: str | None = None
    timezone: str | None = None


class PipedriveConfig(msgspec.Struct):
    """The configuration of a company.

    Fields are the vendor's; `organization`, `person`, `deal`, `stage` and `owner` take names, titles or addresses in
    place of `org_id` and the like.
    """

    users: list[PipedriveSeedUser | str] = []
    organizations: list[Values] = msgspec.field(default_factory=list[Values])
    persons: list[Values] = msgspec.field(default_factory=list[Values])
    deals: list[Values] = msgspec.field(default_factory=list[Values])
    activities: list[Values] = msgspec.field(default_factory=list[Values])
    notes: list[Values] = msgspec.field(default_factory=list[Values])
    products: list[Values] = msgspec.field(default_factory=list[Values])


def write(call: Call, config: PipedriveConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill a company; raises InvalidSeedConfig for unknown fields, missing ones, and names of what is not there."""
    _add_company(call, people)
    problems: list[str] = []
    counts: dict[str, int] = {}
    for kind in KINDS:
        for number, given in enumerate(getattr(config, kind.path)):
            problems += _add_item(call, kind, given, f"{kind.path}[{number}]")
            counts[kind.path] = number + 1
    if problems:
        raise InvalidSeedConfig(problems)
    return counts


def _add_company(call: Call, people: Sequence[Person]) -> None:
    """Add the usual fields and stages, unless the environment begins with them, and the people; the first one calls."""
    if call.db.find(PipedriveStage) is None:
        rows = company_rows()
        call.db.add_all([PipedriveField(**row) for row in rows["fields"]])
        call.db.add_all([PipedriveStage(**row) for row in rows["stages"]])
    for number, person in enumerate(people):
        known = call.db.find(PipedriveUser, PipedriveUser.id == USER + number)
        known = known or call.db.add(PipedriveUser(id=USER + number))
        call.db.change(known, name=person.name, email=person.email)


def _add_item(call: Call, kind: ItemKind, given: Values, place: str) -> list[str]:
    """Add an item; returns what is wrong with it."""
    columns = {*kind.table.__annotations__} - _SET_BY_SERVER
    words = {word for word, (field, _) in _REFERENCES.items() if field in columns}
    problems = describe_unknown(given, {*columns, *kind.fields, *words}, place)
    values: Values = {}
    for name, value in given.items():
        if name in words:
            field, table = _REFERENCES[name]
            values[field] = _find(call, table, str(value))
            if values[field] is None:
                problems.append(f"{place}.{name}: there is no {name} '{value}'{_list_stages(call, table)}")
        else:
            values[name] = value
    if problems:
        return problems
    try:
        create_item(call, kind, values)
    except PipedriveError as error:
        return [f"{place}: {error}"]
    return []


def _list_stages(call: Call, table: Any) -> str:
    rows = call.db.rows(PipedriveStage, order=PipedriveStage.order_nr) if table is PipedriveStage else []
    return f", but {', '.join(row.name for row in rows)}" if rows else ""


def _find(call: Call, table: Any, said: str) -> int | None:
    """Return the id of the first row with a name, a title or an address; None if there is none."""
    for row in call.db.rows(table):
        email: str | list[Values] = getattr(row, "email", "")
        addresses = [email] if isinstance(email, str) else [each["value"] for each in email]
        if said in (getattr(row, "name", None), getattr(row, "title", None), *addresses):
            return row.id
    return None


seeding = Seeding(PipedriveConfig, write)
