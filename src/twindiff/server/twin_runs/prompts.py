"""Worlds made of prompts by rules: the same prompt makes the same world, and what no rule understands is said.

It knows numbers of users, channels, messages, teams, projects and issues, channels by their `#name`, and twins by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
MOST = {"users": 100, "channels": 50, "messages": 1000, "teams": 20, "projects": 50, "issues": 500}
KINDS = {
    "users": r"users?|people|persons?|members?|employees?|colleagues?",
    "channels": r"channels?",
    "messages": r"messages?|posts?",
    "teams": r"teams?",
    "projects": r"projects?",
    "issues": r"issues?|bugs?|tickets?|tasks?|stories",
}
OF = {"slack": ("users", "channels", "messages"), "linear": ("users", "teams", "projects", "issues")}
_NUMBER = rf"(\d{{1,4}}|an?|{'|'.join(NUMBERS)})"
_COUNTED = {
    kind: re.compile(rf"\b{_NUMBER}\s+(?:\w+\s+)?(?:{words})\b", re.IGNORECASE) for kind, words in KINDS.items()
}
_CHANNEL = re.compile(r"#([a-z0-9][a-z0-9_-]{0,79})")
_CLAUSE = re.compile(r"[,;.\n]+|\band\b|\bwith\b|\bund\b|\bmit\b", re.IGNORECASE)

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


class Understood(NamedTuple):
    """A world, the parts of the prompt it was made of, and those that no rule knows."""

    config: dict[str, dict[str, Any]]
    used: list[str]
    unused: list[str]


def understood(prompt: str, twins: Sequence[str]) -> Understood:
    """The world of a prompt, for those of the twins that it names, or for all."""
    counts: dict[str, int] = {}
    used: list[str] = []
    unused: list[str] = []
    named = [twin for twin in twins if re.search(rf"\b{re.escape(twin)}\b", prompt, re.IGNORECASE)]
    channels = list(dict.fromkeys(_CHANNEL.findall(prompt)))
    for clause in filter(None, map(str.strip, _CLAUSE.split(prompt))):
        found = {kind: _number(match[1]) for kind, pattern in _COUNTED.items() if (match := pattern.search(clause))}
        counts.update({kind: min(count, MOST[kind]) for kind, count in found.items()})
        says = (
            found or _CHANNEL.search(clause) or any(re.search(rf"\b{each}\b", clause, re.IGNORECASE) for each in named)
        )
        (used if says else unused).append(clause)
    choice = Choice(prompt)
    people = [choice.person(number) for number in range(counts.get("users", 5))]
    made = {"slack": _slack, "linear": _linear}
    return Understood(
        {twin: made[twin](choice, people, counts, channels) for twin in named or twins if twin in made}, used, unused
    )


def _number(text: str) -> int:
    word = text.lower()
    return int(word) if word.isdigit() else 1 if word in ("a", "an") else NUMBERS.index(word)


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


def _slack(choice: Choice, people: list[Any], counts: dict[str, int], named: list[str]) -> dict[str, Any]:
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


def _linear(choice: Choice, people: list[Any], counts: dict[str, int], named: list[str]) -> dict[str, Any]:
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
