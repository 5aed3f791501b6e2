"""Files: uploads, downloads, changes, versions, copies."""

from __future__ import annotations

from hashlib import sha1

import pytest

from .conftest import Box


def test_a_file_is_uploaded_and_downloaded(box: Box):
    file = box.upload("report.txt", b"Hello, world")
    assert (file["size"], file["sha1"], file["etag"]) == (12, sha1(b"Hello, world").hexdigest(), "0")
    assert box.bytes_of(file["id"]) == b"Hello, world"


@pytest.mark.parametrize("path", ["/2.0/files/content", "/api/2.0/files/content"])
def test_both_addresses_take_uploads(box: Box, path: str):
    assert box.sent("a.txt", b"a", path=path).status_code == 201


def test_a_part_of_a_file_is_downloaded(box: Box):
    file = box.upload(data=b"Hello, world")
    address = box.http("GET", f"files/{file['id']}/content").headers["Location"]
    client = box.environment.platform.client
    part = client.get(address, headers={"Range": "bytes=7-"})
    assert (part.status_code, part.text, part.headers["Content-Range"]) == (206, "world", "bytes 7-11/12")
    beyond = client.get(address, headers={"Range": "bytes=50-"})
    assert (beyond.status_code, beyond.json()["type"]) == (416, "error")


def test_an_upload_conflicts_with_a_file_of_that_name_whatever_its_case(box: Box):
    file = box.upload("Plan.txt")
    answer = box.sent("PLAN.TXT", b"x").json()
    assert answer["code"] == "item_name_in_use"
    assert answer["context_info"]["conflicts"]["id"] == file["id"]


def test_a_wrong_digest_stores_nothing(box: Box):
    answer = box.sent("a.txt", b"a", headers={"Content-MD5": "0" * 40})
    assert answer.status_code == 400
    assert box.names() == []


def test_a_new_version_has_a_number_of_its_own(box: Box):
    file = box.upload(data=b"one")
    changed = box.new_version(file["id"], b"two!").json()["entries"][0]
    assert (changed["size"], changed["etag"]) == (4, "1")
    past = box("GET", f"files/{file['id']}/versions")
    assert [each["sha1"] for each in past["entries"]] == [sha1(b"one").hexdigest()]
    assert box.bytes_of(file["id"], params={"version": past["entries"][0]["id"]}) == b"one"


def test_a_stale_etag_refuses_changes(box: Box):
    file = box.upload()
    box("PUT", f"files/{file['id']}", {"name": "b.txt"})
    stale = {"If-Match": "0"}
    assert box.refused("PUT", f"files/{file['id']}", {"name": "c.txt"}, headers=stale) == (412, "precondition_failed")
    assert box.new_version(file["id"], b"x", headers=stale).status_code == 412
    assert box.refused("DELETE", f"files/{file['id']}", headers=stale) == (412, "precondition_failed")


def test_an_unchanged_file_is_not_sent_again(box: Box):
    file = box.upload()
    assert box.http("GET", f"files/{file['id']}", headers={"If-None-Match": file["etag"]}).status_code == 304


def test_fields_choose_what_is_shown(box: Box):
    file = box.upload()
    shown = box("GET", f"files/{file['id']}", params={"fields": "name,extension,nonsense"})
    assert shown == {"type": "file", "id": file["id"], "etag": "0", "name": "a.txt", "extension": "txt"}


def test_a_move_changes_the_parent_alone(box: Box):
    folder, file = box.folder("Target"), box.upload()
    box.environment.made["runId"] = box.environment.platform.start(box.environment)
    box("PUT", f"files/{file['id']}", {"parent": {"id": folder}})
    (update,) = box.diff()["updates"]
    assert {*update["changed"]} - {*update["derived"]} == {"parent_id"}


def test_a_rename_changes_the_name_and_the_extension(box: Box):
    file = box.upload("a.txt")
    assert box("PUT", f"files/{file['id']}", {"name": "a.md"}, params={"fields": "extension"})["extension"] == "md"


@pytest.mark.parametrize("name", ["a/b", "a\\b", ".", "..", " a", "a ", "a\x07", "🎉.txt"])
def test_names_that_cannot_be_are_refused(box: Box, name: str):
    assert box.sent(name, b"x").json()["code"] == "item_name_invalid"
    assert box.refused("POST", "folders", {"name": name, "parent": {"id": "0"}}) == (400, "item_name_invalid")


