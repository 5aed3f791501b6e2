"""Mentions of users in messages."""

from __future__ import annotations

import re

from twindiff.kit import Call

from ..core.tables import Message, User, UserMention

_MENTION = re.compile(r"<@([A-Za-z0-9_]+)(?:\|[^>]*)?>")


def record_mentions(call: Call, message: Message) -> None:
    """Update the mention rows of a message to match its text."""
    named = set(_MENTION.findall(message.message_text or ""))
    if not (named or message.edited_at):
        return
    before = call.db.rows(UserMention, UserMention.message_id == message.message_id)
    for mention in before:
        if mention.user_id not in named:
            call.db.remove(mention)
    for user in call.db.rows(User, User.user_id.in_(named - {mention.user_id for mention in before})):
        call.db.add(
            UserMention(
                mention_id=call.ids.new("M"),
                message_id=message.message_id,
                user_id=user.user_id,
                mentioned_at=call.clock.iso(),
            )
        )
