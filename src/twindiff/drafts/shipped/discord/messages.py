"""Messages: what may be sent, replies, mentions, files, and who may change them.

https://docs.discord.com/developers/resources/message
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, cast

from twindiff.drafts.drafting import BODY_LIMIT_BYTES, Draft
from twindiff.kit.call import Call
from twindiff.kit.errors import NotFound
from twindiff.kit.http import ValueResponse
from twindiff.kit.parameter_sources import Body, Upload
from twindiff.kit.twin import Operations

from .permissions import MANAGE_MESSAGES, GuildPermissions
from .refusals import EmptyMessage, InvalidFormBody, InvalidWebhookToken, MissingPermissions, OthersMessage

API = "/api/v10"
MAX_CONTENT_CHARACTERS = 2000
REPLY, FORWARD = 19, 1
"""The type of a message that is a reply, and the type of a reference that is none."""
_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
_SHOWN = ("content", "embeds", "sticker_ids", "components", "attachments", "poll", "files", "shared_client_theme")
"""Fields of which a message needs one."""
_MENTION = re.compile(r"<@(?P<role>&?)!?(?P<id>\d+)>")
FIRST_ATTACHMENT = 1_100_000_000_000_001_000
Fields = Mapping[str, Any]


class DiscordMessages:
    """The handlers, over the tables of a draft."""

    def __init__(self, draft: Draft, permissions: GuildPermissions) -> None:
        self._draft, self._permissions = draft, permissions
        self._channel, self._message, self._webhook = (
            draft.row(table) for table in ("channels", "messages", "webhooks")
        )

    def declare(self) -> Operations:
        """Return the operations with their paths."""
        api = Operations(prefix=API)
        api.post("/channels/{channel_id}/messages", body_limit=BODY_LIMIT_BYTES)(self.create_message)
        api.patch(_MESSAGE, body_limit=BODY_LIMIT_BYTES)(self.update_message)
        api.delete(_MESSAGE, status=204)(self.delete_message)
        api.post("/webhooks/{webhook_id}/{webhook_token}", body_limit=BODY_LIMIT_BYTES)(self.execute_webhook)
        return api

    def create_message(self, call: Call, channel_id: str, body: Annotated[Any, Body] = None) -> Any:
        """Send a message, which may be a reply."""
        given = _as_fields(body)
        channel = call.db.find(self._channel, self._channel.id == channel_id)
        if channel is None:
            raise NotFound("guild channel", channel_id)
        _check_length(given)
        reference = self._read_reference(call, channel, given)
        if reference.kind != FORWARD and not any(_shows(given.get(name)) for name in _SHOWN):
            raise EmptyMessage
        fields = {**reference.fields, **_read_mentions(given, reference.author), **_read_files(call, channel_id, given)}
        operation = f"POST {API}/channels/{{channel_id}}/messages"
        given.pop("files", None)
        return self._draft.serve(call, operation, {"channel_id": channel_id}, given, fields=fields)

    def _read_reference(self, call: Call, channel: Any, given: Fields) -> _Reference:
        """Return what a message refers to. Raises InvalidFormBody for a reply to a message that is not there."""
        asked = given.get("message_reference")
        if not isinstance(asked, Mapping):
            return _Reference()
        wanted = cast(Fields, asked)
        channel_id, kind = str(wanted.get("channel_id") or channel.id), int(wanted.get("type") or 0)
        row = self._message
        message = call.db.find(row, row.id == str(wanted.get("message_id")), row.channel_id == channel_id)
        if message is None or (kind != FORWARD and channel_id != channel.id):
            if wanted.get("fail_if_not_exists") in (None, True):
                raise InvalidFormBody("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
            return _Reference({"message_reference": None})
        about = {"type": kind, "channel_id": channel_id, "message_id": message.id}
        about |= {"guild_id": channel.guild_id} if channel.guild_id else {}
        if kind == FORWARD:
            return _Reference({"message_reference": about}, kind)
        return _Reference({"type": REPLY, "message_reference": about}, kind, _author_of(message))

    def update_message(self, call: Call, channel_id: str, message_id: str, body: Annotated[Any, Body] = None) -> Any:
        """Change a message of the caller's own; of others' only the flags, by who may manage messages."""
        given, where = _as_fields(body), {"channel_id": channel_id, "message_id": message_id}
        message = find_message(call, self._message, channel_id, message_id)
        if not self._is_own(call, message) and (
            given.keys() - {"flags"} or not self._permissions.find(call, where) & MANAGE_MESSAGES
        ):
            raise OthersMessage
        _check_length(given)
        if not any(_shows(given.get(name, getattr(message, name, None))) for name in _SHOWN):
            raise EmptyMessage
        mentions = _read_mentions(given, "") if "content" in given else {}
        files = _read_files(call, channel_id, given, cast(list[dict[str, Any]], message.attachments or []))
        given.pop("files", None)
        return self._draft.serve(call, f"PATCH {API}{_MESSAGE}", where, given, fields={**mentions, **files})

    def delete_message(self, call: Call, channel_id: str, message_id: str) -> Any:
        """Delete a message of the caller's own, or any by who may manage messages."""
        where = {"channel_id": channel_id, "message_id": message_id}
        message = find_message(call, self._message, channel_id, message_id)
        if not self._is_own(call, message) and not self._permissions.find(call, where) & MANAGE_MESSAGES:
            raise MissingPermissions
        return self._draft.serve(call, f"DELETE {API}{_MESSAGE}", where)

    def execute_webhook(
        self, call: Call, webhook_id: str, webhook_token: str, wait: bool = False, body: Annotated[Any, Body] = None
    ) -> Any:
        """Send a message as a webhook; it is answered only if the client waits for it."""
        given = _as_fields(body)
        webhook = call.db.find(self._webhook, self._webhook.id == webhook_id)
        if webhook is None:
            raise NotFound("application incoming webhook", webhook_id)
        if webhook.token != webhook_token:
            raise InvalidWebhookToken
        _check_length(given)
        if not any(_shows(given.get(name)) for name in _SHOWN):
            raise EmptyMessage
        files = _read_files(call, str(webhook.channel_id), given)
        author = {"author": {"id": webhook_id, "username": given.get("username") or webhook.name or "", "bot": True}}
        where = {"webhook_id": webhook_id, "webhook_token": webhook_token}
        fields = {**author, **_read_mentions(given, ""), **files}
        given.pop("files", None)
        operation = f"POST {API}/webhooks/{{webhook_id}}/{{webhook_token}}"
        answer = self._draft.serve(call, operation, where, given, fields=fields)
        return answer if wait else ValueResponse(None, 204, answer.headers)

    def _is_own(self, call: Call, message: Any) -> bool:
        return _author_of(message) == str(self._draft.find_user_key(call) or "")


