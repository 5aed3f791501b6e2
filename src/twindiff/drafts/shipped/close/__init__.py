"""Close: leads, contacts, opportunities, tasks, activities, custom fields and advanced filtering by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables

from .. import ShippedDraft
from ..document_collections import list_tables
from . import advanced_filtering, bulk_actions, crm_objects, event_log, organization_collections
from .crm_kinds import crm_rows
from .recorded_crm import find_crm
from .seeding import seeding
from .tables import TABLES
from .wire_style import CloseStyle

draft = ShippedDraft(
    "close",
    "Close",
    stands_alone=True,
    pages=(organization_collections.api, event_log.api, crm_objects.api, advanced_filtering.api, bulk_actions.api),
    tables=(*TABLES, *list_tables((*organization_collections.COLLECTIONS, *bulk_actions.COLLECTIONS.values()))),
    rows=crm_rows,
    samples=("statuses", "users"),
    recorded_rows=find_crm,
    style=CloseStyle,
    options={
        "seeding": seeding,
        "hosts": {"api.close.com": "", "api.close.io": ""},
        "variables": Variables(tokens={"CLOSE_API_KEY": "{secret}"}, urls={"CLOSE_API_URL": "/api/v1"}),
    },
    unproven=(
        "the texts of refusals of smart views, sequences, webhooks, custom activities, bulk actions, lists and events",
        "which combinations of filters the event log refuses; all are served",
    ),
)
