"""What a drafted twin does, called over HTTP."""

from copy import deepcopy
from typing import Any

import httpx
import pytest

from twindiff.client import Environment
from twindiff.drafts.overlay import Overlay, ResourceOverlay, Transition
from twindiff.local import Twindiff

from .bakery import BAKERY
from .conftest import make_twin


def add_customer(bakery: httpx.Client, **fields: Any) -> dict[str, Any]:
    made = bakery.post("/customers", json={"name": "Ada", **fields})
    assert made.status_code == 201, made.text
    return made.json()


def test_what_is_created_can_be_read_listed_changed_and_deleted(bakery: httpx.Client):
    ada = add_customer(bakery, email="ada@example.com")
    assert bakery.get(f"/customers/{ada['id']}").json() == ada
    changed = bakery.patch(f"/customers/{ada['id']}", json={"name": "Ada L."}).json()
    assert (changed["name"], changed["email"], changed["updated_at"]) == (
        "Ada L.",
        ada["email"],
        "2026-03-02T12:00:02Z",
    )
    assert bakery.get("/customers").json()["data"] == [changed]
    assert bakery.delete(f"/customers/{ada['id']}").status_code == 204
    assert bakery.get(f"/customers/{ada['id']}").status_code == 404


def test_the_diff_names_the_row_that_a_call_created(bakery: httpx.Client, environment: Environment):
    ada = add_customer(bakery)
    inserted = environment.diff()["inserts"]
    assert [(row["__table__"], row["id"], row["name"]) for row in inserted] == [("customers", ada["id"], "Ada")]


def test_ids_have_the_form_of_the_example_and_objects_the_times_of_the_clock(bakery: httpx.Client):
    ada = add_customer(bakery)
    assert ada["id"] == "customer_1001"
    assert ada["created_at"] == "2026-03-02T12:00:01Z"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 41}, "name"),
        ({"name": 5}, "name"),
        ({"name": "Ada", "email": "nobody"}, "email"),
    ],
)
def test_a_body_that_the_schema_refuses_is_refused_in_the_envelope_of_the_description(
    bakery: httpx.Client, given: dict[str, Any], field: str
):
    refused = bakery.post("/customers", json=given)
    assert refused.status_code == 422
    assert field in refused.json()["errors"][0]["message"]
    assert bakery.get("/customers").json()["total"] == 0


def test_what_only_requests_have_is_not_shown_and_what_only_answers_have_is_not_taken(bakery: httpx.Client):
    made = bakery.post("/customers", json={"name": "Ada", "pin": "1234", "created_at": "1999-01-01T00:00:00Z"})
    assert (made.status_code, "pin" in made.json(), made.json()["created_at"]) == (201, False, "2026-03-02T12:00:01Z")
    assert "ignored=created_at" in made.headers["X-Twindiff-Drafted"]


def test_the_longest_name_is_taken(bakery: httpx.Client):
    assert add_customer(bakery, name="x" * 40)["name"] == "x" * 40


def test_a_list_is_paged_by_its_cursor_and_says_what_follows(bakery: httpx.Client):
    names = [add_customer(bakery, name=f"c{number}")["name"] for number in range(5)]
    first = bakery.get("/customers", params={"limit": 3}).json()
    assert ([each["name"] for each in first["data"]], first["total"], first["has_more"]) == (names[:3], 5, True)
    rest = bakery.get("/customers", params={"limit": 3, "cursor": first["next_cursor"]}).json()
    assert ([each["name"] for each in rest["data"]], rest["has_more"], rest["next_cursor"]) == (names[3:], False, None)


@pytest.mark.parametrize("value", ["0", "101", "many"])
def test_a_limit_out_of_its_bounds_is_refused(bakery: httpx.Client, value: str):
    assert bakery.get("/customers", params={"limit": value}).status_code == 422


def test_a_cursor_that_no_page_gave_is_refused(bakery: httpx.Client):
    assert bakery.get("/customers", params={"cursor": "???"}).status_code == 422


def test_lists_are_filtered_and_sorted_by_fields(bakery: httpx.Client):
    add_customer(bakery, name="Bea", email="b@example.com")
    add_customer(bakery, name="Abe", email="a@example.com")
    assert [each["name"] for each in bakery.get("/customers?sort=name").json()["data"]] == ["Abe", "Bea"]
    assert [each["name"] for each in bakery.get("/customers?sort=-name").json()["data"]] == ["Bea", "Abe"]
    assert [each["name"] for each in bakery.get("/customers?email=b@example.com").json()["data"]] == ["Bea"]
    late = bakery.get("/customers?created_after=2026-03-02T12:00:01Z").json()["data"]
    assert [each["name"] for each in late] == ["Abe"]


