"""Folders, what is in them, and the trash."""

from __future__ import annotations

from .conftest import BEN, Box


def test_a_folder_is_made_and_shown(box: Box):
    made = box("POST", "folders", {"name": "Plans", "parent": {"id": "0"}})
    assert made["path_collection"]["entries"][0] == {
        "type": "folder",
        "id": "0",
        "sequence_id": None,
        "etag": None,
        "name": "All Files",
    }
    assert (made["item_collection"]["total_count"], made["item_status"]) == (0, "active")


def test_a_folder_of_that_name_is_told_of(box: Box):
    folder = box.folder("Plans")
    answer = box.http("POST", "folders", json={"name": "plans", "parent": {"id": "0"}}).json()
    assert answer["context_info"]["conflicts"][0]["id"] == folder


def test_folders_come_before_files_and_those_before_links(box: Box):
    box("POST", "web_links", {"url": "https://example.com", "name": "a link", "parent": {"id": "0"}})
    box.upload("b.txt")
    box.folder("c")
    assert box.names() == ["c", "b.txt", "a link"]


def test_pages_by_offset_and_by_marker_show_everything_once(box: Box):
    for number in range(5):
        box.folder(f"folder {number}")
        box.upload(f"file {number}.txt")
    everything = box.names(limit=1000)
    assert [name for offset in range(0, 10, 3) for name in box.names(limit=3, offset=offset)] == everything
    seen, marker = [], ""
    while marker is not None:
        page = box("GET", "folders/0/items", params={"usemarker": "true", "limit": 3, "marker": marker})
        seen += [entry["name"] for entry in page["entries"]]
        marker = page["next_marker"]
    assert seen == everything


def test_items_are_sorted_as_asked(box: Box):
    for name, data in (("a", b"333"), ("b", b"1"), ("c", b"22")):
        box.upload(name, data)
    assert box.names(sort="size") == ["b", "c", "a"]
    assert box.names(sort="name", direction="DESC") == ["c", "b", "a"]


def test_a_limit_beyond_the_largest_is_refused(box: Box):
    assert box.refused("GET", "folders/0/items?limit=1001") == (400, "bad_request")
    assert box.refused("GET", "folders/0/items?limit=-1") == (400, "bad_request")
    assert box.refused("GET", "folders/0/items?offset=300001") == (400, "bad_request")


def test_a_folder_cannot_come_into_itself(box: Box):
    outer = box.folder("outer")
    inner = box.folder("inner", outer)
    assert box.refused("PUT", f"folders/{outer}", {"parent": {"id": inner}}) == (400, "cyclical_folder_structure")
    assert box.refused("POST", f"folders/{outer}/copy", {"parent": {"id": inner}})[0] == 400


def test_a_folder_has_the_size_of_all_that_is_in_it(box: Box):
    outer = box.folder("outer")
    inner = box.folder("inner", outer)
    box.upload("a", b"12345", outer)
    box.upload("b", b"123", inner)
    assert box("GET", f"folders/{outer}")["size"] == 8


def test_each_folder_of_a_page_has_the_size_of_all_that_is_in_it(box: Box):
    outer = box.folder("plan outer")
    inner, empty = box.folder("plan inner", outer), box.folder("plan empty", outer)
    box.upload("a", b"12345", outer)
    box.upload("b", b"123", inner)
    box.upload("c", b"12", box.folder("deep", inner))
    entries = box("GET", "search", params={"query": "plan", "type": "folder"})["entries"]
    assert {each["id"]: each["size"] for each in entries} == {outer: 10, inner: 5, empty: 0}
    assert not any("item_collection" in each for each in entries)


def test_a_copied_folder_has_copies_of_everything(box: Box):
    outer = box.folder("outer")
    box.upload("b.txt", b"b", box.folder("inner", outer))
    copy = box("POST", f"folders/{outer}/copy", {"parent": {"id": "0"}, "name": "copy"})
    (inner,) = box("GET", f"folders/{copy['id']}/items")["entries"]
    (file,) = box("GET", f"folders/{inner['id']}/items")["entries"]
    assert box.bytes_of(file["id"]) == b"b"


def test_a_folder_that_is_not_empty_goes_only_with_its_items(box: Box):
    folder = box.folder("full")
    file = box.upload(parent=folder)
    assert box.refused("DELETE", f"folders/{folder}") == (400, "folder_not_empty")
    box("DELETE", f"folders/{folder}?recursive=true")
    assert box.refused("GET", f"folders/{folder}") == (404, "trashed")
    assert box.refused("GET", f"files/{file['id']}") == (404, "trashed")
    assert box.refused("GET", f"files/{file['id']}/trash") == (404, "not_found")


