"""Intercom: contacts, companies, tags, notes, conversations and attributes by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables

from .. import ShippedDraft
from . import contacts, help_and_tickets, workspace
from .recorded_workspace import find_workspace
from .tables import TABLES
from .wire_style import IntercomStyle

draft = ShippedDraft(
    "intercom",
    "Intercom",
    stands_alone=True,
    description="https://github.com/intercom/Intercom-OpenAPI",
    pages=(contacts.api, help_and_tickets.api, workspace.api),
    tables=(*TABLES, *help_and_tickets.TABLES),
    rows=workspace.workspace_rows,
    recorded_rows=find_workspace,
    style=IntercomStyle,
    options={
        "hosts": {"api.intercom.io": ""},
        "variables": Variables(
            tokens={"INTERCOM_ACCESS_TOKEN": "{secret}", "INTERCOM_TOKEN": "{secret}"},
            urls={"INTERCOM_API_URL": "", "INTERCOM_BASE_URL": ""},
        ),
    },
    unproven=(
        "the texts of refusals of articles, collections, news and ticket types",
        "what teams, segments, subscriptions and help centres list, which cannot be changed",
    ),
)
