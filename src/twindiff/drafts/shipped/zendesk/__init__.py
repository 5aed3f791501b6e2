"""Zendesk Support: tickets with comments, users with identities, organizations, groups, tags and search by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables
from twindiff.kit.twin import Operations, Rows

from .. import ShippedDraft
from . import objects, search, settings, ticket_history, tickets, users
from .recorded_desk import find_desk
from .tables import TABLES, desk_rows
from .wire_style import ZendeskStyle

PAGES = (settings.api, users.api, ticket_history.api, tickets.api, search.api, objects.api)


def _name_format(page: Operations) -> Operations:
    """Return operations at the paths that end in `.json`."""
    again = Operations()
    again.listed = [each._replace(path=f"{each.path}.json") for each in page.listed]
    return again


def _all_rows() -> Rows:
    return {**desk_rows(), **settings.setting_rows()}


draft = ShippedDraft(
    "zendesk",
    "Zendesk",
    stands_alone=True,
    description="https://developer.zendesk.com/zendesk/oas.yaml",
    pages=PAGES,
    again=tuple(map(_name_format, PAGES)),
    tables=(*TABLES, *settings.TABLES),
    rows=_all_rows,
    samples=("accounts", "ticket_fields"),
    recorded_rows=find_desk,
    style=ZendeskStyle,
    options={
        "hosts": {"*.zendesk.com": ""},
        "variables": Variables(
            tokens={"ZENDESK_API_TOKEN": "{secret}", "ZENDESK_TOKEN": "{secret}"}, urls={"ZENDESK_URL": ""}
        ),
    },
    unproven=(
        "the texts of refusals of fields, forms, views, rules, webhooks, memberships, merges and exports",
        "ids of system fields of tickets",
    ),
)
