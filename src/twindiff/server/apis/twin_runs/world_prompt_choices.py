"""Pseudo-random choices that depend only on the prompt, and the words to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

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


class PromptChoices:
    """Pseudo-random choices that depend only on the prompt."""

    def __init__(self, prompt: str) -> None:
        self._key = blake2b(prompt.encode()).digest()[:32]

    def number(self, *of: object) -> int:
        """A pseudo-random 64-bit number for a name."""
        return int.from_bytes(blake2b(repr(of).encode(), key=self._key, digest_size=8).digest(), "big")

    def of(self, options: Sequence[Any], *name: object) -> Any:
        """Choose one of the options for a name."""
        return options[self.number(*name) % len(options)]

    def person(self, number: int) -> dict[str, Any]:
        """A person with a unique name: `{name, email}`."""
        first = FIRST[(self.number("first") + number) % len(FIRST)]
        last = LAST[(self.number("last") + number + number // len(FIRST)) % len(LAST)]
        rest = f" {number // (len(FIRST) * len(LAST)) + 1}" if number >= len(FIRST) * len(LAST) else ""
        return {"name": f"{first} {last}{rest}", "email": f"{first}.{last}{number}@example.com".lower()}
