"""Uploads in parts."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha1
from typing import Any

import pytest

from .conftest import Box

DATA = bytes(range(256)) * 80_000  # 20.48 MB
SIZE = len(DATA)


def digest(data: bytes) -> str:
    return "sha=" + b64encode(sha1(data).digest()).decode()


def start(box: Box, name: str = "large.bin") -> Any:
    wanted = {"folder_id": "0", "file_size": SIZE, "file_name": name}
    return box("POST", "/api/2.0/files/upload_sessions", wanted)


def part(box: Box, session: Any, number: int, **headers: str) -> Any:
    first = number * session["part_size"]
    data = DATA[first : first + session["part_size"]]
    usual = {
        "Digest": digest(data),
        "Content-Range": f"bytes {first}-{first + len(data) - 1}/{SIZE}",
        "Content-Type": "application/octet-stream",
    }
    path = f"/api/2.0/files/upload_sessions/{session['id']}"
    return box.http("PUT", path, content=data, headers={**usual, **headers})


def commit(box: Box, session: Any, parts: list[Any], data: bytes = DATA) -> Any:
    path = f"/api/2.0/files/upload_sessions/{session['id']}/commit"
    return box.http("POST", path, json={"parts": parts}, headers={"Digest": digest(data)})


@pytest.fixture
def session(box: Box) -> Any:
    return start(box)


def test_parts_become_a_file(box: Box, session: Any):
    assert session["total_parts"] == 3
    parts = [part(box, session, number).json()["part"] for number in (2, 0, 1)]
    parts.sort(key=lambda each: each["offset"])
    path = f"/api/2.0/files/upload_sessions/{session['id']}"
    assert box("GET", path)["num_parts_processed"] == 3
    assert box("GET", f"{path}/parts")["entries"] == parts
    file = commit(box, session, parts).json()["entries"][0]
    assert (file["size"], file["sha1"]) == (SIZE, sha1(DATA).hexdigest())
    assert box.refused("GET", path) == (404, "not_found")


def test_parts_become_a_new_version(box: Box):
    file = box.upload("large.bin", b"small")
    session = box("POST", f"/api/2.0/files/{file['id']}/upload_sessions", {"file_size": SIZE})
    parts = [part(box, session, number).json()["part"] for number in range(3)]
    assert commit(box, session, parts).json()["entries"][0]["etag"] == "1"
    assert box("GET", f"files/{file['id']}/versions")["total_count"] == 1


def test_a_name_that_was_taken_meanwhile_is_refused_at_the_end(box: Box, session: Any):
    parts = [part(box, session, number).json()["part"] for number in range(3)]
    box.upload("large.bin", b"small")
    answer = commit(box, session, parts)
    assert (answer.status_code, answer.json()["code"]) == (409, "item_name_in_use")


def test_a_file_that_was_changed_meanwhile_gets_no_version(box: Box):
    file = box.upload("large.bin", b"small")["id"]
    session = box("POST", f"/api/2.0/files/{file}/upload_sessions", {"file_size": SIZE})
    parts = [part(box, session, number).json()["part"] for number in range(3)]
    box.new_version(file, b"other")
    path = f"/api/2.0/files/upload_sessions/{session['id']}/commit"
    headers = {"Digest": digest(DATA), "If-Match": "0"}
    assert box.refused("POST", path, {"parts": parts}, headers=headers) == (412, "precondition_failed")


def test_a_file_is_not_made_before_all_parts_are_there(box: Box, session: Any):
    first = part(box, session, 0).json()["part"]
    answer = commit(box, session, [first])
    assert (answer.status_code, answer.headers["Retry-After"]) == (202, "1")
    assert box.names() == []


def test_wrong_digests_and_places_are_refused(box: Box, session: Any):
    assert part(box, session, 0, Digest=digest(b"other")).json()["code"] == "digest_mismatch"
    assert part(box, session, 0, Digest="md5=x").status_code == 400
    for text in (f"bytes 5-8388612/{SIZE}", "bytes 0-8388607/1", "bytes 0-1/2", f"bytes 16777216-99999999/{SIZE}"):
        assert part(box, session, 0, **{"Content-Range": text}).status_code == 416
    assert box("GET", f"/api/2.0/files/upload_sessions/{session['id']}")["num_parts_processed"] == 0


def test_parts_in_another_order_make_no_file(box: Box, session: Any):
    parts = [part(box, session, number).json()["part"] for number in range(3)]
    assert commit(box, session, parts[::-1]).json()["code"] == "parts_mismatch"
    assert commit(box, session, parts, b"other").json()["code"] == "digest_mismatch"
    assert box.names() == []


def test_an_upload_is_given_up(box: Box, session: Any):
    part(box, session, 0)
    path = f"/api/2.0/files/upload_sessions/{session['id']}"
    box("DELETE", path)
    assert box.refused("GET", path) == (404, "not_found")


def test_small_files_and_taken_names_need_no_session(box: Box):
    wanted = {"folder_id": "0", "file_size": 100, "file_name": "a.bin"}
    assert box.refused("POST", "files/upload_sessions", wanted) == (400, "file_size_too_small")
    box.upload("a.bin")
    assert box.refused("POST", "files/upload_sessions", {**wanted, "file_size": SIZE}) == (409, "item_name_in_use")


def test_giving_up_a_committed_upload_leaves_its_file(box: Box, session: Any):
    parts = [part(box, session, number).json()["part"] for number in range(3)]
    file = commit(box, session, parts).json()["entries"][0]["id"]
    assert box.http("DELETE", f"/api/2.0/files/upload_sessions/{session['id']}").status_code == 204
    assert box("GET", f"files/{file}")["size"] == SIZE
