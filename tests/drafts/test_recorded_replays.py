"""Recorded sessions that are held against drafted twins."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from twindiff.cli import app

HOST = "https://api.parcels.test"
OLD = {"id": 7001, "address": "Old Mill", "status": "new"}
NEW = {"id": 7002, "address": "1 Mill Lane", "status": "new"}
Step = tuple[str, str, Any, int, Any]
STEPS: list[Step] = [
    ("GET", "/v1/parcels/7001", None, 200, OLD),
    ("POST", "/v1/parcels", {"address": "1 Mill Lane"}, 201, NEW),
    ("GET", "/v1/parcels/7002", None, 200, NEW),
    ("PATCH", "/v1/parcels/7002", {"status": "sent"}, 200, {**NEW, "status": "sent"}),
    ("GET", "/v1/parcels/7003", None, 404, {"error": "not_found", "message": "Nothing"}),
    ("GET", "/v1/parcels/7002", None, 429, {"error": "rate_limited", "message": "Later"}),
    ("GET", "/v1/parcels/7002", None, 200, {**NEW, "status": "lost"}),
    ("GET", "/v1/depots/1", None, 200, {"id": 1}),
]


def write_session(path: Path, steps: list[Step]) -> Path:
    written = [
        {
            "method": verb,
            "path": url.partition("?")[0],
            "query": [each.split("=", 1) for each in url.partition("?")[2].split("&") if each],
            "body": body,
            "status": status,
            "response": answer,
        }
        for verb, url, body, status, answer in steps
    ]
    path.write_text(json.dumps({"host": HOST, "steps": written}))
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A recording whose description is learnt, but for what it shows of depots."""
    learnt = write_session(tmp_path / "learnt.jsonl", STEPS[:5])
    made = CliRunner().invoke(app, ["drafts", "learn", str(learnt), "--output", str(tmp_path / "parcels.json")])
    assert made.exit_code == 0, made.output
    return write_session(tmp_path / "all.jsonl", STEPS)


def replay(recording: Path, *more: str) -> dict[str, Any]:
    words = ["drafts", "replay", str(recording), "--openapi", str(recording.with_name("parcels.json")), "--json", *more]
    answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def test_each_step_that_differs_is_of_a_kind(recording: Path):
    report = replay(recording, "--no-seeds")
    assert {each["number"]: each["kind"] for each in report["outcomes"]} == {
        1: "needs a seed",
        6: "vendor's limit",
        7: "other value",
        8: "needs a seed",
    }
    assert (report["steps"], report["right"], report["comparable"], report["comparable_right"]) == (8, 4, 5, 4)
    assert [each["places"] for each in report["outcomes"] if each["number"] == 7] == [["/status"]]


def test_what_a_session_shows_to_have_been_there_is_seeded(recording: Path):
    report = replay(recording)
    assert {each["number"]: each["kind"] for each in report["outcomes"]} == {
        6: "vendor's limit",
        7: "other value",
        8: "needs a seed",
    }
    assert (report["right"], report["comparable_right"]) == (5, 4)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Give one of --openapi FILE and --draft NAME."),
        (["--draft", "hubspott"], "Did you mean 'hubspot'?"),
        (["--openapi", "nowhere.json"], "cannot be read"),
    ],
)
def test_a_replay_that_cannot_begin_says_why(recording: Path, words: list[str], said: str):
    answer = CliRunner().invoke(app, ["drafts", "replay", str(recording), *words])
    assert answer.exit_code != 0
    assert said in answer.output


HOOK = {"id": 12, "token": "tk-9f8e7d6c", "kind": "incoming"}
KEY = "key-1a2b3c4d"


def test_a_report_masks_what_is_secret(tmp_path: Path):
    steps: list[Step] = [
        ("GET", f"/v1/hooks/12/tk-9f8e7d6c?hapikey={KEY}", None, 200, HOOK),
        ("POST", "/v1/logins", {"password": "pass-word-1"}, 200, {"id": "ghp_" + 20 * "a"}),
        ("GET", "/v1/logins/pass-word-1", None, 200, {"id": "ghp_" + 20 * "a"}),
        ("GET", f"/v1/keys/{KEY}", None, 404, {"error": "no"}),
        ("DELETE", "/v1/hooks/xoxb-123456789", None, 200, {}),
    ]
    path = write_session(tmp_path / "a.jsonl", steps)
    answer = CliRunner().invoke(app, ["drafts", "replay", str(path), "--draft", "airtable", "--json"])
    assert answer.exit_code == 0, answer.output
    assert not [each for each in ("tk-9f8", KEY, "pass-word", "ghp_", "xoxb-") if each in answer.stdout]
    assert next(each["request"] for each in json.loads(answer.stdout)["outcomes"]) == "GET /v1/hooks/12/masked"


