"""Worlds made of prompts by rules: the same prompt makes the same world, and what no rule understands is said.

It knows numbers of records, channels by their `#name`, twins by name, and what `prompt_details` reads: names in
quotation marks, prices of products, days and times of meetings. `seed 7` makes another world of the same words. Its
nouns and numbers are English and German (`prompt_words`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import time, timedelta
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple

from twindiff.server.twin_runs.prompt_details import (
    FIRST_MONDAY,
    Details,
    Meetings,
    number_of,
    pattern,
    span,
    unquoted,
)
from twindiff.server.twin_runs.prompt_words import KINDS, NAMED, NUMBER, SEPARATORS, TWINS, words

MOST = {
    "users": 100,
    "channels": 50,
    "messages": 1000,
    "teams": 20,
    "projects": 50,
    "issues": 500,
    "customers": 200,
    "products": 50,
    "folders": 50,
    "files": 200,
    "meetings": 100,
}
OF = {
    "slack": ("channels", "messages"),
    "linear": ("teams", "projects", "issues"),
    "stripe": ("customers", "products"),
    "box": ("folders", "files"),
    "calendar": ("meetings",),
}
"""What belongs to each twin alone."""
_COUNTED = {kind: pattern(rf"\b({NUMBER})\s+(?:\w+\s+)?(?:{said})\b") for kind, said in KINDS.items()}
_CHANNEL = re.compile(r"#([a-z0-9][a-z0-9_-]{0,79})")
_CLAUSE = pattern(rf"(?<!\d),|,(?!\d)|[;\n]+|\.(?=\s|$)|{words(SEPARATORS)}")
_QUOTATION = re.compile(r'("[^"\n]*"|[„“][^"„“”\n]*["“”])')
_SEED = pattern(r"\bseed\s+\d{1,9}\b")
_LOST = pattern(rf'"[^"\n]*"|[„“][^"„“”\n]*["“”]|\b(?:{NAMED})\s+\S+|[$€£]?\d[\w.:%-]*')
"""What is a detail for certain; where no rule took it, that is said."""

FIRST = [
    "Ada",
    "Ben",
    "Chloe",
    "Dev",
    "Elena",
    "Farid",
    "Grace",
    "Hugo",
    "Ines",
    "Jonas",
    "Kira",
    "Liam",
    "Mina",
    "Noor",
    "Oskar",
    "Priya",
    "Quentin",
    "Rosa",
    "Sami",
    "Tara",
]
LAST = [
    "Abara",
    "Berg",
    "Costa",
    "Dahl",
    "Egger",
    "Flores",
    "Grant",
    "Hansen",
    "Ito",
    "Jansen",
    "Kaya",
    "Lund",
    "Meyer",
    "Novak",
    "Okafor",
    "Petit",
    "Rossi",
    "Silva",
]
TOPICS = [
    "launch",
    "roadmap",
    "support",
    "hiring",
    "design",
    "incidents",
    "onboarding",
    "metrics",
    "releases",
    "pricing",
    "security",
    "research",
]
SAID = (
    "Has anybody looked at {topic} since yesterday?",
    "I wrote up where we are with {topic}; comments are welcome.",
    "Can we move the {topic} meeting to Thursday?",
    "The numbers for {topic} look better than last week.",
    "Who owns {topic} while I am away?",
    "Heads up: {topic} is blocked until the review is done.",
)
TITLES = (
    "Decide who owns {topic}",
    "Write down the steps of {topic}",
    "{topic} breaks for accounts without a name",
    "Measure how long {topic} takes",
    "Remove the old {topic} page",
    "Follow up on {topic} with the customer",
)
TRADES = ("Foods", "Freight", "Labs", "Travel", "Studio", "Energy", "Books")
PLANS = ("Starter", "Team", "Business", "Support", "Storage", "Training")
AMOUNTS = (900, 1900, 4900, 9900, 19900)


class Understood(NamedTuple):
    """A world, the parts of the prompt it was made of, and those that no rule knows."""

    config: dict[str, dict[str, Any]]
    used: list[str]
    unused: list[str]


def understood(prompt: str, twins: Sequence[str]) -> Understood:
    """The world of a prompt, for those of the twins that it names or whose records it asks for, or for all."""
    said = _Said([twin for twin in twins if _names(unquoted(prompt), twin)])
    for clause in _clauses(prompt):
        said.read(clause)
    choice = Choice(prompt)
    people = [choice.person(number) for number in range(said.counts.get("users", 5))]
    made = {"slack": _slack, "linear": _linear, "stripe": _stripe, "box": _box, "calendar": _calendar}
    asked = [twin for twin in twins if twin in said.twins or said.kinds & {*OF.get(twin, ())}] if said.twins else twins
    return Understood(
        {twin: made[twin](choice, people, said) for twin in asked if twin in made}, said.used, said.unused
    )


def _names(text: str, twin: str) -> bool:
    """Whether a text names a twin."""
    return re.search(words(TWINS.get(twin) or re.escape(twin)), text, re.IGNORECASE) is not None


def _clauses(prompt: str) -> list[str]:
    """The parts of a prompt; what is quoted stays whole."""
    clauses = [""]
    for number, piece in enumerate(_QUOTATION.split(prompt)):
        first, *more = [piece] if number % 2 else _CLAUSE.split(piece)
        clauses[-1] += first
        clauses += more
    return [clause for clause in map(str.strip, clauses) if clause]


class _Said:
    """What a prompt says, clause by clause."""

    def __init__(self, twins: Sequence[str]) -> None:
        self.twins = twins
        self.counts: dict[str, int] = {}
        self.channels: list[str] = []
        self.details = Details()
        self.kinds: set[str] = set()
        self.used: list[str] = []
        self.unused: list[str] = []

    def read(self, clause: str) -> None:
        """Take one clause; what is lost of one that is used is said as well."""
        plain = unquoted(clause)
        asked = {kind: number_of(match[1]) for kind, counted in _COUNTED.items() if (match := counted.search(plain))}
        counts = {kind: min(count, MOST[kind]) for kind, count in asked.items()}
        self.counts.update({kind: max(count, self.counts.get(kind, 0)) for kind, count in counts.items()})
        channels = _CHANNEL.findall(plain)
        self.channels += [each for each in channels if each not in self.channels]
        self.kinds |= {*asked, *self.details.nouns(clause), *(["channels"] if channels else [])}
        rest = self.details.read(clause, counts)
        is_named = any(_names(plain, each) for each in self.twins)
        if not (asked or channels or is_named or rest != clause or _SEED.search(plain)):
            self.unused.append(clause)
            return
        self.used.append(clause)
        for part in (*_COUNTED.values(), _CHANNEL, _SEED):
            rest = part.sub("", rest)
        self.unused += _LOST.findall(rest)


class Choice:
    """Choices that look random and are a function of the prompt."""

    def __init__(self, prompt: str) -> None:
        self._key = blake2b(prompt.encode()).digest()[:32]

    def number(self, *of: object) -> int:
        """A large number for a name."""
        return int.from_bytes(blake2b(repr(of).encode(), key=self._key, digest_size=8).digest(), "big")

    def of(self, options: Sequence[Any], *name: object) -> Any:
        """One of the options for a name."""
        return options[self.number(*name) % len(options)]

    def person(self, number: int) -> dict[str, Any]:
        """Somebody with a name that nobody else has."""
        first = FIRST[(self.number("first") + number) % len(FIRST)]
        last = LAST[(self.number("last") + number + number // len(FIRST)) % len(LAST)]
        rest = f" {number // (len(FIRST) * len(LAST)) + 1}" if number >= len(FIRST) * len(LAST) else ""
        return {"name": f"{first} {last}{rest}", "email": f"{first}.{last}{number}@example.com".lower()}


def _slack(choice: Choice, people: list[Any], said: _Said) -> dict[str, Any]:
    counts, named = said.counts, said.channels
    wanted = max(counts.get("channels", 3), len(named), 1)
    names = [*named, *(each for each in ("general", *TOPICS) if each not in named)]
    names += [f"team-{number}" for number in range(wanted)]
    channels: list[dict[str, Any]] = [{"name": name, "messages": []} for name in names[:wanted]]
    for number in range(counts.get("messages", 4 * wanted)):
        room = channels[number % wanted]
        text = choice.of(SAID, "text", number).format(topic=choice.of(TOPICS, "topic", number))
        author = choice.of(people, "author", number)["name"] if people else "Agent"
        room["messages"].append({"text": text, "user": author})
    return {"users": people, "channels": channels}


def _linear(choice: Choice, people: list[Any], said: _Said) -> dict[str, Any]:
    counts = said.counts
    teams = [
        {"key": f"T{chr(65 + number)}", "name": f"Team {chr(65 + number)}"}
        for number in range(max(counts.get("teams", 1), 1))
    ]
    projects = [
        {
            "team_key": teams[number % len(teams)]["key"],
            "name": f"{choice.of(TOPICS, 'project', number).title()} {number + 1}",
        }
        for number in range(counts.get("projects", 0))
    ]
    issues = [_issue(choice, number, teams, people) for number in range(counts.get("issues", 6))]
    return {"users": people, "teams": teams, "projects": projects, "issues": issues}


def _issue(choice: Choice, number: int, teams: list[dict[str, str]], people: list[Any]) -> dict[str, Any]:
    topic = choice.of(TOPICS, "issue", number)
    title = choice.of(TITLES, "title", number).format(topic=topic)
    issue = {"team_key": teams[number % len(teams)]["key"], "title": f"{title[:1].upper()}{title[1:]}"}
    issue |= {"priority": choice.number("priority", number) % 5}
    return {**issue, "assignee": choice.of(people, "assignee", number)["name"]} if people else issue


def _titles(said: _Said, kind: str, otherwise: int, made: Sequence[str]) -> list[str]:
    """The names that the prompt gives to records of a kind, and others until there are as many as it says."""
    given = said.details.names[kind]
    wanted = max(said.counts.get(kind, len(given) or otherwise), len(given))
    others = (name if not turn else f"{name} {turn + 1}" for turn in range(wanted + 1) for name in made)
    return [*given, *islice((each for each in others if each not in given), wanted - len(given))]


def _stripe(choice: Choice, people: list[Any], said: _Said) -> dict[str, Any]:
    turn = choice.number("trade")
    companies = [
        f"{LAST[(turn + number) % len(LAST)]} {TRADES[(turn + number) % len(TRADES)]}" for number in range(126)
    ]
    customers = [
        {"name": name, "email": f"billing{number}@customer.example"}
        for number, name in enumerate(_titles(said, "customers", 5, companies), start=1)
    ]
    details, products = said.details, list[dict[str, Any]]()
    for number, name in enumerate(_titles(said, "products", max(3, len(details.prices)), PLANS)):
        price = details.price_of.get(name)
        price = price or (details.prices[number % len(details.prices)] if details.prices else None)
        other = {"unit_amount": choice.of(AMOUNTS, "amount", number), "currency": "usd", "interval": "month"}
        given = price and {"unit_amount": price.amount, "currency": price.currency, "interval": price.interval}
        products.append({"name": name, "prices": [given or other]})
    return {"customers": customers, "products": products}


def _box(choice: Choice, people: list[Any], said: _Said) -> dict[str, Any]:
    named = said.details.files
    topics = [each.title() for each in TOPICS]
    names = _titles(said, "folders", 3, topics)
    folders: dict[str, dict[str, str]] = {name: {} for name in names}
    top: dict[str, str] = {}
    for number, file in enumerate(named):
        home = top if file.folder is None else folders[file.folder]
        home[file.name] = choice.of(SAID, "file", number).format(topic=choice.of(TOPICS, "of", number))
    for number in range(said.counts.get("files", len(named) or 2 * len(names)) - len(named)):
        topic = choice.of(TOPICS, "more", number)
        home = folders[names[number % len(names)]] if names else top
        home[f"{topic}-{number + 1}.txt"] = choice.of(SAID, "text", number).format(topic=topic)
    shown = [{"name": name, "files": _files(files)} for name, files in folders.items()]
    return {"users": people, "folders": shown, "files": _files(top)}


def _files(files: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "content": text} for name, text in files.items()]


def _calendar(choice: Choice, people: list[Any], said: _Said) -> dict[str, Any]:
    groups = said.details.meetings or [Meetings(count=4)]
    events: list[dict[str, Any]] = []
    for meetings in groups:
        for at in range(max(meetings.count, len(meetings.names))):
            events.append(_event(choice, people, meetings, at, len(events)))
    return {"users": people, "events": events}


def _event(choice: Choice, people: list[Any], meetings: Meetings, at: int, number: int) -> dict[str, Any]:
    """A meeting of a group, whose guests are the agent and two more."""
    day = FIRST_MONDAY + timedelta(days=choice.number("day", number) % 5, weeks=meetings.weeks)
    start, end = span(meetings, day, time(9 + choice.number("hour", number) % 8))
    topic = f"{choice.of(TOPICS, 'meeting', number)} meeting".capitalize()
    summary = meetings.names[at] if at < len(meetings.names) else topic
    names = [person["name"] for person in people]
    first = choice.number("organizer", number) % len(names) if names else 0
    guests = [*names[first + 1 :], *names[:first]][:2]
    who = {"organizer": names[first], "attendees": ["Agent", *guests]} if names else {}
    return {
        "summary": summary,
        "start": start,
        "end": end,
        **who,
        "recurrence": [meetings.rule] if meetings.rule else [],
    }
