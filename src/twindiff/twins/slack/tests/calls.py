"""A workspace in which every method has something to do, and a call of each."""

from __future__ import annotations

import time
from typing import Any

ME, JOHN, ROBERT = "U01AGENBOT9", "U02JOHNDOE1", "U03ROBERT23"
GENERAL, MINE, OPEN, OLD = "C01ABCD1234", "C03MINE", "C04OPEN", "C05OLD"
TS, EDITED, STREAMED = "1699564800.000123", "1699580000.000001", "1699580000.000002"
TEAM = "T01WORKSPACE"
BOT, DIRECT = "U0HELPER00", "D06DIRECT"
TEXT = {"type": "markdown", "markdown": "more"}
MODAL = {"type": "modal", "title": {"type": "plain_text", "text": "Order"}, "blocks": [{"type": "divider"}]}

LIST, ITEM, SUBTASK = "F9", "Rec1", "Rec2"
TITLE, STATUS, OWNER = "Col1", "Col2", "Col3"
CHOICES = [{"value": value, "label": value.title(), "color": "gray"} for value in ("open", "done")]


def rich(text: str) -> list[dict[str, Any]]:
    """Rich text of one line, as the cells of lists take it."""
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return [{"type": "rich_text", "elements": [section]}]


def cell(column: str, row: str = ITEM, **value: Any) -> dict[str, Any]:
    """A cell as slackLists.items.update takes it."""
    return {"row_id": row, "column_id": column, **value}


WORLD: dict[str, list[dict[str, Any]]] = {
    "users": [{"user_id": BOT, "username": "helper", "email": "helper@example.com", "is_bot": True}],
    "channels": [
        {"channel_id": MINE, "channel_name": "mine", "team_id": TEAM},
        {"channel_id": OPEN, "channel_name": "open", "team_id": TEAM},
        {"channel_id": OLD, "channel_name": "old", "team_id": TEAM, "is_archived": True},
        {"channel_id": DIRECT, "channel_name": "dm", "is_dm": True, "is_private": True},
    ],
    "channel_members": [
        *({"channel_id": MINE, "user_id": user} for user in (ME, JOHN)),
        *({"channel_id": DIRECT, "user_id": user} for user in (ME, JOHN)),
    ],
    "messages": [
        {"message_id": EDITED, "channel_id": GENERAL, "user_id": ME, "message_text": f"<@{JOHN}> https://example.com"},
        {"message_id": STREAMED, "channel_id": GENERAL, "user_id": ME, "message_text": "one"},
    ],
    "message_streams": [{"message_id": STREAMED, "mode": "markdown_text"}],
    "message_reactions": [{"message_id": EDITED, "user_id": ME, "reaction_type": "eyes"}],
    "user_mentions": [{"mention_id": "M1", "message_id": EDITED, "user_id": JOHN}],
    "message_edits": [{"edit_id": "E1", "message_id": EDITED, "edited_text": "hi"}],
    "files": [
        {"file_id": "F1", "user_id": ME, "file_name": "plan.txt"},
        {
            "file_id": "F3",
            "user_id": BOT,
            "file_name": "Budget",
            "external_id": "g1",
            "external_url": "https://drive.example.com/g1",
        },
    ],
    "file_messages": [{"file_message_id": "FM1", "file_id": "F1", "message_id": EDITED}],
    "file_contents": [{"file_id": "F1", "text": "one\ntwo"}],
    "upload_tickets": [
        {"ticket": "t", "file_id": "F2", "user_id": ME, "file_name": "new.txt", "file_size": 3, "digest": "d"}
    ],
    "pins": [{"channel_id": GENERAL, "message_id": EDITED, "user_id": JOHN}],
    "stars": [{"user_id": ME, "item_type": "message", "item_id": EDITED, "channel_id": GENERAL}],
    "bookmarks": [{"bookmark_id": "Bk1", "channel_id": MINE, "title": "Plans", "link": "https://example.com"}],
    "scheduled_messages": [
        {"scheduled_message_id": "Q1", "channel_id": GENERAL, "user_id": ME, "post_at": 9, "message_text": "later"}
    ],
    "reminders": [
        {"reminder_id": "Rm1", "creator_id": ME, "user_id": ME, "reminder_text": "water", "remind_at": 1700000000}
    ],
    "calls": [
        {"call_id": "R1", "user_id": ME, "external_unique_id": "e1", "join_url": "https://a.b/1", "title": "Sync"},
    ],
    "call_participants": [{"call_id": "R1", "participant_id": JOHN, "user_id": JOHN}],
    "usergroups": [
        {"usergroup_id": "S1", "name": "Staff", "handle": "staff"},
        {"usergroup_id": "S2", "name": "Gone", "handle": "gone", "is_active": False},
    ],
    "usergroup_members": [{"usergroup_id": "S1", "user_id": user} for user in (ME, JOHN)],
    "canvases": [{"canvas_id": "F8", "user_id": ME, "title": "Notes", "markdown": "# One\n\ntext"}],
    "canvas_access": [{"canvas_id": "F8", "entity_id": JOHN, "access_level": "read"}],
    "views": [
        {"view_id": "V1", "user_id": ME, "view_type": "modal", "content": {**MODAL, "blocks": []}, "root_id": "V1"}
    ],
    "lists": [{"list_id": LIST, "user_id": ME, "title": "Plan", "created_at": "2023-11-10T00:00:00"}],
    "list_columns": [
        {
            "list_id": LIST,
            "column_id": TITLE,
            "column_key": "title",
            "column_name": "Title",
            "column_type": "text",
            "is_primary": True,
        },
        {
            "list_id": LIST,
            "column_id": STATUS,
            "column_key": "status",
            "column_name": "Status",
            "column_type": "select",
            "options": {"format": "single_select", "choices": CHOICES},
            "position": 1,
        },
        {
            "list_id": LIST,
            "column_id": OWNER,
            "column_key": "owner",
            "column_name": "Owner",
            "column_type": "user",
            "position": 2,
        },
    ],
    "list_items": [
        {"item_id": ITEM, "list_id": LIST, "user_id": ME, "created_at": "2023-11-10T00:00:01"},
        {"item_id": SUBTASK, "list_id": LIST, "user_id": ME, "created_at": "2023-11-10T00:00:02", "parent_id": ITEM},
    ],
    "list_cells": [
        {"item_id": ITEM, "column_id": TITLE, "value": rich("Ship it"), "text": "Ship it"},
        {"item_id": ITEM, "column_id": OWNER, "value": [ME], "text": ME},
    ],
    "list_access": [{"list_id": LIST, "entity_id": JOHN, "access_level": "read"}],
    "list_downloads": [{"job_id": "Le1", "list_id": LIST}],
    "deleted_list_items": [{"list_id": LIST, "item_id": "Rec0"}],
    "user_profiles": [{"user_id": ME, "snoozed_until": 4_000_000_000}],
    "oauth_codes": [
        {
            "code": "c",
            "client_id": "1.2",
            "client_secret": "s",
            "user_id": JOHN,
            "bot_user_id": BOT,
            "scopes": "chat:write",
            "user_scopes": "search:read",
        }
    ],
}
"""What there must be beside the default template for every method to change something."""

