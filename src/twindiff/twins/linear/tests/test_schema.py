"""The schema against Linear's own.

That stands in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

from typing import Any

import pytest
from graphql import build_schema, validate_schema
from graphql.utilities import BreakingChangeType, find_breaking_changes

from twindiff.twins.linear import twin

from .conftest import SHARED

SDL = SHARED / "specs" / "linear" / "schema.graphql"
KNOWN = {
    "AiConversation.parts was removed.",
    "AiConversation.workflowCronJobDefinition was removed.",
    "InitiativeLabelCollectionFilter.some changed type from InitiativeLabelCollectionFilter to InitiativeLabelFilter.",
    "ProjectLabelCollectionFilter.some changed type from ProjectLabelCollectionFilter to ProjectLabelFilter.",
}
"""The differences that there are: conversations with Linear's own agent end at their type."""


@pytest.fixture(scope="module")
def official():
    if not SDL.exists():
        pytest.skip(f"there is no schema at {SDL}; set TWINDIFF_SHARED")
    return build_schema(SDL.read_text())


def test_the_schema_is_valid():
    assert validate_schema(twin.api.schema) == []


def test_no_declared_type_differs_from_the_official_one(official):
    changes = find_breaking_changes(official, twin.api.schema)
    differing = [each for each in changes if each.type is not BreakingChangeType.TYPE_REMOVED]
    fields = {each.description for each in differing if not each.description.startswith(("Query.", "Mutation."))}
    assert fields == KNOWN


def test_every_official_root_is_served_or_said_to_be_missing(official):
    ours: Any = twin.api.schema
    served = {*ours.query_type.fields, *ours.mutation_type.fields}
    wanted = {*official.query_type.fields, *official.mutation_type.fields}
    assert wanted - served <= twin.api.missing
    assert not served & twin.api.missing


def test_the_core_is_served():
    core = SHARED / "conformance" / "core" / "linear.txt"
    if not core.exists():
        pytest.skip(f"there is no list at {core}; set TWINDIFF_SHARED")
    ours = {operation.name.replace(" ", ".") for operation in twin.dispatch.operations}
    assert set(core.read_text().split()) - ours == set()
