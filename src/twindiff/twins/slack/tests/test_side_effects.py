"""The README says which methods there are and what each of them changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from twindiff.twins.slack import twin
from twindiff.twins.slack.core import enterprise_methods
from twindiff.twins.slack.tests.calls import CALLS, WORLD, method_of

SERVED = set(twin.dispatch.methods) - set(enterprise_methods.METHODS)
README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


class Effects(NamedTuple):
    """What a diff shows: tables, and columns as `table.column`."""

    adds: set[str]
    changes: set[str]
    removes: set[str]
    derived: set[str]


def section(title: str) -> list[list[str]]:
    """The cells of the table under a title."""
    text = README.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in row] for row in rows]


def documented() -> dict[str, Effects]:
    rows = section("What a method changes")
    return {row[0].replace("`", ""): Effects(*(set(re.findall(r"`(.+?)`", cell)) for cell in row[1:])) for row in rows}


def effects(diff: Callable[..., dict[str, Any]]) -> Effects:
    plain, derived = diff(), diff(include="derived")
    rows = [row for row in derived["inserts"] + derived["deletes"] if row.get("__derived__")]
    return Effects(
        adds=tables(plain["inserts"]),
        changes=columns(plain["updates"], derived=False),
        removes=tables(plain["deletes"]),
        derived=tables(rows) | columns(derived["updates"], derived=True),
    )


def tables(rows: list[dict[str, Any]]) -> set[str]:
    return {row["__table__"] for row in rows}


def columns(updates: list[dict[str, Any]], *, derived: bool) -> set[str]:
    return {
        f"{update['__table__']}.{name}"
        for update in updates
        for name in update["changed"]
        if (name in update.get("derived", ())) == derived
    }


def test_the_readme_lists_the_methods_there_are():
    assert [row[0].strip("`") for row in section("Coverage")] == sorted(SERVED)


def test_the_readme_says_how_many_methods_there_are_and_how_many_slack_s_clients_have():
    served, refused, missing = len(SERVED), len(enterprise_methods.METHODS), len(twin.missing or ())
    assert f": {served} methods:" in README
    assert f"{served} of the {served + refused + missing} methods that Slack's own clients have" in README
    assert f"{refused} administer an organization" in README
    assert f"The other {missing}" in README


def test_the_readme_lists_the_methods_that_are_missing():
    text = README.split("## Methods that are missing\n")[1].split("\n## ")[0]
    rows = {line.split("|")[1].strip(): re.findall(r"`(.+?)`", line) for line in text.splitlines() if "| `" in line}
    families = {family: sorted(name for name in twin.missing or () if name.startswith(f"{family}.")) for family in rows}
    assert {family: sorted(names) for family, names in rows.items()} == families
    assert sum(map(len, rows.values())) == len(twin.missing or ())


def test_every_method_is_called_here():
    assert {method_of(call) for call in CALLS} == SERVED


@pytest.mark.parametrize("call", CALLS)
def test_a_method_changes_what_the_readme_says_and_nothing_else(workspace_with, call):
    slack, arguments = workspace_with(**WORLD), dict(CALLS[call])
    slack.token = arguments.pop("token", slack.token)
    answer = slack(method_of(call), **arguments)
    assert answer["ok"], answer
    assert effects(slack.diff) == documented().get(call, Effects(set(), set(), set(), set()))
