"""The Slack twin: a workspace as Slack's Web API shows it."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Twin, Users
from twindiff.kit.styles.slack import SlackRpc

from . import (
    asides,
    auth,
    bookmarks,
    canvases,
    chat,
    conversation_states,
    conversations,
    files,
    history,
    lighthouse,
    members,
    oauth,
    pins,
    profiles,
    reactions,
    reminders,
    scheduled_messages,
    search,
    stars,
    surfaces,
    team,
    uploads,
    usergroups,
    users,
)
from .guard import guard
from .tables import TABLES, User

twin = Twin(
    "slack",
    SlackRpc(),
    *(
        page.api
        for page in (
            asides,
            auth,
            bookmarks,
            canvases,
            chat,
            conversation_states,
            conversations,
            files,
            history,
            members,
            oauth,
            pins,
            profiles,
            reactions,
            reminders,
            scheduled_messages,
            search,
            stars,
            surfaces,
            team,
            uploads,
            usergroups,
            users,
        )
    ),
    tables=TABLES,
    users=Users(User, User.user_id, User.email),
    seeds=Path(__file__).with_name("seeds"),
    templates={"slack_lighthouse": lighthouse.write},
    guard=guard,
)
