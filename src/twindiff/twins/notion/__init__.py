"""The Notion twin: one workspace, served through Notion's API."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Twin, Users
from twindiff.kit.oauth import OAUTH_SECRETS, OauthToken
from twindiff.kit.seeding import Variables

from .agents import agent_runs, agents, external_agents, sessions, threads
from .blocks import async_answers, blocks
from .core.api_version import select_version
from .core.body_rules import limit_payload
from .core.object_lookup import require_capability
from .data_sources import data_sources, databases, queries, views
from .event_delivery.webhooks import webhooks
from .markdown import page_markdown
from .pages import comments, page_properties, page_templates, pages
from .screens import screen
from .search import meeting_notes, search
from .seeding.workspace_seeding import seeding
from .tables import agent_tables, content_tables, data_source_tables, workspace_tables
from .tables.agent_tables import AgentVault
from .tables.content_tables import User
from .tables.workspace_tables import Integration, WebhookSubscription
from .wire_style import NotionStyle
from .workspace import file_uploads, oauth, users

_HERE = Path(__file__).parent
_PAGES = (
    agent_runs, agents, async_answers, blocks, comments, data_sources, databases, external_agents, file_uploads,
    meeting_notes, oauth, page_markdown, page_properties, page_templates, pages, queries, search, sessions, threads,
    users, views,
)  # fmt: skip

twin = Twin(
    "notion",
    NotionStyle(),
    *(page.api for page in _PAGES),
    file_uploads.files,
    tables=(
        *content_tables.TABLES,
        *data_source_tables.TABLES,
        *workspace_tables.TABLES,
        *agent_tables.TABLES,
        OauthToken,
    ),
    users=Users(User, User.id, User.email),
    seeds=_HERE / "seeds",
    seeding=seeding,
    descriptions={
        "notion_default": "A bicycle company: wiki, projects with tasks, CRM and meetings, related to each other",
        "notion_agents": "That of notion_base, with agents that answer, ask first, take a minute or fail",
        "notion_base": "3 people, an integration and one page that is shared with it",
    },
    screen=screen,
    missing=(),
    layers=(select_version, limit_payload, require_capability),
    actor_of=oauth.actor_of,
    secret_columns=(
        *OAUTH_SECRETS,
        Integration.client_secret,
        AgentVault.credential,
        WebhookSubscription.verification_token,
    ),
    webhooks=webhooks,
    hosts={"api.notion.com": "", "www.notion.so": "", "notion.so": ""},
    addresses={"": "api.notion.com"},
    variables=Variables(
        tokens={
            "NOTION_API_KEY": "ntn_{secret}",
            "NOTION_TOKEN": "ntn_{secret}",
            "NOTION_INTEGRATION_TOKEN": "ntn_{secret}",
        },
        urls={"NOTION_API_URL": "", "NOTION_BASE_URL": ""},
    ),
)
