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
ROOTS = {operation.name for operation in twin.dispatch.operations}
OUT_OF_REACH = {
    "documentContentHistory", "organizationDelete", "externalUser", "integration", "integrationDelete",
    "integrationTemplate", "integrationTemplateCreate", "integrationTemplateDelete",
}  # fmt: skip
"""Roots that need what no call can bring: a code from a mail, a user of another system, a connection to one."""
ADMIN = "f64e5521-ab35-5162-95d2-b7646003a0bb"
COLLEAGUE = "2549989f-09d7-573a-815d-90eb391db410"
TOKENS = {f"lin_api_{user}": user for user in (AGENT, ADMIN, COLLEAGUE)}
EITHER = ("id", "hash")
"""Variables of which a document is given one."""

pytestmark = pytest.mark.skipif(not SOURCE.exists(), reason=f"there are no documents at {SOURCE}; set TWINDIFF_SHARED")


@pytest.fixture(scope="module")
def official():
    """All documents, by name."""
    return documents(SOURCE.read_text())


@pytest.fixture(scope="module")
def served(official):
    """Those whose root is served."""
    return {name: each for name, each in official.items() if each.root in ROOTS}


@pytest.fixture(scope="module")
def in_reach(served):
    """Those of them that a call can bring about."""
    return {name: each for name, each in served.items() if each.root.partition(" ")[2] not in OUT_OF_REACH}


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


def failed(answers):
    """The errors of those answers that have any, by name."""
    return {name: answer["errors"] for name, answer in answers.items() if answer.get("errors") is not None}


def test_every_document_that_cannot_run_is_valid(served, in_reach):
    """The others are refused as they run where they are not."""
    others = {name: parse(each.text) for name, each in served.items() if name not in in_reach}
    assert others
    assert {name: errors for name, each in others.items() if (errors := validate(twin.api.schema, each))} == {}


def test_every_document_runs_without_error(run, in_reach):
    assert failed({name: run(each) for name, each in in_reach.items()}) == {}


def given(document):
    """An example of every optional variable."""
    return {
        variable: example(type_from_ast(twin.api.schema, kind))
        for variable, kind in document.optional.items()
        if variable not in ("after", "before", "last", *EITHER, *(("orderBy",) if "sort" in document.optional else ()))
    }


def test_every_query_runs_with_every_argument(run, in_reach):
    lists = {name: each for name, each in in_reach.items() if each.root.startswith("query ") and each.optional}
    assert failed({name: run(each, **given(each)) for name, each in lists.items()}) == {}


def test_the_share_of_documents_that_are_served(record_property, official, served):
    share = len(served) / len(official)
    record_property("served", f"{len(served)} of {len(official)}")
    assert share >= 0.6, f"{len(served)} of {len(official)}"
