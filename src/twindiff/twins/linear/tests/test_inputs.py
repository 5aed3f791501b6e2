"""Every plain field of every create and update that is served is kept or refused: none is dropped without a word.

What is taken and shown otherwise stands in a table here, with the reason.
"""

from __future__ import annotations

from typing import Any

import pytest
from graphql import get_named_type, get_nullable_type, is_enum_type, is_leaf_type, is_list_type

from twindiff.kit.graphql.surface import input_field
from twindiff.twins.linear import twin

from .conftest import AGENT, Linear
from .furnished import PAYLOAD_FIELDS, furnish, new_inputs, others, updates

ADMIN = "f64e5521-ab35-5162-95d2-b7646003a0bb"
COLLEAGUE = "2549989f-09d7-573a-815d-90eb391db410"
TOKENS = {f"lin_api_{user}": user for user in (AGENT, ADMIN, COLLEAGUE)}
SCHEMA: Any = twin.api.schema
VALUES: dict[str, Any] = {
    "String": "changed", "Int": 3, "Float": 3.0, "Boolean": True, "DateTime": "2031-02-03T04:05:06.000Z",
    "TimelessDate": "2031-02-03", "JSONObject": {"a": 1}, "JSON": {"a": 1},
}  # fmt: skip
SPECIAL: dict[str, Any] = {
    "color": "#654321", "url": "https://example.com/changed", "logoUrl": "https://example.com/changed.png",
    "email": "changed@example.com", "key": "CHG", "slugId": "changed", "urlKey": "changed",
}  # fmt: skip
REFUSED = object()
PERSONAL = ("notification", "notificationSubscription", "favorite", "customView", "comment", "userSettings")
"""Entities that only their owner changes."""
OTHERWISE: dict[str, set[str]] = {
    "initiativeToProject": {"sortOrder"},  # a number that Linear shows as a text
    "roadmapToProject": {"sortOrder"},  # likewise
}
"""Fields by entity that an input takes and an answer shows otherwise."""


def plain_fields(spec: Any, kind: Any, surface: str) -> dict[str, Any]:
    """The fields of an input that stand for one field of the entity, with a valid value of each.

    A text given as a document has tests of its own.
    """
    shown = SCHEMA.get_type(spec.name).fields
    examples: dict[str, Any] = {}
    for word in getattr(twin.model.surfaces[spec.name], surface):
        name, _ = input_field(spec, word)
        field = spec.fields.get(word.name)
        if (
            field is None
            or field.kind != "column"
            or name in ("id", "bodyData")
            or name not in kind.fields
            or name not in shown
            or not is_leaf_type(get_named_type(shown[name].type))
        ):
            continue
        value = example(kind.fields[name].type, name)
        if value is not None:
            examples[name] = value
    return examples


def example(kind: Any, name: str) -> Any:
    bare = get_nullable_type(kind)
    if is_list_type(bare):
        item = example(bare.of_type, name)
        return None if item is None else [item]
    if is_enum_type(bare):
        return list(bare.values)[-1]
    return SPECIAL.get(name, VALUES.get(get_named_type(bare).name))


def inputs_of(surface: str) -> dict[str, dict[str, Any]]:
    """The plain fields of the inputs of all roots of a surface, by entity."""
    roots, inputs = SCHEMA.mutation_type.fields, dict[str, dict[str, Any]]()
    for spec in twin.model.entities.values():
        entity = spec.name[:1].lower() + spec.name[1:]
        root = roots.get(f"{entity}{surface.capitalize()}")
        fields = plain_fields(spec, get_named_type(root.args["input"].type), surface) if root else {}
        if fields:
            inputs[entity] = fields
    return inputs


INPUTS = {surface: inputs_of(surface) for surface in ("create", "update")}


@pytest.fixture(scope="module")
def stocked(platform):
    """The name of the rich workspace with one of everything besides, and the ids in it."""
    environment = platform.environment("linear:linear_workspace", ADMIN, tokens=TOKENS)
    ids = furnish(Linear(environment), others(Linear(environment, ADMIN)) | {"colleague": COLLEAGUE})
    name = f"stocked_{environment.id}"
    platform.post("templates/from-environment", {"environmentId": environment.id, "service": "linear", "name": name})
    return name, ids


@pytest.fixture
def changed(platform, stocked):
    """What an entity shows of a field after an update of it, in a fresh workspace; REFUSED when it is not taken."""
    name, ids = stocked

    def change(surface, entity, field, value):
        user = AGENT if entity in PERSONAL else ADMIN
        linear = Linear(platform.environment(f"linear:{name}", user, tokens=TOKENS), user)
        root = f"{entity}{surface.capitalize()}"
        takes = SCHEMA.mutation_type.fields[root].args
        payload = PAYLOAD_FIELDS.get(entity, entity)
        key = f'id: "{ids[entity]}", ' if "id" in takes else ""
        query = (
            f"mutation($input: {get_named_type(takes['input'].type).name}!) "
            f"{{ {root}({key}input: $input) {{ {payload} {{ kept: {field} }} }} }}"
        )
        besides = updates(ids).get(root, {}) if surface == "update" else new_inputs(ids)[root]
        answer = linear.ask(query, input={**besides, field: value})
        if "errors" in answer:
            assert [error["extensions"]["code"] for error in answer["errors"]] == ["INVALID_INPUT"], answer
            return REFUSED
        return answer["data"][root][payload]["kept"]

    return change


@pytest.mark.parametrize(("surface", "entity"), [(surface, entity) for surface in INPUTS for entity in INPUTS[surface]])
def test_what_an_input_says_is_kept_or_refused(stocked, changed, surface, entity):
    ids = stocked[1]
    if entity not in ids or (surface == "create" and f"{entity}Create" not in new_inputs(ids)):
        pytest.skip("the workspace has none")
    given = INPUTS[surface][entity]
    shown = {field: changed(surface, entity, field, value) for field, value in given.items()}
    dropped = {field for field, value in given.items() if shown[field] not in (value, REFUSED)}
    assert dropped == OTHERWISE.get(entity, set()) & given.keys(), shown
