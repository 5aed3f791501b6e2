"""What bodies of a drafted twin set: only what the schema of the request has."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from twindiff.drafts.documents import describe
from twindiff.drafts.overlay import Overlay
from twindiff.drafts.resources import PathRole, ResourceMap
from twindiff.drafts.schemas import SchemaSet
from twindiff.drafts.slashed_names import MAX_READINGS, SlashedNames
from twindiff.drafts.tables import store_resources
from twindiff.local import Twindiff

from .conftest import make_twin

LETTER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "text": {"type": "string"},
        "pages": {"type": "integer"},
        "counts": {"type": "array", "items": {"type": "integer"}},
        "status": {"type": "string", "enum": ["draft", "sent"]},
        "author": {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}},
        "stamps": {"type": "integer", "readOnly": True},
        "tags": {"type": "array", "items": {"type": "object"}},
        "created_at": {"type": "string", "format": "date-time"},
    },
}
COUNTS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
TEXT: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "pages": {"type": "integer"}, "counts": COUNTS},
}
ID = {"properties": {"id": {"type": "string", "readOnly": True}}}
TAG = {
    "oneOf": [
        {"allOf": [ID, {"properties": {"hue": {}}}], "required": ["hue"]},
        {"properties": {"size": {}}, "required": ["size"]},
    ]
}
NESTED: dict[str, Any] = {
    "type": "object",
    "properties": {"author": {"$ref": "#/components/schemas/Author"}, "tags": {"type": "array", "items": TAG}},
}
OPEN: dict[str, Any] = {"type": "object", "additionalProperties": True, "properties": {"text": {"type": "string"}}}
NAMED = {
    "type": "object",
    "additionalProperties": {"type": "object", "properties": {"hue": {}, "size": {"readOnly": True}}},
}
CLOSED = {"type": "object", "properties": {"name": {"type": "string"}}}
OUTER: dict[str, Any] = {
    "type": "object",
    "additionalProperties": True,
    "properties": {"author": CLOSED, "tags": {"type": "array", "items": NAMED}},
}
FORGED: dict[str, Any] = {
    "id": "mine",
    "status": "sent",
    "author": {"id": "eve"},
    "stamps": 9,
    "created_at": "1999-01-01T00:00:00Z",
    "nothing": 1,
}


def takes(schema: dict[str, Any], kind: str = "application/json") -> dict[str, Any]:
    shown = {"200": {"content": {"application/json": {"schema": LETTER}}}}
    return {"requestBody": {"content": {kind: {"schema": schema}}}, "responses": shown}


def below(name: str, schema: dict[str, Any], kind: str = "application/json") -> dict[str, Any]:
    """A collection of letters whose every writing operation takes a schema."""
    listed = {"200": {"content": {"application/json": {"schema": {"type": "array", "items": LETTER}}}}}
    one = {"200": {"content": {"application/json": {"schema": LETTER}}}}
    writes = takes(schema, kind)
    return {
        f"/{name}": {"get": {"responses": listed}, "post": writes},
        f"/{name}/{{id}}": {"get": {"responses": one}, "patch": writes, "put": writes},
        f"/{name}/{{id}}/send": {"post": writes},
        f"/{name}/upsert": {"post": writes},
        f"/boxes/{{box_id}}/{name}": {"post": writes, "get": {"responses": listed}},
    }


OFFICE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Office"},
    "paths": {
        **below("letters", TEXT),
        **below("forms", TEXT, "application/x-www-form-urlencoded"),
        **below("parts", TEXT, "multipart/form-data"),
        **below("wrapped", {"type": "object", "properties": {"data": TEXT}}),
        **below("open", OPEN),
        **below("free", {"type": "object"}),
        **below("unevaluated", {"properties": {"text": {"type": "string"}}, "unevaluatedProperties": True}),
        **below("nested", NESTED),
        **below("outer", OUTER),
    },
    "components": {
        "schemas": {"Author": {"type": "object", "properties": {"id": {"type": "string", "readOnly": True}}}}
    },
}


@pytest.fixture(scope="module")
def office() -> Iterator[httpx.Client]:
    with Twindiff(twins=[make_twin(document=OFFICE)]) as here, here.create("bakery:bakery_base") as environment:
        transport = here.transport(environment, "bakery")
        yield httpx.Client(transport=transport, base_url="https://office.test")


def send(office: httpx.Client, verb: str, path: str, fields: dict[str, Any]) -> httpx.Response:
    kind = path.strip("/").split("/")[0]
    plain = {name: value for name, value in fields.items() if not isinstance(value, dict)}
    match kind:
        case "forms":
            answer = office.request(verb, path, data=plain)
        case "parts":
            answer = office.request(verb, path, files={name: (None, str(each)) for name, each in plain.items()})
        case "wrapped":
            answer = office.request(verb, path, json={"data": fields})
        case _:
            answer = office.request(verb, path, json=fields)
    assert answer.status_code == 200, answer.text
    return answer


WRITES = [("POST", ""), ("PATCH", "/{id}"), ("PUT", "/{id}"), ("POST", "/{id}/send"), ("POST", "/upsert")]


@pytest.mark.parametrize("kind", ["letters", "forms", "parts", "wrapped"])
@pytest.mark.parametrize(("verb", "path"), WRITES)
def test_a_body_sets_only_what_its_schema_has_and_the_rest_is_named(
    office: httpx.Client, kind: str, verb: str, path: str
):
    made = send(office, "POST", f"/{kind}", {"text": "a"}).json()
    answer = send(office, verb, f"/{kind}{path}".replace("{id}", made["id"]), {"text": "b", **FORGED})
    shown = answer.json()
    sent = "sent" if path.endswith("send") else "draft"
    assert (shown["text"], shown["id"] != "mine", shown["status"]) == ("b", True, sent)
    assert (shown.get("author"), shown.get("stamps"), shown["created_at"][:4] > "1999") == (None, None, True)
    ignored = {"nothing", "stamps", "id", "status", "created_at"} | (
        {"author"} if kind in ("letters", "wrapped") else set()
    )
    assert set(answer.headers["X-Twindiff-Drafted"].partition("ignored=")[2].split(",")) == ignored


def test_a_body_below_another_object_sets_only_what_its_schema_has(office: httpx.Client):
    assert send(office, "POST", "/boxes/b/letters", {"text": "b", "status": "sent"}).json()["status"] == "draft"


@pytest.mark.parametrize("kind", ["open", "free"])
@pytest.mark.parametrize(("verb", "path"), WRITES)
def test_a_schema_without_bounds_leaves_ids_times_and_what_only_answers_have_alone(
    office: httpx.Client, kind: str, verb: str, path: str
):
    made = send(office, "POST", f"/{kind}", {"text": "a"}).json()
    answer = send(office, verb, f"/{kind}{path}".replace("{id}", made["id"]), {"text": "b", **FORGED})
    shown = answer.json()
    assert (shown["author"], shown["id"] != "mine", shown.get("stamps")) == ({"id": "eve"}, True, None)
    assert shown["created_at"][:4] > "1999"
    assert "ignored=created_at,id,nothing,stamps" in answer.headers["X-Twindiff-Drafted"]


def test_objects_inside_a_body_set_only_what_their_schemas_have(office: httpx.Client):
    tags = [{"hue": 1, "id": "t", "name": "x"}, {"size": 2, "name": "y"}]
    answer = send(office, "POST", "/nested", {"author": {"id": "ada", "name": "Eve"}, "tags": tags})
    assert (answer.json()["author"], answer.json()["tags"]) == ({"id": "ada"}, [{"hue": 1, "id": "t"}, {"size": 2}])
    assert "ignored=author.name,tags.name" in answer.headers["X-Twindiff-Drafted"]


def test_names_that_no_header_holds_and_those_beyond_twenty_are_told_all_the_same(office: httpx.Client):
    answer = send(office, "POST", "/letters", {"é,\n": 1, **{f"x{number:02}": 1 for number in range(22)}})
    told = answer.headers["X-Twindiff-Drafted"].partition("ignored=")[2].split(",")
    assert (told[0], told[-1], len(told)) == ("x00", "+3", 21)
    answer = send(office, "POST", "/letters", {"é,\n": 1})
    assert answer.headers["X-Twindiff-Drafted"].endswith("ignored=%C3%A9%2C%0A")


def test_null_stays_null_where_bodies_may_give_numbers_as_texts():
    schema = {"type": ["array", "null"], "items": {"type": "integer"}}
    document = {**OFFICE, "paths": below("letters", {"type": "object", "properties": {"tags": schema}})}
    with (
        Twindiff(twins=[make_twin(Overlay(number_texts=True), document)]) as here,
        here.create("bakery:bakery_base") as e,
    ):
        office = httpx.Client(transport=here.transport(e, "bakery"), base_url="https://office.test")
        assert send(office, "POST", "/letters", {"tags": None}).json().get("tags") in (None, [])


def test_a_number_of_more_than_64_bits_is_refused(office: httpx.Client):
    content = b'{"pages": 3548471404985227400000000000000000}'
    refused = office.post("/letters", content=content, headers={"Content-Type": "application/json"})
    assert (refused.status_code, "pages" in refused.text) == (400, True)


def test_numbers_of_a_form_stand_between_commas(office: httpx.Client):
    assert send(office, "POST", "/forms", {"counts": "1,2"}).json()["counts"] == [1, 2]
    assert office.post("/forms", data={"counts": "1,b"}).status_code == 400


def test_a_schema_with_unevaluated_properties_is_open(office: httpx.Client):
    assert send(office, "POST", "/unevaluated", {"status": "sent"}).json()["status"] == "sent"


def test_what_an_open_object_has_inside_is_as_open_as_its_own_schema_says(office: httpx.Client):
    given = {"author": {"name": "Ada", "id": "eve"}, "tags": [{"first": {"hue": 1, "size": 2}}]}
    answer = send(office, "POST", "/outer", given)
    assert (answer.json()["author"], answer.json()["tags"]) == ({"name": "Ada"}, [{"first": {"hue": 1}}])
    assert answer.headers["x-twindiff-drafted"] == "derived; ignored=author.id,tags.first.size"


def test_a_path_has_a_bounded_number_of_readings():
    role = PathRole("group", "member", (), "id")
    below_it = PathRole("project", "member", ("id",), "name")
    row = store_resources(ResourceMap(describe({**OFFICE, "paths": below("letters", TEXT)}), SchemaSet({})))["letter"]
    roles = {"/{id}": role, "/{id}/{name}": below_it, "/{id}/{name}/{other}": below_it}
    names = SlashedNames(roles, {"group": row, "project": row}, {row.table})
    assert 20 < len([*names.read_paths("/" + "/".join("abc" * 30))]) <= MAX_READINGS


def test_a_long_number_in_a_field_that_is_ignored_is_no_reason_to_refuse():
    with Twindiff(twins=[make_twin(Overlay(number_texts=True))]) as here, here.create("bakery:bakery_base") as made:
        client = httpx.Client(transport=here.transport(made, "bakery"), base_url="https://api.bakery.test/v1")
        given = client.post("/customers", json={"name": "Ada", "steps": 10**30, "tags": [{"size": 10**40}]})
        assert given.status_code == 201, given.text


def test_what_the_query_gives_is_stored_where_no_body_is_described():
    shown = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Card"}}}}}
    named = [{"name": each, "in": "query", "schema": {"type": "string"}} for each in ("name", "idList", "pos")]
    card = {"type": "object", "properties": {each: {"type": "string"} for each in ("id", "name", "idList")}}
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    document = {
        "openapi": "3.0.0",
        "info": {"title": "Cards"},
        "paths": {
            "/cards": {"post": {"parameters": named, "responses": shown}},
            "/cards/{id}": {
                "parameters": [key],
                "get": {"responses": shown},
                "put": {"parameters": named, "responses": shown},
            },
        },
        "components": {"schemas": {"Card": card}},
    }
    with Twindiff(twins=[make_twin(None, document)]) as here, here.create("bakery:bakery_base") as made:
        client = httpx.Client(transport=here.transport(made, "bakery"), base_url="https://cards.test")
        card = client.post("/cards", params={"name": "Rye", "idList": "l1", "pos": "top"})
        assert "ignored=pos" in card.headers["X-Twindiff-Drafted"]
        path = f"/cards/{card.json()['id']}"
        assert client.put(path, params={"name": "Oat"}).json() == {**card.json(), "name": "Oat"}
        assert client.get(path).json()["idList"] == "l1"


@pytest.mark.parametrize(("size", "status"), [(2**63 - 1, 200), (2**63, 400), (-(2**63), 400), (10**400, 400)])
def test_a_number_that_no_column_holds_is_refused_in_the_query_too(size: int, status: int):
    shown = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Card"}}}}}
    sizes = [{"name": "size", "in": "query", "schema": {"type": "integer"}}]
    card = {"type": "object", "properties": {"id": {"type": "string"}, "size": {"type": "integer"}}}
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    document = {
        "openapi": "3.0.0",
        "info": {"title": "Cards"},
        "paths": {
            "/cards": {"post": {"parameters": sizes, "responses": shown}},
            "/cards/{id}": {"parameters": [key], "get": {"responses": shown}},
        },
        "components": {"schemas": {"Card": card}},
    }
    with Twindiff(twins=[make_twin(None, document)]) as here, here.create("bakery:bakery_base") as made:
        client = httpx.Client(transport=here.transport(made, "bakery"), base_url="https://cards.test")
        assert client.post("/cards", params={"size": size}).status_code == status
