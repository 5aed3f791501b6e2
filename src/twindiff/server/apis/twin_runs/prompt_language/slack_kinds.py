"""The kinds of Slack: users, channels, messages, replies and reactions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.server.apis.twin_runs.world_prompt_details import FIRST_MONDAY

from .kinds import Kind, KindField, Rows, Vendor, Verb, World, WorldEntity, drop_none, list_names, persons

AUTHOR = KindField("author", "person", leads=("posted by", "written by", "sent by", "by", "from"))
POSTED = KindField("posted", "date")
KINDS = (
    Kind(
        "slack.user",
        (("user", "users"), ("member", "members"), ("person", "people"), ("colleague", "colleagues")),
        ("slack.channel",),
        most=100,
    ),
    Kind(
        "slack.channel",
        (("channel", "channels"),),
        (),
        (
            KindField("access", "choice", {"private": "private", "public": "public"}),
            KindField("archive", "choice", {"archived": "archived"}),
            KindField("topic", "text", leads=("topic", "the topic")),
        ),
        most=50,
    ),
    Kind(
        "slack.message",
        (("message", "messages"), ("post", "posts"), ("thread", "threads")),
        ("slack.channel",),
        (AUTHOR, POSTED, KindField("about", "topic", leads=("about", "regarding", "concerning"))),
        dict.fromkeys(
            ("posted", "wrote", "said", "sent", "posts", "writes", "reported", "asked", "announced", "mentioned"),
            Verb("author"),
        ),
        is_text=True,
        most=1000,
        needs="slack.channel",
    ),
    Kind(
        "slack.reply",
        (("reply", "replies"), ("answer", "answers"), ("response", "responses")),
        ("slack.message",),
        (AUTHOR, POSTED),
        dict.fromkeys(("replied", "answered", "responded"), Verb("author")),
        is_text=True,
        needs="slack.message",
    ),
    Kind(
        "slack.reaction",
        (("reaction", "reactions"),),
        ("slack.message", "slack.reply"),
        (AUTHOR,),
        {"reacted": Verb("author")},
        needs="slack.message",
    ),
)


def write(world: World) -> dict[str, Any]:
    """Make the configuration of a workspace."""
    return {"users": [*world.people], "channels": [_channel(world, each) for each in world.of("slack.channel")]}


def _channel(world: World, channel: WorldEntity) -> dict[str, Any]:
    named = {each.fields.get("author") for each in world.of("slack.message")}
    members = [each.name for each in world.of("slack.user", channel)]
    return drop_none(
        name=channel.name,
        topic=channel.fields.get("topic"),
        private=channel.fields.get("access") == "private",
        archived=True if "archive" in channel.fields else None,
        members=members or None,
        messages=[
            {
                **_write_message(world, each, [name for name in members if name not in named]),
                "replies": [_write_message(world, reply) for reply in world.of("slack.reply", each)],
            }
            for each in world.of("slack.message", channel)
        ],
    )


def _write_message(world: World, message: WorldEntity, able: Sequence[str] = ()) -> dict[str, Any]:
    """A message; one without an author is by one of those who are able to write, or by the agent."""
    reactions = _reactions(world, message)
    posted, user = message.fields.get("posted"), message.fields.get("author")
    posted = posted if posted and posted < FIRST_MONDAY.isoformat() else None
    user = user or (able[len(message.name) % len(able)] if able else None)
    return drop_none(text=message.name, user=user, created=posted, reactions=reactions or None)


def _reactions(world: World, message: WorldEntity) -> list[dict[str, Any]]:
    """The reactions to a message; those without an author are by the agent and then by others, once for each emoji."""
    given = world.of("slack.reaction", message)
    known = {(each.name, each.fields["author"]) for each in given if each.fields.get("author")}
    written = [{"name": name.strip(":"), "user": author} for name, author in known]
    for each in (each for each in given if not each.fields.get("author")):
        able = [user for user in (None, *(person["name"] for person in world.people)) if (each.name, user) not in known]
        if able:
            known.add((each.name, able[0]))
            written.append(drop_none(name=each.name.strip(":"), user=able[0]))
    return written


def read(rows: Rows) -> list[WorldEntity]:
    """Find the entities of a workspace."""
    users = persons(rows["users"], "slack.user", "user_id", "real_name", "email")
    channels = {row["channel_id"]: _read_channel(row) for row in rows["channels"]}
    for row in rows["channel_members"]:
        if row["user_id"] in users:
            users[row["user_id"]].places.append(channels[row["channel_id"]])
    messages: dict[str, WorldEntity] = {}
    for row in sorted(rows["messages"], key=lambda row: row["parent_id"] is not None):
        parent = messages.get(row["parent_id"] or "")
        home = parent or channels[row["channel_id"]]
        author = list_names(users.get(row["user_id"]))
        fields = {"author": author, "posted": (row["created_at"] or "")[:10], "about": row["message_text"] or ""}
        kind = "slack.reply" if parent else "slack.message"
        messages[row["message_id"]] = WorldEntity(kind, row["message_text"] or "", fields, [home])
    reactions = [
        WorldEntity(
            "slack.reaction",
            f":{row['reaction_type']}:",
            {"author": list_names(users.get(row["user_id"]))},
            [messages[row["message_id"]]],
        )
        for row in rows["message_reactions"]
        if row["message_id"] in messages
    ]
    return [*users.values(), *channels.values(), *messages.values(), *reactions]


def _read_channel(row: Any) -> WorldEntity:
    access = {"private" if row["is_private"] else "public"}
    archive = {"archived"} if row["is_archived"] else set[str]()
    return WorldEntity(
        "slack.channel", row["channel_name"], {"access": access, "archive": archive, "topic": row["topic_text"] or ""}
    )


SLACK = Vendor("slack", ("slack",), KINDS, write, read)
