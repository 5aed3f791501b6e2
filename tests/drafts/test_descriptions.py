"""Which descriptions are read, and what is said of those that cannot be."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from twindiff.cli.drafts import draft_twins
from twindiff.cli.problem import CommandError
from twindiff.drafts.documents import MAX_OPERATIONS, DescriptionError, describe, read_description
from twindiff.drafts.drafting import Draft
from twindiff.environments.registry import DRAFTS_VARIABLE
from twindiff.local import Twindiff

from .bakery import BAKERY

SHARED = Path(__file__).parents[3] / "shared" / "specs"
SWAGGER: dict[str, Any] = {
    "swagger": "2.0",
    "host": "api.shop.test",
    "basePath": "/v2",
    "paths": {
        "/pets/{petId}": {
            "get": {
                "parameters": [{"name": "petId", "in": "path", "required": True, "type": "integer"}],
                "responses": {"200": {"schema": {"$ref": "#/definitions/Pet"}}},
            },
            "put": {
                "parameters": [{"name": "body", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}],
                "responses": {"200": {"schema": {"$ref": "#/definitions/Pet"}}},
            },
        }
    },
    "definitions": {"Pet": {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}},
}
DISCOVERY: dict[str, Any] = {
    "discoveryVersion": "v1",
    "rootUrl": "https://pets.example.com/",
    "servicePath": "pets/v1/",
    "schemas": {"Pet": {"id": "Pet", "properties": {"id": {"type": "string"}, "kind": {"type": "string"}}}},
    "resources": {
        "pets": {
            "methods": {
                "get": {
                    "id": "pets.get",
                    "path": "pets/{petId}",
                    "httpMethod": "GET",
                    "parameters": {"petId": {"type": "string", "location": "path", "required": True}},
                    "response": {"$ref": "Pet"},
                }
            }
        }
    },
}


@pytest.mark.parametrize(
    ("document", "operations"),
    [
        (SWAGGER, ["GET /v2/pets/{petId}", "PUT /v2/pets/{petId}"]),
        (DISCOVERY, ["GET /pets/v1/pets/{petId}"]),
    ],
    ids=["swagger", "discovery"],
)
def test_swagger_and_discovery_documents_are_read_as_openapi(document: dict[str, Any], operations: list[str]):
    assert [each.name for each in describe(deepcopy(document)).operations] == operations


def test_a_description_in_yaml_is_the_one_in_json(tmp_path: Path):
    (tmp_path / "bakery.json").write_text(json.dumps(BAKERY))
    (tmp_path / "bakery.yaml").write_text(yaml.safe_dump(BAKERY))
    first, second = (read_description(tmp_path / f"bakery.{kind}") for kind in ("json", "yaml"))
    assert {(each.name, each.status) for each in first.operations} == {
        (each.name, each.status) for each in second.operations
    }


def test_an_overlay_beside_the_description_is_read_with_it(tmp_path: Path):
    (tmp_path / "bakery.json").write_text(json.dumps(BAKERY))
    (tmp_path / "bakery.twin.yaml").write_text("name: sweets\nseeds: {cakes: [{id: c1, name: Sacher}]}\n")
    twin = Draft.read(tmp_path / "bakery.json", "bakery").twin()
    assert twin.name == "sweets"
    assert [each["name"] for each in twin.templates["sweets_base"]()["cakes"]] == ["Sacher"]


def changed(**parts: Any) -> dict[str, Any]:
    return {**deepcopy(BAKERY), **parts}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not valid JSON"),
        ("[]", "no object at its top"),
        ("{}", "no 'paths'"),
        ('{"paths": {}}', "no operations"),
        ('{"paths": {"/a": 5}}', "not a valid description"),
        (
            json.dumps(changed(components={"schemas": {"Customer": {"$ref": "https://evil.test/x.json"}}})),
            "another document",
        ),
        (json.dumps({"paths": {f"/a{n}": {"get": {}} for n in range(MAX_OPERATIONS + 1)}}), "can be served"),
    ],
    ids=["empty", "a list", "nothing", "no paths", "a number for a path", "remote reference", "too many"],
)
def test_a_file_that_is_no_usable_description_is_refused_in_a_sentence(tmp_path: Path, text: str, said: str):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(DescriptionError, match=said):
        read_description(tmp_path / "bad.json")


@pytest.mark.parametrize(
    ("overlay", "said"),
    [
        ("resource: {}", "no key 'resource'. Did you mean 'resources'"),
        ("resources: {custmers: {}}", "Did you mean 'customers'"),
        ("actions: {POST /v1/orders/{order_number}/refund: {field: status, to: x}}", "not valid"),
        ("actions: {'POST /v1/refunds': {field: status, to: x}}", "names the operation 'POST /v1/refunds'"),
        ("a: &a [1]\nb: [*a, *a", "not valid"),
        ("resources: {customers: {computed: {n: {count: orders, where: x}}}}", "needs an object of conditions"),
        ("resources: {customers: {computed: {n: {case: [{when: 5, then: x}]}}}}", "needs an object of conditions"),
    ],
)
def test_an_overlay_that_names_what_there_is_not_is_refused(tmp_path: Path, overlay: str, said: str):
    (tmp_path / "bakery.json").write_text(json.dumps(BAKERY))
    (tmp_path / "bakery.twin.yaml").write_text(overlay)
    with pytest.raises(DescriptionError, match=said):
        Draft.read(tmp_path / "bakery.json", "bakery").twin()


ERRORS = ("paths", "/customers", "get", "responses", "404", "content", "application/json", "schema")
ODD_PARTS: list[tuple[tuple[str | int, ...], Any]] = [
    (ERRORS, ["x"]),
    ((*ERRORS, "$ref"), {"$ref": 5}),
    (("servers", 0, "url"), {"$ref": "#/components/schemas/Customer"}),
    (("paths", "/customers", "get", "parameters", 2, "name"), "a\0b"),
]


@pytest.mark.parametrize(("place", "value"), ODD_PARTS, ids=str)
def test_a_part_that_is_something_else_is_a_problem_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: tuple[str | int, ...], value: Any
):
    document: Any = deepcopy(BAKERY)
    node: Any = document
    for step in place[:-1]:
        node = node[step]
    node[place[-1]] = value
    (tmp_path / "bad.json").write_text(json.dumps(document))
    monkeypatch.setenv(DRAFTS_VARIABLE, "")
    with pytest.raises(CommandError, match=r"bad\.json is no description that can be served: \w+Error: "):
        draft_twins([f"bad={tmp_path / 'bad.json'}"])


def test_schemas_that_contain_themselves_and_references_in_circles_are_served(tmp_path: Path):
    document = deepcopy(BAKERY)
    schemas = document["components"]["schemas"]
    schemas["Cake"]["properties"]["parts"] = {"type": "array", "items": {"$ref": "#/components/schemas/Cake"}}
    schemas["Cake"]["properties"]["best"] = {"$ref": "#/components/schemas/Round"}
    schemas["Round"] = {"$ref": "#/components/schemas/Round"}
    (tmp_path / "bakery.json").write_text(json.dumps(document))
    assert Draft.read(tmp_path / "bakery.json", "bakery").twin().templates["bakery_base"]()["cakes"]


def test_references_that_double_at_each_level_do_not_grow_without_bound(tmp_path: Path):
    document = deepcopy(BAKERY)
    schemas = document["components"]["schemas"]
    for level in range(40):
        below = {"$ref": f"#/components/schemas/Level{level + 1}"}
        schemas[f"Level{level}"] = {"type": "object", "required": ["a", "b"], "properties": {"a": below, "b": below}}
    schemas["Level40"] = {"type": "string"}
    schemas["Cake"] = {"allOf": [{"$ref": "#/components/schemas/Level0"}]}
    (tmp_path / "bakery.json").write_text(json.dumps(document))
    assert len(Draft.read(tmp_path / "bakery.json", "bakery").twin().plans) == 12


@pytest.mark.parametrize(
    ("file", "least_served"),
    [
        ("asana/asana_oas.stripped.json", 0.75),
        ("box/openapi.json", 0.80),
        ("discord/openapi.json", 0.80),
        ("github/api.github.com.stripped.json", 0.80),
        ("google/gmail.v1.stripped.json", 0.75),
        ("jira/jira_cloud_v3_2025-12.stripped.json", 0.75),
        ("twilio/twilio_api_v2010.json", 0.95),
    ],
)
def test_most_operations_of_a_vendors_description_are_served(file: str, least_served: float):
    if not (SHARED / file).exists():
        pytest.skip(f"vendors' descriptions are absent: {SHARED / file}")
    plans = Draft.read(SHARED / file, "vendor").twin().plans
    assert sum(plan.confidence != "not served" for plan in plans) / len(plans) >= least_served


def test_paths_that_differ_in_a_fragment_are_ambiguous_whatever_the_last_of_them_answers():
    shapes = {"/pets": "object", "/pets#list": "array", "/pets#show": "object"}
    paths = {
        url: {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": kind}}}}}}}
        for url, kind in shapes.items()
    }
    document = {"openapi": "3.0.3", "info": {"title": "Pets", "version": "1"}, "paths": paths}
    (plan,) = Draft(describe(document), "pets").plans
    assert plan.operation.is_ambiguous


LIST = "openapi: 3.1.0\npaths: {/a: {get: {responses: {200: {content: {application/json: {schema: %s}}}}}}}\n"
YAML_BOMB = "".join(f"l{n}: &l{n} [{','.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 12))


def combine(kind: str) -> dict[str, Any]:
    """A description in which each of 40 schemas combines the next one twice."""
    levels = {f"L{n}": {kind: [{"$ref": f"#/components/schemas/L{n + 1}"}] * 2} for n in range(40)}
    return changed(components={"schemas": {**deepcopy(BAKERY)["components"]["schemas"], **levels, "L40": {}}})


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("bomb.yaml", f"l0: &l0 [x]\n{YAML_BOMB}{LIST % '{enum: *l11}'}", "where its aliases are written out"),
        ("round.yaml", LIST % "&s {properties: {me: *s}}", "an alias that stands for what holds it"),
        ("names.yaml", "paths: {? [a, b] : 5}", "a name that is no text"),
        *((f"{kind}.json", json.dumps(combine(kind)), "combines more than") for kind in ("allOf", "anyOf", "oneOf")),
        ("deep.json", json.dumps({"paths": {"/a/{b}" * 60: {"get": {}}}}), "longer than"),
        ("long.json", json.dumps({"paths": {"/" + "a" * 3000: {"get": {}}}}), "longer than"),
    ],
    ids=lambda value: value if len(value) < 12 else "",
)
def test_a_description_that_would_grow_without_bound_is_refused_in_a_sentence(
    tmp_path: Path, name: str, text: str, said: str
):
    (tmp_path / name).write_text(text)
    with pytest.raises(DescriptionError, match=said):
        read_description(tmp_path / name)


def test_dates_and_words_in_yaml_are_texts_and_names_are_as_they_are_written(tmp_path: Path):
    schema = "{enum: [no, on, 2026-01-01, 12:30, 010, 1.5, true, null], properties: {on: {}, 1: {}}}"
    (tmp_path / "a.yaml").write_text(LIST % schema)
    (operation,) = read_description(tmp_path / "a.yaml").operations
    assert operation.answer is not None
    assert operation.answer["enum"] == ["no", "on", "2026-01-01", "12:30", "010", 1.5, True, None]
    assert [*operation.answer["properties"]] == ["on", "1"]


def test_a_byte_order_mark_before_json_is_no_part_of_it(tmp_path: Path):
    (tmp_path / "bakery.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(BAKERY).encode())
    assert read_description(tmp_path / "bakery.json").operations


def test_a_base_whose_kinds_extend_it_is_served_with_the_fields_of_both():
    pet = {
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
    }
    kinds = {
        name: {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {name.lower(): {"type": "boolean"}}}]}
        for name in ("Cat", "Dog")
    }
    answer = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}
    paths = {"/pets": {"post": {"responses": answer}}, "/pets/{id}": {"get": {"responses": answer}}}
    draft = Draft(describe({"openapi": "3.1.0", "paths": paths, "components": {"schemas": {"Pet": pet, **kinds}}}), "p")
    read = next(plan for plan in draft.plans if plan.behaviour == "read")
    assert read.stored is not None
    assert {"id", "cat", "dog"} <= {*read.stored.columns}


def test_paths_that_differ_in_a_slash_at_their_end_are_one():
    paths: dict[str, Any] = {path: {"get": {"responses": {}}} for path in ("/a", "/a/", "/b/{x}", "/b/{y}/")}
    read = describe({"openapi": "3.1.0", "paths": paths})
    assert ([each.path for each in read.operations], len(read.left_out)) == (["/a", "/b/{x}"], 2)


NESTED_LISTS: dict[str, Any] = {
    f"L{number}": {"type": "array", "minItems": 50, "items": {"$ref": f"#/components/schemas/L{number + 1}"}}
    for number in range(9)
}
BOUNDED: dict[str, Any] = {
    "lists in lists": NESTED_LISTS,
    "large numbers": {"L0": {"type": "integer", "minimum": 1e300}},
}


@pytest.mark.parametrize("schemas", BOUNDED.values(), ids=BOUNDED)
def test_what_is_made_for_a_schema_has_a_bound(schemas: dict[str, Any]):
    document = changed(components={"schemas": {**deepcopy(BAKERY)["components"]["schemas"], **schemas, "L9": {}}})
    cake = document["components"]["schemas"]["Cake"]
    cake["properties"]["deep"], cake["required"] = {"$ref": "#/components/schemas/L0"}, ["id", "name", "deep"]
    twin = Draft(describe(document), "bakery").twin()
    with (
        Twindiff(twins=[twin]) as here,
        here.create("bakery:bakery_sample") as env,
        httpx.Client(transport=here.transport(env), base_url="https://bakery.test") as client,
    ):
        answer = client.get("/v1/cakes")
    assert (answer.status_code, len(answer.content) < 1_000_000) == (200, True)
