"""What each method refuses, by the code that its page names. Nothing is changed, so that one workspace serves all."""

import json
from uuid import uuid4

import pytest

from tests.harness import GENERAL, RANDOM
from twindiff.twins.slack.tests.calls import BOT, DIRECT, EDITED, JOHN, ME, MINE, MODAL, OLD, OPEN, ROBERT, TS, WORLD
from twindiff.twins.slack.tests.conftest import SEED, TOKENS, Slack

NOWHERE, NOBODY = "C0NOPE000", "U0NOPE000"
LONG = "x" * 40_001
LINK = {"channel_id": MINE, "title": "a", "type": "link", "link": "https://a.b"}
EDIT = {"canvas_id": "F8"}
READ = {**EDIT, "access_level": "read"}
WAITING = {"channel": GENERAL, "scheduled_message_id": "Q1"}
TEXT = {"type": "plain_text", "text": "Name"}
INPUT = {"type": "input", "label": TEXT, "element": {"type": "plain_text_input", "action_id": "a"}}
MORE = {"operation": "insert_at_end", "document_content": {"type": "markdown", "markdown": "x"}}

REFUSALS = [
    (
        "bookmarks.add",
        {**LINK, "channel_id": NOWHERE},
        "channel_not_found",
    ),
    (
        "bookmarks.add",
        {**LINK, "type": "file"},
        "invalid_bookmark_type",
    ),
    ("bookmarks.add", {**LINK, "link": "a.b"}, "invalid_link"),
    ("bookmarks.add", {**LINK, "link": "http://["}, "invalid_link"),
    ("bookmarks.add", {**LINK, "title": ""}, "invalid_arguments"),
    ("bookmarks.edit", {"channel_id": MINE, "bookmark_id": "Bk1", "link": "http://[abc]/"}, "invalid_link"),
    (
        "bookmarks.add",
        {**LINK, "emoji": ":no:"},
        "invalid_emoji",
    ),
    ("bookmarks.add", {**LINK, "channel_id": OPEN}, "permission_denied"),
    ("bookmarks.add", {"channel_id": MINE, "type": "link"}, "invalid_arguments"),
    ("bookmarks.edit", {"channel_id": MINE, "bookmark_id": "Bk0", "title": "a"}, "not_found"),
    ("bookmarks.edit", {"channel_id": GENERAL, "bookmark_id": "Bk1", "title": "a"}, "not_found"),
    ("bookmarks.edit", {"channel_id": MINE, "bookmark_id": "Bk1", "link": "ftp://a"}, "invalid_link"),
    ("bookmarks.list", {"channel_id": NOWHERE}, "channel_not_found"),
    ("bookmarks.remove", {"channel_id": MINE, "bookmark_id": "Bk0"}, "not_found"),
    ("bots.info", {"bot": "B0NOPE000"}, "bot_not_found"),
    ("bots.info", {"bot": f"B{JOHN[1:]}"}, "bot_not_found"),
    ("canvases.access.set", {"canvas_id": "F0", "access_level": "read", "user_ids": [JOHN]}, "canvas_not_found"),
    ("canvases.access.set", {**EDIT, "access_level": "read"}, "invalid_parameters"),
    (
        "canvases.access.set",
        {**READ, "user_ids": [JOHN], "channel_ids": [OPEN]},
        "invalid_parameters",
    ),
    ("canvases.access.set", {**EDIT, "access_level": "much", "user_ids": [JOHN]}, "invalid_arguments"),
    ("canvases.access.set", {**READ, "user_ids": [NOBODY]}, "user_not_found"),
    ("canvases.access.set", {**READ, "channel_ids": [NOWHERE]}, "channel_not_found"),
    ("canvases.access.set", {**READ, "channel_ids": [DIRECT]}, "channel_not_found"),
    ("canvases.access.set", {**EDIT, "access_level": "owner", "channel_ids": [GENERAL]}, "invalid_arguments"),
    ("canvases.access.set", {**EDIT, "access_level": "owner", "user_ids": [JOHN, ROBERT]}, "invalid_arguments"),
    ("canvases.create", {"channel_id": NOWHERE}, "channel_not_found"),
    ("canvases.create", {"document_content": {"type": "html", "markdown": "x"}}, "invalid_arguments"),
    ("canvases.delete", {"canvas_id": "F0"}, "canvas_not_found"),
    ("canvases.edit", {"canvas_id": "F0", "changes": [{"operation": "delete"}]}, "canvas_not_found"),
    ("canvases.edit", {**EDIT, "changes": []}, "invalid_arguments"),
    ("canvases.edit", {**EDIT, "changes": [{"operation": "delete"}]}, "invalid_arguments"),
    ("canvases.edit", {**EDIT, "changes": [{"operation": "paint"}]}, "invalid_arguments"),
    ("canvases.edit", {**EDIT, "changes": [{"operation": "insert_at_end"}]}, "invalid_arguments"),
    (
        "canvases.edit",
        {**EDIT, "changes": [{"operation": "delete", "section_id": "temp:0"}]},
        "canvas_editing_failed",
    ),
    ("canvases.sections.lookup", {**EDIT, "criteria": {}}, "invalid_arguments"),
    ("canvases.sections.lookup", {"canvas_id": "F0", "criteria": {"contains_text": "a"}}, "canvas_not_found"),
    ("chat.deleteScheduledMessage", {"channel": GENERAL, "scheduled_message_id": "Q0"}, "invalid_scheduled_message_id"),
    ("chat.deleteScheduledMessage", {"channel": RANDOM, "scheduled_message_id": "Q1"}, "invalid_scheduled_message_id"),
    ("chat.deleteScheduledMessage", {"channel": NOWHERE, "scheduled_message_id": "Q1"}, "channel_not_found"),
    ("chat.meMessage", {"channel": GENERAL}, "no_text"),
    ("chat.meMessage", {"channel": GENERAL, "text": LONG}, "msg_too_long"),
    ("chat.meMessage", {"channel": OPEN, "text": "a"}, "not_in_channel"),
    ("chat.meMessage", {"channel": OLD, "text": "a"}, "is_archived"),
    ("chat.meMessage", {"channel": NOWHERE, "text": "a"}, "channel_not_found"),
    ("chat.postEphemeral", {"channel": GENERAL, "user": JOHN}, "no_text"),
    ("chat.postEphemeral", {"channel": GENERAL, "user": JOHN, "text": LONG}, "msg_too_long"),
    ("chat.postEphemeral", {"channel": MINE, "user": ROBERT, "text": "a"}, "user_not_in_channel"),
    ("chat.postEphemeral", {"channel": OPEN, "user": JOHN, "text": "a"}, "not_in_channel"),
    ("chat.postEphemeral", {"channel": OLD, "user": JOHN, "text": "a"}, "is_archived"),
    ("chat.postEphemeral", {"channel": NOWHERE, "user": JOHN, "text": "a"}, "channel_not_found"),
    ("chat.postEphemeral", {"channel": GENERAL, "user": JOHN, "attachments": [{}] * 101}, "too_many_attachments"),
    ("chat.scheduledMessages.list", {"channel": NOWHERE}, "invalid_channel"),
    ("chat.scheduledMessages.list", {"cursor": "what"}, "invalid_cursor"),
    ("chat.scheduledMessages.list", {"limit": 0}, "invalid_limit"),
    ("chat.unfurl", {"channel": GENERAL, "ts": EDITED}, "missing_unfurls"),
    ("chat.unfurl", {"ts": EDITED, "unfurls": {"https://a": {}}}, "missing_channel"),
    ("chat.unfurl", {"channel": GENERAL, "unfurls": {"https://a": {}}}, "missing_ts"),
    ("chat.unfurl", {"channel": "C0NO", "ts": EDITED, "unfurls": {"https://a": {}}}, "cannot_find_channel"),
    ("chat.unfurl", {"channel": GENERAL, "ts": EDITED, "unfurls": "{no"}, "invalid_unfurls_format"),
    ("chat.unfurl", {"channel": GENERAL, "ts": EDITED, "unfurls": {"https://other.example": {}}}, "cannot_unfurl_url"),
    ("chat.unfurl", {"channel": GENERAL, "ts": "1.000001", "unfurls": {"https://a": {}}}, "cannot_find_message"),
    ("conversations.canvases.create", {"channel_id": NOWHERE}, "channel_not_found"),
    ("conversations.canvases.create", {"channel_id": OPEN}, "not_in_channel"),
    ("conversations.close", {"channel": GENERAL}, "method_not_supported_for_channel_type"),
    ("conversations.close", {"channel": "D0NOPE000"}, "channel_not_found"),
    ("conversations.mark", {"channel": GENERAL, "ts": "now"}, "invalid_timestamp"),
    ("conversations.mark", {"channel": OPEN, "ts": TS}, "not_in_channel"),
    ("conversations.mark", {"channel": NOWHERE, "ts": TS}, "channel_not_found"),
    ("conversations.setPurpose", {"channel": MINE, "purpose": "x" * 251}, "too_long"),
    ("conversations.setPurpose", {"channel": OPEN, "purpose": "a"}, "not_in_channel"),
    ("conversations.setPurpose", {"channel": OLD, "purpose": "a"}, "is_archived"),
    ("conversations.setPurpose", {"channel": DIRECT, "purpose": "a"}, "method_not_supported_for_channel_type"),
    ("conversations.setPurpose", {"channel": MINE}, "invalid_arguments"),
    ("dnd.info", {"user": NOBODY}, "user_not_found"),
    ("dnd.setSnooze", {}, "missing_duration"),
    ("dnd.setSnooze", {"num_minutes": 10_000_000}, "too_long"),
    ("files.completeUploadExternal", {"files": [{"id": "F0"}]}, "file_not_found"),
    ("files.completeUploadExternal", {"files": []}, "file_not_found"),
    ("files.completeUploadExternal", {"files": [{"id": "F2"}], "channel_id": NOWHERE}, "channel_not_found"),
    ("files.completeUploadExternal", {"files": [{"id": "F2"}], "channels": NOWHERE}, "invalid_channel"),
    ("files.completeUploadExternal", {"files": [{"id": "F2"}], "channel_id": OPEN}, "not_in_channel"),
    ("files.completeUploadExternal", {"files": [{"id": "F2"}], "channel_id": OLD}, "posting_to_channel_denied"),
    ("files.completeUploadExternal", {"files": "what"}, "invalid_arguments"),
    ("files.delete", {"file": "F0"}, "file_not_found"),
    ("files.getUploadURLExternal", {"filename": "a.txt", "length": 0}, "missing_argument"),
    ("files.getUploadURLExternal", {"filename": " ", "length": 1}, "missing_argument"),
    ("files.getUploadURLExternal", {"filename": "a", "length": 1, "alt_txt": "x" * 1001}, "alt_txt_too_large"),
    ("files.getUploadURLExternal", {"filename": "a", "length": 1, "snippet_type": "klingon"}, "unknown_snippet_type"),
    (
        "files.getUploadURLExternal",
        {"filename": "a", "length": 9**9, "snippet_type": "sql"},
        "snippet_too_large",
    ),
    ("files.getUploadURLExternal", {"filename": "a.txt"}, "invalid_arguments"),
    ("files.info", {"file": "F0"}, "file_not_found"),
    ("files.list", {"types": "songs"}, "unknown_type"),
    ("files.list", {"user": NOBODY}, "user_not_found"),
    ("files.list", {"channel": NOWHERE}, "channel_not_found"),
    ("files.revokePublicURL", {"file": "F0"}, "file_not_found"),
    ("files.sharedPublicURL", {"file": "F0"}, "file_not_found"),
    ("pins.add", {"channel": GENERAL}, "no_item_specified"),
    ("pins.add", {"channel": GENERAL, "timestamp": "now"}, "bad_timestamp"),
    ("pins.add", {"channel": GENERAL, "timestamp": "1.000001"}, "message_not_found"),
    ("pins.add", {"channel": GENERAL, "timestamp": EDITED}, "already_pinned"),
    ("pins.add", {"channel": NOWHERE, "timestamp": TS}, "channel_not_found"),
    ("pins.add", {"channel": OPEN, "timestamp": TS}, "not_in_channel"),
    ("pins.list", {"channel": NOWHERE}, "channel_not_found"),
    ("pins.remove", {"channel": GENERAL, "timestamp": TS}, "no_pin"),
    ("pins.remove", {"channel": GENERAL}, "no_item_specified"),
    ("reactions.list", {"user": NOBODY}, "user_not_found"),
    ("reactions.list", {"cursor": "what"}, "invalid_cursor"),
    ("reminders.add", {"text": "a", "time": "whenever"}, "cannot_parse"),
    ("reminders.add", {"text": "a", "time": "in 5 minutes", "user": NOBODY}, "user_not_found"),
    ("reminders.add", {"text": "a", "time": "in 5 minutes", "user": BOT}, "cannot_add_bot"),
    ("reminders.add", {"text": "a", "time": "every monday", "user": JOHN}, "cannot_add_others"),
    ("reminders.complete", {"reminder": "Rm0"}, "not_found"),
    ("reminders.delete", {"reminder": "Rm0"}, "not_found"),
    ("reminders.info", {"reminder": "Rm0"}, "not_found"),
    ("reminders.add", {"text": " ", "time": "in 5 minutes"}, "invalid_arguments"),
    ("search.files", {"query": ""}, "no_query"),
    ("stars.add", {"channel": GENERAL, "timestamp": EDITED}, "already_starred"),
    ("stars.add", {}, "no_item_specified"),
    ("stars.add", {"channel": GENERAL, "timestamp": "now"}, "bad_timestamp"),
    ("stars.add", {"channel": GENERAL, "timestamp": "1.000001"}, "message_not_found"),
    ("stars.add", {"channel": NOWHERE}, "channel_not_found"),
    ("stars.add", {"file": "F0"}, "file_not_found"),
    ("stars.add", {"file_comment": "Fc1"}, "file_comment_not_found"),
    ("stars.remove", {"channel": GENERAL, "timestamp": TS}, "not_starred"),
    ("team.info", {"team": "T0NOPE000"}, "team_not_found"),
    ("usergroups.create", {"name": "staff"}, "name_already_exists"),
    ("usergroups.create", {"name": "Others", "handle": "staff"}, "handle_already_exists"),
    ("usergroups.create", {"name": "Others", "handle": "general"}, "handle_already_exists"),
    ("usergroups.create", {"name": "Others", "description": "x" * 141}, "description_too_long"),
    ("usergroups.create", {"name": "Others", "channels": NOWHERE}, "invalid_channel_provided"),
    ("usergroups.create", {"name": "Others", "channels": DIRECT}, "invalid_channel_provided"),
    ("usergroups.create", {"name": " "}, "missing_subteam_name"),
    ("usergroups.create", {"name": "x" * 81}, "name_too_long"),
    ("usergroups.create", {"name": "Others", "handle": "Has Space!"}, "bad_handle"),
    ("usergroups.update", {"usergroup": "S1", "handle": "a b"}, "bad_handle"),
    ("usergroups.create", {}, "invalid_arguments"),
    ("usergroups.disable", {"usergroup": "S2"}, "already_disabled"),
    ("usergroups.enable", {"usergroup": "S1"}, "already_enabled"),
    ("usergroups.update", {"usergroup": "S0"}, "no_such_subteam"),
    ("usergroups.update", {"usergroup": "S1", "name": "Gone"}, "name_already_exists"),
    ("usergroups.users.list", {"usergroup": "S0"}, "no_such_subteam"),
    ("usergroups.users.list", {"usergroup": "S2"}, "no_such_subteam"),
    ("usergroups.users.update", {"usergroup": "S1", "users": NOBODY}, "invalid_users"),
    ("usergroups.users.update", {"usergroup": "S1", "users": ""}, "no_users_provided"),
    ("users.getPresence", {"user": NOBODY}, "user_not_found"),
    ("users.profile.set", {}, "invalid_profile"),
    ("users.profile.set", {"profile": {"shoe_size": "44"}}, "invalid_profile"),
    ("users.profile.set", {"profile": "what"}, "invalid_profile"),
    ("users.profile.set", {"profile": {"phone": None}}, "invalid_profile"),
    ("users.profile.set", {"profile": {"pronouns": ["they"]}}, "invalid_profile"),
    ("users.profile.set", {"profile": {"first_name": None}}, "invalid_profile"),
    ("users.profile.set", {"profile": {"email": "nowhere"}}, "invalid_profile"),
    ("users.profile.set", {"profile": {"status_expiration": 10**30}}, "invalid_profile"),
    ("users.profile.set", {"profile": {"status_expiration": -5}}, "invalid_profile"),
    ("users.profile.set", {"profile": {"status_expiration": True}}, "invalid_profile"),
    ("users.profile.set", {"profile": {"fields": {"Xf0": {"value": "a"}}}}, "invalid_profile"),
    ("users.profile.set", {"profile": {"status_text": "x" * 101}}, "too_long"),
    ("users.profile.set", {"profile": {"status_text": ""}}, "must_clear_both_status_text_and_status_emoji"),
    ("users.profile.set", {"name": "status_emoji", "value": ""}, "must_clear_both_status_text_and_status_emoji"),
    ("users.profile.set", {"profile": {"status_emoji": ":no:"}}, "profile_status_set_failed_not_valid_emoji"),
    ("users.profile.set", {"profile": {"email": "john@example.com"}}, "email_taken"),
    ("users.profile.set", {"profile": {"title": "a"}, "user": JOHN}, "not_admin"),
    ("users.profile.set", {"profile": {"title": "a"}, "user": NOBODY}, "user_not_found"),
    ("users.setPresence", {"presence": "here"}, "invalid_presence"),
    ("views.open", {"trigger_id": "now", "view": MODAL}, "invalid_trigger_id"),
    ("views.open", {"trigger_id": "1.2.ab", "view": {**MODAL, "type": "home"}}, "invalid_arguments"),
    ("views.open", {"trigger_id": "1.2.ab", "view": {"type": "modal", "blocks": []}}, "invalid_arguments"),
    ("views.open", {"trigger_id": "1.2.ab", "view": {**MODAL, "blocks": [{"type": "section"}]}}, "invalid_arguments"),
    ("views.open", {"trigger_id": "1.2.ab", "view": {**MODAL, "private_metadata": "x" * 3001}}, "invalid_arguments"),
    ("views.open", {"trigger_id": "1.2.ab", "view": {**MODAL, "blocks": [INPUT]}}, "invalid_arguments"),
    ("views.open", {"trigger_id": "1.2.ab", "view": {**MODAL, "clear_on_close": "x"}}, "invalid_arguments"),
    ("views.open", {"trigger_id": "1.2.ab", "view": {**MODAL, "more": "x" * 250_001}}, "view_too_large"),
    ("views.publish", {"user_id": NOBODY, "view": {"type": "home", "blocks": []}}, "user_not_found"),
    ("views.update", {"view_id": "V0", "view": MODAL}, "not_found"),
    ("views.update", {"view_id": "V1", "view": MODAL, "hash": "1"}, "hash_conflict"),
    ("oauth.v2.access", {"code": "c", "client_id": "9.9"}, "invalid_client_id"),
    ("oauth.v2.access", {"code": "d", "client_id": "1.2", "client_secret": "s"}, "invalid_code"),
    ("oauth.v2.access", {"code": "c", "client_id": "1.2", "client_secret": "t"}, "bad_client_secret"),
    ("apps.connections.open", {}, "not_allowed_token_type"),
    ("api.test", {"error": "my_error"}, "my_error"),
]


