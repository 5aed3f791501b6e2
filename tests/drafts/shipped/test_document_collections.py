"""Declared collections of documents: what they hold agrees with a plain dictionary, and declared fields are columns."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twindiff.client import Environment
from twindiff.drafts.shipped import ShippedDraft
from twindiff.drafts.shipped.document_collections import (
    CollectionStyle,
    DocumentCollection,
    list_tables,
    serve_collections,
)
from twindiff.drafts.shipped.document_fields import read_field_types
from twindiff.kit.twin import Operations
from twindiff.local import Twindiff

SHELVES = DocumentCollection(table="shelves", path="/shelves", style=CollectionStyle(), required=("name",))
LOAVES = DocumentCollection(
    table="loaves", path="/shelves/{shelf_id}/loaves", style=CollectionStyle(), required=("title",), above=SHELVES,
    fields="title: text; count: integer; sliced: boolean; state: fresh|stale; tags: list; baked_at: time",
    defaults={"state": "fresh"}, filters=("state", "cut=sliced"), searched=("title",), unserved=("order_by",),
)  # fmt: skip
BAD_VALUES: list[tuple[str, Any]] = [
    ("title", 5), ("title", ["x"]), ("count", "5"), ("count", 1.5), ("count", True), ("count", 2**63),
    ("sliced", 1), ("sliced", "true"), ("state", "burnt"), ("state", []), ("tags", {}), ("tags", "a"),
    ("baked_at", "yesterday"), ("baked_at", "2026-13-01"), ("baked_at", 5),
]  # fmt: skip


@pytest.fixture(scope="module")
def bakery() -> Iterator[Twindiff]:
    api = Operations()
    serve_collections(api, (SHELVES, LOAVES))
    tables = list_tables((SHELVES, LOAVES))
    with Twindiff(twins=[ShippedDraft("bakery", "Bakery", True, pages=(api,), tables=tables).twin()]) as here:
        yield here


@pytest.fixture
def environment(bakery: Twindiff) -> Iterator[Environment]:
    with bakery.create("bakery:bakery_base") as made:
        yield made


@pytest.fixture
def client(bakery: Twindiff, environment: Environment) -> Iterator[httpx.Client]:
    with connect(bakery, environment) as made:
        yield made


def connect(bakery: Twindiff, environment: Environment) -> httpx.Client:
    headers = {"Authorization": f"Bearer {environment.token}"}
    return httpx.Client(transport=bakery.transport(environment, "bakery"), base_url="https://b.test", headers=headers)


def make_loaf(client: httpx.Client, **fields: Any) -> str:
    shelf = client.post("/shelves", json={"name": "Top"}).json()["id"]
    return f"/shelves/{shelf}/loaves/{client.post(f'/shelves/{shelf}/loaves', json=fields).json()['id']}"


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "title": st.sampled_from(["Rye", "Oat", ""]), "count": st.one_of(st.none(), st.integers(0, 9)),
        "sliced": st.booleans(), "state": st.sampled_from(["fresh", "stale"]), "id": st.integers(0, 5),
        "colour": st.sampled_from(["brown", None, {"deep": [1]}]), "tags": st.lists(st.integers(0, 2), max_size=2),
    },
)  # fmt: skip
STEPS = st.lists(
    st.tuples(st.sampled_from(["POST", "PATCH", "GET", "DELETE", "LIST"]), st.integers(0, 3), FIELDS), max_size=10
)


@settings(max_examples=10, deadline=None)
@given(steps=STEPS)
def test_a_collection_agrees_with_a_dictionary(bakery: Twindiff, steps: list[tuple[str, int, dict[str, Any]]]):
    with bakery.create("bakery:bakery_base") as environment, connect(bakery, environment) as client:
        shelves = [client.post("/shelves", json={"name": each}).json()["id"] for each in ("Top", "Low")]
        model: dict[int, dict[int, dict[str, Any]]] = {each: {} for each in shelves}
        for verb, which, fields in steps:
            shelf = shelves[which % 2]
            run_step(client, f"/shelves/{shelf}/loaves", model[shelf], verb, which // 2, fields)
        for shelf, loaves in model.items():
            assert client.get(f"/shelves/{shelf}/loaves").json() == [*loaves.values()]
            assert client.delete(f"/shelves/{shelf}").status_code == 204
        assert environment.diff()["inserts"] == []


def run_step(
    client: httpx.Client, path: str, model: dict[int, dict[str, Any]], verb: str, which: int, fields: dict[str, Any]
) -> None:
    """Make a call, check its answer against the dictionary, and change this alike."""
    id = [*model][which] if which < len(model) else 999_999
    own = {name: value for name, value in fields.items() if name != "id"}
    if verb == "LIST":
        wanted = [each for each in model.values() if each["state"] == "stale"]
        assert client.get(path, params={"state": "stale"}).json() == wanted
    elif verb == "POST":
        answer = client.post(path, json=fields)
        assert answer.status_code == (201 if fields.get("title") else 400)
        if answer.status_code == 201:
            made = answer.json()
            assert made == {"state": "fresh", **own, "id": made["id"]}
            model[made["id"]] = made
    else:
        answer = client.request(verb, f"{path}/{id}", json=fields if verb == "PATCH" else None)
        is_refused = verb == "PATCH" and fields.get("title") == ""
        usual = 204 if verb == "DELETE" else 200
        assert answer.status_code == (404 if id not in model else 400 if is_refused else usual)
        if verb == "PATCH" and answer.status_code == 200:
            model[id] |= own
        if verb == "DELETE":
            model.pop(id, None)
        elif answer.status_code == 200:
            assert answer.json() == model[id]


@pytest.mark.parametrize(("field", "value"), BAD_VALUES)
def test_a_value_of_another_type_is_refused(client: httpx.Client, field: str, value: Any):
    loaf = make_loaf(client, title="Rye")
    created = client.post(loaf.rpartition("/")[0], json={"title": "Oat", field: value})
    changed = client.patch(loaf, json={field: value})
    assert [created.status_code, changed.status_code] == [400, 400]
    assert field in changed.text


def test_a_diff_names_declared_fields(environment: Environment, client: httpx.Client):
    loaf = make_loaf(client, title="Rye", count=1, colour="brown")
    run = environment.run()
    client.patch(loaf, json={"count": 2})
    (update,) = run.diff()["updates"]
    assert update["changed"] == ["count"]
    assert (update["before"]["count"], update["after"]["count"]) == (1, 2)


def test_a_document_of_another_scope_is_not_found(client: httpx.Client):
    loaf = make_loaf(client, title="Rye").rpartition("/")[2]
    other = client.post("/shelves", json={"name": "Low"}).json()["id"]
    for verb in ("GET", "PATCH", "DELETE"):
        assert client.request(verb, f"/shelves/{other}/loaves/{loaf}", json={}).status_code == 404
    assert client.get("/shelves/77/loaves").status_code == 404


def test_lists_filter_search_and_refuse_what_is_not_served(client: httpx.Client):
    listing = make_loaf(client, title="Rye", sliced=True).rpartition("/")[0]
    assert len(client.get(listing, params={"cut": "true", "search": "ry"}).json()) == 1
    assert client.get(listing, params={"cut": "false"}).json() == []
    assert client.get(listing, params={"search": "oat"}).json() == []
    refused = client.get(listing, params={"order_by": "title"})
    assert (refused.status_code, "order_by" in refused.text) == (501, True)


def test_a_list_shows_all_documents(client: httpx.Client):
    for _ in range(3):
        client.post("/shelves", json={"name": "Top"})
    assert len(client.get("/shelves").json()) == 3


@pytest.mark.parametrize("declared", ["title", "title: texts", "a: text; a: list"])
def test_a_declaration_that_says_no_type_is_refused(declared: str):
    with pytest.raises(ValueError, match="declar"):
        read_field_types(declared)


def test_collections_of_a_table_declare_the_same_fields():
    other = DocumentCollection(table="loaves", path="/loaves", style=CollectionStyle(), fields="title: text")
    with pytest.raises(TypeError, match="same fields"):
        list_tables((LOAVES, other))
