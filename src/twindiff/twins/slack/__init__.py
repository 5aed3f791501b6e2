"""The Slack twin: a workspace with the methods of Slack's Web API."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Twin, Users
from twindiff.kit.seeding import Variables
from twindiff.twins.slack.wire_style import SlackRpc

from . import lighthouse
from .apps import auth, modals_and_home_tabs, oauth
from .apps.events_api import webhooks
from .calls import calls
from .conversations import bookmarks, conversation_states, conversations, members
from .core import enterprise_methods
from .core.authorization import actor_of, guard
from .core.call_tables import CALL_TABLES
from .core.list_tables import LIST_TABLES
from .core.tables import TABLES, AccessToken, OauthCode, User
from .documents import canvases
from .files import files, remote_files, thumbnails, uploads
from .lists import list_items, lists
from .messages import (
    assistant_threads,
    chat,
    history,
    message_variants,
    pins,
    reactions,
    scheduled_messages,
    stars,
    streams,
)
from .screens import screen
from .search import search
from .seeding import seeding
from .users import profiles, reminders, usergroups, users
from .vendor_tools import tools as vendor_tools
from .workspace import team, team_logs

_HERE = Path(__file__).parent
_MISSING = (_HERE / "missing_methods.txt").read_text().split()

_HOSTS = (
    *("slack.com", "api.slack.com", "www.slack.com", "files.slack.com", "wss-primary.slack.com", "slack-files.com"),
    *("*.slack.com", "*.slack-files.com"),
)

twin = Twin(
    "slack",
    SlackRpc(),
    *(
        page.api
        for page in (
            message_variants,
            assistant_threads,
            auth,
            bookmarks,
            calls,
            canvases,
            chat,
            conversation_states,
            conversations,
            files,
            history,
            list_items,
            lists,
            members,
            oauth,
            enterprise_methods,
            pins,
            profiles,
            reactions,
            reminders,
            remote_files,
            scheduled_messages,
            search,
            stars,
            streams,
            modals_and_home_tabs,
            team,
            team_logs,
            thumbnails,
            uploads,
            usergroups,
            users,
        )
    ),
    oauth.browser,
    tables=(*TABLES, *LIST_TABLES, *CALL_TABLES),
    users=Users(User, User.user_id, User.email),
    seeds=_HERE / "seeds",
    templates={"slack_lighthouse": lighthouse.write},
    layers=(guard,),
    actor_of=actor_of,
    secret_columns=(AccessToken.token, OauthCode.code, OauthCode.client_secret),
    webhooks=webhooks,
    hosts=dict.fromkeys(_HOSTS, ""),
    addresses={"": "slack.com", "/link": "wss-primary.slack.com", "/files-pub": "slack-files.com"}
    | dict.fromkeys(("/files-pri", "/files-tmb", "/upload"), "files.slack.com"),
    seeding=seeding,
    descriptions={
        "slack_base": "No rows at all, for states made through the API",
        "slack_default": "A small workspace: 3 people, 2 channels, 3 messages",
        "slack_lighthouse": "A workspace of 44 people over three months",
    },
    vendor_tools=vendor_tools,
    screen=screen,
    variables=Variables(
        tokens={"SLACK_BOT_TOKEN": "xoxb-{secret}", "SLACK_TOKEN": "xoxb-{secret}", "SLACK_API_TOKEN": "xoxb-{secret}"},
        urls={"SLACK_API_URL": "/api", "SLACK_BASE_URL": "", "SLACK_TWIN_BASE_URL": ""},
        secrets={
            "SLACK_CLIENT_ID": "{secret}",
            "SLACK_CLIENT_SECRET": "secret-{secret}",
            "SLACK_SIGNING_SECRET": "signing-{secret}",
        },
        client=("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"),
        signing="SLACK_SIGNING_SECRET",
    ),
    missing=_MISSING,
    refused=enterprise_methods.METHODS,
)
