"""Dropbox's draft: paths, conflicts, uploads, lists that go on, sharing."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from .conftest import Connect

Ask = Callable[..., httpx.Response]


@pytest.fixture
def dropbox(connect: Connect) -> httpx.Client:
    client = connect("dropbox", "https://api.dropboxapi.com/2")
    for path in ("/Bread/rye.txt", "/Bread/old/oat.txt"):
        upload(client, path, b"flour")
    return client


def upload(client: httpx.Client, path: str, data: bytes, **more: Any) -> httpx.Response:
    headers = {"Dropbox-API-Arg": json.dumps({"path": path, **more}), "Content-Type": "application/octet-stream"}
    return client.post("https://content.dropboxapi.com/2/files/upload", content=data, headers=headers)


def finish(client: httpx.Client, endpoint: str, body: Any) -> Any:
    """Return what came of a job that an endpoint begins."""
    begun = client.post(endpoint, json=body).json()
    assert {*begun} == {".tag", "async_job_id"}, begun
    stem, _, version = endpoint.partition("_v")
    check = {"files/save_url": "files/save_url/check_job_status"}.get(stem, f"{stem}/check{version and f'_v{version}'}")
    return client.post(check, json={"async_job_id": begun["async_job_id"]}).json()


@pytest.mark.parametrize(
    ("endpoint", "body", "summary"),
    [
        ("files/get_metadata", {"path": "/no"}, "path/not_found/..."),
        ("files/get_metadata", {"path": "//no"}, "path/malformed_path/..."),
        ("files/create_folder_v2", {"path": "/"}, "path/malformed_path/..."),
        ("files/list_folder", {"path": "/Bread/rye.txt"}, "path/not_folder/..."),
        ("files/create_folder_v2", {"path": "/bread"}, "path/conflict/folder/..."),
        ("files/delete_v2", {"path": "/no"}, "path_lookup/not_found/..."),
        ("files/move_v2", {"from_path": "/no", "to_path": "/b"}, "from_lookup/not_found/..."),
        ("files/move_v2", {"from_path": "/Bread/rye.txt", "to_path": "/bread/OLD"}, "to/conflict/folder/..."),
        ("files/copy_v2", {"from_path": "/Bread", "to_path": "/Bread/old/in"}, "duplicated_or_nested_paths/..."),
        ("files/list_folder/continue", {"cursor": "AAA"}, "path/malformed_path/..."),
        ("sharing/share_folder", {"path": "/Bread/rye.txt"}, "bad_path/is_file/..."),
        ("sharing/revoke_shared_link", {"url": "https://x"}, "shared_link_not_found/..."),
        ("sharing/share_folder", {"path": "/"}, "bad_path/invalid_path/..."),
        ("sharing/list_folder_members", {"shared_folder_id": "1"}, "invalid_id/..."),
        ("sharing/unshare_folder", {"shared_folder_id": "1"}, "access_error/invalid_id/..."),
        ("sharing/list_file_members", {"file": "/no"}, "access_error/invalid_file/..."),
        ("sharing/list_file_members", {"file": "/Bread"}, "access_error/is_folder/..."),
        ("files/save_url", {"path": "/a", "url": "file:///etc/passwd"}, "invalid_url/..."),
        ("files/delete_batch/check", {"async_job_id": "1"}, "invalid_async_job_id/..."),
        ("file_requests/list/continue", {"cursor": "cmVxdWVzdHM6eA"}, "invalid_cursor/..."),
        ("files/list_folder/longpoll", {"cursor": "Zm9sZGVyOng"}, "reset/..."),
    ],
)
def test_what_cannot_be_done_is_said_with_the_tags_of_dropbox(dropbox, endpoint: str, body: Any, summary: str):
    answer = dropbox.post(endpoint, json=body)
    assert (answer.status_code, answer.json()["error_summary"]) == (409, summary)


@pytest.mark.parametrize(
    ("endpoint", "body", "parameter", "given"),
    [
        ("files/get_metadata", {"path": "no"}, "path", "no"),
        ("files/list_folder", {"path": "Bread"}, "path", "Bread"),
        ("files/create_folder", {"path": ""}, "path", ""),
        ("files/create_folder_v2", {"path": "no"}, "path", "no"),
        ("files/create_folder_batch", {"paths": [""]}, "path", ""),
        ("files/delete_v2", {"path": ""}, "path", ""),
        ("files/move_v2", {"from_path": "", "to_path": "/b"}, "from_path", ""),
        ("files/move_v2", {"from_path": "/Bread", "to_path": ""}, "to_path", ""),
        ("files/copy", {"from_path": "/Bread", "to_path": "b"}, "to_path", "b"),
        ("files/save_url", {"path": "", "url": "https://a.test"}, "path", ""),
        ("sharing/create_shared_link_with_settings", {"path": ""}, "path", ""),
        ("sharing/share_folder", {"path": "Bread"}, "path", "Bread"),
    ],
)
def test_a_path_that_does_not_match_the_pattern_of_its_parameter_is_refused(
    dropbox: httpx.Client, endpoint: str, body: Any, parameter: str, given: str
):
    answer = dropbox.post(endpoint, json=body)
    start = (
        f"Error in call to API function \"{endpoint}\": request body: {parameter}: '{given}' did not match pattern '"
    )
    assert (answer.status_code, answer.text[: len(start)]) == (400, start)
    listed = dropbox.post("files/list_folder", json={"path": ""}).json()["entries"]
    assert [each["path_lower"] for each in listed] == ["/bread"]
    assert dropbox.post("sharing/list_shared_links", json={"path": "/Bread"}).json()["links"] == []


def test_the_path_of_an_upload_is_refused_by_the_name_of_its_header(dropbox: httpx.Client):
    answer = upload(dropbox, "pack.zip", b"x")
    start = (
        'Error in call to API function "files/upload": HTTP header "Dropbox-API-Arg": path: \'pack.zip\' did not match'
    )
    assert (answer.status_code, answer.text[: len(start)]) == (400, start)


def test_paths_are_the_same_in_upper_and_lower_case_and_move_with_their_folders(dropbox: httpx.Client):
    moved = dropbox.post("files/move_v2", json={"from_path": "/BREAD", "to_path": "/Pantry"}).json()["metadata"]
    assert moved["path_display"] == "/Pantry"
    assert dropbox.post("files/get_metadata", json={"path": "/pantry/OLD/oat.TXT"}).json()["name"] == "oat.txt"
    listed = dropbox.post("files/list_folder", json={"path": "", "recursive": True}).json()["entries"]
    assert [each["path_lower"] for each in listed] == [
        "/pantry",
        "/pantry/old",
        "/pantry/old/oat.txt",
        "/pantry/rye.txt",
    ]


def test_a_cursor_goes_on_with_a_list_and_then_says_what_changed(dropbox: httpx.Client):
    first = dropbox.post("files/list_folder", json={"path": "/Bread", "limit": 1}).json()
    rest = dropbox.post("files/list_folder/continue", json={"cursor": first["cursor"]}).json()
    names = [each["name"] for page in (first, rest) for each in page["entries"]]
    assert (names, first["has_more"], rest["has_more"]) == (["old", "rye.txt"], True, False)
    upload(dropbox, "/Bread/new.txt", b"x")
    after = dropbox.post("files/list_folder/continue", json={"cursor": rest["cursor"]}).json()
    assert [each["name"] for each in after["entries"]] == ["new.txt"]


@pytest.mark.parametrize(
    ("more", "status", "name"),
    [
        ({}, 409, None),
        ({"autorename": True}, 200, "rye (1).txt"),
        ({"mode": "overwrite"}, 200, "rye.txt"),
        ({"mode": {".tag": "update", "update": "0"}}, 409, None),
    ],
)
def test_an_upload_to_a_path_that_is_taken_does_what_its_mode_says(dropbox, more: Any, status: int, name: str | None):
    answer = upload(dropbox, "/Bread/rye.txt", b"other", **more)
    assert (answer.status_code, answer.json().get("name")) == (status, name)


def test_an_argument_that_is_missing_or_malformed_is_said_as_a_text(dropbox: httpx.Client):
    answer = dropbox.post("files/get_metadata", json={})
    assert answer.status_code == 400
    assert answer.text.startswith('Error in call to API function "files/get_metadata": request body: path')


def test_a_batch_says_of_each_entry_whether_it_could_be_done(dropbox: httpx.Client):
    moves = [{"from_path": "/Bread/rye.txt", "to_path": "/a.txt"}, {"from_path": "/no", "to_path": "/b.txt"}]
    lookup = {".tag": "from_lookup", "from_lookup": {".tag": "not_found"}}
    for batch, path in (("copy_batch_v2", "/a.txt"), ("move_batch_v2", "/a (1).txt")):
        entries = finish(dropbox, f"files/{batch}", {"entries": moves, "autorename": True})["entries"]
        assert entries[0]["success"]["path_display"] == path
        assert entries[1]["failure"] == {".tag": "relocation_error", "relocation_error": lookup}
    gone = finish(dropbox, "files/delete_batch", {"entries": [{"path": "/a.txt"}, {"path": "/Bread/rye.txt"}]})
    assert [each[".tag"] for each in gone["entries"]] == ["success", "failure"]


def test_uploads_in_parts_end_in_one_batch(dropbox: httpx.Client):
    ids = dropbox.post("files/upload_session/start_batch", json={"num_sessions": 2}).json()["session_ids"]
    for id in ids:
        argument = json.dumps({"cursor": {"session_id": id, "offset": 0}, "close": True})
        headers = {"Dropbox-API-Arg": argument, "Content-Type": "application/octet-stream"}
        assert dropbox.post("files/upload_session/append_v2", content=b"dough", headers=headers).status_code == 200
    paths = ["/new.txt", "/Bread"]
    ends = [
        {"cursor": {"session_id": id, "offset": 5}, "commit": {"path": path}}
        for id, path in zip(ids, paths, strict=True)
    ]
    first, second = dropbox.post("files/upload_session/finish_batch_v2", json={"entries": ends}).json()["entries"]
    assert (first[".tag"], first["size"], second["failure"][".tag"]) == ("success", 5, "path")


def test_an_address_is_saved_with_what_the_twin_knows_of_it(dropbox: httpx.Client):
    link = dropbox.post("files/get_temporary_link", json={"path": "/Bread/rye.txt"}).json()["link"]
    for url, size in ((link, 5), ("https://example.com/a", 21)):
        saved = finish(dropbox, "files/save_url", {"path": "/saved.txt", "url": url})
        assert (saved[".tag"], saved["size"]) == ("complete", size)


def test_an_address_that_is_none_is_named_in_the_refusal(dropbox: httpx.Client):
    shared = dropbox.post("/sharing/share_folder", json={"path": "/Bread"}).json()["shared_folder_id"]
    members = [{"member": {".tag": "email", "email": "nobody"}}]
    refused = dropbox.post("/sharing/add_folder_member", json={"shared_folder_id": shared, "members": members})
    assert refused.json()["error"]["bad_member"] == {".tag": "invalid_email", "invalid_email": "nobody"}


def test_each_member_of_a_file_has_a_result_of_its_own(dropbox: httpx.Client):
    members = [{".tag": "email", "email": each} for each in ("nobody", "ada@example.com")]
    told = dropbox.post("/sharing/add_file_member", json={"file": "/Bread/rye.txt", "members": members})
    assert [each["result"][".tag"] for each in told.json()] == ["member_error", "success"]
    listed = dropbox.post("/sharing/list_file_members", json={"file": "/Bread/rye.txt"}).json()["invitees"]
    assert [each["invitee"]["email"] for each in listed] == ["ada@example.com"]


def test_a_file_may_be_made_again_what_it_was_and_tells_what_it_was(dropbox: httpx.Client):
    first = dropbox.post("files/get_metadata", json={"path": "/Bread/rye.txt"}).json()["rev"]
    second = upload(dropbox, "/Bread/rye.txt", b"water", mode="overwrite").json()["rev"]
    dropbox.post("files/delete_v2", json={"path": "/Bread/rye.txt"})
    listed = dropbox.post("files/list_revisions", json={"path": "/bread/rye.txt"}).json()
    assert (listed["is_deleted"], [each["rev"] for each in listed["entries"]]) == (True, [second, first])
    unknown = dropbox.post("files/restore", json={"path": "/Bread/rye.txt", "rev": "015"}).json()
    restored = dropbox.post("files/restore", json={"path": "/Bread/rye.txt", "rev": first}).json()
    assert (unknown["error"][".tag"], restored["size"], restored["rev"] in (first, second)) == (
        "invalid_revision",
        5,
        False,
    )


def test_a_list_that_goes_on_names_what_was_deleted_or_moved_away(dropbox: httpx.Client):
    cursor = dropbox.post("files/list_folder", json={"path": "/Bread"}).json()["cursor"]
    assert dropbox.post("files/list_folder/longpoll", json={"cursor": cursor}).json() == {"changes": False}
    dropbox.post("files/move_v2", json={"from_path": "/Bread/rye.txt", "to_path": "/Bread/wheat.txt"})
    assert dropbox.post("files/list_folder/longpoll", json={"cursor": cursor}).json() == {"changes": True}
    after = dropbox.post("files/list_folder/continue", json={"cursor": cursor}).json()["entries"]
    assert [(each[".tag"], each["name"]) for each in after] == [("deleted", "rye.txt"), ("file", "wheat.txt")]
    gone = dropbox.post("files/get_metadata", json={"path": "/bread/RYE.txt", "include_deleted": True}).json()
    assert gone[".tag"] == "deleted"


def test_a_batch_of_folders_is_a_job_if_it_is_asked_to_be_one_or_large(dropbox: httpx.Client):
    for paths, is_forced, tag in ((["/a"], False, "complete"), (["/b"], True, "async_job_id")):
        given = {"paths": paths, "force_async": is_forced}
        assert dropbox.post("files/create_folder_batch", json=given).json()[".tag"] == tag
    for count, tag in ((100, "complete"), (101, "async_job_id")):
        paths = [f"/{count}/{number}" for number in range(count)]
        assert dropbox.post("files/create_folder_batch", json={"paths": paths}).json()[".tag"] == tag


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ({"requested_visibility": "public"}, 200),
        ({"requested_visibility": {".tag": "team_only"}}, 409),
        ({"expires": "2030-01-01T00:00:00Z"}, 409),
        ({"link_password": "x"}, 409),
        ({"link_password": None, "expires": None}, 200),
    ],
)
def test_a_basic_account_may_only_make_public_links_without_end(dropbox, settings: Any, status: int):
    given = {"path": "/Bread", "settings": settings}
    answer = dropbox.post("sharing/create_shared_link_with_settings", json=given)
    assert answer.status_code == status
    assert status == 200 or answer.json()["error_summary"] == "settings_error/not_authorized/..."


def test_a_file_request_must_be_closed_before_it_is_deleted(dropbox: httpx.Client):
    made = dropbox.post("file_requests/create", json={"title": "Loaves", "destination": "/Loaves"}).json()
    assert (made["is_open"], made["file_count"], made["url"]) == (
        True,
        0,
        f"https://www.dropbox.com/request/{made['id']}",
    )
    refused = dropbox.post("file_requests/delete", json={"ids": [made["id"]]}).json()
    closed = dropbox.post("file_requests/update", json={"id": made["id"], "open": False}).json()
    gone = dropbox.post("file_requests/delete", json={"ids": [made["id"]]}).json()["file_requests"]
    assert (refused["error_summary"], closed["is_open"], gone) == ("file_request_open/...", False, [closed])
    for path, tag in (("/Bread/rye.txt", "not_a_folder"), ("Loaves", "validation_error")):
        answer = dropbox.post("file_requests/create", json={"title": "Loaves", "destination": path})
        assert answer.json()["error"] == {".tag": tag}


def test_a_copy_reference_copies_what_it_stands_for(dropbox: httpx.Client):
    reference = dropbox.post("files/copy_reference/get", json={"path": "/Bread"}).json()["copy_reference"]
    saved = dropbox.post("files/copy_reference/save", json={"copy_reference": reference, "path": "/Copy"}).json()
    assert saved["metadata"]["path_display"] == "/Copy"
    assert dropbox.post("files/get_metadata", json={"path": "/copy/old/oat.txt"}).status_code == 200
    for given, summary in (("no", "invalid_copy_reference/..."), (reference, "path/malformed_path/...")):
        path = "//b" if given == reference else "/b"
        answer = dropbox.post("files/copy_reference/save", json={"copy_reference": given, "path": path})
        assert answer.json()["error_summary"] == summary


def test_a_thumbnail_is_refused_for_what_it_is_and_not_drawn(dropbox: httpx.Client):
    upload(dropbox, "/cat.png", b"png")
    for path, status in (("/no.png", 409), ("/Bread/rye.txt", 409), ("/cat.png", 501)):
        headers = {"Dropbox-API-Arg": json.dumps({"path": path})}
        assert dropbox.post("files/get_thumbnail", headers=headers).status_code == status