FILE = {".tag": "file", "id": "id:abcdef", "name": "a.txt", "path_lower": "/old/a.txt", "path_display": "/Old/a.txt"}
CONTACT = {"id": "7001", "properties": {"email": "ada@x.test", "shoe": "5"}, "createdAt": "2026-01-01T00:00:00.000Z"}
ASKED = {"filterGroups": [{"filters": [{"propertyName": "email", "operator": "EQ", "value": "ada@x.test"}]}]}


COPY = {**FILE, "id": "id:copied", "path_lower": "/new/a.txt", "path_display": "/New/a.txt"}
IN_MOVED = {**FILE, "id": "id:moved", "path_lower": "/to/b.txt", "path_display": "/To/b.txt", "name": "b.txt"}
MOVED = {".tag": "folder", "name": "To", "path_lower": "/to", "path_display": "/To"}
BOOT = {"id": "7002", "properties": {"boot": "7"}, "createdAt": "2026-01-01T00:00:00.000Z"}


@pytest.mark.parametrize(
    ("draft", "steps"),
    [
        (
            "dropbox",
            [
                (
                    "POST",
                    "/2/files/copy_v2",
                    {"from_path": "/Old/a.txt", "to_path": "/New/a.txt"},
                    200,
                    {"metadata": COPY},
                ),
                ("POST", "/2/files/list_folder", {"path": "/New"}, 200, {"entries": [COPY], "has_more": False}),
                ("POST", "/2/files/move_v2", {"from_path": "/From", "to_path": "/To"}, 200, {"metadata": MOVED}),
                ("POST", "/2/files/list_folder", {"path": "/To"}, 200, {"entries": [IN_MOVED], "has_more": False}),
                ("POST", "/2/files/list_folder", {"path": "/Old"}, 200, {"entries": [FILE], "has_more": False}),
            ],
        ),
        (
            "hubspot",
            [
                ("POST", "/crm/v3/objects/contacts", {"properties": {"hat": "6"}}, 201, {"archived": False}),
                ("POST", "/crm/v3/properties/contacts", {"name": "boot", "label": "B"}, 201, {"name": "boot"}),
                ("POST", "/crm/v3/objects/contacts", {"properties": {"boot": "7"}}, 201, BOOT),
            ],
        ),
        (
            "dropbox",
            [
                ("POST", "/2/files/list_folder", {"path": "/Old"}, 200, {"entries": [FILE], "has_more": False}),
                ("POST", "/2/files/delete_v2", {"path": "/Older"}, 200, {"metadata": {".tag": "folder"}}),
            ],
        ),
        (
            "hubspot",
            [
                (
                    "POST",
                    "/crm/v3/objects/contacts/search",
                    {**ASKED, "properties": ["email", "shoe"]},
                    200,
                    {"total": 1, "results": [{**CONTACT, "updatedAt": "2026-01-02T00:00:00.000Z", "archived": False}]},
                ),
                ("POST", "/crm/v3/objects/contacts", {"properties": {"hat": "6"}}, 201, {"archived": False}),
            ],
        ),
    ],
)
def test_a_shipped_draft_is_seeded_with_what_a_session_shows(tmp_path: Path, draft: str, steps: list[Step]):
    recording = write_session(tmp_path / "a.jsonl", steps)
    kinds: dict[str, set[str]] = {}
    for option in ("--seeds", "--no-seeds"):
        answer = CliRunner().invoke(app, ["drafts", "replay", str(recording), "--draft", draft, "--json", option])
        kinds[option] = {each["kind"] for each in json.loads(answer.stdout)["outcomes"]}
    assert (kinds["--seeds"], bool(kinds["--no-seeds"])) == (set(), True)


