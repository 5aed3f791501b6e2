"""Every sentence of Linear's published schema that limits an input is held by a rule or a test, or explained here."""

from __future__ import annotations

import re

import pytest

from twindiff.twins.linear import twin
from twindiff.twins.linear.core import input_rules as rules

from .conftest import SHARED

SCHEMA = SHARED / "specs" / "linear" / "schema.graphql"
LIMITS = re.compile(
    r"[Ee]xactly one|[Aa]t least one of|Either |[Mm]ust be |Maximum|Cannot be|Mutually exclusive|not allowed"
    r"|in the past|0 = |Up to \d|HH:MM|HEX|UUID v4|at most|rejected otherwise|[Oo]nly be used"
)
HELD = {
    "An icon url to display": "the bytes of an icon are not fetched",
    "only available to OAuth applications": "refused: there are no applications that act as apps",
    "At minimum, a team must be specified": "the schema requires the team; test_errors.py has the title",
    "Cannot be used together with body": "test_kept_inputs.py",
    "Must be one of the value": "test_specified_rules.py",
    "Public email domains are not allowed": "test_specified_rules.py",
    "Up to 50 issues": "test_specified_rules.py",
    "HH:MM": "test_specified_rules.py",
    "Exactly one entity identifier": "test_specified_rules.py",
    "Cannot be provided with an incompatible": "test_issues.py; a release's times are not compared with its stage",
    "exactly one of the two shapes": "test_release_notes.py",
    "at most one release note template": "test_specified_rules.py",
    "Must be unique within the workspace": "test_specified_rules.py",
    "must be specified along with the relationship type": "the schema requires them",
    "an issue identifier and a release identifier must be provided": "the schema requires them",
}
"""What holds a limit that no declared rule holds, by a part of its sentence."""


def limits():
    """The fields of the inputs that are served, each with a sentence that limits it; an input itself has no field."""
    inputs = re.findall(
        r'(?:"""\n((?:(?!""").)*?)\n"""\n)?^input (\w+)[^{]*\{(.*?)^\}', SCHEMA.read_text(), re.MULTILINE | re.DOTALL
    )
    for about, name, body in inputs:
        if name in twin.api.schema.type_map and not name.endswith(("Filter", "Comparator", "Sort", "SortInput")):
            fields = re.findall(r'"""\n((?:(?!""").)*?)"""\n  (\w+): ', body, re.DOTALL)
            for text, field in [(about, ""), *fields]:
                if LIMITS.search(text):
                    yield name, field, " ".join(text.split())


def is_held(name, field, text):
    """Whether a declared rule, or what HELD names, holds a limit."""
    entity = re.sub("(Create|Update)Input$", "", name)
    own = [rule for rule in rules.RULES if rule.entity == entity]
    named = {each for rule in own for each in (getattr(rule, "fields", None) or (getattr(rule, "field", ""),))}
    is_choice = not field and any(isinstance(rule, rules.FieldChoice) for rule in own)
    return is_choice or field in named or rules.is_id_field(entity, field) or any(part in text for part in HELD)


@pytest.mark.skipif(not SCHEMA.exists(), reason=f"there is no schema at {SCHEMA}; set TWINDIFF_SHARED")
def test_every_limit_that_the_schema_states_is_held_or_explained():
    stated = list(limits())
    assert [each for each in stated if not is_held(*each)] == []
    assert len(stated) > 100


@pytest.mark.skipif(not SCHEMA.exists(), reason=f"there is no schema at {SCHEMA}; set TWINDIFF_SHARED")
def test_issue_identifiers_are_taken_where_the_schema_says_so():
    text = re.compile(r'"""\n((?:(?!""").)*?)"""\n  (\w+): ', re.DOTALL)
    fields = {name for about, name in text.findall(SCHEMA.read_text()) if "UUID or issue identifier" in about}
    assert fields == {*rules.IDENTIFIER_FIELDS, "parentId"}
