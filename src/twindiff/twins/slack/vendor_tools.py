"""The tools of Slack's MCP server, and those of the reference server that came before it.

https://docs.slack.dev/ai/slack-mcp-server, https://www.npmjs.com/package/@modelcontextprotocol/server-slack
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from twindiff.kit import Meta
from twindiff.kit.agent_tools import Caller, VendorTools

Format = Literal["concise", "detailed"]
Limit = Annotated[int, Meta(ge=1, le=100)]
MAX_PAGE = 200

tools = VendorTools(
    host="mcp.slack.com",
    core=(
        "auth.test",
        "chat.postMessage",
        "chat.update",
        "chat.delete",
        "chat.scheduleMessage",
        "chat.getPermalink",
        "conversations.list",
        "conversations.info",
        "conversations.history",
        "conversations.replies",
        "conversations.members",
        "conversations.create",
        "conversations.invite",
        "conversations.join",
        "conversations.archive",
        "conversations.setTopic",
        "conversations.setPurpose",
        "conversations.open",
        "reactions.add",
        "reactions.remove",
        "pins.add",
        "pins.list",
        "bookmarks.add",
        "files.list",
        "reminders.add",
        "search.messages",
        "users.list",
        "users.info",
        "users.lookupByEmail",
        "users.profile.get",
        "users.profile.set",
        "usergroups.list",
    ),
)


# The reference server returns the Web API's responses as they are.


@tools.reads
async def slack_list_channels(call: Caller, limit: int = 100, cursor: str = "") -> Any:
    """List the public channels that are not archived."""
    limit = min(limit, MAX_PAGE)
    return await call("conversations.list", types="public_channel", exclude_archived=True, limit=limit, cursor=cursor)


@tools.writes
async def slack_post_message(call: Caller, channel_id: str, text: str) -> Any:
    """Post a message to a channel."""
    return await call("chat.postMessage", channel=channel_id, text=text)


@tools.writes
async def slack_reply_to_thread(call: Caller, channel_id: str, thread_ts: str, text: str) -> Any:
    """Reply to the thread of a message."""
    return await call("chat.postMessage", channel=channel_id, thread_ts=thread_ts, text=text)


@tools.writes
async def slack_add_reaction(call: Caller, channel_id: str, timestamp: str, reaction: str) -> Any:
    """Add a reaction, an emoji's name without colons, to a message."""
    return await call("reactions.add", channel=channel_id, timestamp=timestamp, name=reaction)


@tools.reads
async def slack_get_channel_history(call: Caller, channel_id: str, limit: int = 10) -> Any:
    """Return the newest messages of a channel."""
    return await call("conversations.history", channel=channel_id, limit=limit)


@tools.reads
async def slack_get_thread_replies(call: Caller, channel_id: str, thread_ts: str) -> Any:
    """Return a message with the replies in its thread."""
    return await call("conversations.replies", channel=channel_id, ts=thread_ts)


@tools.reads
async def slack_get_users(call: Caller, cursor: str = "", limit: int = 100) -> Any:
    """List the people of the workspace with their profiles."""
    return await call("users.list", limit=min(limit, MAX_PAGE), cursor=cursor)


@tools.reads
async def slack_get_user_profile(call: Caller, user_id: str) -> Any:
    """Return the profile of a person, labels of custom fields included."""
    return await call("users.profile.get", user=user_id, include_labels=True)


# Slack's own server renders texts for models to read.


@tools.writes
async def slack_send_message(
    call: Caller, channel_id: str, message: str, thread_ts: str | None = None, reply_broadcast: bool | None = None
) -> Any:
    """Send a message, in Markdown, to a channel, a thread, or a person by user id."""
    channel = await _open_channel(call, channel_id)
    sent = await call(
        "chat.postMessage",
        channel=channel,
        markdown_text=message,
        thread_ts=thread_ts,
        reply_broadcast=reply_broadcast,
    )
    link = await call("chat.getPermalink", channel=sent["channel"], message_ts=sent["ts"])
    context = {"message_ts": sent["ts"], "channel_id": sent["channel"]}
    return {"message_link": link["permalink"], "message_context": context}


@tools.writes
async def slack_schedule_message(
    call: Caller, channel_id: str, message: str, post_at: int, thread_ts: str | None = None
) -> Any:
    """Schedule a message for a time, in seconds since 1970."""
    channel = await _open_channel(call, channel_id)
    return await call(
        "chat.scheduleMessage", channel=channel, markdown_text=message, post_at=post_at, thread_ts=thread_ts
    )