def test_a_file_of_another_type_or_size_is_another_value(tmp_path: Path):
    def write_files(path: Path, *files: tuple[str, int]) -> Path:
        answers = [{"response_headers": {"content-type": kind}, "response": {"$bytes": size}} for kind, size in files]
        steps = [{"method": "GET", "path": "/v1/mill.png", "status": 200, **each} for each in answers]
        path.write_text(json.dumps({"host": HOST, "steps": steps}))
        return path

    learnt = write_files(tmp_path / "learnt.jsonl", ("image/png", 6))
    CliRunner().invoke(app, ["drafts", "learn", str(learnt), "--output", str(tmp_path / "parcels.json")])
    report = replay(write_files(tmp_path / "all.jsonl", ("image/png", 6), ("image/png", 7), ("image/gif", 6)))
    assert {each["number"]: each["kind"] for each in report["outcomes"]} == {2: "other value", 3: "other value"}


BOX = {"id": 3, "label": "x"}
SHELF = {"id": 8001, "room": "3"}
SMALL: list[Step] = [
    ("POST", "/v1/boxes", {"label": "x"}, 201, BOX),
    ("GET", "/v1/boxes/3", None, 200, BOX),
    ("POST", "/v1/shelves", {"room": "3"}, 201, SHELF),
    ("GET", "/v1/shelves/8001", None, 200, SHELF),
    ("GET", "/v1/boxes?page=3", None, 200, {"data": [], "page": 3}),
]


def test_a_short_id_is_replaced_only_where_ids_stand(tmp_path: Path):
    learnt = write_session(tmp_path / "learnt.jsonl", SMALL)
    CliRunner().invoke(app, ["drafts", "learn", str(learnt), "--output", str(tmp_path / "parcels.json")])
    assert replay(learnt)["outcomes"] == []


GIVEN = {"id": 8001, "ref": "A-17", "number": 9, "label": "x"}


@pytest.mark.parametrize(("field", "value"), [("ref", "B-17"), ("number", 10)])
def test_a_value_that_the_twin_mangles_is_another_value_though_its_name_is_that_of_ids(
    tmp_path: Path, field: str, value: Any
):
    made: Step = ("POST", "/v1/boxes", {"ref": "A-17", "label": "x"}, 201, GIVEN)
    again: Step = (*made[:4], {**GIVEN, "id": 8002})
    learnt = write_session(tmp_path / "learnt.jsonl", [made, again, ("GET", "/v1/boxes/8001", None, 200, GIVEN)])
    words = ["drafts", "learn", str(learnt), "--output", str(tmp_path / "parcels.json"), "--overlay"]
    assert CliRunner().invoke(app, words).exit_code == 0
    mangled: Step = (*made[:4], {**GIVEN, field: value})
    report = replay(write_session(tmp_path / "all.jsonl", [mangled]))
    assert [each["places"] for each in report["outcomes"]] == [[f"/{field}"]]


def test_an_address_that_only_bodies_mask_is_found_by_its_mask(tmp_path: Path):
    ada = {"id": 7001, "email": "user1@example.com"}
    steps: list[Step] = [
        ("GET", "/v1/people?email=ada@corp.test", None, 200, []),
        ("POST", "/v1/people", {"email": "user1@example.com"}, 201, ada),
        ("GET", "/v1/people?email=ada@corp.test", None, 200, [ada]),
        ("GET", "/v1/people?email=bea@corp.test", None, 200, []),
    ]
    learnt = write_session(tmp_path / "all.jsonl", steps)
    CliRunner().invoke(app, ["drafts", "learn", str(learnt), "--output", str(tmp_path / "parcels.json")])
    assert replay(learnt)["right"] == 4


def test_the_ids_of_the_account_and_its_user_may_be_others(tmp_path: Path):
    def parcel(id: int, account: str) -> dict[str, Any]:
        return {"id": id, "account_id": account, "created_by": "user_9x8y7z6"}

    first = parcel(1, "ac_1")
    both: list[Step] = [("POST", "/v1/parcels", {}, 201, first), ("GET", "/v1/parcels/1", None, 200, first)]
    learnt = write_session(tmp_path / "learnt.jsonl", both)
    CliRunner().invoke(app, ["drafts", "learn", str(learnt), "--output", str(tmp_path / "parcels.json")])
    steps: list[Step] = [
        ("GET", "/v1/parcels/8001", None, 200, parcel(8001, "ac_old")),
        ("POST", "/v1/parcels", {}, 201, parcel(8002, "ac_old")),
        ("GET", "/v1/parcels/8002", None, 200, parcel(8002, "ac_old")),
        ("GET", "/v1/parcels/8002", None, 200, parcel(8002, "ac_new")),
    ]
    report = replay(write_session(tmp_path / "all.jsonl", steps))
    assert [each["number"] for each in report["outcomes"]] == [4]


