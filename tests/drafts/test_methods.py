"""Methods and paths that a description does not have."""

from collections.abc import Iterator

import httpx
import pytest

from twindiff.client import Environment
from twindiff.drafts.shipped import find_shipped
from twindiff.local import Twindiff


@pytest.mark.parametrize(
    ("verb", "path", "allowed"),
    [
        ("PUT", "/customers", "GET, HEAD, OPTIONS, POST"),
        ("PUT", "/customers/cus_1", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("TRACE", "/cakes", "GET, HEAD, OPTIONS"),
        ("HEAD", "/customers/cus_1/archive", "OPTIONS, POST"),
    ],
)
def test_a_method_that_a_path_lacks_is_refused_in_the_vendors_envelope(
    bakery: httpx.Client, verb: str, path: str, allowed: str
):
    refused = bakery.request(verb, path)
    assert (refused.status_code, refused.headers["allow"]) == (405, allowed)
    assert refused.json() == {"errors": [{"message": f"{verb} is not allowed; {allowed} are"}]}


def test_options_of_a_path_names_its_methods(bakery: httpx.Client):
    answered = bakery.options("/cakes")
    assert (answered.status_code, answered.headers["allow"], answered.content) == (204, "GET, HEAD, OPTIONS", b"")


def test_only_methods_that_are_refused_are_logged_as_unknown(bakery: httpx.Client, environment: Environment):
    bakery.options("/cakes")
    bakery.put("/cakes")
    assert [(each.operation, each.error) for each in environment.calls()[-2:]] == [
        ("OPTIONS /v1/cakes", None),
        ("PUT /v1/cakes", "unknown_operation"),
    ]


@pytest.mark.parametrize("verb", ["GET", "POST", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("path", ["/flans", "/customers/1/2/3"])
def test_an_unknown_path_is_not_found_in_the_vendors_envelope(bakery: httpx.Client, verb: str, path: str):
    refused = bakery.request(verb, path)
    assert refused.status_code == 404
    assert refused.json() == {"errors": [{"message": f"There is no path /v1{path}"}]}


@pytest.fixture(scope="module")
def gitlab() -> Iterator[httpx.Client]:
    with (
        Twindiff(twins=[find_shipped("gitlab").twin()]) as local,
        local.create("gitlab:gitlab_base") as made,
        httpx.Client(transport=local.transport(made), base_url="https://gitlab.com/api/v4") as client,
    ):
        yield client


def test_a_shipped_draft_may_lack_a_path_of_the_vendor_and_no_method(gitlab: httpx.Client):
    assert gitlab.get("/nonsense").status_code == 501
    refused = gitlab.patch("/projects/1")
    assert (refused.status_code, refused.json()) == (405, {"message": "405 Method Not Allowed"})