def test_the_trash_gives_back_a_folder_with_its_items(box: Box):
    folder = box.folder("full")
    file = box.upload(parent=folder)
    box("DELETE", f"folders/{folder}?recursive=true")
    assert [each["id"] for each in box("GET", "folders/trash/items")["entries"]] == [folder]
    trashed = box("GET", f"folders/{folder}/trash")
    assert (trashed["item_status"], trashed["path_collection"]["entries"][0]["name"]) == ("trashed", "Trash")
    assert box.http("POST", f"folders/{folder}", json={}).status_code == 201
    assert box("GET", f"files/{file['id']}")["item_status"] == "active"


def test_what_was_trashed_before_its_folder_outlives_it_and_goes_to_another_one(box: Box):
    folder = box.folder("full")
    file = box.upload(parent=folder)["id"]
    box("DELETE", f"files/{file}")
    box("DELETE", f"folders/{folder}")
    assert box("GET", f"files/{file}/trash")["item_status"] == "trashed"
    box("DELETE", f"folders/{folder}/trash")
    assert [each["id"] for each in box("GET", "folders/trash/items")["entries"]] == [file]
    other = box.folder("other")
    assert box("POST", f"files/{file}", {"parent": {"id": other}})["parent"]["id"] == other


def test_a_restored_item_does_not_displace_another_one(box: Box):
    file = box.upload("a.txt")
    box("DELETE", f"files/{file['id']}")
    box.upload("a.txt")
    assert box.refused("POST", f"files/{file['id']}", {}) == (409, "item_name_in_use")
    assert box("POST", f"files/{file['id']}", {"name": "b.txt"})["name"] == "b.txt"


def test_what_was_purged_is_gone_with_all_that_hung_on_it(box: Box):
    folder = box.folder("full")
    file = box.upload(parent=folder)
    box("DELETE", f"folders/{folder}?recursive=true")
    box("DELETE", f"folders/{folder}/trash")
    assert box.refused("GET", f"files/{file['id']}") == (404, "not_found")
    assert box.diff("all")["inserts"] == [] or {row["__table__"] for row in box.diff("all")["inserts"]} == {
        "box_events",
        "box_recent_items",
        "box_content_texts",
    }


def test_trashing_a_folder_changes_its_own_row_alone(box: Box):
    folder = box.folder("full")
    box.upload(parent=folder)
    box.environment.made["runId"] = box.environment.platform.start(box.environment)
    box("DELETE", f"folders/{folder}?recursive=true")
    (update,) = box.diff()["updates"]
    assert {*update["changed"]} - {*update["derived"]} == {"item_status"}


def test_a_locked_folder_stays(box: Box):
    folder = box.folder("kept")
    lock = box("POST", "folder_locks", {"folder": {"type": "folder", "id": folder}})
    assert box.refused("DELETE", f"folders/{folder}")[0] == 403
    assert [each["id"] for each in box("GET", f"folder_locks?folder_id={folder}")["entries"]] == [lock["id"]]
    box("DELETE", f"folder_locks/{lock['id']}")
    box("DELETE", f"folders/{folder}")


def test_the_root_is_nobodys_to_change(box: Box):
    assert box.refused("DELETE", "folders/0?recursive=true")[0] == 403
    assert box.refused("PUT", "folders/0", {"name": "mine"})[0] == 403


def test_favorites_are_a_collection(box: Box):
    (favorites,) = box("GET", "collections")["entries"]
    file = box.upload()
    box("PUT", f"files/{file['id']}", {"collections": [{"id": favorites["id"]}]})
    items = box("GET", f"collections/{favorites['id']}/items")
    assert [entry["id"] for entry in items["entries"]] == [file["id"]]
    box("PUT", f"files/{file['id']}", {"collections": []})
    assert box("GET", f"collections/{favorites['id']}/items")["total_count"] == 0
    assert box.refused("PUT", f"files/{file['id']}", {"collections": [{"id": "1"}]}) == (404, "not_found")


def test_items_of_a_page_show_what_they_show_by_themselves(box: Box):
    folder = box.folder("Papers")
    said, plain = box.upload("a.txt", parent=folder)["id"], box.upload("b.txt", parent=folder)["id"]
    shared = box.folder("inner", folder)
    box("POST", "comments", {"item": {"type": "file", "id": said}, "message": "Yes"})
    with_ben = {
        "item": {"type": "folder", "id": shared},
        "accessible_by": {"id": BEN, "type": "user"},
        "role": "viewer",
    }
    box("POST", "collaborations", with_ben)
    box("POST", f"files/{said}/metadata/global/properties", {"colour": "red"})
    box("PUT", f"files/{plain}", {"collections": [{"id": box("GET", "collections")["entries"][0]["id"]}]})
    fields = "fields=comment_count,has_collaborations,metadata,collections,file_version,owned_by"
    items = box("GET", f"folders/{folder}/items?{fields}")["entries"]
    alone = [box("GET", f"{path}?{fields}") for path in (f"folders/{shared}", f"files/{said}", f"files/{plain}")]
    assert items == alone
    assert [item["has_collaborations"] for item in items] == [True, False, False]
    assert [item.get("comment_count") for item in items] == [None, 1, 0]