STORY = {"project": {"id": 77}, "summary": "S", "issuetype": {"name": "Story"}}
GENERAL = {"id": "8901", "key": "GEN-40"}


@pytest.mark.parametrize(
    ("draft", "host", "steps"),
    [
        (
            "jira",
            "https://acme.atlassian.net",
            [
                ("POST", "/rest/api/2/issue/8801/transitions", {"transition": {"id": "7"}}, 204, None),
                ("POST", "/rest/api/2/issue", {"fields": {**STORY, "priority": {"name": "Blocker"}}}, 201, GENERAL),
                ("POST", "/rest/api/2/issue", {"fields": {**STORY, "priority": {"name": "No"}}}, 400,
                 {"errorMessages": [], "errors": {"priority": "It is not valid"}}),
                ("GET", "/rest/api/2/issue/GEN-40", None, 200, GENERAL),
            ],
        ),
        (
            "salesforce",
            "https://acme.my.salesforce.com",
            [
                ("POST", "/services/data/v60.0/sobjects/Contact", {"LastName": "L", "Size__c": "4"}, 201,
                 {"id": "0034S000005YJO1QAO", "success": True}),
                ("GET", "/services/data/v60.0/query?q=SELECT Size__c FROM Contact WHERE LastName IN ('L')", None, 200,
                 {"totalSize": 1, "records": [{"Size__c": "4"}]}),
                ("GET", "/services/data/v60.0/sobjects/Lead/00Q4S000002sSacUAE", None, 200,
                 {"attributes": {"type": "Lead"}, "Id": "00Q4S000002sSacUAE", "OwnerId": "0054S000000JFmhQAG"}),
            ],
        ),
    ],
)  # fmt: skip
def test_what_a_shipped_draft_must_have_had_is_seeded(tmp_path: Path, draft: str, host: str, steps: list[Step]):
    recording = write_session(tmp_path / "all.jsonl", steps)
    recording.write_text(recording.read_text().replace(HOST, host))
    answer = CliRunner().invoke(app, ["drafts", "replay", str(recording), "--draft", draft, "--json"])
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["outcomes"] == []


def test_what_a_job_makes_has_an_id_of_the_twins_own(tmp_path: Path):
    contact = {"id": "1c9f4d1e-0000-4000-8000-000000000001", "email": "ada@example.com"}
    steps: list[Step] = [
        ("PUT", "/v3/marketing/contacts", {"contacts": [{"email": "ada@example.com"}]}, 202, {"job_id": "4a2aafe1"}),
        ("POST", "/v3/marketing/contacts/search", {"query": "email = 'ada@example.com'"}, 200, {"result": [contact]}),
        ("GET", f"/v3/marketing/contacts/{contact['id']}", None, 200, contact),
    ]
    recording = write_session(tmp_path / "a.jsonl", steps)
    recording.write_text(recording.read_text().replace(HOST, "https://api.sendgrid.com"))
    answer = CliRunner().invoke(app, ["drafts", "replay", str(recording), "--draft", "sendgrid", "--json"])
    report = json.loads(answer.stdout)
    assert (report["right"], report["comparable"]) == (3, 3), report


def test_an_image_of_a_shop_has_the_recorded_type_and_size(tmp_path: Path):
    path = "/s/files/1/2/products/cat.jpg"
    step = {"method": "GET", "path": path, "status": 200, "response": {"$bytes": 283}}
    shown = {**step, "response_headers": {"content-type": "image/jpeg"}}
    recording = tmp_path / "a.jsonl"
    recording.write_text(json.dumps({"host": "https://cdn.shopify.com", "steps": [shown]}))
    answer = CliRunner().invoke(app, ["drafts", "replay", str(recording), "--draft", "shopify", "--json"])
    assert json.loads(answer.stdout)["right"] == 1, answer.output


