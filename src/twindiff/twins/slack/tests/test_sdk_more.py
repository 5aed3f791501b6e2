"""The methods of files, pins, reminders and the rest through slack_sdk, as it comes, each once."""

import httpx
import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from tests.harness import GENERAL, JOHN, ROBERT
from twindiff.twins.slack.tests.calls import (
    BOT,
    DIRECT,
    EDITED,
    ITEM,
    LIST,
    ME,
    MINE,
    MODAL,
    OWNER,
    SUBTASK,
    TEXT,
    TITLE,
    TS,
    cell,
    rich,
)

HOME = {"type": "home", "blocks": []}
CHANGES = [{"operation": "insert_at_end", "document_content": TEXT}]
BOOKMARK = {"channel_id": MINE, "title": "Docs", "type": "link", "link": "https://example.com"}

COLUMN = {"key": "title", "name": "Title", "type": "text", "is_primary_column": True}

CALLS = {
    "api_test": {"foo": "bar"},
    "auth_revoke": {"test": True},
    "bookmarks_add": BOOKMARK,
    "bookmarks_edit": {"channel_id": MINE, "bookmark_id": "Bk1", "title": "Our plans"},
    "bookmarks_list": {"channel_id": MINE},
    "bookmarks_remove": {"channel_id": MINE, "bookmark_id": "Bk1"},
    "bots_info": {"bot": f"B{BOT[1:]}"},
    "calls_add": {"external_unique_id": "e2", "join_url": "https://a.b/2", "users": [{"slack_id": JOHN}]},
    "calls_end": {"id": "R1"},
    "calls_info": {"id": "R1"},
    "calls_participants_add": {"id": "R1", "users": [{"external_id": "x", "display_name": "Kim"}]},
    "calls_participants_remove": {"id": "R1", "users": [{"slack_id": JOHN}]},
    "calls_update": {"id": "R1", "title": "Weekly"},
    "canvases_access_delete": {"canvas_id": "F8", "user_ids": [JOHN]},
    "canvases_access_set": {"canvas_id": "F8", "access_level": "read", "user_ids": [ROBERT]},
    "canvases_create": {"title": "New", "document_content": TEXT},
    "canvases_delete": {"canvas_id": "F8"},
    "canvases_edit": {"canvas_id": "F8", "changes": CHANGES},
    "canvases_sections_lookup": {"canvas_id": "F8", "criteria": {"contains_text": "text"}},
    "chat_deleteScheduledMessage": {"channel": GENERAL, "scheduled_message_id": "Q1"},
    "chat_meMessage": {"channel": GENERAL, "text": "waves"},
    "chat_postEphemeral": {"channel": GENERAL, "user": JOHN, "text": "psst"},
    "chat_scheduledMessages_list": {},
    "chat_unfurl": {"channel": GENERAL, "ts": EDITED, "unfurls": {"https://example.com": {"text": "x"}}},
    "conversations_canvases_create": {"channel_id": MINE, "document_content": TEXT},
    "conversations_close": {"channel": DIRECT},
    "conversations_mark": {"channel": GENERAL, "ts": TS},
    "conversations_setPurpose": {"channel": MINE, "purpose": "To plan"},
    "dnd_endSnooze": {},
    "dnd_info": {},
    "dnd_setSnooze": {"num_minutes": 30},
    "dnd_teamInfo": {"users": [ME, JOHN]},
    "emoji_list": {},
    "files_completeUploadExternal": {"files": [{"id": "F2", "title": "New"}], "channel_id": GENERAL},
    "files_delete": {"file": "F1"},
    "files_getUploadURLExternal": {"filename": "a.txt", "length": 3},
    "files_info": {"file": "F1"},
    "files_list": {},
    "files_remote_add": {
        "external_id": "g2",
        "external_url": "https://drive.example.com/g2",
        "title": "Plan",
        "preview_image": b"png",
        "indexable_file_contents": b"words",
    },
    "files_remote_info": {"file": "F3"},
    "files_remote_list": {"limit": 5},
    "files_remote_remove": {"external_id": "g1"},
    "files_remote_share": {"file": "F3", "channels": [GENERAL]},
    "files_remote_update": {"file": "F3", "title": "Budget 2"},
    "files_revokePublicURL": {"file": "F1"},
    "files_sharedPublicURL": {"file": "F1"},
    "oauth_v2_access": {"code": "c", "client_id": "1.2", "client_secret": "s"},
    "pins_add": {"channel": GENERAL, "timestamp": TS},
    "pins_list": {"channel": GENERAL},
    "pins_remove": {"channel": GENERAL, "timestamp": EDITED},
    "reactions_list": {"full": True},
    "reminders_add": {"text": "water", "time": "in 2 hours"},
    "reminders_complete": {"reminder": "Rm1"},
    "reminders_delete": {"reminder": "Rm1"},
    "reminders_info": {"reminder": "Rm1"},
    "reminders_list": {},
    "search_files": {"query": "plan"},
    "slackLists_access_delete": {"list_id": LIST, "user_ids": [JOHN]},
    "slackLists_access_set": {"list_id": LIST, "access_level": "write", "channel_ids": [GENERAL]},
    "slackLists_create": {
        "name": "Books",
        "schema": [{"key": "t", "name": "T", "type": "text", "is_primary_column": True}],
    },
    "slackLists_download_get": {"list_id": LIST, "job_id": "Le1"},
    "slackLists_download_start": {"list_id": LIST, "include_archived": True},
    "slackLists_items_create": {"list_id": LIST, "initial_fields": [{"column_id": TITLE, "rich_text": rich("Read")}]},
    "slackLists_items_delete": {"list_id": LIST, "id": ITEM},
    "slackLists_items_deleteMultiple": {"list_id": LIST, "ids": [ITEM, SUBTASK]},
    "slackLists_items_info": {"list_id": LIST, "id": ITEM},
    "slackLists_items_list": {"list_id": LIST, "limit": 1},
    "slackLists_items_update": {"list_id": LIST, "cells": [cell(OWNER, user=[JOHN, ROBERT])]},
    "slackLists_update": {"id": LIST, "name": "Books", "description_blocks": rich("To be read")},
    "stars_add": {"channel": GENERAL, "timestamp": TS},
    "stars_list": {},
    "stars_remove": {"channel": GENERAL, "timestamp": EDITED},
    "team_info": {},
    "team_profile_get": {},
    "usergroups_create": {"name": "Night"},
    "usergroups_disable": {"usergroup": "S1"},
    "usergroups_enable": {"usergroup": "S2"},
    "usergroups_list": {"include_users": True},
    "usergroups_update": {"usergroup": "S1", "name": "All", "channels": [GENERAL]},
    "usergroups_users_list": {"usergroup": "S1"},
    "usergroups_users_update": {"usergroup": "S1", "users": [ME, ROBERT]},
    "users_getPresence": {"user": JOHN},
    "users_identity": {},
    "users_profile_set": {"profile": {"status_text": "out"}},
    "users_setPresence": {"presence": "away"},
    "views_open": {"trigger_id": "1.2.ab", "view": MODAL},
    "views_publish": {"user_id": JOHN, "view": HOME},
    "views_push": {"trigger_id": "1.2.ab", "view": MODAL},
    "views_update": {"view_id": "V1", "view": MODAL},
}


