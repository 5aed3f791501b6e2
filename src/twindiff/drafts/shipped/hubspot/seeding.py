"""Fills a HubSpot account from a configuration: records by kind, which contact belongs to which company,
and static lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection

from .account import account_rows
from .associations import associate
from .records import create_record
from .tables import CrmCompany, CrmContact, CrmContactList, CrmDeal, CrmListMember, CrmOwner, CrmProperty, CrmStage
from .wire_style import HubSpotError


class SeedRecord(SeedSection):
    """A record: its properties."""

    properties: dict[str, Any]


class SeedAssociation(SeedSection):
    """A contact, by address, and the company, by domain, or the deal, by name, to which it belongs."""

    contact_email: str = ""
    company_domain: str = ""
    deal_name: str = ""


class SeedList(SeedSection):
    """A static list, with the addresses of the contacts in it."""

    name: str
    contact_emails: list[str] = msgspec.field(default_factory=list[str])


class HubSpotConfig(msgspec.Struct):
    """The configuration of an account."""

    companies: list[SeedRecord] = msgspec.field(default_factory=list[SeedRecord])
    contacts: list[SeedRecord] = msgspec.field(default_factory=list[SeedRecord])
    deals: list[SeedRecord] = msgspec.field(default_factory=list[SeedRecord])
    tickets: list[SeedRecord] = msgspec.field(default_factory=list[SeedRecord])
    associations: list[SeedAssociation] = msgspec.field(default_factory=list[SeedAssociation])
    lists: list[SeedList] = msgspec.field(default_factory=list[SeedList])


def write(call: Call, config: HubSpotConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill an account; raises InvalidSeedConfig for associations with what there is not, and for lists."""
    _add_account(call)
    known = {each.email for each in call.db.rows(CrmOwner)}
    for person in (each for each in people if each.email not in known):
        first, _, last = person.name.partition(" ")
        number = str(72_000_000 + call.db.next("owner"))
        call.db.add(
            CrmOwner(id=number, email=person.email, first_name=first, last_name=last, created_at=call.clock.iso())
        )
    problems: list[str] = []
    for kind in ("companies", "contacts", "deals", "tickets"):
        for number, each in enumerate(getattr(config, kind)):
            _add_record(call, kind, each.properties, f"{kind}[{number}]", problems)
    for number, each in enumerate(config.associations):
        _associate(call, each, f"associations[{number}]", problems)
    for number, each in enumerate(config.lists):
        _add_list(call, each, f"lists[{number}]", problems)
    if problems:
        raise InvalidSeedConfig(problems)
    kinds = ("companies", "contacts", "deals", "tickets", "associations", "lists")
    return {kind: len(getattr(config, kind)) for kind in kinds if getattr(config, kind)}


def _add_account(call: Call) -> None:
    if call.db.find(CrmProperty) is None:
        tables: dict[str, Any] = {"property_definitions": CrmProperty, "pipeline_stages": CrmStage}
        for table, rows in account_rows().items():
            if table in tables:
                call.db.add_all([tables[table](**row) for row in rows])


def _add_record(call: Call, kind: str, properties: dict[str, Any], place: str, problems: list[str]) -> None:
    """Add a record; properties that the account does not have are added to it."""
    known = {each.name for each in call.db.rows(CrmProperty, CrmProperty.kind == kind)}
    for name in properties:
        if name not in known:
            call.db.add(CrmProperty(kind=kind, name=name, label=name, is_custom=True))
    try:
        create_record(call, kind, properties, checked=False)
    except HubSpotError as error:
        problems.append(f"{place}: {error}")


def _add_list(call: Call, given: SeedList, place: str, problems: list[str]) -> None:
    id, at = call.db.next("contact_list"), call.clock.iso()
    call.db.add(CrmContactList(id=id, name=given.name, created_at=at))
    for email in dict.fromkeys(given.contact_emails):
        contact = call.db.find(CrmContact, CrmContact.email.equals(email))
        if contact is None:
            problems.append(f"{place}: there is no contact with '{email}'")
        else:
            call.db.add(CrmListMember(list_id=id, record_id=contact.id, added_at=at))


def _associate(call: Call, given: SeedAssociation, place: str, problems: list[str]) -> None:
    wanted = (
        ("contacts", CrmContact, CrmContact.email, given.contact_email),
        ("companies", CrmCompany, CrmCompany.domain, given.company_domain),
        ("deals", CrmDeal, CrmDeal.dealname, given.deal_name),
    )
    ends: list[tuple[str, str]] = []
    for kind, table, column, value in wanted:
        row = call.db.find(table, column.equals(value)) if value else None
        if value and row is None:
            problems.append(f"{place}: there is no record of {kind} with '{value}'")
        elif row is not None:
            ends.append((kind, row.id))
    if len(ends) == 2:
        associate(call, ends[0], ends[1])


seeding = Seeding(HubSpotConfig, write)