@tools.reads
async def slack_read_channel(
    call: Caller,
    channel_id: str,
    oldest: str | None = None,
    latest: str | None = None,
    limit: Limit = 100,
    cursor: str = "",
    response_format: Format = "detailed",
) -> Any:
    """Read the messages of a channel, the newest first."""
    page = await call(
        "conversations.history",
        channel=await _open_channel(call, channel_id),
        oldest=oldest,
        latest=latest,
        limit=limit,
        cursor=cursor,
    )
    names = await _names(call)
    return _render_page("messages", [_render_message(each, names, response_format) for each in page["messages"]], page)


@tools.reads
async def slack_read_thread(
    call: Caller,
    channel_id: str,
    message_ts: str,
    oldest: str | None = None,
    latest: str | None = None,
    limit: Limit = 100,
    cursor: str = "",
    response_format: Format = "detailed",
) -> Any:
    """Read a message and the replies in its thread."""
    page = await call(
        "conversations.replies",
        channel=channel_id,
        ts=message_ts,
        oldest=oldest,
        latest=latest,
        limit=limit,
        cursor=cursor,
    )
    names = await _names(call)
    return _render_page("messages", [_render_message(each, names, response_format) for each in page["messages"]], page)


@tools.reads
async def slack_search_public(
    call: Caller,
    query: str,
    limit: Annotated[int, Meta(ge=1, le=20)] = 20,
    sort: Literal["score", "timestamp"] = "score",
    sort_dir: Literal["asc", "desc"] = "desc",
) -> Any:
    """Search the messages of public channels, with Slack's modifiers such as in: and from:."""
    return await _search(call, query, limit, sort, sort_dir, is_public_only=True)


@tools.reads
async def slack_search_public_and_private(
    call: Caller,
    query: str,
    limit: Annotated[int, Meta(ge=1, le=20)] = 20,
    sort: Literal["score", "timestamp"] = "score",
    sort_dir: Literal["asc", "desc"] = "desc",
) -> Any:
    """Search all messages that the caller can read, direct ones included."""
    return await _search(call, query, limit, sort, sort_dir, is_public_only=False)


@tools.reads
async def slack_search_channels(call: Caller, query: str, limit: Annotated[int, Meta(ge=1, le=20)] = 20) -> Any:
    """Find channels by words of their names, topics and purposes."""
    page = await call("conversations.list", types="public_channel,private_channel", limit=1000)
    channels = [each for each in page["channels"] if _has_words(query, each["name"], *_about(each))][:limit]
    lines = [
        f"Name: #{each['name']} (ID: {each['id']})\nTopic: {_about(each)[0]}\nPurpose: {_about(each)[1]}"
        for each in channels
    ]
    return {"results": _render_results("Channels", query, lines)}


@tools.reads
async def slack_search_users(call: Caller, query: str, limit: Annotated[int, Meta(ge=1, le=20)] = 20) -> Any:
    """Find people by words of their names, titles and email addresses."""
    members = (await call("users.list", limit=1000))["members"]
    people = [each for each in members if not each["deleted"] and _has_words(query, *_identity(each))][:limit]
    return {"results": _render_results("Users", query, [_render_user(each) for each in people])}


@tools.reads
async def slack_read_user_profile(
    call: Caller, user_id: str | None = None, response_format: Format = "detailed"
) -> Any:
    """Read the profile of a person, by default the caller's."""
    user_id = user_id or (await call("auth.test"))["user_id"]
    return {"result": _render_user((await call("users.info", user=user_id))["user"])}


@tools.writes
async def slack_create_canvas(call: Caller, title: str, content: str) -> Any:
    """Create a canvas from Markdown."""
    made = await call("canvases.create", title=title, document_content={"type": "markdown", "markdown": content})
    return {"canvas_id": made["canvas_id"]}


@tools.reads
async def slack_read_canvas(call: Caller, canvas_id: str) -> Any:
    """Read a canvas as Markdown."""
    content = await call("canvases.getContent", canvas_id=canvas_id)
    return {"markdown_content": content["content"]}


