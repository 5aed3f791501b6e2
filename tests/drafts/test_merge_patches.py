"""What PATCH does to objects inside fields."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twindiff.local import Twindiff

from .bakery import answer, ref
from .conftest import make_twin

JSON, MERGE = "application/json", "application/merge-patch+json"
TEXT = {"type": "string"}


def describe_filling(kind: str) -> dict[str, Any]:
    properties = {"kind": {"enum": [kind]}, kind: TEXT}
    return {"type": "object", "required": [kind], "additionalProperties": False, "properties": properties}


RECIPE: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "id": TEXT,
        "name": TEXT,
        "free": {"type": "object"},
        "oven": {
            "type": "object",
            "properties": {
                "heat": {"type": "integer"},
                "note": {"type": ["string", "null"]},
                "fan": {"type": "boolean"},
            },
        },
        "owner": {"type": "object", "properties": {"id": TEXT, "nick": TEXT}},
        "filling": {"oneOf": [describe_filling("jam"), describe_filling("nut")]},
    },
}
OVEN: dict[str, Any] = RECIPE["properties"]["oven"]["properties"]
PART: dict[str, Any] = {
    "type": "object",
    "properties": {
        **RECIPE["properties"],
        "oven": {"type": "object", "properties": {**OVEN, "heat": {"type": ["integer", "null"]}}},
    },
}


def describe_recipes(*types: str) -> dict[str, Any]:
    change = {kind: {"schema": ref("Part" if kind == JSON else "Recipe")} for kind in types}
    made = {"content": {JSON: {"schema": ref("Recipe")}}}
    shown = answer(ref("Recipe"))
    return {
        "openapi": "3.1.0",
        "info": {"title": "Recipes"},
        "paths": {
            "/recipes": {"post": {"requestBody": made, "responses": shown}},
            "/recipes/{id}": {
                "get": {"responses": shown},
                "patch": {"requestBody": {"content": change}, "responses": shown},
            },
        },
        "components": {"schemas": {"Recipe": RECIPE, "Part": PART, "Problem": {"type": "object"}}},
    }


def open_recipes(*types: str) -> Iterator[httpx.Client]:
    with (
        Twindiff(twins=[make_twin(None, describe_recipes(*types))]) as here,
        here.create("bakery:bakery_base") as made,
        httpx.Client(transport=here.transport(made, "bakery"), base_url="https://recipes.test") as client,
    ):
        yield client


@pytest.fixture(scope="module")
def both() -> Iterator[httpx.Client]:
    """Recipes that plain bodies change, and merge patches."""
    yield from open_recipes(JSON, MERGE)


def change(client: httpx.Client, before: dict[str, Any], patch: Any, kind: str) -> httpx.Response:
    made = client.post("/recipes", json={"name": "Rye", **before})
    assert made.status_code == 200, made.text
    path = f"/recipes/{made.json()['id']}"
    changed = client.patch(path, json=patch, headers={"Content-Type": kind})
    assert changed.status_code != 200 or client.get(path).json() == changed.json()
    return changed


def test_a_merge_patch_removes_what_it_has_as_null_at_any_depth(both: httpx.Client):
    before = {"free": {"a": {"b": {"c": 1, "d": 2}}, "e": 3}}
    changed = change(both, before, {"free": {"a": {"b": {"c": None, "f": {"g": None}}}, "e": None}}, MERGE).json()
    assert changed["free"] == {"a": {"b": {"d": 2, "f": {}}}}


def test_a_plain_patch_keeps_the_rest_of_an_object_at_any_depth(both: httpx.Client):
    before = {"free": {"a": {"b": 1, "c": [1, 2]}, "d": 2}}
    changed = change(both, before, {"free": {"a": {"c": [3]}}}, JSON).json()
    assert changed["free"] == {"a": {"b": 1, "c": [3]}, "d": 2}


def test_a_null_of_a_plain_patch_stays_only_where_the_schema_takes_it(both: httpx.Client):
    before = {"oven": {"heat": 220, "note": "hot", "fan": True}, "free": {"a": 1}}
    changed = change(both, before, {"oven": {"heat": None, "note": None}, "free": {"a": None}}, JSON).json()
    assert (changed["oven"], changed["free"]) == ({"fan": True}, {"a": None})


def test_an_object_with_another_key_takes_the_place_of_the_first(both: httpx.Client):
    changed = change(both, {"owner": {"id": "1", "nick": "Ada"}}, {"owner": {"id": "2"}}, JSON).json()
    assert changed["owner"] == {"id": "2"}


JAM, NUT = {"kind": "jam", "jam": "plum"}, {"kind": "nut", "nut": "pecan"}


def test_an_object_that_does_not_go_with_the_one_before_takes_its_place(both: httpx.Client):
    changed = change(both, {"filling": JAM}, {"filling": NUT}, JSON).json()
    assert changed["filling"] == NUT


def test_a_merge_patch_may_lack_what_its_schema_requires():
    for client in open_recipes(MERGE):
        assert change(client, {}, {"free": {"a": 1}}, MERGE).json()["name"] == "Rye"


@pytest.mark.parametrize("patch", [{"name": None}, {"name": 5}, []])
def test_a_merge_patch_neither_removes_what_is_required_nor_breaks_the_schema(patch: Any):
    for client in open_recipes(MERGE):
        assert change(client, {}, patch, MERGE).status_code == 422


def test_every_body_is_a_merge_patch_where_the_description_has_no_other():
    for client in open_recipes(MERGE):
        assert change(client, {"free": {"a": 1, "b": 2}}, {"free": {"a": None}}, JSON).json()["free"] == {"b": 2}


def test_a_type_that_the_description_lacks_makes_no_merge_patch():
    for client in open_recipes(JSON):
        changed = change(client, {"free": {"a": 1}}, {"name": "Rye", "free": {"a": None}}, MERGE)
        assert changed.json()["free"] == {"a": None}


def follow_rfc_7396(target: Any, patch: Any) -> Any:
    """https://www.rfc-editor.org/rfc/rfc7396#section-2, as it stands there."""
    if not isinstance(patch, dict):
        return patch
    result: dict[str, Any] = dict(target) if isinstance(target, dict) else {}  # pyright: ignore[reportUnknownArgumentType]
    for name, value in patch.items():  # pyright: ignore[reportUnknownVariableType]
        if value is None:
            result.pop(str(name), None)  # pyright: ignore[reportUnknownArgumentType]
        else:
            result[str(name)] = follow_rfc_7396(result.get(str(name)), value)  # pyright: ignore[reportUnknownArgumentType]
    return result


NAMES = st.sampled_from(["a", "b", "id", "", "$ref", "a.b"])
LEAVES = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "x", "$a"])
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3))
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(before=OBJECTS, patch=OBJECTS)
def test_merge_patches_do_what_rfc_7396_says(both: httpx.Client, before: dict[str, Any], patch: dict[str, Any]):
    changed = change(both, {"free": before}, {"free": patch}, MERGE).json()
    assert changed["free"] == follow_rfc_7396(before, patch)
