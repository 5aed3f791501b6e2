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


@pytest.mark.parametrize(
    ("endpoint", "body", "summary"),
    [
        ("files/get_metadata", {"path": "/no"}, "path/not_found/..."),
        ("files/get_metadata", {"path": "no"}, "path/malformed_path/..."),
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
    ],
)
def test_what_cannot_be_done_is_said_with_the_tags_of_dropbox(dropbox, endpoint: str, body: Any, summary: str):
    answer = dropbox.post(endpoint, json=body)
    assert (answer.status_code, answer.json()["error_summary"]) == (409, summary)


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
        entries = dropbox.post(f"files/{batch}", json={"entries": moves, "autorename": True}).json()["entries"]
        assert entries[0]["success"]["path_display"] == path
        assert entries[1]["failure"] == {".tag": "relocation_error", "relocation_error": lookup}
    gone = dropbox.post("files/delete_batch", json={"entries": [{"path": "/a.txt"}, {"path": "/Bread/rye.txt"}]}).json()
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
        saved = dropbox.post("files/save_url", json={"path": "/saved.txt", "url": url}).json()
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