@tools.writes
async def slack_update_canvas(
    call: Caller,
    canvas_id: str,
    content: str,
    action: Literal["append", "prepend", "replace"] = "append",
    section_id: str | None = None,
) -> Any:
    """Append or prepend Markdown to a canvas or a section, or replace a section or all of it."""
    change: dict[str, Any] = {"document_content": {"type": "markdown", "markdown": content}}
    if action == "replace":
        change |= {"operation": "replace", **({"section_id": section_id} if section_id else {})}
    elif section_id:
        change |= {"operation": f"insert_{'after' if action == 'append' else 'before'}", "section_id": section_id}
    else:
        change |= {"operation": f"insert_at_{'end' if action == 'append' else 'start'}"}
    await call("canvases.edit", canvas_id=canvas_id, changes=[change])
    return {"canvas_id": canvas_id}


async def _open_channel(call: Caller, id: str) -> str:
    """The channel of an id; that of a person is their direct message with the caller."""
    if not id.startswith(("U", "W")):
        return id
    return (await call("conversations.open", users=id))["channel"]["id"]


async def _names(call: Caller) -> dict[str, str]:
    members = (await call("users.list", limit=1000))["members"]
    return {each["id"]: each.get("real_name") or each["name"] for each in members}


async def _search(call: Caller, query: str, limit: int, sort: str, sort_dir: str, *, is_public_only: bool) -> Any:
    page = await call("search.messages", query=query, count=limit, sort=sort, sort_dir=sort_dir)
    matches = [each for each in page["messages"]["matches"] if not is_public_only or _is_public(each["channel"])]
    return {"results": _render_results("Messages", query, [_render_match(each) for each in matches])}


def _is_public(channel: dict[str, Any]) -> bool:
    return not any(channel.get(kind) for kind in ("is_private", "is_im", "is_mpim"))


def _time(ts: str) -> str:
    return datetime.fromtimestamp(float(ts), UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _render_message(message: dict[str, Any], names: dict[str, str], form: str) -> str:
    user = message.get("user") or message.get("bot_id") or ""
    who = f"{names.get(user, user)} ({user})"
    if form == "concise":
        return f"{who}: {message.get('text', '')}"
    replies = f"\nThread: {message['reply_count']} replies" if message.get("reply_count") else ""
    head = f"=== Message from {who} at {_time(message['ts'])} ===\nMessage TS: {message['ts']}"
    return f"{head}\n{message.get('text', '')}{replies}"


def _render_match(match: dict[str, Any]) -> str:
    channel = match["channel"]
    return "\n".join(
        (
            f"Channel: #{channel.get('name', '')} (ID: {channel['id']})",
            f"From: {match.get('username', '')} (ID: {match.get('user', '')})",
            f"Time: {_time(match['ts'])}",
            f"Message_ts: {match['ts']}",
            f"Permalink: [link]({match.get('permalink', '')})",
            f"Text:\n{match.get('text', '')}",
        )
    )


def _render_user(user: dict[str, Any]) -> str:
    profile = user.get("profile", {})
    return "\n".join(
        (
            f"User ID: {user['id']}",
            f"Username: {user['name']}",
            f"Real Name: {profile.get('real_name') or user.get('real_name', '')}",
            f"Display Name: {profile.get('display_name', '')}",
            f"Email: {profile.get('email', '')}",
            f"Title: {profile.get('title', '')}",
            f"Timezone: {user.get('tz', '')}",
        )
    )


def _render_results(what: str, query: str, results: list[str]) -> str:
    shown = "\n\n".join(f"### Result {at} of {len(results)}\n{each}" for at, each in enumerate(results, 1))
    return f"# Search Results for: {query}\n\n## {what} ({len(results)} results)\n{shown}".rstrip()


def _render_page(name: str, texts: list[str], page: dict[str, Any]) -> dict[str, str]:
    cursor = page.get("response_metadata", {}).get("next_cursor", "")
    return {name: "\n\n".join(texts), "pagination_info": f"cursor: {cursor}" if cursor else ""}


def _about(channel: dict[str, Any]) -> tuple[str, str]:
    return channel.get("topic", {}).get("value", ""), channel.get("purpose", {}).get("value", "")


def _identity(user: dict[str, Any]) -> tuple[str, ...]:
    profile = user.get("profile", {})
    return user["id"], user["name"], *(profile.get(each) or "" for each in ("real_name", "email", "title"))


def _has_words(query: str, *texts: str) -> bool:
    text = " ".join(texts).lower()
    return all(word.lstrip("#@") in text for word in query.lower().split())
