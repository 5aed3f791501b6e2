"""What an overlay adds to a description, acted over HTTP."""

import hmac
import json
from base64 import b64decode
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from tests.harness import LiveServer, Platform
from tests.receiver import Receiver
from twindiff.client import Environment
from twindiff.drafts.documents import DescriptionError, describe
from twindiff.drafts.drafting import Draft, DraftedTwin
from twindiff.drafts.overlay import Overlay
from twindiff.environments.registry import Registry
from twindiff.local import Twindiff
from twindiff.server import Settings

from .bakery import BAKERY, answer, body, path, query, ref
from .conftest import make_twin

OVERLAY = """
errors:
  body: {error: {type: $code, text: $message}, fields: {$field: $problem}}
  codes: {"404": gone_fishing}
  statuses: {"400": 418}
resources:
  customers:
    id: {prefix: cus_, length: 8}
    defaults: {loyalty: 7}
    unique: [email]
    computed:
      orders_count: {count: orders, where: {customer.id: $id}}
      greeting: {text: "Dear ${name}"}
      rank: {case: [{when: {loyalty: {gt: 10}}, then: gold}], otherwise: plain}
  orders:
    states:
      field: status
      initial: pending
      moves: {pending: [paid, canceled], paid: []}
      refusal: {status: 423, code: wrong_state, message: Too late.}
  hooks:
    defaults: {secret: s3cret}
  crumbs: {schema: Crumb, key: ref, id: {kind: snowflake}}
operations:
  POST /v1/crumbs/drop: {does: create, table: crumbs, set: {color: $shade}, object: crumb}
  POST /v1/crumbs/find: {does: read, table: crumbs, by: {ref: $ref}}
  POST /v1/crumbs/list: {does: list, table: crumbs, where: {color: $shade}, lists: {items: found}}
  POST /v1/crumbs/eat: {does: delete, table: crumbs, by: {ref: $ref}, status: 202}
lists: {style: last_id, at: cursor, next: paging.next, total: paging.of, default_limit: 2}
actions:
  POST /v1/customers/{customer_id}/praise: {field: loyalty, to: 11, from: [7], set: {name: "Dear ${by}"}}
webhooks:
  events: {orders: {create: order.created, update: "order.${status}"}}
  body: {event: $event, order: $object, was: $previous}
  headers: {X-Event: $event}
  signature: {header: X-Signature, value: "v1=${signature}", signs: "${timestamp}.${body}", timestamp_header: X-Time}
  subscriptions: {table: hooks, url: target, events: topics}
variables: {tokens: {BAKERY_TOKEN: "bk-{secret}"}, urls: {BAKERY_URL: /v1}}
templates:
  busy: {cakes: [{id: c1, name: Sacher}, {id: c0, name: Linzer}]}
seed_parts:
  visits: {table: orders, fields: {note: $why}, find: {customer: {customers.name: $who}}}
  guests:
    table: customers
    fields: {name: $full_name, loyalty: 3}
    parts:
      orders: {table: orders, fields: {note: "${text}!", customer: {id: $parent.id}}}
"""


def with_more(document: dict[str, Any]) -> dict[str, Any]:
    """Return the description with subscriptions and with calls whose paths say nothing."""
    made = deepcopy(document)
    text = {"type": "string"}
    made["components"]["schemas"]["Hook"] = {
        "type": "object",
        "properties": {"id": text, "target": text, "secret": text, "topics": {"type": "array", "items": text}},
    }
    made["components"]["schemas"]["Crumb"] = {"type": "object", "properties": {"ref": text, "color": text}}
    made["components"]["schemas"]["Asked"] = {"type": "object", "properties": {"ref": text, "shade": text, "by": text}}
    for name, shown in {"drop": {"crumb": ref("Crumb")}, "find": None, "eat": None, "list": {"found": {}}}.items():
        schema = {"type": "object", "properties": shown} if shown else ref("Crumb")
        if name == "list":
            schema["properties"] = {"found": {"type": "array", "items": ref("Crumb")}}
        made["paths"][f"/crumbs/{name}"] = {"post": {"requestBody": body("Asked"), "responses": answer(schema)}}
    made["paths"]["/hooks"] = {"post": {"requestBody": body("Hook"), "responses": answer(ref("Hook"), "201")}}
    made["paths"]["/hooks/{id}"] = {"parameters": [path("id")], "get": {"responses": answer(ref("Hook"))}}
    made["paths"]["/customers/{customer_id}/praise"]["post"]["requestBody"] = body("Asked")
    made["paths"]["/orders/{order_number}"]["patch"] = {
        "requestBody": body("OrderChange"),
        "responses": answer(ref("Order")),
    }
    made["components"]["schemas"]["OrderChange"] = {"type": "object", "properties": {"status": text, "note": text}}
    shown = made["components"]["schemas"]["Customer"]["properties"]
    shown |= {"orders_count": {"type": "integer"}, "greeting": text, "rank": text}
    listed = made["paths"]["/customers"]["get"]
    listed["parameters"] += [query("rank"), query("orders_count", type="integer")]
    page = listed["responses"]["200"]["content"]["application/json"]["schema"]
    page["properties"]["paging"] = {"type": "object", "properties": {"next": text, "of": {"type": "integer"}}}
    return made