def test_a_name_has_at_most_255_letters(box: Box):
    assert box.refused("POST", "folders", {"name": "n" * 256, "parent": {"id": "0"}})[1] == "item_name_too_long"
    assert box.folder("n" * 255)


def test_a_past_version_is_promoted(box: Box):
    file = box.upload(data=b"one")
    box.new_version(file["id"], b"two")
    (past,) = box("GET", f"files/{file['id']}/versions")["entries"]
    promoted = box("POST", f"files/{file['id']}/versions/current", {"type": "file_version", "id": past["id"]})
    assert promoted["version_number"] == "3"
    assert box.bytes_of(file["id"]) == b"one"


def test_a_past_version_is_deleted_and_restored(box: Box):
    file = box.upload(data=b"one")
    box.new_version(file["id"], b"two")
    (past,) = box("GET", f"files/{file['id']}/versions")["entries"]
    path = f"files/{file['id']}/versions/{past['id']}"
    box("DELETE", path)
    assert box("GET", path)["trashed_at"]
    assert box("PUT", path, {"trashed_at": None})["trashed_at"] is None


def test_a_copy_holds_the_same_under_an_id_of_its_own(box: Box):
    file, folder = box.upload(data=b"same"), box.folder("Copies")
    copy = box("POST", f"files/{file['id']}/copy", {"parent": {"id": folder}, "name": "b.txt"})
    assert (copy["name"], copy["sha1"], copy["parent"]["id"]) == ("b.txt", file["sha1"], folder)
    assert copy["id"] != file["id"]
    assert box.bytes_of(copy["id"]) == b"same"


def test_a_lock_keeps_others_from_changing_a_file(box: Box):
    file = box.upload()
    lock = {"lock": {"type": "lock", "is_download_prevented": False}}
    shown = box("PUT", f"files/{file['id']}", lock, params={"fields": "lock"})["lock"]
    assert shown["created_by"]["login"] == "ada.admin@example.com"
    assert box("PUT", f"files/{file['id']}", {"lock": None}, params={"fields": "lock"})["lock"] is None


def test_a_preflight_says_whether_an_upload_would_be_taken(box: Box):
    wanted = {"name": "a.txt", "parent": {"id": "0"}, "size": 5}
    assert box("OPTIONS", "files/content", wanted)["upload_url"].endswith("/api/2.0/files/content")
    box.upload("a.txt")
    assert box.refused("OPTIONS", "files/content", wanted) == (409, "item_name_in_use")
    assert box.refused("OPTIONS", "files/content", {}) == (400, "bad_request")


def test_what_is_not_there_is_not_found(box: Box):
    answer = box.http("GET", "files/12345").json()
    assert (answer["status"], answer["code"], answer["type"]) == (404, "not_found", "error")
    assert answer["context_info"]["errors"][0]["name"] == "item"


def test_a_file_in_the_trash_is_still_looked_at(box: Box):
    file = box.upload()["id"]
    box("DELETE", f"files/{file}")
    assert box("GET", f"files/{file}")["item_status"] == "trashed"
    assert box.refused("PUT", f"files/{file}", {"name": "b.txt"}) == (404, "trashed")


def test_a_file_in_a_folder_in_the_trash_is_not_found(box: Box):
    folder = box.folder("Old")
    file = box.upload(parent=folder)["id"]
    box("DELETE", f"folders/{folder}", params={"recursive": True})
    assert box.refused("GET", f"files/{file}") == (404, "trashed")


def test_the_part_of_a_form_that_is_the_file_may_have_any_name(box: Box):
    form = {"attributes": '{"name": "a.txt", "parent": {"id": "0"}}'}
    answer = box.http("POST", "/api/2.0/files/content", data=form, files={"contents": ("upload", b"Hello")})
    assert box.bytes_of(answer.json()["entries"][0]["id"]) == b"Hello"


def test_attributes_come_before_the_file(box: Box):
    attributes = (None, '{"name": "a.txt", "parent": {"id": "0"}}')
    parts = {"files": [("file", ("a.txt", b"Hello")), ("attributes", attributes)]}
    assert box.refused("POST", "/api/2.0/files/content", **parts) == (400, "metadata_after_file_contents")


def test_a_download_address_with_a_ticket_of_any_letters_is_not_found(box: Box):
    address = box.http("GET", f"files/{box.upload(data=b'abc')['id']}/content").headers["Location"]
    before, _, after = address.partition("/d/1/")
    snowman = f"{before}/d/1/\N{SNOWMAN}/{after.partition('/')[2]}"
    assert box.environment.platform.client.get(snowman).status_code == 404
