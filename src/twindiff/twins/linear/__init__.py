"""The Linear twin: a workspace as Linear's GraphQL API shows it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from twindiff.kit import Users
from twindiff.kit.graphql import GraphqlTwin

from . import (
    attachments,
    comments,
    customers,
    documents,
    favorites,
    initiatives,
    issue_filters,
    issue_history,
    issue_labels,
    issue_names,
    issue_roots,
    issues,
    notifications,
    organization,
    permissions,
    projects,
    related_filters,
    relations,
    releases,
    search,
    sorts,
    teams,
    updates,
    users,
    views,
    workflows,
    workspace_tools,
)
from .model import MODULES
from .model.users import User
from .style import LinearStyle

_HERE = Path(__file__).parent

PAGES: tuple[ModuleType, ...] = (
    attachments,
    comments,
    customers,
    documents,
    favorites,
    initiatives,
    issue_filters,
    issue_history,
    issue_labels,
    issue_names,
    issue_roots,
    issues,
    notifications,
    organization,
    permissions,
    projects,
    related_filters,
    relations,
    releases,
    search,
    sorts,
    teams,
    updates,
    users,
    views,
    workflows,
    workspace_tools,
)

twin = GraphqlTwin(
    "linear",
    LinearStyle(),
    *MODULES,
    *PAGES,
    payload="lastSyncId:Float! success:Boolean!",
    missing=(_HERE / "missing_roots.txt").read_text().split(),
    users=Users(User.row, User.row.id, User.row.email),
    seeds=_HERE / "seeds",
)