def test_ids_that_the_twin_gives_itself_are_not_bound_to_others_of_a_list_in_another_order(tmp_path: Path):
    first = {"id": 8001, "route_id": "route-aaa1"}
    second = {"id": 8002, "route_id": "route-bbb2"}
    steps: list[Step] = [
        ("GET", "/v1/parcels", None, 200, [first, second]),
        ("GET", "/v1/parcels", None, 200, [second, first]),
        ("GET", "/v1/parcels/8001", None, 200, first),
        ("GET", "/v1/parcels/8002", None, 200, second),
    ]
    learnt = write_session(tmp_path / "learnt.jsonl", steps)
    CliRunner().invoke(app, ["drafts", "learn", str(learnt), "--output", str(tmp_path / "parcels.json")])
    assert [each["number"] for each in replay(learnt)["outcomes"]] == [2]


def test_a_time_in_milliseconds_is_one_under_any_name(tmp_path: Path):
    def parcel(weighed: int) -> dict[str, Any]:
        return {"id": 8001, "address": "Mill", "weighed": weighed}

    made: Step = ("POST", "/v1/parcels", {"address": "Mill"}, 201, parcel(1531229227054))
    path = write_session(tmp_path / "learnt.jsonl", [made, ("GET", "/v1/parcels/8001", None, 200, made[4])])
    words = ["drafts", "learn", str(path), "--output", str(tmp_path / "parcels.json"), "--overlay"]
    assert CliRunner().invoke(app, words).exit_code == 0
    overlay = tmp_path / "parcels.twin.yaml"
    overlay.write_text(json.dumps({"resources": {"parcels": {"defaults": {"weighed": int(time.time() * 1000)}}}}))
    for weighed, kinds in ((1531229227054, []), (53122922, ["other value"])):
        report = replay(write_session(tmp_path / "all.jsonl", [(*made[:4], parcel(weighed))]))
        assert [each["kind"] for each in report["outcomes"]] == kinds


def test_lists_in_the_order_of_ids_are_compared_by_the_ids_of_the_twin(tmp_path: Path):
    steps: list[Step] = [
        ("POST", "/v3/marketing/lists", {"name": "One"}, 201, {"id": "a1", "name": "One"}),
        ("POST", "/v3/marketing/lists", {"name": "Two"}, 201, {"id": "f2", "name": "Two"}),
        (
            "GET",
            "/v3/marketing/lists",
            None,
            200,
            {"result": [{"id": "a1", "name": "One"}, {"id": "f2", "name": "Two"}]},
        ),
        (
            "GET",
            "/v3/marketing/lists",
            None,
            200,
            {"result": [{"id": "a1", "name": "Two"}, {"id": "f2", "name": "One"}]},
        ),
    ]
    recording = write_session(tmp_path / "a.jsonl", steps)
    recording.write_text(recording.read_text().replace(HOST, "https://api.sendgrid.com"))
    answer = CliRunner().invoke(app, ["drafts", "replay", str(recording), "--draft", "sendgrid", "--json"])
    assert [each["number"] for each in json.loads(answer.stdout)["outcomes"]] == [4]


def test_a_count_of_more_than_a_session_shows_is_seeded_and_goes_on(tmp_path: Path):
    project = {"id": 8001, "path_with_namespace": "acme/mill", "open_issues_count": 54}
    issue = {"id": 9001, "iid": 7, "project_id": 8001, "state": "opened", "title": "Old"}
    steps: list[Step] = [
        ("GET", "/api/v4/projects/8001", None, 200, project),
        ("GET", "/api/v4/projects/8001/issues/7", None, 200, issue),
        ("POST", "/api/v4/projects/8001/issues", {"title": "New"}, 201, {"title": "New", "state": "opened"}),
        ("GET", "/api/v4/projects/8001", None, 200, {**project, "open_issues_count": 55}),
    ]
    recording = write_session(tmp_path / "a.jsonl", steps)
    recording.write_text(recording.read_text().replace(HOST, "https://gitlab.com"))
    answer = CliRunner().invoke(app, ["drafts", "replay", str(recording), "--draft", "gitlab", "--json"])
    assert json.loads(answer.stdout)["outcomes"] == []