def read(text: str) -> Overlay:
    return msgspec.yaml.decode(text, type=Overlay)


@pytest.fixture(scope="module")
def local() -> Iterator[Twindiff]:
    with Twindiff(twins=[make_twin(read(OVERLAY), with_more(BAKERY))]) as here:
        yield here


@pytest.fixture
def environment(local: Twindiff) -> Iterator[Environment]:
    with local.create("bakery:bakery_base", clock={"mode": "steps", "start": "2026-03-02T12:00:00"}) as made:
        yield made


@pytest.fixture
def bakery(local: Twindiff, environment: Environment) -> Iterator[httpx.Client]:
    with open_bakery(local, environment) as client:
        yield client


def open_bakery(local: Twindiff, environment: Environment) -> httpx.Client:
    headers = {"Authorization": f"Bearer {environment.token}"}
    transport = local.transport(environment, "bakery")
    return httpx.Client(transport=transport, base_url="https://api.bakery.test/v1", headers=headers)


def make(bakery: httpx.Client, path: str, **fields: Any) -> dict[str, Any]:
    made = bakery.post(path, json=fields)
    assert made.is_success, made.text
    return made.json()


def test_computed_fields_are_shown_and_filter_lists(bakery: httpx.Client):
    ada, bea = make(bakery, "/customers", name="Ada"), make(bakery, "/customers", name="Bea")
    make(bakery, f"/customers/{ada['id']}/orders")
    shown = bakery.get(f"/customers/{ada['id']}").json()
    assert (shown["orders_count"], shown["greeting"], shown["rank"]) == (1, "Dear Ada", "plain")
    assert [each["id"] for each in bakery.get("/customers?orders_count=0").json()["data"]] == [bea["id"]]
    assert len(bakery.get("/customers?rank=plain").json()["data"]) == 2


def test_ids_and_defaults_are_those_of_the_overlay(bakery: httpx.Client):
    ada = make(bakery, "/customers", name="Ada")
    assert (ada["id"][:4], len(ada["id"]), ada["loyalty"]) == ("cus_", 12, 7)
    assert make(bakery, "/crumbs/drop", shade="red")["crumb"]["ref"].isdecimal()


def test_a_state_that_may_not_follow_is_refused_in_every_way_of_writing_it(bakery: httpx.Client):
    ada = make(bakery, "/customers", name="Ada")
    order = make(bakery, f"/customers/{ada['id']}/orders")
    assert make(bakery, f"/orders/{order['number']}/pay")["status"] == "paid"
    for refused in (
        bakery.post(f"/orders/{order['number']}/pay"),
        bakery.patch(f"/orders/{order['number']}", json={"status": "canceled"}),
    ):
        assert refused.status_code == 423, refused.text
        assert refused.json()["error"] == {"type": "wrong_state", "text": "Too late."}
    assert bakery.get(f"/orders/{order['number']}").json()["status"] == "paid"


def test_an_action_sets_further_fields_from_the_request_once(bakery: httpx.Client):
    ada = make(bakery, "/customers", name="Ada")
    praised = make(bakery, f"/customers/{ada['id']}/praise", by="Bob")
    assert (praised["loyalty"], praised["name"], praised["rank"]) == (11, "Dear Bob", "gold")
    assert bakery.post(f"/customers/{ada['id']}/praise", json={"by": "Bob"}).status_code == 409


@pytest.mark.parametrize(
    ("verb", "url", "given", "status", "said"),
    [
        (
            "GET",
            "/customers/nobody",
            None,
            404,
            {"error": {"type": "gone_fishing", "text": "No such customer: 'nobody'"}},
        ),
        (
            "POST",
            "/customers",
            {"name": 5},
            418,
            {"error": {"type": "invalid_parameter"}, "fields": {"name": "5 is not"}},
        ),
        ("GET", "/customers?limit=0", None, 418, {"error": {}, "fields": {"limit": "0 is less than"}}),
    ],
)
def test_refusals_have_the_shape_codes_and_statuses_of_the_overlay(
    bakery: httpx.Client, verb: str, url: str, given: Any, status: int, said: dict[str, Any]
):
    refused = bakery.request(verb, url, json=given)
    told = refused.json()
    assert (refused.status_code, told["error"]["type"]) == (status, said["error"].get("type", told["error"]["type"]))
    assert said["error"].get("text", "") in told["error"]["text"]
    assert {name: text[: len(said["fields"][name])] for name, text in told.get("fields", {}).items()} == said.get(
        "fields", {}
    )


