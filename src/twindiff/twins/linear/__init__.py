"""The Linear twin: a workspace as Linear's GraphQL API shows it."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Users
from twindiff.kit.graphql import GraphqlTwin, modules_of

from .model.users import User
from .style import LinearStyle
from .webhook_events import tell, webhooks

_HERE = Path(__file__).parent

twin = GraphqlTwin(
    "linear",
    LinearStyle(),
    *modules_of(f"{__name__}.model"),
    *modules_of(__name__),
    payload="lastSyncId:Float! success:Boolean!",
    missing=(_HERE / "missing_roots.txt").read_text().split(),
    users=Users(User.row, User.row.id, User.row.email),
    seeds=_HERE / "seeds",
    webhooks=webhooks,
    tells=tell,
)
