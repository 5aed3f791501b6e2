"""What users of Box reported of the real API: codes of uploads, conflicts, trash, times and events."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha1
from typing import Any

import pytest

from twindiff.twins.box import twin
from twindiff.twins.box.event_delivery.enterprise_events import ADMINISTRATION

from .conftest import ADA, BEN, CLEO, Box

SESSIONS = {"folder_id": "0", "file_name": "x", "file_size": 21_000_000}
LACKING: list[tuple[dict[str, Any], str]] = [
    ({"folder_id": None}, "missing_destination"),
    ({"folder_id": "home"}, "invalid_folder_id"),
    ({"file_name": None}, "missing_file_name"),
    ({"file_name": "a/b"}, "item_name_invalid"),
    ({"file_size": None}, "missing_file_size"),
    ({"file_size": "big"}, "invalid_file_size"),
    ({"file_size": -1}, "invalid_file_size"),
    ({"file_size": 302_023}, "file_size_too_small"),
    ({"file_size": 19_999_999}, "file_size_too_small"),
]


@pytest.fixture(scope="module")
def shared_box(platform: Any) -> Box:
    """One enterprise for refusals, which change nothing."""
    tokens = {f"token-{each}": each for each in (ADA, BEN)}
    return Box(platform.environment("box:box_base", ADA, tokens=tokens))


@pytest.mark.parametrize(("given", "code"), LACKING)
@pytest.mark.parametrize("prefix", ["/api/2.0/", "/2.0/"])
def test_an_upload_session_is_refused_with_the_documented_code(shared_box: Box, prefix: str, given: Any, code: str):
    """https://developer.box.com/reference/post-files-upload-sessions"""
    body = {name: value for name, value in {**SESSIONS, **given}.items() if value is not None}
    assert shared_box.refused("POST", f"{prefix}files/upload_sessions", body) == (400, code)


@pytest.mark.parametrize(("size", "code"), [(each["file_size"], code) for each, code in LACKING if "file_size" in each])
def test_a_session_for_a_version_is_refused_with_the_same_codes(box: Box, size: Any, code: str):
    file = box.upload()["id"]
    body = {} if size is None else {"file_size": size}
    assert box.refused("POST", f"/api/2.0/files/{file}/upload_sessions", body) == (400, code)


def test_the_smallest_size_of_a_session_is_named(shared_box: Box):
    """https://github.com/box/box-python-sdk/issues/569"""
    answer = shared_box.http("POST", "/api/2.0/files/upload_sessions", json={**SESSIONS, "file_size": 302_023}).json()
    assert answer["message"] == "File size 302023 less than minimum allowed for this API: 20000000"
    assert shared_box.http("POST", "files/upload_sessions", json={**SESSIONS, "file_size": 20_000_000}).is_success


