"""Descriptions that are learnt from traffic, served as drafted twins."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from typer.testing import CliRunner

from twindiff.cli import app
from twindiff.drafts.documents import DescriptionError, describe
from twindiff.drafts.drafting import Draft
from twindiff.drafts.learning import learn_description
from twindiff.drafts.recordings import read_recording
from twindiff.local import Twindiff

PARCELS = [
    ("POST", "/v1/parcels", {"address": "1 Mill Lane"}, 201, {"id": 101, "address": "1 Mill Lane", "status": "new"}),
    ("GET", "/v1/parcels/101", None, 200, {"id": 101, "address": "1 Mill Lane", "status": "new"}),
    ("PATCH", "/v1/parcels/101", {"status": "sent"}, 200, {"id": 101, "address": "1 Mill Lane", "status": "sent"}),
    ("GET", "/v1/parcels/7", None, 404, {"error": "not_found", "message": "No parcel 7"}),
    ("GET", "/v1/parcels?limit=2", None, 200, {"data": [{"id": 101, "address": "1 Mill Lane"}], "total": 1}),
]
HOST = "https://api.parcels.test"


def as_sessions() -> str:
    steps = [
        {
            "method": verb,
            "path": url.partition("?")[0],
            "query": [["limit", "2"]] if "?" in url else [],
            "body": body,
            "status": status,
            "response": answer,
        }
        for verb, url, body, status, answer in PARCELS
    ]
    return "\n".join([json.dumps({"vendor": "parcels"}), json.dumps({"host": HOST, "steps": steps})])


def as_har() -> str:
    def entry(verb: str, url: str, body: Any, status: int, answer: Any) -> dict[str, Any]:
        sent = {"postData": {"text": json.dumps(body)}} if body else {}
        request = {"method": verb, "url": HOST + url, **sent}
        return {"request": request, "response": {"status": status, "content": {"text": json.dumps(answer)}}}

    return json.dumps({"log": {"entries": [entry(*each) for each in PARCELS]}})


def as_cassette() -> str:
    calls = [
        {
            "request": {
                "method": verb.lower(),
                "uri": HOST + url,
                "body": {"string": json.dumps(body) if body else ""},
            },
            "response": {"status": {"code": status}, "body": {"string": json.dumps(answer)}},
        }
        for verb, url, body, status, answer in PARCELS
    ]
    return yaml.safe_dump({"http_interactions": calls})


@contextmanager
def client_of(draft: Draft) -> Iterator[httpx.Client]:
    with (
        Twindiff(twins=[draft.twin()]) as local,
        local.create("parcels:parcels_base") as environment,
        httpx.Client(transport=local.transport(environment), base_url=HOST) as client,
    ):
        yield client


@pytest.mark.parametrize(("name", "text"), [("a.jsonl", as_sessions()), ("a.har", as_har()), ("a.yml", as_cassette())])
def test_a_twin_that_was_learnt_from_a_recording_does_what_was_recorded(tmp_path: Path, name: str, text: str):
    (tmp_path / name).write_text(text)
    draft = Draft(describe(learn_description([tmp_path / name])), "parcels")
    with client_of(draft) as client:
        made = client.post("/v1/parcels", json={"address": "2 Mill Lane"}).json()
        changed = client.patch(f"/v1/parcels/{made['id']}", json={"status": "sent"}).json()
        assert client.get(f"/v1/parcels/{made['id']}").json() == changed
        assert (changed["address"], changed["status"]) == ("2 Mill Lane", "sent")
        assert client.get("/v1/parcels?limit=2").json()["total"] == 1
        missing = client.get("/v1/parcels/7")
        assert (missing.status_code, set(missing.json())) == (404, {"error", "message"})
        assert client.post("/v1/parcels", json={"address": 5}).status_code == 400


SENT = {"Authorization": "Bearer x", "Host": "a.test", "Content-Length": "9", "Cookie": "a=b", "X-Key": "x"}
MEANT = {"If-Match": '"1"', "Idempotency-Key": "k", "Prefer": "minimal"}
WITH_HEADERS = {
    "a.jsonl": {"host": HOST, "steps": [{"method": "GET", "path": "/", "status": 200, "headers": {**SENT, **MEANT}}]},
    "a.har": {
        "log": {
            "entries": [
                {
                    "request": {
                        "method": "GET",
                        "url": f"{HOST}/",
                        "headers": [{"name": name, "value": value} for name, value in {**SENT, **MEANT}.items()],
                    },
                    "response": {"status": 200},
                }
            ]
        }
    },
    "a.yml": {
        "interactions": [
            {
                "request": {"method": "GET", "uri": f"{HOST}/", "headers": {**SENT, **MEANT}},
                "response": {"status": {"code": 200}},
            }
        ]
    },
}


@pytest.mark.parametrize("name", WITH_HEADERS)
def test_of_recorded_headers_those_that_say_what_is_meant_are_kept(tmp_path: Path, name: str):
    (tmp_path / name).write_text(json.dumps(WITH_HEADERS[name]))
    (call,) = read_recording(tmp_path / name)
    assert call.headers == {each.lower(): value for each, value in MEANT.items()}


PHOTO = f"{HOST}/v1/photos/mill.png"
BYTES = b"\x89PNG\xff\x00"
FILES = {
    "a.jsonl": json.dumps(
        {
            "host": HOST,
            "steps": [
                {
                    "method": "GET",
                    "path": "/v1/photos/mill.png",
                    "status": 200,
                    "response": {"$bytes": len(BYTES), "$sha256": "00"},
                    "response_headers": {"content-type": "image/png"},
                }
            ],
        }
    ),
    "a.har": json.dumps(
        {
            "log": {
                "entries": [
                    {
                        "request": {"method": "GET", "url": PHOTO},
                        "response": {"status": 200, "content": {"mimeType": "image/png", "size": len(BYTES)}},
                    }
                ]
            }
        }
    ),
    "a.yml": yaml.safe_dump(
        {
            "interactions": [
                {
                    "request": {"method": "GET", "uri": PHOTO},
                    "response": {
                        "status": {"code": 200},
                        "headers": {"Content-Type": ["image/png"]},
                        "body": {"string": BYTES},
                    },
                }
            ]
        }
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_recorded_file_is_answered_as_one_of_its_type_and_size_whose_bytes_are_guessed(tmp_path: Path, name: str):
    (tmp_path / name).write_text(FILES[name])
    with client_of(Draft(describe(learn_description([tmp_path / name])), "parcels")) as client:
        photo = client.get("/v1/photos/mill.png")
        assert (photo.status_code, photo.headers["content-type"], len(photo.content)) == (200, "image/png", len(BYTES))
        assert photo.headers["x-twindiff-drafted"] == "partly; guessed=bytes"
        assert client.head("/v1/photos/mill.png").headers["content-length"] == str(len(BYTES))
        assert client.get("/v1/photos/mill.png", headers={"Range": "bytes=0-1"}).status_code == 206


def test_conditions_in_the_body_of_a_search_are_met(tmp_path: Path):
    search = {"filterGroups": [{"filters": [{"propertyName": "status", "operator": "EQ", "value": "new"}]}]}
    found = {"data": [{"id": 101, "address": "1 Mill Lane", "status": "new"}], "total": 1}
    steps = [
        {"method": "POST", "path": "/v1/parcels/search", "body": search, "status": 200, "response": found},
        *json.loads(as_sessions().splitlines()[1])["steps"],
    ]
    (tmp_path / "a.jsonl").write_text(json.dumps({"host": HOST, "steps": steps}))
    draft = Draft(describe(learn_description([tmp_path / "a.jsonl"])), "parcels")
    with client_of(draft) as client:
        for status in ("new", "sent"):
            client.patch(
                f"/v1/parcels/{client.post('/v1/parcels', json={'address': 'x'}).json()['id']}",
                json={"status": status},
            )
        assert [each["status"] for each in client.post("/v1/parcels/search", json=search).json()["data"]] == ["new"]


def test_the_command_writes_the_document_and_never_over_a_file(tmp_path: Path):
    (tmp_path / "a.har").write_text(as_har())
    words = ["drafts", "learn", str(tmp_path / "a.har"), "--output", str(tmp_path / "parcels.json")]
    first, second = CliRunner().invoke(app, words), CliRunner().invoke(app, words)
    assert (first.exit_code, second.exit_code) == (0, 1), first.output
    assert "describes 4 operations" in first.output
    assert "is there already" in second.output


def record(path: Path, *steps: tuple[str, Any, int, Any]) -> Path:
    names = ("path", "body", "status", "response")
    listed = [{"method": "POST" if each[1] else "GET", **dict(zip(names, each, strict=True))} for each in steps]
    path.write_text(json.dumps({"host": HOST, "steps": listed}))
    return path


def test_what_learning_leaves_out_or_mixes_is_said_and_secrets_are_masked(tmp_path: Path):
    secrets = {"id": 7, "access_token": "hunter2hunter2", "note": "sk_live_0123456789", "next_page_token": "p2"}
    first = record(tmp_path / "a.jsonl", ("/v1/keys/7", None, 200, secrets), ("/v1/ping", None, 200, None))
    second = record(tmp_path / "b.jsonl", ("/v2/other", None, 200, {"id": 1}))
    second.write_text(second.read_text().replace(HOST, "https://other.test"))
    output = tmp_path / "keys.json"
    words = ["drafts", "learn", str(first), str(second), "--output", str(output), "--overlay"]
    said = CliRunner().invoke(app, words).output
    for each in (
        "2 hosts: api.parcels.test (2), other.test (1)",
        "1 of 3 calls succeeded",
        "2 values that are secrets",
    ):
        assert each in said
    written = output.read_text() + (tmp_path / "keys.twin.yaml").read_text()
    assert [each in written for each in ("hunter2", "sk_live", "p2")] == [False, False, True]
    chosen = learn_description([first, second], "other.test")
    assert [*chosen["paths"]] == ["/v2/other"]
    with pytest.raises(DescriptionError, match=r"no calls to else\.test\. Hosts: api\.parcels\.test, other\.test"):
        learn_description([first, second], "else.test")


def test_a_person_takes_or_drops_each_line_of_a_proposed_overlay(tmp_path: Path):
    made = [("/v1/carts", {"name": str(n)}, 201, {"id": n, "status": "new", "kind": "x"}) for n in (1, 2)]
    recording = record(tmp_path / "a.jsonl", *made, ("/v1/carts/3", None, 200, {"id": 3}))
    words = ["drafts", "learn", str(recording), "--output", str(tmp_path / "carts.json"), "--ask"]
    answer = CliRunner().invoke(app, words, input="y\nn\ny\nn\n")
    assert 'status of carts is "new", if no request gives it. [Y/n]: n' in answer.output
    taken = yaml.safe_load((tmp_path / "carts.twin.yaml").read_text())
    assert taken == {"resources": {"carts": {"id": {"kind": "number", "first": 3}, "defaults": {"kind": "x"}}}}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.har", "{", "is no recording"),
        ("a.har", "{}", "is no recording"),
        ("a.jsonl", "5", "is no recording"),
        ("a.jsonl", '{"steps": [{}]}', "is no recording"),
        ("a.yml", "a: [", "is no recording"),
        ("a.jsonl", "", "no calls"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_in_a_sentence(tmp_path: Path, name: str, text: str, said: str):
    (tmp_path / name).write_text(text)
    with pytest.raises(DescriptionError, match=said):
        learn_description([tmp_path / name])


def test_an_overlay_is_proposed_of_what_the_traffic_has_in_common(tmp_path: Path):
    calls = [
        ("GET", "/v1/depots", None, 200, {"data": [{"id": "dep_1", "city": "York"}, {"id": "dep_2", "city": "Ely"}]}),
        *(
            ("POST", "/v1/parcels", {"address": f"{n} Mill Lane"}, 201, {"id": 100 + n, "address": "x", "state": "new"})
            for n in (1, 2)
        ),
        ("GET", "/v1/parcels/101", None, 200, {"id": 101, "address": "x", "state": "new"}),
        *(("GET", f"/v1/parcels/{n}", None, 404, {"code": 7, "error": f"No parcel {n}"}) for n in (8, 9)),
    ]
    entries = [
        {
            "request": {"method": verb, "url": HOST + url, "postData": {"text": json.dumps(body)}},
            "response": {"status": status, "content": {"text": json.dumps(answer)}},
        }
        for verb, url, body, status, answer in calls
    ]
    (tmp_path / "traffic.har").write_text(json.dumps({"log": {"entries": entries}}))
    output = tmp_path / "parcels.json"
    CliRunner().invoke(app, ["drafts", "learn", str(tmp_path / "traffic.har"), "--output", str(output), "--overlay"])
    proposed = yaml.safe_load((tmp_path / "parcels.twin.yaml").read_text())
    assert proposed == {
        "errors": {"bodies": {"404": {"code": 7, "error": "$message"}}},
        "resources": {"parcels": {"id": {"kind": "number", "first": 103}, "defaults": {"state": "new"}}},
        "seeds": {"depots": [{"id": "dep_1", "city": "York"}, {"id": "dep_2", "city": "Ely"}]},
    }
    twin = Draft.read(output, "parcels").twin()
    with (
        Twindiff(twins=[twin]) as local,
        local.create("parcels:parcels_base") as environment,
        httpx.Client(transport=local.transport(environment), base_url=HOST) as client,
    ):
        assert [each["city"] for each in client.get("/v1/depots").json()["data"]] == ["York", "Ely"]
        assert client.get("/v1/parcels/8").json() == {"code": 7, "error": "No such parcel: '8'"}
        made = client.post("/v1/parcels", json={"address": "3 Mill Lane"}).json()
        assert (made["id"], made["state"]) == (103, "new")


def test_a_route_that_recordings_only_refuse_is_refused_alike(tmp_path: Path):
    refusal = {"error": "gone", "message": "Use /v2/parcels"}
    calls = [
        ("POST", "/v1/parcels/101/recall", 410, refusal),
        ("GET", "/v1/depots/9/stock", 403, {"error": "forbidden"}),
        ("GET", "/v1/trucks", 429, {"error": "slow down"}),
        ("GET", "/v1/ships", 404, {"error": "no"}),
        ("GET", "/v1/ships", 400, {"error": "bad"}),
    ]
    steps = [{"method": verb, "path": path, "status": status, "response": said} for verb, path, status, said in calls]
    (tmp_path / "a.jsonl").write_text(as_sessions() + "\n" + json.dumps({"host": HOST, "steps": steps}))
    draft = Draft(describe(learn_description([tmp_path / "a.jsonl"])), "parcels")
    with client_of(draft) as client:
        answer = client.post("/v1/parcels/101/recall")
        assert (answer.status_code, answer.json()) == (410, refusal)
        assert answer.headers["X-Twindiff-Drafted"] == "partly; guessed=refusal"
        assert client.get("/v1/depots/7/stock").json() == {"error": "forbidden"}
        assert [client.get(path).status_code for path in ("/v1/trucks", "/v1/ships")] == [501, 501]
        assert client.get("/v1/parcels/7").status_code == 404
