"""Converts names between the conventions of GraphQL types, fields and tables."""

from __future__ import annotations

import re


def snake(name: str) -> str:
    """`issueLabel` and `IssueLabel` to `issue_label`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def lower_first(name: str) -> str:
    """`IssueLabel` to `issueLabel`."""
    return name[:1].lower() + name[1:]


def upper_first(name: str) -> str:
    """`issueLabel` to `IssueLabel`."""
    return name[:1].upper() + name[1:]


def plural(name: str) -> str:
    """`team` to `teams`, `history` to `histories`, `status` to `statuses`."""
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if name.endswith(("s", "ch")) else "s")


def singular(name: str) -> str:
    """`teams` to `team`, `histories` to `history`, `statuses` to `status`."""
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith(("sses", "uses", "ches")):
        return name[:-2]
    return name.removesuffix("s")