def conflict(answer: Any) -> Any:
    assert (answer.status_code, answer.json()["code"]) == (409, "item_name_in_use")
    return answer.json()["context_info"]["conflicts"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_the_conflict_of_any_upload_is_one_object(box: Box, kind: str):
    """rclone reads it so: PreUploadCheckConflict in backend/box/api/types.go"""
    taken = box.upload("taken")["id"] if kind == "file" else box.folder("taken")
    other = box.upload("other")["id"]
    wanted = {"name": "taken", "parent": {"id": "0"}, "size": 5}
    answers = [
        box.http("OPTIONS", "files/content", json=wanted),
        box.http("OPTIONS", "/api/2.0/files/content", json=wanted),
        box.http("OPTIONS", f"files/{other}/content", json={"name": "taken"}),
        box.sent("taken", b"x"),
        box.new_version(other, b"x", {"name": "taken"}),
        box.http("POST", "files/upload_sessions", json={**SESSIONS, "file_name": "taken"}),
        box.http("POST", f"files/{other}/upload_sessions", json={"file_size": 21_000_000, "file_name": "taken"}),
    ]
    assert [(each["type"], each["id"]) for each in map(conflict, answers)] == [(kind, taken)] * len(answers)


def test_the_conflict_of_a_folder_is_a_list(box: Box):
    taken = box.folder("taken")
    answer = box.http("POST", "folders", json={"name": "taken", "parent": {"id": "0"}})
    assert [each["id"] for each in conflict(answer)] == [taken]


@pytest.mark.parametrize("body", [{}, {"content_modified_at": "2020-02-03T04:05:06-08:00"}])
def test_a_file_takes_the_time_of_its_content(box: Box, body: Any):
    """rclone sets it with PUT: setModTime in backend/box/box.go"""
    file = box.upload(attributes={"content_modified_at": "2019-01-01T00:00:00Z"})["id"]
    shown = box("PUT", f"files/{file}", {"name": "b.txt", **body})["content_modified_at"]
    assert shown == ("2020-02-03T12:05:06+00:00" if body else "2019-01-01T00:00:00+00:00")
    assert box("GET", f"files/{file}")["content_modified_at"] == shown


def test_the_time_of_a_content_is_a_time_and_its_editors_to_set(box: Box, ben: Box):
    file = box.upload()["id"]
    time = {"content_modified_at": "2020-01-01T00:00:00Z"}
    assert box.refused("PUT", f"files/{file}", {"content_modified_at": "soon"}) == (400, "bad_request")
    item, by = {"id": file, "type": "file"}, {"id": BEN, "type": "user"}
    box("POST", "collaborations", {"item": item, "accessible_by": by, "role": "viewer"})
    assert ben.refused("PUT", f"files/{file}", time) == (403, "access_denied_insufficient_permissions")


def test_moving_an_imported_file_leaves_the_time_of_its_content(enterprise: Any, platform: Any):
    file = {"id": "5", "name": "a.txt", "owned_by_id": ADA, "parent_id": "0", "modified_at": "2020-01-01T00:00:00Z"}
    users = [{"id": id, "name": id, "login": f"{id}@example.com", "role": "admin"} for id in (ADA, BEN, CLEO)]
    platform.post("import", {"files": {"box_moved.json": {"box_users": users, "box_files": [file]}}})
    box = enterprise("box_moved")
    before = box("GET", "files/5")["content_modified_at"]
    after = box("PUT", "files/5", {"parent": {"id": box.folder("Elsewhere")}})
    assert (before, after["content_modified_at"]) == ("2020-01-01T00:00:00+00:00",) * 2


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_search_sees_nothing_inside_a_trashed_folder(box: Box, kind: str):
    """https://github.com/box/box-python-sdk/issues/764"""
    folder = box.folder("Wrapping")
    inner = box.folder("tulips inner", folder)
    place = folder if kind == "file" else inner
    box.upload("tulips.txt", parent=place)
    box.upload("tulips kept.txt")
    alone = box.upload("tulips alone.txt")["id"]
    box("DELETE", f"files/{alone}")
    box("DELETE", f"folders/{folder}?recursive=true")

    def found(trash: str) -> set[str]:
        return {
            each["name"] for each in box("GET", "search", params={"query": "tulips", "trash_content": trash})["entries"]
        }

    assert found("trashed_only") == {"tulips alone.txt"}
    assert found("all_items") == {"tulips alone.txt", "tulips kept.txt"}
    assert found("non_trashed_only") == {"tulips kept.txt"}
    box("POST", f"folders/{folder}", {})
    assert found("non_trashed_only") == {"tulips kept.txt", "tulips.txt", "tulips inner"}


def test_what_was_trashed_before_its_folder_is_found_in_the_trash(box: Box):
    folder = box.folder("Wrapping")
    box("DELETE", f"files/{box.upload('tulips.txt', parent=folder)['id']}")
    box("DELETE", f"folders/{folder}?recursive=true")
    query = {"query": "tulips", "trash_content": "trashed_only"}
    assert [each["name"] for each in box("GET", "search", params=query)["entries"]] == ["tulips.txt"]


def test_a_folder_in_the_trash_has_no_items_to_list(box: Box):
    """https://github.com/box/box-java-sdk/issues/1030"""
    folder = box.folder("Wrapping")
    box("DELETE", f"folders/{folder}?recursive=true")
    assert box.refused("GET", f"folders/{folder}/items") == (404, "trashed")
    assert box.refused("GET", f"folders/{folder}/trash/items") == (403, "forbidden")


LINK = {"shared_link": {"access": "open"}}
ENTERPRISE_WORDS: list[tuple[list[Any], str, str]] = [
    ([LINK], "SHARE", "ITEM_SHARED_CREATE"),
    ([LINK, {"shared_link": {"access": "company"}}], "ITEM_SHARED_UPDATE", "ITEM_SHARED_UPDATE"),
    ([LINK, {"shared_link": None}], "UNSHARE", "ITEM_SHARED_UNSHARE"),
    ([{"lock": {"access": "lock"}}], "LOCK", "LOCK_CREATE"),
    ([{"lock": {"access": "lock"}}, {"lock": None}], "UNLOCK", "LOCK_DESTROY"),
    ([{"name": "b.txt"}], "RENAME", "ITEM_RENAME"),
]


@pytest.mark.parametrize(("changes", "word", "of_user"), ENTERPRISE_WORDS)
def test_administrators_filter_by_the_enterprise_s_words(box: Box, changes: Any, word: str, of_user: str):
    """https://developer.box.com/guides/events/enterprise-events/for-enterprise"""
    file = box.upload()["id"]
    for change in changes:
        box("PUT", f"files/{file}", change)
    for stream in ("admin_logs", "admin_logs_streaming"):
        events = box("GET", "events", params={"stream_type": stream, "event_type": word})["entries"]
        assert [(each["event_type"], each["source"]["item_id"]) for each in events] == [(word, file)]
    assert of_user in [each["event_type"] for each in box("GET", "events")["entries"]]


def test_a_promoted_version_is_a_restored_one_to_the_enterprise(box: Box):
    file = box.upload()["id"]
    box.new_version(file, b"two")
    (old,) = box("GET", f"files/{file}/versions")["entries"]
    box("POST", f"files/{file}/versions/current", {"id": old["id"], "type": "file_version"})
    query = {"stream_type": "admin_logs", "event_type": "FILE_VERSION_RESTORE"}
    assert len(box("GET", "events", params=query)["entries"]) == 1


def test_the_enterprise_s_stream_has_no_words_of_the_users_stream(box: Box):
    file = box.upload(parent=box.folder("Plans"))["id"]
    for change in (LINK, {"shared_link": None}, {"lock": {"access": "lock"}}, {"lock": None}, {"name": "b.txt"}):
        box("PUT", f"files/{file}", change)
    box("DELETE", f"files/{file}")
    box("POST", f"files/{file}", {})
    words = {each["event_type"] for each in box("GET", "events?stream_type=admin_logs")["entries"]}
    assert words == {"UPLOAD", "SHARE", "UNSHARE", "LOCK", "UNLOCK", "RENAME", "DELETE", "UNDELETE"}


FIELDS = [
    {"type": "string", "displayName": "Brand name"},
    {"type": "string", "displayName": "Brand Name"},
    {"type": "float", "displayName": "2nd price"},
    {"type": "date", "displayName": "日付"},
    {"type": "enum", "displayName": "Kind", "options": [{"key": "a"}]},
    {"type": "string", "displayName": "Own", "key": "mine"},
]


def test_the_fields_of_a_template_get_keys_from_their_names(box: Box):
    """Box's command line tool sends fields without keys, see docs/metadata-templates.md in github.com/box/boxcli."""
    body = {"scope": "enterprise", "templateKey": "ad", "displayName": "Ad", "fields": FIELDS[:3]}
    made = box("POST", "metadata_templates/schema", body)
    operations = [{"op": "addField", "data": field} for field in FIELDS[3:]]
    now = box("PUT", "metadata_templates/enterprise/ad/schema", operations)
    assert [field["key"] for field in made["fields"]] == ["brandName", "brandName1", "_2ndPrice"]
    assert [field["key"] for field in now["fields"][3:]] == ["field", "kind", "mine"]
    folder = box.folder("Ads")
    instance = box("POST", f"folders/{folder}/metadata/enterprise/ad", {"brandName": "Acme", "_2ndPrice": 1.5})
    assert instance["brandName"] == "Acme"


def test_permissions_of_a_link_for_collaborators_are_refused_by_their_name_at_box(box: Box):
    """https://github.com/sookasa/box.py/issues/18"""
    link = {"shared_link": {"access": "collaborators", "permissions": {"can_download": True}}}
    for path in (f"files/{box.upload()['id']}", f"folders/{box.folder('Plans')}"):
        answer = box.http("PUT", path, json=link)
        (error,) = answer.json()["context_info"]["errors"]
        assert (answer.status_code, error["name"]) == (400, "shared_link_permissions")


def test_the_digest_of_a_session_is_compared_with_what_was_sent(box: Box):
    """https://github.com/box/box-java-sdk/issues/701"""
    session = box("POST", "files/upload_sessions", {**SESSIONS, "file_size": 20_000_000})
    data = b"\0" * session["part_size"]
    actual, other = (b64encode(sha1(each).digest()).decode() for each in (data, b"other"))
    span = f"bytes 0-{len(data) - 1}/20000000"
    headers = {"Digest": f"sha={other}", "Content-Range": span, "Content-Type": "application/octet-stream"}
    answer = box.http("PUT", f"/api/2.0/files/upload_sessions/{session['id']}", content=data, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "digest_mismatch")
    assert answer.json()["message"] == f"File digest was incorrect. Actual: {actual} Expected: {other}"


def test_what_the_twin_lacks_is_refused_once_by_the_official_client(box: Box):
    from box_sdk_gen import BaseUrls, BoxAPIError, BoxClient, BoxDeveloperTokenAuth, NetworkSession

    urls = BaseUrls(base_url=box.url, upload_url=f"{box.url}/api", oauth_2_url=f"{box.url}/oauth2")
    client = BoxClient(auth=BoxDeveloperTokenAuth(token=box.token), network_session=NetworkSession(base_urls=urls))
    with pytest.raises(BoxAPIError) as refused:
        client.workflows.get_workflows("0")
    assert (refused.value.response_info.status_code, refused.value.response_info.code) == (405, "not_implemented")
    assert json.dumps(refused.value.response_info.body).count("workflows") == 1


def test_what_administrators_do_is_in_the_enterprise_s_stream_alone(box: Box):
    file, folder = box.upload()["id"], box.folder("Kept")
    held = box("POST", "legal_hold_policies", {"policy_name": "Case", "is_ongoing": True})
    target = {"policy_id": held["id"], "assign_to": {"type": "file", "id": file}}
    box("DELETE", f"legal_hold_policy_assignments/{box('POST', 'legal_hold_policy_assignments', target)['id']}")
    box("PUT", f"legal_hold_policies/{held['id']}", {"description": "Closed"})
    box("DELETE", f"legal_hold_policies/{held['id']}")
    kept = {"policy_name": "Year", "policy_type": "indefinite", "disposition_action": "remove_retention"}
    policy = box("POST", "retention_policies", kept)["id"]
    box("POST", "retention_policy_assignments", {"policy_id": policy, "assign_to": {"type": "folder", "id": folder}})
    box("PUT", f"files/{file}/watermark", {"watermark": {"imprint": "default"}})
    box("DELETE", f"files/{file}/watermark")
    words = [each["event_type"] for each in box("GET", "events?stream_type=admin_logs")["entries"]][2:]
    holds = ("POLICY_CREATE", "ASSIGNMENT_CREATE", "ASSIGNMENT_DELETE", "POLICY_UPDATE", "POLICY_DELETE")
    others = ["DATA_RETENTION_CREATE_RETENTION", "RETENTION_POLICY_ASSIGNMENT_ADD"]
    assert words == [
        *(f"LEGAL_HOLD_{each}" for each in holds),
        *others,
        "WATERMARK_LABEL_CREATE",
        "WATERMARK_LABEL_DELETE",
    ]
    assert {each["event_type"] for each in box("GET", "events")["entries"]} == {"ITEM_UPLOAD", "ITEM_CREATE"}


def test_the_operations_of_administrators_are_those_of_the_twin():
    assert {operation.name for operation in twin.dispatch.operations} >= ADMINISTRATION.keys()


@pytest.mark.parametrize(("is_accepted", "word"), [(True, "ACCEPT"), (False, "REJECT")])
def test_terms_that_are_answered_are_reported_to_the_enterprise(box: Box, is_accepted: bool, word: str):
    terms = box("POST", "terms_of_services", {"status": "enabled", "text": "Be good", "tos_type": "external"})
    answer = {"tos": {"type": "terms_of_service", "id": terms["id"]}, "user": {"type": "user", "id": ADA}}
    box("POST", "terms_of_service_user_statuses", {**answer, "is_accepted": is_accepted})
    query = {"stream_type": "admin_logs", "event_type": f"TERMS_OF_SERVICE_{word}"}
    assert len(box("GET", "events", params=query)["entries"]) == 1


def test_all_missing_parameters_are_named_at_once(shared_box: Box):
    errors = shared_box.http("POST", "folders", json={}).json()["context_info"]["errors"]
    assert {each["name"]: each["reason"] for each in errors} == dict.fromkeys(("name", "parent"), "missing_parameter")


@pytest.mark.parametrize("verb", ["POST", "PUT"])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target", {"type": "folder", "id": "0"}),
        ("address", "https://example.com:8443/hook"),
        ("address", "https://app.box.com/hook"),
    ],
)
def test_a_webhook_watches_no_root_and_is_told_at_the_port_of_https(shared_box: Box, verb: str, field: str, value: Any):
    target = {"type": "folder", "id": shared_box.folder(f"{verb} {value}".replace("/", " "))}
    hook = {"target": target, "address": "https://example.com/hook", "triggers": ["FILE.UPLOADED"]}
    path = "webhooks" if verb == "POST" else f"webhooks/{shared_box('POST', 'webhooks', hook)['id']}"
    (error,) = shared_box.http(verb, path, json={**hook, field: value}).json()["context_info"]["errors"]
    assert (error["reason"], error["name"]) == ("invalid_parameter", field)


