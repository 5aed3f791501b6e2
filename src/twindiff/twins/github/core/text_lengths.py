"""The lengths of texts that GitHub accepts, in characters, and its 422 for longer ones."""

from __future__ import annotations

from typing import Any

from ..wire_style import invalid

MAX_CHARACTERS = {
    ("Milestone", "title"): 255,
    ("Release", "body"): 125_000,
    ("Release", "name"): 255,
    ("Release", "tag_name"): 255,
    ("Status", "context"): 255,
    ("Status", "description"): 140,
    ("Team", "name"): 255,
    ("User", "bio"): 160,
    ("User", "company"): 255,
    ("User", "location"): 255,
    ("User", "name"): 255,
}


def check_lengths(resource: str, **fields: Any) -> None:
    """Raise GitHub's 422 for the first text that is longer than the resource's field takes; other values pass."""
    for name, value in fields.items():
        most = MAX_CHARACTERS[resource, name]
        if isinstance(value, str) and len(value) > most:
            raise invalid(resource, name, "custom", f"{name} is too long (maximum is {most} characters)")
