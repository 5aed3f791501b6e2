"""The README's coverage table is what the twin serves."""

from __future__ import annotations

import re
from pathlib import Path

from twindiff.twins.linear import twin

TEXT = (Path(__file__).parents[1] / "README.md").read_text()
TABLE = TEXT.partition("| about | queries | mutations |")[2].partition("\n\n")[0]
ROWS = [line.split("|")[2:4] for line in TABLE.splitlines() if line.startswith("|") and "`" in line]


def listed(column):
    return {name for row in ROWS for name in re.findall(r"`(\w+)`", row[column])}


def served(kind):
    names = [operation.name.partition(" ") for operation in twin.dispatch.operations]
    return {name for given, _, name in names if given == kind}


def test_every_query_is_listed():
    assert listed(0) == served("query")


def test_every_mutation_is_listed():
    assert listed(1) == served("mutation")


def test_the_counts_are_right():
    assert f"{len(served('query'))} queries and {len(served('mutation'))} mutations are served" in TEXT
