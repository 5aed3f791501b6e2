"""Pipedrive: persons, organizations, deals, activities, notes, products, fields and filters by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables
from twindiff.kit.twin import Operations, Rows

from .. import ShippedDraft
from ..document_collections import list_tables
from . import company_collections, crm_items, fields_and_filters, item_parts, items_v2
from .recorded_company import COLLECTIONS, find_company
from .seeding import seeding
from .tables import TABLES
from .wire_style import PipedriveStyle


def _of_company(page: Operations) -> Operations:
    """Return the operations of version 1 at the addresses of companies: `https://NAME.pipedrive.com/api/v1`."""
    again = Operations()
    again.listed = [each._replace(path="/api" + each.path) for each in page.listed if each.path.startswith("/v1/")]
    return again


def _company_rows() -> Rows:
    own = {"pipelines": [company_collections.PIPELINE_ROW], "activity_types": company_collections.ACTIVITY_TYPE_ROWS}
    return {**fields_and_filters.company_rows(), **own}


_PAGES = (item_parts.api, crm_items.api, fields_and_filters.api, company_collections.api)

draft = ShippedDraft(
    "pipedrive",
    "Pipedrive",
    stands_alone=True,
    description="https://developers.pipedrive.com/docs/api/v1/openapi.yaml",
    pages=(*_PAGES, items_v2.api),
    again=tuple(map(_of_company, _PAGES)),
    tables=(*TABLES, *list_tables(COLLECTIONS)),
    rows=_company_rows,
    samples=("users", "fields", "pipelines", "activity_types"),
    recorded_rows=find_company,
    style=PipedriveStyle,
    options={
        "seeding": seeding,
        "hosts": {"api.pipedrive.com": "", "*.pipedrive.com": ""},
        "variables": Variables(tokens={"PIPEDRIVE_API_TOKEN": "{secret}"}, urls={"PIPEDRIVE_API_URL": "/v1"}),
    },
    unproven=(
        "the texts of refusals of leads, files, followers, participants, projects and webhooks",
        "what mailbox, user connections and role assignments list, which are empty",
    ),
)