@pytest.fixture
def client(world):
    return WebClient(token=world.token, base_url=world.url)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore:stars:UserWarning")
def test_the_vendor_s_client_calls(client, call):
    assert getattr(client, call)(**CALLS[call])["ok"]


def test_apps_connections_open(client):
    assert client.apps_connections_open(app_token="xapp-1")["url"]


@pytest.mark.parametrize("content", ["hello\n", bytes(range(256))])
def test_files_upload_v2(client, world, content):
    file = client.files_upload_v2(channel=GENERAL, content=content, filename="a.bin", title="A")["file"]
    sent = content.encode() if isinstance(content, str) else content
    assert httpx.get(file["url_private"], headers={"Authorization": f"Bearer {world.token}"}).content == sent


def test_files_upload_v2_of_several_files_from_disk(client, tmp_path):
    paths = [tmp_path / name for name in ("a.txt", "b.csv")]
    for path in paths:
        path.write_text(path.name)
    uploads = [{"file": str(path), "filename": path.name, "title": path.name} for path in paths]
    files = client.files_upload_v2(file_uploads=uploads, channel=GENERAL, initial_comment="both")["files"]
    assert [(file["title"], file["filetype"]) for file in files] == [("a.txt", "text"), ("b.csv", "csv")]


def test_a_refusal_is_raised_with_its_code(client):
    with pytest.raises(SlackApiError) as refused:
        client.files_info(file="F0")
    assert refused.value.response["error"] == "file_not_found"
