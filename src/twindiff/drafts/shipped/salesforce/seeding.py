"""Fills a Salesforce org from a configuration: accounts, contacts and records of any object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection

from .objects import OBJECTS, SalesforceCustomField, SalesforceObject, find_object, relation_of
from .org import org_rows
from .records import create_record
from .wire_style import SalesforceError

Values = dict[str, Any]
_REQUIRED: dict[str, Values] = {"Opportunity": {"StageName": "Prospecting", "CloseDate": "2026-12-31"}}
"""Values that hand-written records often lack."""


class SalesforceSeedRecord(SeedSection):
    """A record of an object. A value of a reference may be the Name of what it refers to."""

    object: str
    values: Values


class SalesforceConfig(msgspec.Struct):
    """The configuration of an org."""

    accounts: list[Values] = msgspec.field(default_factory=list[Values])
    contacts: list[Values] = msgspec.field(default_factory=list[Values])
    records: list[SalesforceSeedRecord] = msgspec.field(default_factory=list[SalesforceSeedRecord])


def write(call: Call, config: SalesforceConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill an org; raises InvalidSeedConfig with the records that cannot be made."""
    user = OBJECTS["User"]
    if call.db.find(user.row) is None:
        call.db.add(user.row(**next(iter(org_rows()["User"]))))
    for person in people:
        first, _, last = person.name.rpartition(" ")
        name = {"FirstName": first or None, "LastName": last or person.name}
        create_record(call, user, {**name, "Username": person.email, "Email": person.email})
    problems: list[str] = []
    counts: dict[str, int] = {}
    parts = [("accounts", "Account", each) for each in config.accounts]
    parts += [("contacts", "Contact", each) for each in config.contacts]
    parts += [("records", each.object, each.values) for each in config.records]
    for number, (part, name, values) in enumerate(parts):
        kind = find_object(name)
        try:
            if kind is None:
                raise SalesforceError("INVALID_TYPE", f"there is no object '{name}'; there are {', '.join(OBJECTS)}")
            create_record(call, kind, _resolve(call, kind, values))
        except SalesforceError as error:
            problems.append(f"{part}[{number}]: {error}")
        counts[part] = counts.get(part, 0) + 1
    if problems:
        raise InvalidSeedConfig(problems)
    return counts


def _resolve(call: Call, kind: SalesforceObject, given: Values) -> Values:
    """Return values with ids in place of names of records; fields of the org's own are added to it."""
    values = {**_REQUIRED.get(kind.name, {}), **given}
    for field in kind.fields.values():
        said = values.pop(relation_of(field), None) if field.target else None
        said = said or (values.get(field.name) if field.target else None)
        if isinstance(said, str):
            values[field.name] = _find_by_name(call, OBJECTS[field.target], said)
    for name in values:
        if (
            name.endswith("__c")
            and call.db.find(
                SalesforceCustomField, SalesforceCustomField.object == kind.name, SalesforceCustomField.name == name
            )
            is None
        ):
            call.db.add(SalesforceCustomField(object=kind.name, name=name))
    return values


def _find_by_name(call: Call, kind: SalesforceObject, said: str) -> str:
    for row in call.db.rows(kind.row):
        names = [row.Id, getattr(row, "Name", None), getattr(row, "Email", None)]
        if kind.has_name_parts:
            names.append(" ".join(filter(None, (row.FirstName, row.LastName))))
        if said in names:
            return row.Id
    return said


seeding = Seeding(SalesforceConfig, write)
