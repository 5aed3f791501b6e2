"""Generated everyday messages, with authors, channels and times from seeded random numbers."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from .channels import CIRCLES, ROOMS
from .people import BY_NAME, LEFT, PEOPLE, Person
from .plot_messages import Paper
from .seeded_random import Dice
from .talk import Topic, talk
from .writer import Writer

_FIRST_DAY = date(2026, 1, 5)
_DAYS = 86
_CONTRACT_ENDS = datetime(2026, 2, 27, 18)  # noqa: DTZ001 - naive, as a Timestamp column holds it
_GAP = re.compile(r"\{(\w+)\}")
_BY_ID = {person.id: person for person in PEOPLE}
_PAPERS = ("notes", "numbers", "minutes", "log", "list", "draft", "questions", "measurements")
_ENDINGS = ("md", "txt", "csv", "json", "log")


class ChatChannel:
    """A conversation for generated messages: its id, its topic and its authors."""

    def __init__(self, id: str, topic: str, users: list[str], last_day: int = _DAYS) -> None:
        self.id = id
        self.topic: Topic = talk().topics[topic]
        self.people = [_BY_ID[user] for user in users if user != BY_NAME["skipper"].id or len(users) < 4]
        self.last_day = last_day


def chatter(writer: Writer, seed: int, messages: int) -> None:
    """Add generated messages until the workspace has `messages` in total."""
    dice = Dice(seed)
    rooms = [ChatChannel(room.id, room.topic, room.members, 10 if room.is_archived else _DAYS) for room in ROOMS]
    weighted = [place for place, room in zip(rooms, ROOMS, strict=True) for _ in range(room.weight)]
    few = [ChatChannel(circle.id, circle.topic, circle.ids) for circle in CIRCLES]
    while writer.number("messages") < messages:
        _talk(writer, dice, dice.pick(few if dice.chance(15) else weighted), messages)


def _talk(writer: Writer, dice: Dice, place: ChatChannel, most: int) -> None:
    """Add a message, maybe with a thread, reactions, a file and a pin."""
    author = dice.pick(place.people)
    at = _instant(dice, author, place.last_day)
    if author.username == LEFT and at > _CONTRACT_ENDS:
        return
    ts = writer.message(place.id, at, author.id, _sentence(dice, dice.pick(place.topic.sentences)))
    if dice.chance(28):
        _thread(writer, dice, place, ts, at, most)
    if dice.chance(35):
        _emoji(writer, dice, place, ts, at)
    if dice.chance(3):
        writer.share(ts, author.id, _paper(dice), at)
    if dice.chance(1):
        writer.pin(place.id, ts, dice.pick(place.people).id, at + timedelta(hours=1))


def _instant(dice: Dice, author: Person, last_day: int) -> datetime:
    """Return a time in the author's working hours, rarely on a weekend; a naive datetime in UTC."""
    day = _FIRST_DAY + timedelta(days=dice.below(last_day))
    if day.weekday() > 4 and not dice.chance(10):
        day -= timedelta(days=2)
    moment = time(dice.between(8, 17), dice.below(60), dice.below(60), dice.below(1_000_000))
    local = datetime.combine(day, moment, ZoneInfo(author.zone))
    return local.astimezone(UTC).replace(tzinfo=None)


def _thread(writer: Writer, dice: Dice, place: ChatChannel, root: str, at: datetime, most: int) -> None:
    for _ in range(dice.between(1, 5)):
        author = dice.pick(place.people)
        if writer.number("messages") >= most or author.username == LEFT:
            return
        at += timedelta(minutes=dice.between(1, 50), seconds=dice.below(60), microseconds=dice.below(1_000_000))
        said = _sentence(dice, dice.pick(place.topic.answers))
        named = f"<@{dice.pick(place.people).id}> {said}" if dice.chance(12) else said
        writer.message(place.id, at, author.id, named, root)


def _emoji(writer: Writer, dice: Dice, place: ChatChannel, ts: str, at: datetime) -> None:
    for emoji in dice.some(place.topic.emoji, dice.between(1, 2)):
        writer.react(ts, emoji, [each.id for each in dice.some(place.people, dice.between(1, 5))], at)


def _paper(dice: Dice) -> Paper:
    what, number = dice.pick(_PAPERS), dice.pick(talk().gaps["number"])
    name = f"{what}-{number}.{dice.pick(_ENDINGS)}"
    lines = [
        _sentence(dice, dice.pick(dice.pick(tuple(talk().topics.values())).sentences))
        for _ in range(dice.between(2, 9))
    ]
    return Paper(name, f"{what.capitalize()} {number}", "\n".join(lines) + "\n")


def _sentence(dice: Dice, text: str) -> str:
    """Fill the gaps of a sentence and capitalize its first letter."""
    filled = _GAP.sub(lambda gap: dice.pick(talk().gaps[gap[1]]), text)
    return filled[0].upper() + filled[1:]
