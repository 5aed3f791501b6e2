"""Pipedrive: persons, organizations, deals, activities, notes, products, fields and filters by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables
from twindiff.kit.twin import Operations

from .. import ShippedDraft
from . import crm_items, fields_and_filters, items_v2
from .recorded_company import find_company
from .seeding import seeding
from .tables import TABLES
from .wire_style import PipedriveStyle


def _of_company(page: Operations) -> Operations:
    """Return the operations of version 1 at the addresses of companies: `https://NAME.pipedrive.com/api/v1`."""
    again = Operations()
    again.listed = [each._replace(path="/api" + each.path) for each in page.listed]
    return again


draft = ShippedDraft(
    "pipedrive",
    "Pipedrive",
    stands_alone=True,
    description="https://developers.pipedrive.com/docs/api/v1/openapi.yaml",
    pages=(crm_items.api, fields_and_filters.api, items_v2.api),
    again=(_of_company(crm_items.api), _of_company(fields_and_filters.api)),
    tables=TABLES,
    rows=fields_and_filters.company_rows,
    samples=("users", "fields"),
    recorded_rows=find_company,
    style=PipedriveStyle,
    options={
        "seeding": seeding,
        "hosts": {"api.pipedrive.com": "", "*.pipedrive.com": ""},
        "variables": Variables(tokens={"PIPEDRIVE_API_TOKEN": "{secret}"}, urls={"PIPEDRIVE_API_URL": "/v1"}),
    },
)
