"""The Linear twin: a workspace, served through Linear's GraphQL API."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Users
from twindiff.kit.graphql import GraphqlTwin, modules_of
from twindiff.kit.oauth import OAUTH_SECRETS, OauthToken
from twindiff.kit.seeding import Variables

from .core.deleted_references import check_reference
from .core.input_rules import check_filter_id, check_input
from .core.token_scopes import check_scopes
from .model.users import User
from .model.webhooks import Webhook
from .screens import screen
from .seeding import seeding
from .vendor_tools import tools as vendor_tools
from .workspace import oauth
from .workspace.style import LinearStyle, count_requests, refuse_bearer_keys
from .workspace.webhook_events import record_webhook_event, webhooks

ROOMS = (
    "core",
    "customers",
    "documents",
    "issues",
    "notifications",
    "projects",
    "releases",
    "teams",
    "users",
    "workspace",
)
"""The packages whose modules register hooks for the declarations in `model`."""
_HERE = Path(__file__).parent

twin = GraphqlTwin(
    "linear",
    LinearStyle(),
    *modules_of(f"{__name__}.model"),
    *modules_of(__name__),
    *(module for room in ROOMS for module in modules_of(f"{__name__}.{room}")),
    payload="lastSyncId:Float! success:Boolean!",
    tables=(OauthToken,),
    pages=(oauth.api,),
    secret_columns=(*OAUTH_SECRETS, Webhook.row.secret),
    actor_of=oauth.actor_of,
    hosts=dict.fromkeys(("api.linear.app", "linear.app", "uploads.linear.app", "*.linear.app"), ""),
    missing=(_HERE / "missing_roots.txt").read_text().split(),
    users=Users(User.row, User.row.id, User.row.email),
    seeds=_HERE / "seeds",
    webhooks=webhooks,
    layers=(count_requests, refuse_bearer_keys, check_scopes),
    tells=record_webhook_event,
    checks_input=check_input,
    checks_filter_id=check_filter_id,
    checks_reference=check_reference,
    seeding=seeding,
    descriptions={
        "linear_base": "No rows at all, for states made through the API",
        "linear_default": "A small workspace: 3 people, 2 teams, 4 issues",
        "linear_workspace": "A company of 60 people: 6 teams, 12 projects, 1,500 issues",
    },
    vendor_tools=vendor_tools,
    screen=screen,
    variables=Variables(
        tokens=dict.fromkeys(("LINEAR_API_KEY", "LINEAR_ACCESS_TOKEN", "LINEAR_TOKEN"), "lin_api_{secret}"),
        urls={"LINEAR_API_URL": "/graphql", "LINEAR_BASE_URL": "", "LINEAR_GRAPHQL_URL": "/graphql"},
        secrets={"LINEAR_CLIENT_ID": "{secret}", "LINEAR_CLIENT_SECRET": "secret-{secret}"},
        client=("LINEAR_CLIENT_ID", "LINEAR_CLIENT_SECRET"),
    ),
)
