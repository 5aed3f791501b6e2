"""Salesforce: records of the usual objects, SOQL, SOSL, collections and descriptions by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables
from twindiff.kit.twin import Users

from .. import ShippedDraft
from ..document_fields import make_document_table
from . import bulk_jobs, composite, descriptions, further_resources, org, queries, records
from .objects import OBJECTS, TABLES
from .org import org_rows
from .recorded_org import find_org
from .screens import screen
from .seeding import seeding
from .wire_style import SalesforceStyle

_USER = OBJECTS["User"].row

draft = ShippedDraft(
    "salesforce",
    "Salesforce",
    stands_alone=True,
    pages=(
        queries.api,
        further_resources.api,
        records.api,
        composite.api,
        descriptions.api,
        org.api,
        bulk_jobs.api,
    ),
    tables=(*TABLES, *map(make_document_table, ("bulk_jobs", "tooling_records"))),
    rows=org_rows,
    recorded_rows=find_org,
    style=SalesforceStyle,
    options={
        "users": Users(_USER, _USER.Id, _USER.Email),
        "seeding": seeding,
        "screen": screen,
        "hosts": {"login.salesforce.com": "", "test.salesforce.com": "", "*.my.salesforce.com": ""},
        "variables": Variables(
            tokens=dict.fromkeys(
                ("SALESFORCE_ACCESS_TOKEN", "SALESFORCE_TOKEN", "SF_ACCESS_TOKEN", "SFDC_ACCESS_TOKEN"),
                "00D000000000001!{secret}",
            ),
            urls=dict.fromkeys(
                (
                    "SALESFORCE_INSTANCE_URL",
                    "SALESFORCE_API_BASE_URL",
                    "SALESFORCE_BASE_URL",
                    "SALESFORCE_LOGIN_URL",
                    "SF_INSTANCE_URL",
                ),
                "",
            ),
        ),
    },
    unproven=("the texts of refusals of bulk jobs and tooling queries",),
)
