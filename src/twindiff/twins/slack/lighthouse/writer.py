"""Conversion of messages into rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from twindiff.kit.clock import iso_instant, micros_of

from ..core.file_types import filetype_of
from .channels import CIRCLES, ROOMS
from .people import person
from .plot_messages import Paper

Rows = dict[str, list[dict[str, Any]]]

TEAM = "T0LIGHTHOUSE"

_MENTION = re.compile(r"<@(\w+)>")
_NAMED = re.compile(r"\{([@#])([\w.-]+)\}")
_ROOM_IDS = {room.name: room.id for room in ROOMS} | {" ".join(circle.people): circle.id for circle in CIRCLES}


def room_id(name: str) -> str:
    """Return the id of a channel by its name, or of a conversation by its user names, separated by spaces."""
    return _ROOM_IDS[name]


class Writer:
    """Collects the rows of a workspace, and gives each message a unique `ts`."""

    def __init__(self) -> None:
        self.rows: Rows = {}
        self._instants: set[int] = set()

    def add(self, table: str, **row: Any) -> dict[str, Any]:
        self.rows.setdefault(table, []).append(row)
        return row

    def number(self, table: str) -> int:
        """Return the number of rows in a table, which is also the number of the next row."""
        return len(self.rows.get(table, ()))

    def message(self, room: str, at: datetime, author: str, text: str, root: str | None = None) -> str:
        """Add a message and return its `ts`; `room` and `author` are ids, `root` the `ts` of the thread."""
        micros = micros_of(at)
        while micros in self._instants:
            micros += 1
        self._instants.add(micros)
        ts = f"{micros // 1_000_000:010d}.{micros % 1_000_000:06d}"
        said, created = mentions_in(text), iso_instant(micros).isoformat()
        self.add(
            "messages",
            message_id=ts,
            channel_id=room,
            user_id=author,
            message_text=said,
            parent_id=root,
            type="message",
            created_at=created,
        )
        for user in dict.fromkeys(_MENTION.findall(said)):
            mention = f"M0LH{self.number('user_mentions'):05d}"
            self.add("user_mentions", mention_id=mention, message_id=ts, user_id=user, mentioned_at=created)
        return ts

    def react(self, ts: str, emoji: str, users: Iterable[str], at: datetime) -> None:
        """Add a reaction from each of the users, a minute apart, so that their order is defined."""
        for number, user in enumerate(users, 1):
            created = (at + timedelta(minutes=number)).isoformat()
            self.add("message_reactions", message_id=ts, user_id=user, reaction_type=emoji, created_at=created)

    def pin(self, room: str, ts: str, user: str, at: datetime) -> None:
        self.add("pins", channel_id=room, message_id=ts, user_id=user, created_at=at.isoformat())

    def share(self, ts: str, author: str, paper: Paper, at: datetime) -> None:
        """Add a text file to a message."""
        number = self.number("files")
        file_id = f"F0LH{number:06d}"
        self.add(
            "files",
            file_id=file_id,
            user_id=author,
            file_name=paper.name,
            file_size=len(paper.text.encode()),
            file_type=filetype_of(paper.name),
            file_url=f"/files-pri/{TEAM}-{file_id}/{paper.name}",
            created_at=at.isoformat(),
            title=paper.title,
        )
        self.add("file_contents", file_id=file_id, text=paper.text)
        self.add("file_messages", file_message_id=f"Fm0LH{number:05d}", file_id=file_id, message_id=ts)


def mentions_in(text: str) -> str:
    """Replace `{@name}` and `{#room}` in a text by Slack's mentions."""
    return _NAMED.sub(_mention, text)


def _mention(match: re.Match[str]) -> str:
    kind, name = match.groups()
    return f"<@{person(name).id}>" if kind == "@" else f"<#{room_id(name)}|{name}>"
