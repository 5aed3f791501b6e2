"""Freshdesk: tickets with conversations, contacts, companies, agents and groups by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables

from .. import ShippedDraft
from . import contacts, desk_settings, searching, tickets
from .recorded_desk import find_desk
from .tables import TABLES, desk_rows
from .wire_style import FreshdeskStyle

draft = ShippedDraft(
    "freshdesk",
    "Freshdesk",
    stands_alone=True,
    pages=(desk_settings.api, contacts.api, tickets.api, searching.api),
    tables=TABLES,
    rows=desk_rows,
    recorded_rows=find_desk,
    style=FreshdeskStyle,
    options={
        "hosts": {"*.freshdesk.com": ""},
        "variables": Variables(tokens={"FRESHDESK_API_KEY": "{secret}"}, urls={"FRESHDESK_URL": ""}),
    },
    unproven=(
        "the texts of refusals of new agents",
        "ids of roles and of fields of tickets, and what every field says",
    ),
)