def test_an_answer_names_the_parameters_whose_meaning_is_not_known(bakery: httpx.Client):
    assert "ignored=flavour" in bakery.get("/customers?flavour=plum").headers["X-Twindiff-Drafted"]
    assert "ignored" not in bakery.get("/customers").headers["X-Twindiff-Drafted"]


def test_an_answer_names_the_fields_that_are_guessed(bakery: httpx.Client):
    made = bakery.post("/customers", json={"name": "Ada"})
    assert made.headers["X-Twindiff-Drafted"] == "partly; guessed=loyalty"


def test_an_object_below_another_shows_it_and_is_listed_below_it_only(bakery: httpx.Client):
    ada, bea = add_customer(bakery), add_customer(bakery, name="Bea")
    order = bakery.post(f"/customers/{ada['id']}/orders", json={"note": "soon"}).json()
    assert (order["customer"]["name"], order["status"], order["number"]) == ("Ada", "pending", 1)
    assert bakery.get(f"/customers/{ada['id']}/orders").json()["data"] == [order]
    assert bakery.get(f"/customers/{bea['id']}/orders").json()["data"] == []
    assert bakery.get("/orders/1").json() == order


def test_nothing_is_made_below_an_object_that_does_not_exist(bakery: httpx.Client):
    assert bakery.post("/customers/nobody/orders", json={}).status_code == 404


def test_an_action_sets_the_state_or_the_flag_that_its_name_says(bakery: httpx.Client):
    ada = add_customer(bakery)
    bakery.post(f"/customers/{ada['id']}/orders", json={})
    assert bakery.post("/orders/1/pay").json()["status"] == "paid"
    assert bakery.post(f"/customers/{ada['id']}/archive").json()["archived"] is True


def test_an_action_whose_effect_is_not_known_is_not_served_and_changes_nothing(
    bakery: httpx.Client, environment: Environment
):
    ada = add_customer(bakery)
    before = environment.journal()
    refused = bakery.post(f"/customers/{ada['id']}/praise")
    assert refused.status_code == 501
    assert "what 'praise' changes is not known" in refused.json()["errors"][0]["message"]
    assert environment.journal() == before


def test_a_request_with_an_idempotency_key_is_done_once(bakery: httpx.Client):
    headers = {"Idempotency-Key": "k1"}
    first = bakery.post("/customers", json={"name": "Ada"}, headers=headers).json()
    assert bakery.post("/customers", json={"name": "Ada"}, headers=headers).json() == first
    assert bakery.post("/customers", json={"name": "Bea"}, headers=headers).status_code == 409
    assert bakery.get("/customers").json()["total"] == 1


def test_what_the_api_lists_and_cannot_create_is_there_from_the_beginning(bakery: httpx.Client):
    assert bakery.get("/cakes").json() == [{"id": "cake_1", "name": "cake 1"}]


def test_a_made_value_fits_exactly_one_of_the_alternatives_of_its_schema():
    document = deepcopy(BAKERY)
    text: dict[str, Any] = {"type": "string"}
    iced = {"type": "object", "required": ["icing"], "properties": {"icing": text}}
    plain = {"type": "object", "properties": {"cream": text}}
    cake = document["components"]["schemas"]["Cake"]
    cake["properties"]["topping"], cake["required"] = {"oneOf": [iced, plain]}, ["id", "topping"]
    with (
        Twindiff(twins=[make_twin(document=document)]) as local,
        local.create("bakery:bakery_base") as environment,
        httpx.Client(transport=local.transport(environment), base_url="https://api.bakery.test/v1") as client,
    ):
        assert client.get("/cakes").json()[0]["topping"] == {}


@pytest.mark.parametrize(("schema", "shown"), [({}, {}), ({"type": "boolean"}, False), ({"type": "integer"}, 0)])
def test_an_answer_that_shows_no_object_has_the_body_that_its_schema_admits(schema: dict[str, Any], shown: Any):
    document = deepcopy(BAKERY)
    changed = document["paths"]["/customers/{customer_id}"]["patch"]["responses"]["200"]
    changed["content"]["application/json"]["schema"] = schema
    with (
        Twindiff(twins=[make_twin(document=document)]) as local,
        local.create("bakery:bakery_sample") as environment,
        httpx.Client(transport=local.transport(environment), base_url="https://api.bakery.test/v1") as client,
    ):
        assert client.patch("/customers/customer_1", json={"name": "Ada"}).json() == shown