@pytest.mark.parametrize(
    ("password", "is_taken"), [("Sesame-1", True), ("sesame12", True), ("Sesam-1", False), ("sesamest", False)]
)
@pytest.mark.parametrize("kind", ["files", "folders"])
def test_a_link_s_password_has_eight_characters_of_two_kinds(shared_box: Box, kind: str, password: str, is_taken: bool):
    id = shared_box.folder(f"{kind} {password}") if kind == "folders" else shared_box.upload(f"{password}.txt")["id"]
    answer = shared_box.http("PUT", f"{kind}/{id}", json={"shared_link": {"access": "open", "password": password}})
    assert answer.is_success == is_taken


def test_an_invitation_goes_to_an_address_of_email(shared_box: Box):
    given = {"item": {"type": "folder", "id": shared_box.folder("invited")}, "role": "editor"}
    answer = shared_box.http(
        "POST", "collaborations", json={**given, "accessible_by": {"type": "user", "login": "nobody"}}
    )
    assert answer.json()["context_info"]["errors"][0]["name"] == "login"


def test_a_patch_of_metadata_has_its_own_media_type(box: Box):
    places = [f"{kind}/{id}" for kind, id in (("files", box.upload()["id"]), ("folders", box.folder("f")))]
    for place in places:
        box("POST", f"{place}/metadata/global/properties", {"a": "b"})
    made = {"scope": "enterprise", "displayName": "Ad", "templateKey": "ad", "fields": []}
    box("POST", "metadata_templates/schema", made)
    paths = [*(f"{place}/metadata/global/properties" for place in places), "metadata_templates/enterprise/ad/schema"]
    for path in paths:
        wrong = box.refused("PUT", path, [], headers={"content-type": "application/json"})
        assert wrong == (400, "bad_request")
        assert box.http("PUT", path, json=[]).is_success


