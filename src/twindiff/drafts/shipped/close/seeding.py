"""Fills a Close organization from a configuration: leads with what belongs to them, statuses and custom fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection
from twindiff.kit.suggestions import did_you_mean

from ...seeding import describe_unknown, list_objects
from .crm_kinds import KINDS, USER, CrmKind, crm_rows
from .crm_objects import create_object
from .tables import CloseContact, CloseLead, CloseStatus, CloseUser
from .wire_style import CloseError

Values = dict[str, Any]
_KINDS = {kind.name: kind for kind in KINDS}
_PARTS = {"contacts": "contact", "opportunities": "opportunity", "tasks": "task", "activities": "activity/note"}
"""The kinds of the parts that a lead may hold, or that name their lead."""
_REFERENCES = {
    "lead": "lead_id", "contact": "contact_id", "status": "status_id", "user": "user_id", "assigned_to": "assigned_to",
}  # fmt: skip
"""The fields that hold an id, by the word under which a configuration gives a name."""


class CloseSeedUser(SeedSection):
    """A person of the organization."""

    name: str
    email: str | None = None
    timezone: str | None = None


class CloseSeedStatus(SeedSection):
    """A status of leads or opportunities, as `object` says; `type` is that of an opportunity's."""

    label: str
    object: str = "lead"
    type: str = "active"


class CloseSeedField(SeedSection):
    """A custom field of leads, contacts, opportunities or activities, as `object` says."""

    name: str
    object: str = "lead"
    type: str = "text"
    choices: list[str] | None = None


class CloseConfig(msgspec.Struct):
    """The configuration of an organization.

    A lead may hold `contacts`, `opportunities`, `tasks` and `activities`; elsewhere these name their `lead`. Fields are
    the vendor's; `status`, `contact`, `user` and `assigned_to` take names or addresses in place of ids.
    """

    users: list[CloseSeedUser | str] = []
    statuses: list[CloseSeedStatus] = msgspec.field(default_factory=list[CloseSeedStatus])
    custom_fields: list[CloseSeedField] = msgspec.field(default_factory=list[CloseSeedField])
    leads: list[Values] = msgspec.field(default_factory=list[Values])
    contacts: list[Values] = msgspec.field(default_factory=list[Values])
    opportunities: list[Values] = msgspec.field(default_factory=list[Values])
    tasks: list[Values] = msgspec.field(default_factory=list[Values])
    activities: list[Values] = msgspec.field(default_factory=list[Values])


