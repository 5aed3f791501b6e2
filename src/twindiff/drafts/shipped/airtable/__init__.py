"""Airtable: bases, tables, fields and records with formulas by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables

from .. import ShippedDraft
from . import bases, comments, records, webhooks
from .recorded_bases import find_bases
from .tables import TABLES
from .wire_style import AirtableStyle

draft = ShippedDraft(
    "airtable",
    "Airtable",
    stands_alone=True,
    pages=(bases.api, webhooks.api, records.api, comments.api),
    tables=(*TABLES, webhooks.AirtableWebhook),
    rows=bases.base_rows,
    samples=("bases", "tables"),
    recorded_rows=find_bases,
    style=AirtableStyle,
    unproven=(
        "the texts of refusals of webhooks, whose notifications are not sent",
        "the texts of refusals of formulas, upserts and comments",
        "what functions of formulas do with empty values, and how times are rounded",
    ),
    options={
        "hosts": {"api.airtable.com": ""},
        "variables": Variables(
            tokens={"AIRTABLE_API_KEY": "pat{secret}", "AIRTABLE_TOKEN": "pat{secret}"},
            urls={"AIRTABLE_ENDPOINT_URL": "", "AIRTABLE_API_URL": ""},
        ),
    },
)