def test_a_value_that_must_be_unique_is_refused_the_second_time(bakery: httpx.Client):
    ada = make(bakery, "/customers", name="Ada", email="a@example.com")
    bea = make(bakery, "/customers", name="Bea", email="b@example.com")
    assert bakery.post("/customers", json={"name": "Eve", "email": "a@example.com"}).status_code == 409
    assert bakery.patch(f"/customers/{bea['id']}", json={"email": "a@example.com"}).status_code == 409
    assert bakery.patch(f"/customers/{ada['id']}", json={"email": "a@example.com"}).status_code == 200


def test_pages_go_on_after_the_last_id_where_the_overlay_says(bakery: httpx.Client):
    ids = [make(bakery, "/customers", name=f"c{number}")["id"] for number in range(5)]
    first = bakery.get("/customers").json()
    assert first["paging"] == {"next": ids[1], "of": 5}
    last = bakery.get("/customers", params={"cursor": ids[3]}).json()
    assert ([each["id"] for each in last["data"]], last["paging"]) == ([ids[4]], {"of": 5})


def test_calls_whose_paths_say_nothing_do_what_the_overlay_says(bakery: httpx.Client):
    red = make(bakery, "/crumbs/drop", shade="red")["crumb"]
    make(bakery, "/crumbs/drop", shade="blue")
    assert red["color"] == "red"
    assert make(bakery, "/crumbs/find", ref=red["ref"]) == red
    assert make(bakery, "/crumbs/list", shade="red")["found"] == [red]
    assert len(make(bakery, "/crumbs/list")["found"]) == 2
    assert bakery.post("/crumbs/eat", json={"ref": red["ref"]}).status_code == 202
    assert bakery.post("/crumbs/find", json={"ref": red["ref"]}).status_code == 404


@pytest.mark.parametrize(("is_described", "keys"), [(False, {"fault"}), (True, {"errors"})])
def test_a_refusal_has_the_described_shape_where_the_overlay_says_so(is_described: bool, keys: set[str]):
    overlay = msgspec.convert({"errors": {"body": {"fault": "$code"}, "described": is_described}}, Overlay)
    with (
        Twindiff(twins=[make_twin(overlay)]) as local,
        local.create("bakery:bakery_base") as made,
        open_bakery(local, made) as client,
    ):
        assert client.get("/customers/nobody").json().keys() == keys


def test_a_code_of_zero_is_a_code():
    overlay = msgspec.convert({"errors": {"body": {"code": "$code"}, "codes": {"404": 0}}}, Overlay)
    with (
        Twindiff(twins=[make_twin(overlay)]) as local,
        local.create("bakery:bakery_base") as made,
        open_bakery(local, made) as client,
    ):
        assert client.get("/customers/nobody").json() == {"code": 0}


def test_a_body_for_our_code_is_used_where_the_vendor_has_a_code_of_its_own():
    errors = {"body": {"code": "$code"}, "bodies": {"not_found": {"gone": "$code"}}, "codes": {"404": 7}}
    overlay = msgspec.convert({"errors": errors}, Overlay)
    with (
        Twindiff(twins=[make_twin(overlay)]) as local,
        local.create("bakery:bakery_base") as made,
        open_bakery(local, made) as client,
    ):
        assert client.get("/customers/nobody").json() == {"gone": 7}


def test_an_object_with_a_key_is_shown_as_it_is_now_or_as_null():
    computed = {"customers": {"computed": {"latest_cake": {"one": "cakes", "key": "$email"}}}}
    document = deepcopy(BAKERY)
    cake = {"allOf": [{"$ref": "#/components/schemas/Cake"}], "nullable": True}
    document["components"]["schemas"]["Customer"]["properties"]["latest_cake"] = cake
    overlay = msgspec.convert({"resources": computed, "seeds": {"cakes": [{"id": "a@b.c", "name": "Linzer"}]}}, Overlay)
    with (
        Twindiff(twins=[make_twin(overlay, document)]) as local,
        local.create("bakery:bakery_base") as made,
        open_bakery(local, made) as client,
    ):
        shown = [make(client, "/customers", name="Ada", email=each)["latest_cake"] for each in ("a@b.c", "d@e.f")]
        assert shown == [{"id": "a@b.c", "name": "Linzer"}, None]


