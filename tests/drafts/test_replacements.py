"""What PUT does to the fields that its body lacks."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from typer.testing import CliRunner

from twindiff.cli import app
from twindiff.drafts.overlay import Overlay
from twindiff.drafts.shipped import find_shipped
from twindiff.local import Twindiff

from .bakery import answer, body, ref
from .conftest import make_twin
from .test_recorded_replays import write_session

TEXT = {"type": "string"}
LOAF: dict[str, Any] = {
    "type": "object",
    "required": ["name", "flour", "count"],
    "properties": {
        "id": {"type": "string", "readOnly": True},
        "oven_id": TEXT,
        "name": TEXT,
        "flour": {"type": "string", "default": "rye"},
        "note": {"type": "string", "nullable": True},
        "count": {"type": "integer"},
        "seeds": {"type": "array", "items": TEXT},
        "metadata": {"type": "object"},
        "crust": {
            "type": "object",
            "properties": {
                "colour": TEXT,
                "depth": {"type": "integer"},
                "serial": {"type": "string", "readOnly": True},
            },
        },
        "weight": {"type": "integer", "readOnly": True},
        "created_at": {"type": "string", "format": "date-time"},
    },
}
NEEDED = {"$ref": "#/components/schemas/Loaf"}
OPTIONAL = {"type": "object", "properties": LOAF["properties"]}
WHOLE: dict[str, Any] = {
    "name": "Miche",
    "flour": "spelt",
    "note": "dark",
    "count": 7,
    "seeds": ["flax"],
    "metadata": {"shelf": 3},
    "crust": {"colour": "brown", "depth": 2},
}


def describe_ovens(put: dict[str, Any], *, patch: bool = False) -> dict[str, Any]:
    """Ovens with their loaves, which a PUT with a schema of its own changes."""
    wrapped = {"required": True, "content": {"application/json": {"schema": put}}}
    change = {"patch": {"requestBody": body("Loaf"), "responses": answer(ref("Loaf"))}} if patch else {}
    creation = {**LOAF, "required": ["name"]}
    oven = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
    problem = {
        "type": "object",
        "required": ["fault"],
        "properties": {"fault": {"type": "object", "properties": {"message": TEXT}}},
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Ovens"},
        "paths": {
            "/ovens": {"post": {"requestBody": body("Oven"), "responses": answer(ref("Oven"), "201")}},
            "/ovens/{oven_id}": {"get": {"responses": answer(ref("Oven"))}},
            "/ovens/{oven_id}/loaves": {"post": {"requestBody": body("NewLoaf"), "responses": answer(ref("Loaf"))}},
            "/ovens/{oven_id}/loaves/{id}": {
                "get": {"responses": answer(ref("Loaf"))},
                "put": {"requestBody": wrapped, "responses": answer(ref("Loaf"))},
                **change,
            },
        },
        "components": {"schemas": {"Loaf": LOAF, "NewLoaf": creation, "Oven": oven, "Problem": problem}},
    }


class Bench:
    """A loaf with a value in each field, and the client that changes it."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        oven = client.post("/ovens", json={"name": "Big"}).json()["id"]
        self.made = client.post(f"/ovens/{oven}/loaves", json=WHOLE).json()
        self.path = f"/ovens/{oven}/loaves/{self.made['id']}"

    def put(self, given: Any) -> dict[str, Any]:
        changed = self.client.put(self.path, json=given)
        assert changed.status_code == 200, changed.text
        assert self.client.get(self.path).json() == changed.json()
        return changed.json()


def open_bench(put: dict[str, Any], overlay: Overlay | None = None, *, patch: bool = False) -> Iterator[Bench]:
    twin = make_twin(overlay, describe_ovens(put, patch=patch))
    with (
        Twindiff(twins=[twin]) as here,
        here.create("bakery:bakery_base") as made,
        httpx.Client(transport=here.transport(made, "bakery"), base_url="https://ovens.test") as client,
    ):
        yield Bench(client)


@pytest.fixture
def bench() -> Iterator[Bench]:
    yield from open_bench(NEEDED)


LEAST = {"name": "Boule", "flour": "rye", "count": 1}


def test_put_merges_if_its_body_may_lack_what_creating_an_object_needs():
    part = {"type": "object", "required": ["flour"], "properties": {"name": TEXT, "flour": TEXT}}
    [plan] = [each for each in make_twin(None, describe_ovens(part)).plans if each.operation.verb == "PUT"]
    assert (plan.behaviour, "merge" in plan.guessed) == ("update", True)


