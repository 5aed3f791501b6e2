"""Jira Cloud: issues, workflow, JQL, comments, boards and sprints by handlers, all else by its description."""

from __future__ import annotations

from twindiff.kit.seeding import Variables
from twindiff.kit.twin import Operations, Users

from .. import ShippedDraft
from ..document_collections import list_tables
from . import (
    agile,
    application_properties,
    comments,
    filters,
    groups,
    issue_parts,
    issues,
    projects,
    schemes,
    searches,
    site_settings,
    transitions,
)
from .recorded_site import find_site
from .screens import screen
from .seeding import seeding
from .site import site_rows
from .site_collections import COLLECTIONS
from .tables import TABLES, JiraUser
from .wire_style import JiraStyle

_PLATFORM = (
    application_properties,
    comments,
    filters,
    groups,
    issue_parts,
    issues,
    projects,
    schemes,
    searches,
    site_settings,
    transitions,
)


def _in_version(version: str) -> list[Operations]:
    """Return the operations of the platform at the paths of a version of the API."""
    pages: list[Operations] = []
    for module in _PLATFORM:
        page = Operations()
        prefix = f"/rest/api/{version}"
        page.listed = [each._replace(path=prefix + each.path) for each in module.api.listed]
        pages.append(page)
    return pages


draft = ShippedDraft(
    "jira",
    "Jira Cloud",
    stands_alone=True,
    description="https://developer.atlassian.com/cloud/jira/platform/swagger-v3.v3.json",
    pages=(*_in_version("3"), agile.api),
    again=(*_in_version("2"), *_in_version("latest")),
    tables=(*TABLES, *list_tables(COLLECTIONS)),
    rows=site_rows,
    recorded_rows=find_site,
    style=JiraStyle,
    options={
        "users": Users(JiraUser, JiraUser.account_id, JiraUser.email_address),
        "seeding": seeding,
        "screen": screen,
        "hosts": {"*.atlassian.net": "", "api.atlassian.com": ""},
        "variables": Variables(
            tokens={"JIRA_API_TOKEN": "{secret}", "JIRA_TOKEN": "{secret}", "ATLASSIAN_API_TOKEN": "{secret}"},
            urls={"JIRA_URL": "", "JIRA_BASE_URL": "", "JIRA_SERVER": "", "ATLASSIAN_URL": ""},
        ),
    },
    unproven=(
        "the texts of refusals of filters, dashboards, groups, roles and schemes",
        "which application properties a site has, and the texts of their refusals",
        "what workflows, screens and schemes list, which cannot be changed",
    ),
)