def test_a_template_of_the_overlay_keeps_the_order_of_its_rows(local: Twindiff):
    with local.create("bakery:bakery_busy") as made, open_bakery(local, made) as client:
        assert [each["name"] for each in client.get("/cakes").json()] == ["Sacher", "Linzer"]


def test_the_variables_of_clients_are_those_of_the_overlay():
    variables = make_twin(read(OVERLAY), with_more(BAKERY)).variables
    assert variables.values("http://x", "abc") == {"BAKERY_TOKEN": "bk-abc", "BAKERY_URL": "http://x/v1"}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    started = LiveServer(Settings(), Registry([make_twin(read(OVERLAY), with_more(BAKERY))]))
    yield started
    started.close()


def test_changes_are_told_to_subscribers_signed_and_in_the_shape_of_the_overlay(server: LiveServer, receiver: Receiver):
    made = Platform(server.client).environment("bakery:bakery_base")

    def act(path: str, **fields: Any) -> dict[str, Any]:
        return made.ask(f"v1{path}", json=fields).json()

    act("/hooks", target=receiver.url, topics=["order.*"])
    order = act(f"/customers/{act('/customers', name='Ada')['id']}/orders")
    act(f"/orders/{order['number']}/pay")
    created, paid = receiver.wait(2)
    assert (created.json["event"], created.json["order"]["id"]) == ("order.created", order["id"])
    assert (paid.json["event"], paid.json["was"]) == ("order.paid", {"status": "pending"})
    signed = paid.headers["x-time"].encode() + b"." + paid.body
    assert paid.headers["x-signature"] == "v1=" + hmac.new(b"s3cret", signed, "sha256").hexdigest()
    assert paid.headers["x-event"] == "order.paid"


def sign_by(name: str, scheme: str, encoding: str) -> DraftedTwin:
    """Return a bakery that signs by a key pair and begins subscriptions with a handshake."""
    signature = {"header": "X-Signature", "scheme": scheme, "encoding": encoding, "signs": "${timestamp}${body}"}
    overlay = {
        "variables": {"public_key": "BAKERY_PUBLIC_KEY"},
        "webhooks": {
            "events": {"orders": {"create": "order.created"}},
            "signature": {**signature, "timestamp_header": "X-Time"},
            "subscriptions": {"table": "hooks", "url": "target", "events": "topics", "handshake": "X-Hook-Secret"},
        },
    }
    return Draft(describe(with_more(BAKERY)), name, msgspec.convert(overlay, Overlay)).twin()


PAIRS = [sign_by("bakery_ed", "ed25519", "hex"), sign_by("bakery_ec", "ecdsa-p256", "base64")]


@pytest.fixture(scope="module")
def signing_server() -> Iterator[LiveServer]:
    started = LiveServer(Settings(), Registry(PAIRS))
    yield started
    started.close()


def verify_ed25519(key: str, signature: str, message: bytes) -> None:
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), message)


def verify_ecdsa(key: str, signature: str, message: bytes) -> None:
    public: Any = load_der_public_key(b64decode(key))
    public.verify(b64decode(signature), message, ec.ECDSA(hashes.SHA256()))


@pytest.mark.parametrize(("twin", "verify"), [(PAIRS[0], verify_ed25519), (PAIRS[1], verify_ecdsa)])
def test_a_subscription_is_told_its_secret_and_then_signed_by_a_key_pair(
    signing_server: LiveServer, receiver: Receiver, twin: DraftedTwin, verify: Callable[[str, str, bytes], None]
):
    made = Platform(signing_server.client).environment(f"{twin.name}:{twin.name}_base")
    made.ask("v1/hooks", json={"target": receiver.url, "topics": ["order.created"]})
    made.ask(f"v1/customers/{made.ask('v1/customers', json={'name': 'Ada'}).json()['id']}/orders", json={})
    handshake, created = receiver.wait(2)
    assert (handshake.body, "x-signature" in handshake.headers) == (b"{}", False)
    key = twin.variables.values("", handshake.headers["x-hook-secret"])["BAKERY_PUBLIC_KEY"]
    message = created.headers["x-time"].encode() + created.body
    verify(key, created.headers["x-signature"], message)
    with pytest.raises(InvalidSignature):
        verify(key, created.headers["x-signature"], message + b" ")


