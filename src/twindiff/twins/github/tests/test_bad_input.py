"""Bad input to every operation: GitHub's 422 that names the parameter, never an internal error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from twindiff.twins.github import twin

from .conftest import Hub

VALUES = {"owner": "tidewater", "repo": "harbour-api", "org": "tidewater", "issue_number": "1", "username": "agent"}
VALUES |= {"template_owner": "tidewater", "template_repo": "harbour-api"}
WRONG: tuple[Any, ...] = (None, -1, True, "\0", "x" * 300, 10**30, [None], {"a": []})
QUERIES = ("-1", "9" * 25, "\0")
DELETES_WHAT_OTHERS_NEED = (
    "DELETE /repos/{owner}/{repo}",
    "PATCH /repos/{owner}/{repo}",
    "POST /repos/{owner}/{repo}/transfer",
)
OPERATIONS = [
    each
    for each in twin.dispatch.operations
    if (
        each.name not in DELETES_WHAT_OTHERS_NEED
        and each.declared.path.startswith(("/repos", "/orgs", "/user", "/teams"))
    )
    or each.declared.path.startswith(("/gists", "/notifications", "/search", "/issues", "/api", "/app", "/markdown"))
]
SAYS = re.compile(
    r"Invalid request\.\n\n(\"[^\n]+\" w(as|ere)n't supplied"
    r"|For '(properties|links)/[^']+', .+ is not (an? \w+|a member of \[.+\]|a valid value))\.",
    re.DOTALL,
)


def address(path: str) -> str:
    return re.sub(r"\{(\w+)(:path)?\}", lambda part: VALUES.get(part[1], "1"), path)


def names_of(operation: Any) -> list[str]:
    """The names of the parameters of an operation that are not in its path."""
    bound = operation.bound
    contract: Any = msgspec.inspect.type_info(bound.contract)
    fields = {field.encode_name: field.type for field in contract.fields}
    body: Any = getattr(fields.get(bound.body), "fields", ())
    names = [field.encode_name for field in body] or bound.names
    return [name for name in names if f"{{{name}" not in operation.declared.path]


def bodies_of(operation: Any) -> Iterator[Any]:
    yield from ({}, [], "x", None)
    for name in names_of(operation):
        yield from ({name: value} for value in WRONG)


@pytest.fixture(scope="module")
def company(platform: Any) -> Hub:
    return Hub(platform.environment("github:github_default", "ada", tokens={"token-ada": "ada"}), "ada")


def check(answer: Any, about: Any) -> None:
    assert answer.status_code < 500, (about, answer.text)
    if answer.status_code == 422:
        problem = answer.json()
        assert {"message", "documentation_url", "status"} <= {*problem}, about
        assert not problem["message"].startswith("Invalid request.") or SAYS.match(problem["message"]), (about, problem)


@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_bad_body_is_refused_in_github_s_words(company: Hub, verb: str):
    for operation in (each for each in OPERATIONS if each.declared.verb == verb):
        for body in bodies_of(operation):
            check(company.http(verb, address(operation.declared.path), json=body), (operation.name, body))


def test_a_bad_query_is_refused_or_ignored(company: Hub):
    for operation in (each for each in OPERATIONS if each.declared.verb == "GET"):
        for given in ({name: value} for name in names_of(operation) for value in QUERIES):
            check(company.http("GET", address(operation.declared.path), params=given), (operation.name, given))


REPO, LONG = "/repos/tidewater/harbour-api", "x" * 130_000
TOO_LONG = [
    ("POST", f"{REPO}/milestones", {"title": "x" * 256}, "title is too long (maximum is 255 characters)"),
    ("POST", f"{REPO}/releases", {"tag_name": "v", "body": LONG}, "body is too long (maximum is 125000 characters)"),
    ("POST", f"{REPO}/issues", {"title": "x" * 257}, "title is too long (maximum is 256 characters)"),
    ("POST", f"{REPO}/labels", {"name": "x" * 51}, "name is too long (maximum is 50 characters)"),
    ("POST", "/orgs/tidewater/teams", {"name": "x" * 256}, "name is too long (maximum is 255 characters)"),
    ("PATCH", "/user", {"bio": "x" * 161}, "bio is too long (maximum is 160 characters)"),
]


@pytest.mark.parametrize(("verb", "path", "body", "message"), TOO_LONG)
def test_a_text_that_is_too_long_says_how_long_it_may_be(company: Hub, verb: str, path: str, body: Any, message: str):
    answer = company.http(verb, path, json=body)
    assert (answer.status_code, answer.json()["errors"][0]["message"]) == (422, message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, '"title" wasn\'t supplied.'),
        ({"title": "x", "body": 1}, "For 'properties/body', 1 is not a string."),
        ({"title": "x", "body": ["y"]}, "For 'properties/body', [\"y\"] is not a string."),
        ({"title": "x", "labels": "bug"}, "For 'properties/labels', \"bug\" is not an array."),
        ("x", "For 'links/0/schema', \"x\" is not an object."),
    ],
)
def test_a_refusal_shows_the_value_that_was_given(company: Hub, body: Any, message: str):
    path = "/repos/tidewater/harbour-api/issues"
    assert company.refused("POST", path, body) == (422, f"Invalid request.\n\n{message}")


def test_a_refusal_names_all_that_is_missing_and_the_values_that_may_be(company: Hub):
    repo = "/repos/tidewater/harbour-api"
    missing = 'Invalid request.\n\n"message", "tree" weren\'t supplied.'
    assert company.refused("POST", f"{repo}/git/commits", {})[1] == missing
    state = 'Invalid request.\n\nFor \'properties/state\', "shut" is not a member of ["closed", "open"].'
    assert company.refused("PATCH", f"{repo}/issues/1", {"state": "shut"})[1] == state