@pytest.mark.parametrize(
    ("path", "body"),
    [("collaborations", True), (f"users/{BEN}/folders/0", False), (f"users/{BEN}", None)],
)
def test_whom_to_notify_is_said_by_a_word(box: Box, path: str, body: bool | None):
    """https://github.com/box/box-openapi/issues/422"""
    verb = {True: "POST", False: "PUT", None: "DELETE"}[body]
    item, whom = {"type": "folder", "id": box.folder("f")}, {"type": "user", "id": BEN}
    sent = {"item": item, "accessible_by": whom, "role": "viewer"} if body else {"owned_by": {"id": CLEO}}
    options = {} if body is None else {"json": sent}
    assert box.refused(verb, f"{path}?notify=1", **options) == (400, "invalid_request_parameters")
    assert box.http(verb, f"{path}?notify=false", **options).is_success


def test_a_role_that_is_none_is_named_alone(box: Box):
    """https://support.box.com/hc/en-us/community/posts/360049136094"""
    item, whom = {"type": "folder", "id": box.folder("f")}, {"type": "user", "id": BEN}
    answer = box.http("POST", "collaborations", json={"item": item, "accessible_by": whom, "role": "Co-owner"})
    said = {"reason": "invalid_parameter", "name": "role", "message": "Invalid value 'Co-owner'."}
    assert answer.json()["context_info"]["errors"] == [said]


