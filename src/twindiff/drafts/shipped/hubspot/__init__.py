"""HubSpot's CRM: records, search, associations, properties, owners and pipelines by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables
from twindiff.kit.twin import Users

from .. import ShippedDraft
from ..document_collections import list_tables
from . import (
    association_batches,
    association_labels,
    associations,
    companies_v2,
    contact_lists,
    content,
    developer_tools,
    engagements_v1,
    forms,
    marketing,
    object_schemas,
    older_crm,
    pipelines,
    property_groups,
    record_lists,
    record_search,
    records,
    settings,
)
from .account import account_rows
from .kept_documents import COLLECTIONS
from .recorded_account import find_account
from .screens import screen
from .seeding import seeding
from .tables import TABLES, CrmOwner
from .wire_style import HubSpotStyle

draft = ShippedDraft(
    "hubspot",
    "HubSpot",
    stands_alone=True,
    description="https://github.com/HubSpot/HubSpot-public-api-spec-collection",
    pages=(
        records.api,
        record_search.api,
        associations.api,
        association_batches.api,
        association_labels.api,
        record_lists.api,
        property_groups.api,
        settings.api,
        pipelines.api,
        older_crm.api,
        contact_lists.api,
        companies_v2.api,
        engagements_v1.api,
        object_schemas.api,
        content.api,
        forms.api,
        marketing.api,
        developer_tools.api,
    ),
    tables=(*TABLES, *list_tables(COLLECTIONS)),
    rows=account_rows,
    recorded_rows=find_account,
    unproven=(
        "the texts of refusals of filters of searches",
        "the texts of refusals of forms, CMS, files, marketing, webhooks and timelines",
        "that PUT replaces the labels of two records and a batch adds to them, and that there are at most 50 labels",
        "the texts of refusals of association labels and of lists of version 3",
        "type ids of associations of quotes, and of activities with tickets",
        "the usual properties of quotes, orders, carts, invoices, leads, services and the like",
    ),
    style=HubSpotStyle,
    options={
        "users": Users(CrmOwner, CrmOwner.id, CrmOwner.email),
        "seeding": seeding,
        "screen": screen,
        "hosts": {"api.hubapi.com": ""},
        "variables": Variables(
            tokens={"HUBSPOT_ACCESS_TOKEN": "pat-na1-{secret}", "HUBSPOT_API_KEY": "{secret}"},
            urls={"HUBSPOT_API_URL": "", "HUBSPOT_BASE_URL": ""},
        ),
    },
)