CALLS: dict[str, dict[str, Any]] = {
    "api.test": {"foo": "bar"},
    "apps.connections.open": {"token": "xapp-1"},
    "assistant.threads.setStatus": {"channel_id": DIRECT, "thread_ts": TS, "status": "is thinking"},
    "assistant.threads.setSuggestedPrompts": {"channel_id": DIRECT, "prompts": [{"title": "Why?", "message": "Why?"}]},
    "assistant.threads.setTitle": {"channel_id": DIRECT, "thread_ts": TS, "title": "Questions"},
    "auth.revoke": {},
    "auth.test": {},
    "bookmarks.add": {"channel_id": MINE, "title": "Docs", "type": "link", "link": "https://example.com"},
    "bookmarks.edit": {"channel_id": MINE, "bookmark_id": "Bk1", "link": "https://a.b", "emoji": ":eyes:"},
    "bookmarks.list": {"channel_id": MINE},
    "bookmarks.remove": {"channel_id": MINE, "bookmark_id": "Bk1"},
    "bots.info": {"bot": "B0HELPER00"},
    "calls.add": {
        "external_unique_id": "e2",
        "join_url": "https://a.b/2",
        "users": [{"slack_id": JOHN}, {"external_id": "x", "display_name": "Kim"}],
    },
    "calls.end": {"id": "R1", "duration": 60},
    "calls.info": {"id": "R1"},
    "calls.participants.add": {"id": "R1", "users": [{"slack_id": ROBERT}]},
    "calls.participants.remove": {"id": "R1", "users": [{"slack_id": JOHN}]},
    "calls.update": {"id": "R1", "title": "Weekly", "join_url": "https://a.b/3"},
    "canvases.access.delete": {"canvas_id": "F8", "user_ids": [JOHN]},
    "canvases.access.set": {"canvas_id": "F8", "access_level": "read", "user_ids": [ROBERT]},
    "canvases.access.set for somebody who has access": {"canvas_id": "F8", "access_level": "write", "user_ids": [JOHN]},
    "canvases.create": {"title": "New", "document_content": {"type": "markdown", "markdown": "hi"}},
    "canvases.delete": {"canvas_id": "F8"},
    "canvases.edit": {"canvas_id": "F8", "changes": [{"operation": "insert_at_end", "document_content": TEXT}]},
    "canvases.getContent": {"canvas_id": "F8"},
    "canvases.sections.lookup": {"canvas_id": "F8", "criteria": {"section_types": ["h1"]}},
    "chat.appendStream": {"channel": GENERAL, "ts": STREAMED, "markdown_text": " two"},
    "chat.delete": {"channel": GENERAL, "ts": EDITED},
    "chat.deleteScheduledMessage": {"channel": GENERAL, "scheduled_message_id": "Q1"},
    "chat.getPermalink": {"channel": GENERAL, "message_ts": TS},
    "chat.meMessage": {"channel": GENERAL, "text": "waves"},
    "chat.postEphemeral": {"channel": GENERAL, "user": JOHN, "text": "psst"},
    "chat.postMessage": {"channel": GENERAL, "text": f"hi <@{JOHN}>"},
    "chat.postMessage of a call": {"channel": GENERAL, "blocks": [{"type": "call", "call_id": "R1"}]},
    "chat.postMessage to a person for the first time": {"channel": ROBERT, "text": "hi"},
    "chat.scheduleMessage": {"channel": GENERAL, "text": "later", "post_at": int(time.time()) + 3600},
    "chat.scheduledMessages.list": {},
    "chat.startStream": {
        "channel": GENERAL,
        "thread_ts": TS,
        "markdown_text": "one",
        "recipient_user_id": JOHN,
        "recipient_team_id": TEAM,
    },
    "chat.stopStream": {"channel": GENERAL, "ts": STREAMED, "blocks": [{"type": "divider"}]},
    "chat.unfurl": {"channel": GENERAL, "ts": EDITED, "unfurls": {"https://example.com": {"text": "An example"}}},
    "chat.update": {"channel": GENERAL, "ts": TS, "text": f"hi <@{JOHN}>", "blocks": [{"type": "divider"}]},
    "conversations.archive": {"channel": MINE},
    "conversations.canvases.create": {"channel_id": MINE},
    "conversations.close": {"channel": DIRECT},
    "conversations.create": {"name": "new"},
    "conversations.history": {"channel": GENERAL},
    "conversations.info": {"channel": GENERAL},
    "conversations.invite": {"channel": MINE, "users": ROBERT},
    "conversations.join": {"channel": OPEN},
    "conversations.kick": {"channel": MINE, "user": JOHN},
    "conversations.leave": {"channel": MINE},
    "conversations.list": {},
    "conversations.mark": {"channel": GENERAL, "ts": TS},
    "conversations.members": {"channel": GENERAL},
    "conversations.open": {"users": f"{JOHN},{ROBERT}"},
    "conversations.rename": {"channel": MINE, "name": "ours"},
    "conversations.replies": {"channel": GENERAL, "ts": TS},
    "conversations.setPurpose": {"channel": MINE, "purpose": "To plan"},
    "conversations.setTopic": {"channel": MINE, "topic": "plans"},
    "conversations.unarchive": {"channel": OLD},
    "dnd.endSnooze": {},
    "dnd.info": {},
    "dnd.setSnooze": {"num_minutes": 30},
    "dnd.teamInfo": {"users": f"{ME},{JOHN}"},
    "emoji.list": {},
    "files.completeUploadExternal": {"files": [{"id": "F2", "title": "New"}], "channel_id": GENERAL},
    "files.delete": {"file": "F1"},
    "files.getUploadURLExternal": {"filename": "a.txt", "length": 3},
    "files.info": {"file": "F1"},
    "files.list": {},
    "files.remote.add": {"external_id": "g2", "external_url": "https://drive.example.com/g2", "title": "Plan"},
    "files.remote.info": {"external_id": "g1"},
    "files.remote.list": {},
    "files.remote.remove": {"file": "F3"},
    "files.remote.share": {"external_id": "g1", "channels": GENERAL},
    "files.remote.update": {"external_id": "g1", "title": "Budget 2", "external_url": "https://drive.example.com/g3"},
    "files.revokePublicURL": {"file": "F1"},
    "files.sharedPublicURL": {"file": "F1"},
    "oauth.v2.access": {"code": "c", "client_id": "1.2", "client_secret": "s"},
    "pins.add": {"channel": GENERAL, "timestamp": TS},
    "pins.list": {"channel": GENERAL},
    "pins.remove": {"channel": GENERAL, "timestamp": EDITED},
    "reactions.add": {"channel": GENERAL, "timestamp": TS, "name": "eyes"},
    "reactions.get": {"channel": GENERAL, "timestamp": TS},
    "reactions.list": {},
    "reactions.remove": {"channel": GENERAL, "timestamp": EDITED, "name": "eyes"},
    "reminders.add": {"text": "water the plants", "time": "in 2 hours"},
    "reminders.complete": {"reminder": "Rm1"},
    "reminders.delete": {"reminder": "Rm1"},
    "reminders.info": {"reminder": "Rm1"},
    "reminders.list": {},
    "search.all": {"query": "plan"},
    "search.files": {"query": "plan"},
    "search.messages": {"query": "plan"},
    "slackLists.access.delete": {"list_id": LIST, "user_ids": [JOHN]},
    "slackLists.access.set": {"list_id": LIST, "access_level": "read", "user_ids": [ROBERT]},
    "slackLists.access.set for somebody who has access": {
        "list_id": LIST,
        "access_level": "write",
        "user_ids": [JOHN],
    },
    "slackLists.access.set of an owner": {"list_id": LIST, "access_level": "owner", "user_ids": [ROBERT]},
    "slackLists.create": {"name": "New", "todo_mode": True},
    "slackLists.create from a list with its items": {
        "name": "Copy",
        "copy_from_list_id": LIST,
        "include_copied_list_records": True,
    },
    "slackLists.download.get": {"list_id": LIST, "job_id": "Le1"},
    "slackLists.download.start": {"list_id": LIST},
    "slackLists.items.create": {
        "list_id": LIST,
        "initial_fields": [{"column_id": TITLE, "rich_text": rich("Test it")}],
    },
    "slackLists.items.delete": {"list_id": LIST, "id": ITEM},
    "slackLists.items.deleteMultiple": {"list_id": LIST, "ids": [SUBTASK]},
    "slackLists.items.info": {"list_id": LIST, "id": SUBTASK, "include_is_subscribed": True},
    "slackLists.items.list": {"list_id": LIST},
    "slackLists.items.update": {
        "list_id": LIST,
        "cells": [cell(TITLE, rich_text=rich("Ship it now")), cell(STATUS, select=["done"]), cell(OWNER, user=[])],
    },
    "slackLists.update": {"id": LIST, "name": "Plans", "todo_mode": True},
    "stars.add": {"channel": GENERAL, "timestamp": TS},
    "stars.list": {},
    "stars.remove": {"channel": GENERAL, "timestamp": EDITED},
    "team.accessLogs": {},
    "team.billing.info": {},
    "team.billableInfo": {},
    "team.info": {},
    "team.integrationLogs": {},
    "team.preferences.list": {},
    "team.profile.get": {},
    "usergroups.create": {"name": "Night shift", "handle": "night"},
    "usergroups.disable": {"usergroup": "S1"},
    "usergroups.enable": {"usergroup": "S2"},
    "usergroups.list": {"include_users": True, "include_count": True},
    "usergroups.update": {"usergroup": "S1", "name": "All", "handle": "all", "description": "us", "channels": GENERAL},
    "usergroups.users.list": {"usergroup": "S1"},
    "usergroups.users.update": {"usergroup": "S1", "users": f"{ME},{ROBERT}"},
    "users.conversations": {},
    "users.getPresence": {},
    "users.identity": {},
    "users.info": {"user": JOHN},
    "users.list": {},
    "users.lookupByEmail": {"email": "john@example.com"},
    "users.profile.get": {},
    "users.profile.set": {"profile": {"status_text": "out", "status_emoji": ":palm_tree:", "title": "Boss"}},
    "users.setPresence": {"presence": "away"},
    "views.open": {"trigger_id": "1.2.ab", "view": MODAL},
    "views.publish": {"user_id": JOHN, "view": {"type": "home", "blocks": []}},
    "views.push": {"trigger_id": "1.2.ab", "view": MODAL},
    "views.update": {"view_id": "V1", "view": MODAL},
}


def method_of(call: str) -> str:
    """The method of a call that is told apart by more than its name."""
    return call.partition(" ")[0]