def test_put_replaces_if_its_body_may_lack_only_what_its_path_says():
    whole = {"type": "object", "required": ["name"], "properties": {"id": TEXT, "oven_id": TEXT, "name": TEXT}}
    document = describe_ovens(whole)
    document["components"]["schemas"]["NewLoaf"] = {**whole, "required": ["id", "oven_id", "name"]}
    [plan] = [each for each in make_twin(None, document).plans if each.operation.verb == "PUT"]
    assert (plan.behaviour, "merge" in plan.guessed) == ("replace", False)


STATE = {"type": "string", "enum": ["open", "sold"]}


@pytest.mark.parametrize(
    ("put", "shown"),
    [
        ({}, "sold"),
        ({"status": {**STATE, "readOnly": True}}, "sold"),
        ({"status": STATE}, "sold"),
        ({"status": {**STATE, "default": "open"}}, "open"),
    ],
)
def test_a_state_stays_unless_put_has_a_default_for_it(put: dict[str, Any], shown: str):
    document = describe_ovens({"type": "object", "required": ["name"], "properties": {"name": TEXT, **put}})
    for name, schema in [*document["components"]["schemas"].items()]:
        if name in ("Loaf", "NewLoaf"):
            document["components"]["schemas"][name] = {**schema, "properties": {**LOAF["properties"], "status": STATE}}
    with (
        Twindiff(twins=[make_twin(None, document)]) as here,
        here.create("bakery:bakery_base") as made,
        httpx.Client(transport=here.transport(made, "bakery"), base_url="https://ovens.test") as client,
    ):
        oven = client.post("/ovens", json={"name": "Big"}).json()["id"]
        loaf = client.post(f"/ovens/{oven}/loaves", json={**WHOLE, "status": "sold"}).json()
        changed = client.put(f"/ovens/{oven}/loaves/{loaf['id']}", json={"name": "Boule"})
        assert changed.json()["status"] == shown


def test_a_field_that_put_lacks_falls_back_to_its_default_or_to_null(bench: Bench):
    changed = bench.put({"name": "Boule", "flour": "wheat", "count": 1})
    kept = {name: bench.made[name] for name in ("id", "oven_id", "created_at")}
    assert changed == {**kept, "name": "Boule", "flour": "wheat", "count": 1, "note": None, "seeds": []}


def test_a_required_field_that_put_lacks_is_refused_in_the_vendors_envelope(bench: Bench):
    refused = bench.client.put(bench.path, json={"flour": "wheat", "count": 1})
    assert (refused.status_code, refused.json()["fault"]["message"]) == (422, "name: is required but missing")
    assert bench.client.get(bench.path).json() == bench.made


def test_put_replaces_an_object_inside_as_a_whole(bench: Bench):
    changed = bench.put({**LEAST, "metadata": {"row": 1}, "crust": {"depth": 5}})
    assert (changed["metadata"], changed["crust"]) == ({"row": 1}, {"depth": 5})


def test_a_put_without_a_body_changes_nothing():
    for bench in open_bench({**OPTIONAL}, Overlay(put="replaces")):
        bench.client.put(bench.path)
        assert bench.client.get(bench.path).json() == bench.made


def test_what_answers_must_show_is_the_empty_value_of_its_type():
    for bench in open_bench(OPTIONAL, Overlay(put="replaces")):
        changed = bench.put({"note": "light"})
        assert {name: changed[name] for name in ("name", "flour", "count", "note")} == {
            "name": "",
            "flour": "rye",
            "count": 0,
            "note": "light",
        }


def test_put_does_not_change_a_field_that_never_had_a_value():
    twin = make_twin(Overlay(put="replaces"), describe_ovens(OPTIONAL))
    with (
        Twindiff(twins=[twin]) as here,
        here.create("bakery:bakery_base") as made,
        httpx.Client(transport=here.transport(made, "bakery"), base_url="https://ovens.test") as client,
    ):
        loaves = f"/ovens/{client.post('/ovens', json={'name': 'Big'}).json()['id']}/loaves"
        loaf, at = client.post(loaves, json={"name": "Miche"}).json(), made.seq()
        client.put(f"{loaves}/{loaf['id']}", json={"name": "Boule"}).raise_for_status()
        [record] = made.journal(after=at)
        [change] = record.changes
        assert change.before
        assert change.after
        assert [each for each in change.after if change.before[each] != change.after[each]] == ["name"]