def find_message(call: Call, row: Any, channel_id: str, message_id: str) -> Any:
    """Return a message of a channel; `row` is the class of messages. Raises NotFound."""
    message = call.db.find(row, row.id == message_id, row.channel_id == channel_id)
    if message is None:
        raise NotFound("message", message_id)
    return message


class _Reference(NamedTuple):
    """What a message refers to: the fields that say so, the type of the reference, and whom it answers."""

    fields: Fields = MappingProxyType({})
    kind: int = 0
    author: str = ""


def _as_fields(body: Any) -> dict[str, Any]:
    """Return the fields of a body, in which embeds have the type that bots may give them."""
    given = dict(cast(Fields, body)) if isinstance(body, dict) else {}
    embeds: Any = given.get("embeds")
    if isinstance(embeds, list):
        listed = cast(list[Any], embeds)
        given["embeds"] = [{"type": "rich", **cast(Fields, e)} if isinstance(e, dict) else e for e in listed]
    return given


def _shows(value: Any) -> bool:
    return bool(value.strip() if isinstance(value, str) else value)


def _author_of(message: Any) -> str:
    """Return the id of who wrote a message."""
    return str(cast(Fields, message.author or {}).get("id", ""))


def _check_length(given: Fields) -> None:
    """Raise InvalidFormBody for a content that is longer than bots may send."""
    content = given.get("content")
    if isinstance(content, str) and len(content) > MAX_CONTENT_CHARACTERS:
        said = f"Must be {MAX_CONTENT_CHARACTERS} or fewer in length."
        raise InvalidFormBody("content", "BASE_TYPE_MAX_LENGTH", said)


def _read_mentions(given: Fields, replied: str) -> dict[str, Any]:
    """Return whom a content mentions, as far as `allowed_mentions` lets it, and the author that a reply answers."""
    content, asked = str(given.get("content") or ""), given.get("allowed_mentions")
    allowed: Fields = cast(Fields, asked) if isinstance(asked, Mapping) else {}
    kinds: Sequence[str] = allowed.get("parse") or () if allowed else ("users", "roles", "everyone")
    named = [(match["role"], match["id"]) for match in _MENTION.finditer(content)]
    users = [id for role, id in named if not role and ("users" in kinds or id in (allowed.get("users") or ()))]
    roles = [id for role, id in named if role and ("roles" in kinds or id in (allowed.get("roles") or ()))]
    users += [replied] if replied and allowed.get("replied_user", not allowed) else []
    is_everyone = "everyone" in kinds and bool(re.search(r"@(everyone|here)\b", content))
    mentions = [{"id": each} for each in dict.fromkeys(users)]
    return {"mentions": mentions, "mention_roles": [*dict.fromkeys(roles)], "mention_everyone": is_everyone}


def _read_files(
    call: Call, channel_id: str, given: Fields, known: Sequence[dict[str, Any]] = ()
) -> dict[str, list[dict[str, Any]]]:
    """Return the attachments that a message has now: those of the `known` that it keeps, and the files of a form.

    The files themselves are not kept.
    """
    files, asked = given.get("files"), given.get("attachments")
    uploads = [each for each in cast(list[Any], files) if isinstance(each, Upload)] if isinstance(files, list) else []
    if not uploads and asked is None:
        return {}
    told = [cast(Fields, each) for each in cast(list[Any], asked or ()) if isinstance(each, dict)]
    wanted = [str(each.get("id")) for each in told]
    listed = [each for each in known if asked is None or str(each.get("id")) in wanted]
    for number, each in enumerate(uploads):
        id = str(call.db.next("attachments", at_least=FIRST_ATTACHMENT))
        url = f"https://cdn.discordapp.com/attachments/{channel_id}/{id}/{each.filename}"
        said = next((one["description"] for one in told if one.get("id") == str(number) and "description" in one), None)
        about = {"id": id, "filename": each.filename, "size": len(each.data), "url": url, "proxy_url": url}
        listed.append({**about, "content_type": each.content_type, **({"description": said} if said else {})})
    return {"attachments": listed}
