"""Dropbox's draft: locks of files, and folders as zip files."""

import json
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def dropbox(connect: Connect) -> httpx.Client:
    """A Dropbox with a shared folder of two files, and a file that is not shared."""
    client = connect("dropbox", "https://api.dropboxapi.com/2")
    for path in ("/Bread/rye.txt", "/Bread/old/hafer-\u00fc.txt", "/own.txt"):
        upload(client, path)
    client.post("/sharing/share_folder", json={"path": "/Bread"}).raise_for_status()
    return client


def upload(client: httpx.Client, path: str) -> None:
    headers = {"Dropbox-API-Arg": json.dumps({"path": path}), "Content-Type": "application/octet-stream"}
    client.post("/files/upload", content=path.encode(), headers=headers).raise_for_status()


def ask(client: httpx.Client, endpoint: str, *paths: str) -> list[dict[str, Any]]:
    body = {"entries": [{"path": each} for each in paths]}
    return client.post(f"/files/{endpoint}", json=body).raise_for_status().json()["entries"]


def test_a_locked_file_is_so_until_it_is_unlocked_or_removed(dropbox: httpx.Client):
    [locked] = ask(dropbox, "lock_file_batch", "/bread/rye.txt", "/bread/rye.txt")
    assert locked["lock"]["content"][".tag"] == "single_user"
    assert (locked["metadata"]["name"], locked["metadata"]["file_lock_info"]["is_lockholder"]) == ("rye.txt", True)
    assert ask(dropbox, "get_file_lock_batch", "/Bread/rye.txt") == [locked]
    assert ask(dropbox, "lock_file_batch", "/Bread/rye.txt") == [locked]
    for endpoint in ("unlock_file_batch", "get_file_lock_batch"):
        assert ask(dropbox, endpoint, "/Bread/rye.txt")[0]["lock"] == {"content": {".tag": "unlocked"}}
    ask(dropbox, "lock_file_batch", "/Bread/rye.txt")
    dropbox.post("/files/delete_v2", json={"path": "/Bread/rye.txt"}).raise_for_status()
    assert ask(dropbox, "get_file_lock_batch", "/Bread/rye.txt")[0]["failure"][".tag"] == "path_lookup"


def test_what_cannot_be_locked_is_said_of_each(dropbox: httpx.Client):
    entries = ask(dropbox, "lock_file_batch", "/Bread", "/no", "/own.txt", "/Bread/rye.txt")
    assert [each.get("failure", each)[".tag"] for each in entries] == [
        "cannot_be_locked", "path_lookup", "file_not_shared", "success",
    ]  # fmt: skip


@pytest.mark.parametrize("body", [{}, {"entries": 5}, {"entries": [5]}, {"entries": [{"path": None}]}])
def test_a_lock_needs_paths(dropbox: httpx.Client, body: Any):
    assert dropbox.post("/files/lock_file_batch", json=body).status_code == 400


def zip_folder(client: httpx.Client, path: Any) -> httpx.Response:
    return client.post("/files/download_zip", headers={"Dropbox-API-Arg": json.dumps({"path": path})})


def test_a_folder_is_downloaded_as_a_zip_file(dropbox: httpx.Client):
    answer = zip_folder(dropbox, "/bread")
    assert json.loads(answer.headers["Dropbox-API-Result"])["metadata"]["path_display"] == "/Bread"
    with ZipFile(BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        names = ["Bread/", "Bread/old/", "Bread/old/hafer-\u00fc.txt", "Bread/rye.txt"]
        assert archive.namelist() == names
        assert archive.read(names[2]).decode() == "/Bread/old/hafer-\u00fc.txt"


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [("/Bread/rye.txt", 409, "path/not_folder"), ("/no", 409, "path/not_found"), ("x", 400, "did not match pattern"),
     (5, 400, "download_zip")],
)  # fmt: skip
def test_only_a_folder_is_zipped(dropbox: httpx.Client, path: Any, status: int, said: str):
    answer = zip_folder(dropbox, path)
    assert (answer.status_code, said in answer.text) == (status, True), answer.text