def test_the_root_has_no_collaborators(box: Box):
    item, whom = {"type": "folder", "id": "0"}, {"type": "user", "id": BEN}
    refused = box.refused("POST", "collaborations", {"item": item, "accessible_by": whom, "role": "viewer"})
    assert refused == (400, "collaborations_not_available_on_root_folder")


def test_only_a_pending_invitation_is_answered(box: Box, ben: Box):
    item, whom = {"type": "folder", "id": box.folder("f")}, {"type": "user", "id": BEN}
    made = box("POST", "collaborations", {"item": item, "accessible_by": whom, "role": "viewer"})
    assert ben.refused("PUT", f"collaborations/{made['id']}", {"status": "rejected"}) == (400, "invalid_status")


@pytest.mark.parametrize("kind", ["files", "folders", "web_links"])
def test_what_is_not_in_the_trash_is_not_found_there_by_that_name(box: Box, kind: str):
    """https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors/"""
    link = {"url": "https://a.example", "name": "link", "parent": {"id": "0"}}
    made = {"folders": box.folder("f"), "files": box.upload()["id"], "web_links": box("POST", "web_links", link)["id"]}
    path = f"{kind}/{made[kind]}"
    assert box.refused("DELETE", f"{path}/trash") == (404, "not_trashed")
    assert box.refused("GET", f"{path}/trash") == (404, "not_trashed")
    assert box.refused("POST", path) == (404, "not_trashed")
    box("DELETE", path)
    assert box("GET", f"{path}/trash")["item_status"] == "trashed"


def test_a_wrong_digest_is_told_in_the_words_of_box(box: Box):
    answer = box.sent("g.txt", b"x", headers={"content-md5": "0" * 40})
    assert answer.json()["message"] == "The specified content-md5 did not match what we received"
