"""Operations of drafted twins that create several objects at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import httpx
import pytest

from twindiff.drafts.bulk_creation import MAX_CREATED_OBJECTS
from twindiff.drafts.overlay import OperationOverlay, Overlay, ResourceOverlay
from twindiff.local import Twindiff

from .bakery import BAKERY, answer, page, ref
from .conftest import make_twin

UNIQUE = {"customers": ResourceOverlay(unique=["email"])}
LIST = {"type": "array", "items": ref("NewCustomer")}
ADA, BEA = {"name": "Ada", "email": "ada@example.com"}, {"name": "Bea", "email": "bea@example.com"}


def holding(name: str, items: dict[str, Any] = LIST, **more: Any) -> dict[str, Any]:
    return {"type": "object", "required": [name], "properties": {name: items, **more}}


def describe_bulk(path: str, body: dict[str, Any], shown: dict[str, Any], status: str = "201") -> dict[str, Any]:
    document = deepcopy(BAKERY)
    post = {"requestBody": {"required": True, "content": {"application/json": {"schema": body}}}}
    document["paths"].setdefault(path, {})["post"] = {**post, "responses": answer(shown, status)}
    return document


@contextmanager
def serve(document: dict[str, Any], overlay: Overlay | None = None) -> Iterator[httpx.Client]:
    with Twindiff(twins=[make_twin(overlay or Overlay(resources=UNIQUE), document)]) as here, ask(here) as client:
        yield client


@contextmanager
def ask(here: Twindiff) -> Iterator[httpx.Client]:
    with (
        here.create("bakery:bakery_base") as made,
        httpx.Client(transport=here.transport(made, "bakery"), base_url="https://api.bakery.test/v1") as client,
    ):
        yield client


@pytest.fixture(scope="module")
def here() -> Iterator[Twindiff]:
    document = describe_bulk("/customers/create_many", LIST, {"type": "array", "items": ref("Customer")})
    with Twindiff(twins=[make_twin(Overlay(resources=UNIQUE), document)]) as local:
        yield local


@pytest.fixture
def bulk(here: Twindiff) -> Iterator[httpx.Client]:
    with ask(here) as client:
        yield client


def count(client: httpx.Client) -> int:
    return client.get("/customers").json()["total"]


SHOWN_LIST = {"type": "array", "items": ref("Customer")}


@pytest.mark.parametrize(
    ("path", "body", "shown", "sent", "field"),
    [
        ("/customers", LIST, SHOWN_LIST, [ADA, BEA], ""),
        ("/customers", holding("records"), holding("records", SHOWN_LIST), {"records": [ADA, BEA]}, "records"),
        (
            "/customers/batch/create",
            holding("inputs"),
            holding("results", SHOWN_LIST),
            {"inputs": [ADA, BEA]},
            "results",
        ),
        ("/customers:batchCreate", holding("customers"), page("Customer"), {"customers": [ADA, BEA]}, "data"),
    ],
)
def test_a_list_of_records_is_created_and_shown(
    path: str, body: dict[str, Any], shown: dict[str, Any], sent: Any, field: str
):
    with serve(describe_bulk(path, body, shown)) as client:
        made = client.post(path, json=sent)
        assert made.status_code == 201, made.text
        listed = made.json()[field] if field else made.json()
        assert [each["name"] for each in listed] == ["Ada", "Bea"]
        known = client.get("/customers").json()["data"]
        assert [each["id"] for each in known if each["name"] in ("Ada", "Bea")] == [each["id"] for each in listed]


def test_the_answer_says_that_all_or_nothing_is_a_guess(bulk: httpx.Client):
    made = bulk.post("/customers/create_many", json=[ADA])
    assert "guessed=all_or_nothing" in made.headers["X-Twindiff-Drafted"]


@pytest.mark.parametrize("second", [{"email": "bea@example.com"}, {**BEA, "email": ADA["email"]}, {**BEA, "name": 5}])
def test_a_refused_object_leaves_none_of_its_list(bulk: httpx.Client, second: dict[str, Any]):
    before = count(bulk)
    assert 400 <= bulk.post("/customers/create_many", json=[ADA, second]).status_code < 500
    assert count(bulk) == before


@pytest.mark.parametrize("sent", [{"name": "Ada"}, "Ada", [ADA, "Bea"], [[ADA]], None])
def test_what_is_no_list_of_objects_is_refused(bulk: httpx.Client, sent: Any):
    assert bulk.post("/customers/create_many", json=sent).status_code in (400, 422)


@pytest.mark.parametrize(("more", "status"), [(0, 201), (1, 501)])
def test_a_list_has_at_most_a_thousand_objects(bulk: httpx.Client, more: int, status: int):
    names = [{"name": "Ada"}] * (MAX_CREATED_OBJECTS + more)
    assert bulk.post("/customers/create_many", json=names).status_code == status


def test_a_list_without_objects_creates_none(bulk: httpx.Client):
    before = count(bulk)
    assert bulk.post("/customers/create_many", json=[]).json() == []
    assert count(bulk) == before


def test_what_is_ignored_of_an_object_of_a_list_is_named(bulk: httpx.Client):
    made = bulk.post("/customers/create_many", json=[ADA, {"name": "Bea", "shoe_size": 40}])
    assert "ignored=shoe_size" in made.headers["X-Twindiff-Drafted"]


PARTIAL = {**holding("results", SHOWN_LIST), "properties": {"results": SHOWN_LIST, "errors": {"type": "array"}}}


def test_a_refused_object_is_not_served_where_the_answer_tells_of_each():
    with serve(describe_bulk("/customers", holding("inputs"), PARTIAL)) as client:
        assert client.post("/customers", json={"inputs": [ADA]}).status_code == 201
        before = count(client)
        assert client.post("/customers", json={"inputs": [BEA, ADA]}).status_code == 501
        assert count(client) == before


JOB = {"type": "object", "properties": {"job_status": {"type": "object", "properties": {"id": {"type": "string"}}}}}
LINES = {
    "type": "array",
    "items": {"type": "object", "required": ["method"], "properties": {"method": {"type": "string"}}},
}


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (LIST, JOB),
        (LINES, SHOWN_LIST),
        (LIST, LINES),
        ({"type": "array", "items": {"type": "string"}}, SHOWN_LIST),
        ({**holding("inputs", mode={"type": "string"}), "required": ["inputs", "mode"]}, SHOWN_LIST),
        (holding("inputs", others=LIST), SHOWN_LIST),
        (holding("tree"), holding("tree", SHOWN_LIST)),
    ],
)
def test_a_list_of_which_more_must_be_known_is_not_served(body: dict[str, Any], shown: dict[str, Any]):
    plans = make_twin(document=describe_bulk("/customers/create_many", body, shown)).plans
    [plan] = [each for each in plans if each.operation.path.endswith("create_many")]
    assert (plan.behaviour, plan.reason != "") == ("missing", True)


def test_what_a_word_that_says_no_creation_does_is_said_by_the_overlay():
    document = describe_bulk("/customers/bulk", LIST, SHOWN_LIST)
    [plan] = [each for each in make_twin(document=document).plans if each.operation.path.endswith("bulk")]
    assert plan.behaviour == "missing"
    said = OperationOverlay(does="create_many", table="customers", set={"loyalty": 7})
    with serve(document, Overlay(operations={"POST /v1/customers/bulk": said})) as client:
        made = client.post("/customers/bulk", json=[ADA, BEA])
        assert [each["loyalty"] for each in made.json()] == [7, 7]
        assert made.headers["X-Twindiff-Drafted"] == "derived"