@pytest.mark.parametrize(
    ("field", "given", "told"),
    [
        ("weighed", 1531229227054, 1600000000000),
        ("phone", "1531229227054", "1600000000000"),
        ("due", "2026-01-09", "2026-01-10"),
        ("due_on", "2026-01-09", "2026-01-10"),
    ],
)
def test_a_time_or_a_number_like_one_that_a_request_gave_is_compared(tmp_path: Path, field: str, given: Any, told: Any):
    def make(value: Any) -> Step:
        return ("POST", "/v1/parcels", {"address": "Mill", field: given}, 201, {"id": 8001, field: value})

    read: Step = ("GET", "/v1/parcels/8001", None, 200, {"id": 8001})
    learnt = write_session(tmp_path / "learnt.jsonl", [make(given), read])
    words = ["drafts", "learn", str(learnt), "--output", str(tmp_path / "parcels.json")]
    assert CliRunner().invoke(app, words).exit_code == 0
    for value, places in ((given, []), (told, [[f"/{field}"]])):
        report = replay(write_session(tmp_path / "all.jsonl", [make(value)]))
        assert [each["places"] for each in report["outcomes"]] == places


def test_a_number_like_a_time_that_is_none_of_the_twins_clock_is_compared(tmp_path: Path):
    made: Step = ("POST", "/v1/parcels", {"address": "Mill"}, 201, {"id": 8001, "serial": 1531229227054})
    path = write_session(tmp_path / "all.jsonl", [made, ("GET", "/v1/parcels/8001", None, 200, {"id": 8001})])
    words = ["drafts", "learn", str(path), "--output", str(tmp_path / "parcels.json"), "--overlay"]
    assert CliRunner().invoke(app, words).exit_code == 0
    overlay = tmp_path / "parcels.twin.yaml"
    overlay.write_text(json.dumps({"resources": {"parcels": {"defaults": {"serial": 1531229227055}}}}))
    assert [each["places"] for each in replay(path)["outcomes"]] == [["/serial"]]
    overlay.write_text(json.dumps({"resources": {"parcels": {"defaults": {"serial": 1531229227054}}}}))
    assert replay(path)["outcomes"] == []


def test_an_id_that_refers_to_another_object_than_the_recorded_one_is_another_value(tmp_path: Path):
    steps: list[Step] = [
        ("POST", "/v1/depots", {"name": "A"}, 201, {"id": 1002, "name": "A"}),
        ("POST", "/v1/depots", {"name": "B"}, 201, {"id": 1003, "name": "B"}),
        ("GET", "/v1/depots/1003", None, 200, {"id": 1003, "name": "B"}),
        ("POST", "/v1/parcels", {"address": "Mill", "depot_id": 1003}, 201, {"id": 5001, "depot_id": 1003}),
        ("GET", "/v1/parcels/5001", None, 200, {"id": 5001, "depot_id": 1003}),
    ]
    learnt = write_session(tmp_path / "learnt.jsonl", steps)
    words = ["drafts", "learn", str(learnt), "--output", str(tmp_path / "parcels.json")]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert replay(learnt)["outcomes"] == []
    for wrong in (1001, 1002):
        steps[-1] = ("GET", "/v1/parcels/5001", None, 200, {"id": 5001, "depot_id": wrong})
        report = replay(write_session(tmp_path / "all.jsonl", steps))
        assert [(each["number"], each["places"]) for each in report["outcomes"]] == [(5, ["/depot_id"])]


def test_a_date_that_zendesk_keeps_of_a_user_has_no_time_of_day(tmp_path: Path):
    def user(born: str) -> dict[str, Any]:
        return {"user": {"id": 8001, "name": "Ada", "user_fields": {"born": born}}}

    given = {"user": {"name": "Ada", "user_fields": {"born": "2020-08-19T20:50:04.000Z"}}}
    steps: list[Step] = [("POST", "/api/v2/users.json", given, 201, user("2020-08-19T00:00:00+00:00"))]
    recording = write_session(tmp_path / "a.jsonl", steps)
    recording.write_text(recording.read_text().replace(HOST, "https://mill.zendesk.com"))
    answer = CliRunner().invoke(app, ["drafts", "replay", str(recording), "--draft", "zendesk", "--json"])
    assert json.loads(answer.stdout)["right"] == 1, answer.output
    midday = write_session(tmp_path / "b.jsonl", [(*steps[0][:4], user("2020-08-19T12:00:00+00:00"))])
    midday.write_text(midday.read_text().replace(HOST, "https://mill.zendesk.com"))
    answer = CliRunner().invoke(app, ["drafts", "replay", str(midday), "--draft", "zendesk", "--json"])
    assert json.loads(answer.stdout)["right"] == 0, answer.output
