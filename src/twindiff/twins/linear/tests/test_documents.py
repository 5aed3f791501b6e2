"""Every document of the official SDK whose root is served is valid and runs with valid arguments.

The documents stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import pytest
from graphql import parse, validate

from twindiff.twins.linear import twin

from .conftest import AGENT, KEYS, SARAH, SHARED, Linear
from .furnished import documents, furnish, others, variables_for

SOURCE = SHARED / "specs" / "linear" / "sdk_documents.graphql"
DOCUMENTS = documents(SOURCE.read_text()) if SOURCE.exists() else {}
ROOTS = {operation.name for operation in twin.dispatch.operations}
SERVED = {name: each for name, each in DOCUMENTS.items() if each[1] in ROOTS}
OUT_OF_REACH = {"organizationDelete", "externalUser"}
"""Roots that need what no call can bring: a code from a mail, a user of another system."""

pytestmark = pytest.mark.skipif(not DOCUMENTS, reason=f"there are no documents at {SOURCE}; set TWINDIFF_SHARED")


@pytest.fixture(scope="module")
def stocked(platform):
    """The name of a template with one of everything, and the ids in it."""
    environment = platform.environment("linear:linear_default", SARAH, tokens=KEYS)
    admin = Linear(environment, SARAH)
    ids = furnish(Linear(environment), others(admin))
    name = f"stocked_{environment.id}"
    platform.post("templates/from-environment", {"environmentId": environment.id, "service": "linear", "name": name})
    return name, ids


@pytest.fixture
def run(platform, stocked):
    """Run a document as an admin in a workspace with one of everything."""
    name, ids = stocked

    def answer(text, root, required):
        environment = platform.environment(f"linear:{name}", SARAH, tokens=KEYS)
        user = AGENT if personal(root) else SARAH
        return Linear(environment, user).ask(text, **variables_for(root, required, ids))

    return answer


def personal(root):
    """Whether a root is about what only its owner sees."""
    return any(word in root for word in ("otification", "avorite", "reaction", "customView", "comment"))


@pytest.mark.parametrize("name", sorted(SERVED))
def test_a_document_is_valid(name):
    text, _, _ = SERVED[name]
    assert validate(twin.api.schema, parse(text)) == []


@pytest.mark.parametrize("name", sorted(SERVED))
def test_a_document_runs_without_error(run, name):
    text, root, required = SERVED[name]
    if root.partition(" ")[2] in OUT_OF_REACH:
        pytest.skip("it needs what no call can bring")
    assert run(text, root, required).get("errors") is None


def test_the_share_of_documents_that_are_served(record_property):
    share = len(SERVED) / len(DOCUMENTS)
    record_property("served", f"{len(SERVED)} of {len(DOCUMENTS)}")
    assert share >= 0.6, f"{len(SERVED)} of {len(DOCUMENTS)}"