@pytest.mark.parametrize(
    ("overlay", "said"),
    [
        ("variables: {public_key: A}", "needs webhooks with a signature by ed25519 or ecdsa-p256"),
        ("resources: {orders: {sates: {}}}", "no key 'sates' of resources.*. Did you mean 'states'"),
        ("resources: {orders: {states: {feild: status}}}", "Did you mean 'field'"),
        ("lists: {style: curser}", "Invalid enum value 'curser'"),
        ("resources: {orders: {id: {kind: uid}}}", "Invalid enum value 'uid'"),
        ("resources: {orders: {defaults: {notte: x}}}", "Did you mean 'note'"),
        ("resources: {orders: {states: {field: stauts}}}", "Did you mean 'status'"),
        ("resources: {crumbs: {schema: Custmer}}", "Did you mean 'Customer'"),
        ("resources: {orders: {soft_delete: note}}", "is no flag"),
        ("resources: {orders: {computed: {n: {cuont: orders}}}}", "Did you mean 'count'"),
        ("resources: {orders: {computed: {n: {count: ordres}}}}", "Did you mean 'orders'"),
        ("resources: {orders: {computed: {n: {one: cakse, key: $note}}}}", "Did you mean 'cakes'"),
        ("resources: {orders: {computed: {n: {one: cakes}}}}", "needs a key that is a field"),
        ("resources: {orders: {computed: {n: {add: [$nubmer, 1]}}}}", "Did you mean 'number'"),
        ("operations: {'GET /v1/cake': {does: list}}", "Did you mean 'GET /v1/cakes'"),
        ("operations: {'GET /v1/cakes': {does: list, table: cake}}", "Did you mean 'cakes'"),
        ("webhooks: {events: {order: {}}}", "Did you mean 'orders'"),
        ("webhooks: {signature: {header: X, scheme: md5}}", "Invalid enum value 'md5'"),
        ("variables: {tokens: {A: '{secret.__class__}'}}", "no other braces"),
        ("seeds: {cakes: [{nmae: x}]}", "Did you mean 'name'"),
        ("templates: {busy: {cake: []}}", "Did you mean 'cakes'"),
        ("seed_parts: {guests: {table: customer}}", "Did you mean 'customers'"),
        ("seed_parts: {guests: {table: orders, find: {customer: {customers.nmae: $x}}}}", "Did you mean 'name'"),
    ],
)
def test_an_overlay_that_names_what_there_is_not_is_refused_with_the_nearest_name(
    tmp_path: Path, overlay: str, said: str
):
    (tmp_path / "bakery.json").write_text(json.dumps(BAKERY))
    (tmp_path / "bakery.twin.yaml").write_text(overlay)
    with pytest.raises(DescriptionError) as refused:
        Draft.read(tmp_path / "bakery.json", "bakery").twin()
    assert said in str(refused.value)


GUESTS = [{"full_name": "Ada", "orders": [{"text": "soon"}, {"text": "later"}]}]


def test_parts_of_a_seed_configuration_are_stored_with_what_stands_inside_them(server: LiveServer):
    config = {"bakery": {"guests": GUESTS, "cakes": [{"name": "Sacher"}]}}
    made = server.client.post("/twin-runs", json={"twins": ["bakery"], "seed_config": config}).json()
    run = server.client.get(f"/twin-runs/{made['run_id']}").json()
    variables = run["twins"]["bakery"]["env_vars"]
    headers = {"Authorization": f"Bearer {variables['BAKERY_TOKEN']}"}
    [ada] = server.client.get(f"{variables['BAKERY_URL']}/customers", headers=headers).json()["data"]
    orders = server.client.get(f"{variables['BAKERY_URL']}/customers/{ada['id']}/orders", headers=headers).json()[
        "data"
    ]
    assert (ada["name"], ada["loyalty"], [each["note"] for each in orders]) == ("Ada", 3, ["soon!", "later!"])
    assert run["seed_results"]["bakery"]["counts"] == {"customers": 1, "orders": 2, "cakes": 1}


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"guests": [{"full_nme": "Ada"}]}, "guests[0].full_nme: there is no such field. Did you mean 'full_name'"),
        ({"guests": [{"full_name": "Ada", "orders": [5]}]}, "guests[0].orders[0]: expected an object"),
        ({"visits": [{"who": "Nobody"}]}, "visits[0].customer: there is no object in customers with name 'Nobody'"),
        ({"guest": []}, "did you mean 'guests'"),
    ],
)
def test_a_seed_configuration_that_cannot_be_stored_is_refused_with_its_place(
    server: LiveServer, part: dict[str, Any], said: str
):
    refused = server.client.post("/twin-runs", json={"twins": ["bakery"], "seed_config": {"bakery": part}})
    assert refused.status_code == 422, refused.text
    assert said in refused.text