def write(call: Call, config: CloseConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill an organization; raises InvalidSeedConfig for unknown or missing fields, and names of what is not there."""
    _add_organization(call, people)
    writer = _CrmWriter(call)
    for number, each in enumerate(config.statuses):
        writer.add(f"status/{each.object}", {"label": each.label, "type": each.type}, f"statuses[{number}]")
    for number, each in enumerate(config.custom_fields):
        choices = {"choices": each.choices} if each.choices else {}
        place = f"custom_fields[{number}]"
        writer.add(f"custom_field/{each.object}", {"name": each.name, "type": each.type, **choices}, place)
    for number, each in enumerate(config.leads):
        writer.add_lead(each, f"leads[{number}]")
    for part in _PARTS:
        writer.add_parts(part, getattr(config, part), part, None)
    if writer.problems:
        raise InvalidSeedConfig(writer.problems)
    return writer.counts


def _add_organization(call: Call, people: Sequence[Person]) -> None:
    """Add the usual statuses, unless the environment begins with them, and the people; the first one calls."""
    if call.db.find(CloseStatus) is None:
        call.db.add_all([CloseStatus(**row) for row in crm_rows()["statuses"]])
    for number, person in enumerate(people):
        first, _, last = person.name.partition(" ")
        id = f"user_tw1nd1ffPerson{number:03}".ljust(len(USER), "0") if number else USER
        known = call.db.find(CloseUser, CloseUser.id == id) or call.db.add(CloseUser(id=id))
        call.db.change(known, email=person.email, first_name=first, last_name=last)


class _CrmWriter:
    """Stores the parts of one configuration."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.problems: list[str] = []
        self.counts: dict[str, int] = {}

    def add_lead(self, given: Values, place: str) -> None:
        """Store a lead and what belongs to it."""
        plain = {name: value for name, value in given.items() if name not in _PARTS}
        lead = self.add("lead", plain, place)
        for part in (each for each in _PARTS if lead is not None and each in given):
            self.add_parts(part, given[part], f"{place}.{part}", lead)

    def add_parts(self, part: str, given: Any, place: str, lead: CloseLead | None) -> None:
        """Store a list of contacts, opportunities, tasks or activities, which belong to `lead` or name theirs."""
        for at, each in list_objects(given, place, self.problems):
            values = {**each}
            if lead is not None and {"lead", "lead_id"} & {*values}:
                self.problems.append(f"{at}.lead: it is inside a lead already")
                continue
            kind = f"activity/{values.pop('type', 'note')}" if part == "activities" else _PARTS[part]
            self.add(kind, {**values, **({"lead_id": lead.id} if lead else {})}, at)

    def add(self, name: str, given: Values, place: str) -> Any:
        """Store an object of a kind; returns None, with the problems noted, for one that cannot be stored."""
        kind = _KINDS.get(name)
        if kind is None:
            first, _, last = name.partition("/")
            known = {each.partition("/")[2] for each in _KINDS if each.startswith(f"{first}/")}
            near = did_you_mean(last, known)
            self.problems.append(f"{place}: there is no {first} '{last}', but {', '.join(sorted(known))}.{near}")
            return None
        problems = describe_unknown(given, _list_fields(kind), place)
        twice = [each for each in _same_fields(kind) if {*each} <= {*given}]
        problems += [f"{place}.{word}: {field} is given as well" for word, field in twice]
        values = self._resolve(kind, given, place, problems)
        if not problems:
            try:
                row = create_object(self._call, kind, values)
                self.counts[_count_as(kind)] = self.counts.get(_count_as(kind), 0) + 1
                return row
            except CloseError as error:
                problems.append(f"{place}: {error}")
        self.problems += problems
        return None

    def _resolve(self, kind: CrmKind, given: Values, place: str, problems: list[str]) -> Values:
        """Return what a client sends: ids in place of names."""
        values: Values = {}
        for name, value in given.items():
            field = _REFERENCES.get(name, "") if name in _REFERENCES and _REFERENCES[name] in kind.fields else ""
            if field and isinstance(value, str) and (field != "status_id" or kind.name in ("lead", "opportunity")):
                id = self._find(kind, field, value)
                if id is None:
                    known = f", but {', '.join(self._list_labels(kind))}" if field == "status_id" else ""
                    problems.append(f"{place}.{name}: there is no {name} '{value}'{known}")
                values[field] = id
            elif name in ("email", "phone") and kind.table is CloseContact:
                values[f"{name}s"] = [{name: value}]
            else:
                values[name] = value
        return values

    def _list_labels(self, kind: CrmKind) -> list[str]:
        rows = self._call.db.rows(CloseStatus, CloseStatus.owner == kind.name, order=CloseStatus.position)
        return [row.label for row in rows]

    def _find(self, kind: CrmKind, field: str, said: str) -> str | None:
        """Return the id of what a field names; None if there is no such object."""
        db = self._call.db
        if field == "status_id":
            rows = db.rows(CloseStatus, CloseStatus.owner == kind.name)
            return next((row.id for row in rows if said in (row.label, row.id)), None)
        if field in ("user_id", "assigned_to"):
            users = db.rows(CloseUser)
            named = (row.id for row in users if said in (row.id, row.email, _name_of(row)))
            return next(named, None)
        table: Any = CloseLead if field == "lead_id" else CloseContact
        rows = db.rows(table, order=table.made_number)
        return next((row.id for row in rows if said in (row.id, row.name, *_addresses_of(row))), None)


def _addresses_of(row: Any) -> list[str]:
    emails: Any = row.details.get("emails") or []
    return [str(each.get("email")) for each in emails]


def _name_of(user: CloseUser) -> str:
    return f"{user.first_name} {user.last_name}".strip()


def _same_fields(kind: CrmKind) -> list[tuple[str, str]]:
    """The words of a configuration with the fields that they fill."""
    more = [("email", "emails"), ("phone", "phones")] if kind.table is CloseContact else []
    return [*((word, field) for word, field in _REFERENCES.items() if field != word and field in kind.fields), *more]


def _list_fields(kind: CrmKind) -> set[str]:
    """The names that a configuration may give of a kind."""
    words = {word for word, field in _REFERENCES.items() if field in kind.fields}
    more = {"email", "phone"} if kind.table is CloseContact else set[str]()
    return {*kind.fields, *words, *more, *({"custom"} if "custom" in kind.columns else ())}


def _count_as(kind: CrmKind) -> str:
    names: Mapping[str, str] = {"opportunity": "opportunities", "activity": "activities", "status": "statuses"}
    first = kind.name.partition("/")[0]
    return names.get(first, f"{first}s")


seeding = Seeding(CloseConfig, write)