@pytest.fixture(scope="module")
def refusing(platform):
    """A workspace that many tests share."""
    seed = json.loads(SEED.read_text())
    name = f"slack_{uuid4().hex}"
    rows = {**seed, **{table: [*seed.get(table, []), *added] for table, added in WORLD.items()}}
    platform.post("import", {"files": {f"{name}.json": rows}})
    environment = platform.environment(f"slack:{name}", tokens=TOKENS)
    environment.made["runId"] = platform.start(environment)
    return Slack(environment)


@pytest.mark.parametrize(
    ("method", "arguments", "error"), REFUSALS, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_refusal_says_why(refusing, method, arguments, error):
    assert refusing(method, **arguments)["error"] == error


def test_refusals_change_nothing(refusing):
    assert refusing.diff(include="all") == {"inserts": [], "updates": [], "deletes": []}


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("files.delete", {"file": "F1"}, "cant_delete_file"),
        ("files.sharedPublicURL", {"file": "F1"}, "not_allowed"),
        ("files.revokePublicURL", {"file": "F1"}, "not_allowed"),
        (
            "canvases.edit",
            {**EDIT, "changes": [MORE]},
            "restricted_action",
        ),
        ("canvases.delete", EDIT, "restricted_action"),
        ("reminders.complete", {"reminder": "Rm1"}, "not_found"),
        (
            "chat.deleteScheduledMessage",
            {"channel": GENERAL, "scheduled_message_id": "Q1"},
            "invalid_scheduled_message_id",
        ),
        ("files.completeUploadExternal", {"files": [{"id": "F2"}]}, "access_denied"),
        ("dnd.endSnooze", {}, "snooze_not_active"),
    ],
)
def test_what_is_another_s_is_left_alone(refusing, method, arguments, error):
    assert refusing.as_user(JOHN)(method, **arguments)["error"] == error


@pytest.mark.parametrize("method", ["canvases.delete", "canvases.edit", "canvases.sections.lookup"])
def test_a_canvas_does_not_exist_for_those_who_may_not_read_it(refusing, method):
    arguments = {**EDIT, "changes": [{"operation": "delete"}], "criteria": {"contains_text": "a"}}
    assert refusing.as_user(ROBERT)(method, **arguments)["error"] == "canvas_not_found"


def test_the_world_belongs_to_the_agent(refusing):
    assert refusing("auth.test")["user_id"] == ME
