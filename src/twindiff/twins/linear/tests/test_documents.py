"""Every document of the official SDK whose root is served is valid and runs with valid arguments.

The documents stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import pytest
from graphql import parse, type_from_ast, validate

from twindiff.twins.linear import twin

from .conftest import AGENT, SHARED, Linear
from .examples import example
from .furnished import documents, furnish, others, variables_for

SOURCE = SHARED / "specs" / "linear" / "sdk_documents.graphql"
DOCUMENTS = documents(SOURCE.read_text()) if SOURCE.exists() else {}
ROOTS = {operation.name for operation in twin.dispatch.operations}
SERVED = {name: each for name, each in DOCUMENTS.items() if each.root in ROOTS}
OUT_OF_REACH = {
    "organizationDelete", "externalUser", "integration", "integrationDelete", "integrationTemplate",
    "integrationTemplateCreate", "integrationTemplateDelete",
}  # fmt: skip
"""Roots that need what no call can bring: a code from a mail, a user of another system, a connection to one."""
ADMIN = "f64e5521-ab35-5162-95d2-b7646003a0bb"
COLLEAGUE = "2549989f-09d7-573a-815d-90eb391db410"
TOKENS = {f"lin_api_{user}": user for user in (AGENT, ADMIN, COLLEAGUE)}
EITHER = ("id", "hash")
"""Variables of which a document is given one."""

pytestmark = pytest.mark.skipif(not DOCUMENTS, reason=f"there are no documents at {SOURCE}; set TWINDIFF_SHARED")


@pytest.fixture(scope="module")
def stocked(platform):
    """The name of the rich workspace with one of everything besides, and the ids in it."""
    environment = platform.environment("linear:linear_workspace", ADMIN, tokens=TOKENS)
    ids = furnish(Linear(environment), others(Linear(environment, ADMIN)) | {"colleague": COLLEAGUE})
    name = f"stocked_{environment.id}"
    platform.post("templates/from-environment", {"environmentId": environment.id, "service": "linear", "name": name})
    return name, ids


@pytest.fixture
def run(platform, stocked):
    """Run a document as an admin in a workspace with one of everything."""
    name, ids = stocked

    def answer(document, **more):
        environment = platform.environment(f"linear:{name}", ADMIN, tokens=TOKENS)
        user = AGENT if personal(document.root) else ADMIN
        variables = variables_for(document.root, document.required, ids) | more
        return Linear(environment, user).http(json={"query": document.text, "variables": variables}).json()

    return answer


def personal(root):
    """Whether a root is about what only its owner sees."""
    return any(word in root for word in ("otification", "avorite", "reaction", "customView", "comment", "userSettings"))


@pytest.mark.parametrize("name", sorted(SERVED))
def test_a_document_is_valid(name):
    assert validate(twin.api.schema, parse(SERVED[name].text)) == []


@pytest.mark.parametrize("name", sorted(SERVED))
def test_a_document_runs_without_error(run, name):
    if SERVED[name].root.partition(" ")[2] in OUT_OF_REACH:
        pytest.skip("it needs what no call can bring")
    assert run(SERVED[name]).get("errors") is None


LISTS = sorted(name for name, each in SERVED.items() if each.root.startswith("query ") and each.optional)


@pytest.mark.parametrize("name", LISTS)
def test_a_query_runs_with_every_argument(run, name):
    if SERVED[name].root.partition(" ")[2] in OUT_OF_REACH:
        pytest.skip("it needs what no call can bring")
    given = {
        variable: example(type_from_ast(twin.api.schema, kind))
        for variable, kind in SERVED[name].optional.items()
        if variable not in ("after", "before", "last", *EITHER)
    }
    assert run(SERVED[name], **given).get("errors") is None


def test_the_share_of_documents_that_are_served(record_property):
    share = len(SERVED) / len(DOCUMENTS)
    record_property("served", f"{len(SERVED)} of {len(DOCUMENTS)}")
    assert share >= 0.6, f"{len(SERVED)} of {len(DOCUMENTS)}"