def test_put_keeps_what_other_paths_name_above_the_object_and_what_its_creation_told():
    document = describe_ovens(NEEDED)
    document["paths"]["/ovens/{oven_id}/loaves"]["get"] = {"responses": answer({"type": "array", "items": ref("Loaf")})}
    document["paths"]["/loaves/{id}"] = document["paths"].pop("/ovens/{oven_id}/loaves/{id}")
    overlay = msgspec.convert({"resources": {"loafs": {"defaults": {"note": "$now"}}}}, Overlay)
    with (
        Twindiff(twins=[make_twin(overlay, document)]) as here,
        here.create("bakery:bakery_base") as made,
        httpx.Client(transport=here.transport(made, "bakery"), base_url="https://ovens.test") as client,
    ):
        loaves = f"/ovens/{client.post('/ovens', json={'name': 'Big'}).json()['id']}/loaves"
        loaf = client.post(loaves, json={"name": "Miche"}).json()
        made.advance(3600)
        changed = client.put(f"/loaves/{loaf['id']}", json=LEAST).json()
        assert (changed["oven_id"], changed["note"]) == (loaf["oven_id"], loaf["note"])
        assert [each["name"] for each in client.get(loaves).json()] == ["Boule"]


def test_put_merges_where_its_body_needs_nothing_that_creating_needs():
    for bench in open_bench(OPTIONAL):
        answered = bench.client.put(bench.path, json={"note": "light"})
        assert answered.json() == {**bench.made, "note": "light"}
        assert answered.headers["x-twindiff-drafted"] == "partly; guessed=merge"


def test_put_replaces_beside_patch_whatever_its_body_needs():
    for bench in open_bench(OPTIONAL, patch=True):
        assert "metadata" not in bench.put({"name": "Boule"})


def test_the_overlay_says_that_put_merges():
    for bench in open_bench(NEEDED, Overlay(put="merges")):
        answered = bench.client.put(bench.path, json=LEAST)
        assert answered.json() == {**bench.made, **LEAST}
        assert answered.headers["x-twindiff-drafted"] == "derived"


def test_the_report_says_whether_put_replaces():
    plans = {put: make_twin(Overlay(put=put), describe_ovens(NEEDED)).plans for put in ("merges", "replaces")}
    told = {put: [each.behaviour for each in all_of if each.operation.verb == "PUT"] for put, all_of in plans.items()}
    assert told == {"merges": ["update"], "replaces": ["replace"]}


FOREIGN = {"openapi": "3.0.3", "info": {"title": "Further"}, "servers": [{"url": "https://x.test/further"}]}


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        *((each, True) for each in ("asana", "close", "freshdesk", "gitlab", "intercom", "jira", "mailchimp")),
        *((each, True) for each in ("pipedrive", "shopify", "zendesk")),
        *((each, False) for each in ("airtable", "hubspot", "salesforce", "sendgrid", "twilio")),
    ],
)
def test_drafts_of_vendors_whose_put_merges_say_so(tmp_path: Path, name: str, kept: bool):
    document = {**describe_ovens(NEEDED), **FOREIGN}
    (tmp_path / "further.json").write_text(json.dumps(document))
    twin = find_shipped(name).twin([tmp_path / "further.json"])
    put = [
        each.behaviour
        for each in twin.plans
        if each.operation.path.startswith("/further") and each.operation.verb == "PUT"
    ]
    assert put == ["update" if kept else "replace"]


MADE = {"id": 7002, "address": "1 Mill Lane", "note": "fragile"}
PUTS = [
    ("POST", "/v1/parcels", {"address": "1 Mill Lane", "note": "fragile"}, 201, MADE),
    (
        "PUT",
        "/v1/parcels/7002",
        {"address": "2 Mill Lane", "note": "light"},
        200,
        {**MADE, "address": "2 Mill Lane", "note": "light"},
    ),
]


@pytest.mark.parametrize(("shown", "proposed"), [("light", "put: merges\n"), (None, "")])
def test_what_recorded_puts_kept_is_proposed(tmp_path: Path, shown: str | None, proposed: str):
    last = (
        "PUT",
        "/v1/parcels/7002",
        {"address": "3 Mill Lane"},
        200,
        {**MADE, "address": "3 Mill Lane", "note": shown},
    )
    recording = write_session(tmp_path / "puts.jsonl", [*PUTS, last])
    words = ["drafts", "learn", str(recording), "--output", str(tmp_path / "parcels.json"), "--overlay"]
    assert CliRunner().invoke(app, words).exit_code == 0
    overlay = (tmp_path / "parcels.twin.yaml").read_text()
    assert [line for line in overlay.splitlines(keepends=True) if line.startswith("put:")] == (
        [proposed] if proposed else []
    )


@pytest.mark.parametrize(("schema", "does"), [({"type": "array", "items": OPTIONAL}, "missing"), (OPTIONAL, "update")])
def test_a_list_in_place_of_an_object_is_not_served(schema: dict[str, Any], does: str):
    plans = make_twin(Overlay(put="merges"), describe_ovens(schema)).plans
    assert [each.behaviour for each in plans if each.operation.verb == "PUT"] == [does]