def test_the_same_calls_give_the_same_answers_in_another_environment(local: Twindiff):
    def act() -> list[str]:
        clock = {"mode": "steps", "start": "2026-03-02T12:00:00"}
        with local.create("bakery:bakery_sample", clock=clock) as environment:
            headers = {"Authorization": f"Bearer {environment.token}"}
            transport = local.transport(environment, "bakery")
            with httpx.Client(transport=transport, base_url="https://api.bakery.test/v1", headers=headers) as client:
                made = client.post("/customers", json={"name": "Ada"})
                return [made.text, client.get("/customers").text, client.get("/cakes").text]

    assert act() == act()


def test_an_overlay_says_states_ids_and_soft_deletion():
    overlay = Overlay(
        resources={"customers": ResourceOverlay(soft_delete="archived", defaults={"loyalty": 7})},
        actions={"POST /v1/customers/{customer_id}/praise": Transition(field="loyalty", to=9, from_=[7])},
    )
    with Twindiff(twins=[make_twin(overlay)]) as local, local.create("bakery:bakery_base") as environment:
        with httpx.Client(transport=local.transport(environment), base_url="https://api.bakery.test/v1") as bakery:
            ada = add_customer(bakery)
            assert ada["loyalty"] == 7
            assert bakery.post(f"/customers/{ada['id']}/praise").json()["loyalty"] == 9
            assert bakery.post(f"/customers/{ada['id']}/praise").status_code == 409
            bakery.delete(f"/customers/{ada['id']}")
            assert bakery.get("/customers").json()["data"] == []
        assert [row["archived"] for row in environment.diff()["inserts"]] == [True]


@pytest.mark.parametrize("item", ['say "hi"', "a\\b", "Käse", "7", "true", "a/b"])
def test_a_list_is_filtered_by_an_item_of_a_list_whatever_letters_it_has(bakery: httpx.Client, item: str):
    orders = f"/customers/{add_customer(bakery)['id']}/orders"
    wanted = bakery.post(orders, json={"items": ["bread", item]}).json()
    bakery.post(orders, json={"items": ["bread"]})
    assert wanted["items"] == ["bread", item]
    assert [each["id"] for each in bakery.get(orders, params={"items": item}).json()["data"]] == [wanted["id"]]


def test_operations_of_one_address_are_not_served_since_no_request_says_which_is_meant():
    document = deepcopy(BAKERY)
    document["paths"]["/cakes#slices"] = document["paths"]["/customers"]
    with (
        Twindiff(twins=[make_twin(document=document)]) as local,
        local.create("bakery:bakery_base") as environment,
        httpx.Client(transport=local.transport(environment, "bakery"), base_url="https://api.bakery.test/v1") as client,
    ):
        answer = client.get("/cakes")
    assert (answer.status_code, "other operations have its address" in answer.text) == (501, True)


def test_methods_after_a_colon_make_change_and_remove_whole_objects():
    document = deepcopy(BAKERY)
    customer = {"$ref": "#/components/schemas/Customer"}
    shown = {"responses": {"200": {"content": {"application/json": {"schema": customer}}}}}
    given = {"requestBody": {"content": {"application/json": {"schema": customer}}}}
    document["paths"]["/customers:createCustomer"] = {"post": {**given, **shown}}
    document["paths"]["/customers/{customer_id}:updateCustomer"] = {"patch": {**given, **shown}}
    document["paths"]["/customers/{customer_id}:deleteCustomer"] = {"delete": {"responses": {"200": {}}}}
    document["paths"]["/customers/{customer_id}:deleteCustomerPhoto"] = {"delete": shown}
    plans = {plan.operation.name.rpartition(":")[2]: plan for plan in make_twin(document=document).plans}
    expected = {"createCustomer": "create", "updateCustomer": "update", "deleteCustomer": "delete"}
    assert {name: plans[name].behaviour for name in expected} == expected
    assert plans["deleteCustomerPhoto"].behaviour == "missing"
    assert {plans[name].role.resource for name in expected} == {"customer"}
