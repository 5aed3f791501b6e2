"""Retention policies and legal holds: what they are assigned to cannot be deleted for good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .conftest import ADA, BEN, Box

POLICY = {"policy_name": "Seven days", "policy_type": "finite", "retention_length": 7}


def policy(box: Box, **about: Any) -> Any:
    wanted = {**POLICY, "disposition_action": "permanently_delete", **about}
    return box("POST", "retention_policies", wanted)


def assign(box: Box, policy_id: str, kind: str, id: str | None = None, **about: Any) -> Any:
    wanted = {"policy_id": policy_id, "assign_to": {"type": kind, **({"id": id} if id else {})}, **about}
    return box("POST", "retention_policy_assignments", wanted)


def hold(box: Box, kind: str, id: str, **about: Any) -> str:
    made = box("POST", "legal_hold_policies", {"policy_name": "Case", **(about or {"is_ongoing": True})})["id"]
    return box("POST", "legal_hold_policy_assignments", {"policy_id": made, "assign_to": {"type": kind, "id": id}})[
        "id"
    ]


def purged(box: Box, file: str) -> int:
    box("DELETE", f"files/{file}")
    return box.http("DELETE", f"files/{file}/trash").status_code


def ids(page: Any) -> list[str]:
    return [entry["id"] for entry in page["entries"]]


def test_a_policy_is_made_found_changed_and_deleted(box: Box):
    made = policy(box, description="All of it")
    assert (made["retention_length"], made["status"], made["description"]) == ("7", "active", "All of it")
    assert ids(box("GET", "retention_policies?policy_name=seven")) == [made["id"]]
    changed = box("PUT", f"retention_policies/{made['id']}", {"policy_name": "Nine days", "retention_length": 9})
    assert (changed["policy_name"], changed["retention_length"]) == ("Nine days", "9")
    box("DELETE", f"retention_policies/{made['id']}")
    assert box.refused("GET", f"retention_policies/{made['id']}") == (404, "not_found")


def test_an_indefinite_policy_says_so_in_place_of_a_length(box: Box):
    wanted = {"policy_name": "For ever", "policy_type": "indefinite", "disposition_action": "remove_retention"}
    assert box("POST", "retention_policies", wanted)["retention_length"] == "indefinite"


def test_what_is_in_a_retained_folder_goes_to_the_trash_and_no_further(box: Box):
    folder = box.folder("Kept")
    inner = box.folder("inner", folder)
    file = box.upload(parent=inner)["id"]
    box.upload("b.txt", parent=inner)
    assign(box, policy(box)["id"], "folder", folder)
    assert purged(box, file) == 403
    box("DELETE", f"folders/{folder}?recursive=true")
    assert box.refused("DELETE", f"folders/{folder}/trash") == (403, "forbidden")


def test_what_is_elsewhere_is_not_retained(box: Box):
    file = box.upload()["id"]
    assign(box, policy(box)["id"], "folder", box.folder("Kept"))
    assert purged(box, file) == 204


@pytest.mark.parametrize("release", ["delete", "retire", "unassign"])
def test_content_is_free_when_its_policy_is_gone(box: Box, release: str):
    file, made = box.upload()["id"], policy(box)["id"]
    assignment = assign(box, made, "enterprise")["id"]
    if release == "retire":
        box("PUT", f"retention_policies/{made}", {"status": "retired"})
    else:
        gone = f"retention_policies/{made}" if release == "delete" else f"retention_policy_assignments/{assignment}"
        box("DELETE", gone)
    assert purged(box, file) == 204


@pytest.fixture
def frozen(enterprise: Callable[..., Box]) -> Box:
    return enterprise(clock={"mode": "frozen", "start": "2026-05-01T00:00:00"})


def advance(box: Box, days: float) -> None:
    box.environment.platform.post(f"env/{box.environment.id}/clock", {"advance": days * 86_400})


def test_content_is_free_when_its_time_is_over(frozen: Box):
    file = frozen.upload()["id"]
    assign(frozen, policy(frozen, disposition_action="remove_retention")["id"], "enterprise")
    shown = frozen("GET", f"files/{file}?fields=disposition_at")
    assert shown["disposition_at"] == "2026-05-08T00:00:00+00:00"
    advance(frozen, 7)
    assert purged(frozen, file) == 204


def deletions(box: Box) -> list[str]:
    entries = box("GET", "events?stream_type=admin_logs&event_type=DELETE&limit=500")["entries"]
    return [entry["source"]["item_id"] for entry in entries if entry["event_type"] == "DELETE"]


@pytest.mark.parametrize("place", ["where it was", "the trash"])
def test_content_is_deleted_when_its_retention_ends(frozen: Box, place: str):
    folder, outside = frozen.folder("Kept"), frozen.upload("out.txt")["id"]
    file = frozen.upload(parent=folder)["id"]
    assign(frozen, policy(frozen)["id"], "folder", folder)
    if place == "the trash":
        frozen("DELETE", f"files/{file}")
    advance(frozen, 7 - 1 / 86_400)
    assert frozen.http("GET", f"files/{file}{'/trash' if place == 'the trash' else ''}").status_code == 200
    advance(frozen, 1 / 86_400)
    assert frozen.http("GET", f"files/{file}").status_code == 404
    assert frozen.http("GET", f"files/{file}/trash").status_code == 404
    assert file in deletions(frozen)
    assert frozen.names(folder) == []
    assert frozen("GET", f"files/{outside}")["id"] == outside


def test_what_is_uploaded_later_is_deleted_at_its_own_time(frozen: Box):
    assign(frozen, policy(frozen)["id"], "enterprise")
    advance(frozen, 3.5)
    file = frozen.upload()["id"]
    advance(frozen, 6.9)
    assert frozen("GET", f"files/{file}")["id"] == file
    advance(frozen, 0.1)
    assert frozen.refused("GET", f"files/{file}") == (404, "not_found")


def test_files_uploaded_one_after_another_are_deleted_together(frozen: Box):
    assign(frozen, policy(frozen)["id"], "enterprise")
    for number in range(3):
        advance(frozen, 7 / 86_400)
        frozen.upload(f"{number}.txt")
    advance(frozen, 7 - 1 / 86_400)
    assert frozen.names("0") == ["0.txt", "1.txt", "2.txt"]
    moved = frozen.environment.platform.post(f"env/{frozen.environment.id}/clock", {"advance": 60})
    assert frozen.names("0") == []
    assert [each["operation"] for each in moved["ran"]] == ["box:dispose"]


def test_a_past_version_is_deleted_before_the_current_one(frozen: Box):
    first = frozen.upload()
    assign(frozen, policy(frozen)["id"], "enterprise")
    advance(frozen, 3)
    current = frozen.new_version(first["id"], b"Second").json()["entries"][0]["file_version"]["id"]
    advance(frozen, 4)
    assert ids(frozen("GET", f"files/{first['id']}/versions")) == []
    assert frozen("GET", f"files/{first['id']}")["file_version"]["id"] == current
    advance(frozen, 3)
    assert frozen.refused("GET", f"files/{first['id']}") == (404, "not_found")


def test_content_whose_retention_is_only_removed_stays(frozen: Box):
    file = frozen.upload()["id"]
    assign(frozen, policy(frozen, disposition_action="remove_retention")["id"], "enterprise")
    advance(frozen, 30)
    assert frozen("GET", f"files/{file}")["id"] == file


def test_the_policy_that_ends_last_says_what_becomes_of_content(frozen: Box):
    file, folder = frozen.upload()["id"], frozen.folder("Kept")
    assign(frozen, policy(frozen)["id"], "enterprise")
    frozen("PUT", f"files/{file}", {"parent": {"id": folder}})
    longer = {"policy_name": "Longer", "retention_length": 9, "disposition_action": "remove_retention"}
    assignment = assign(frozen, policy(frozen, **longer)["id"], "folder", folder)
    advance(frozen, 10)
    assert frozen("GET", f"files/{file}")["id"] == file
    frozen("DELETE", f"retention_policy_assignments/{assignment['id']}")
    assert frozen.refused("GET", f"files/{file}") == (404, "not_found")


def test_a_legal_hold_puts_deletion_off_until_it_is_released(frozen: Box):
    file = frozen.upload()["id"]
    assign(frozen, policy(frozen)["id"], "enterprise")
    assignment = hold(frozen, "file", file)
    advance(frozen, 8)
    assert frozen("GET", f"files/{file}")["id"] == file
    frozen("DELETE", f"legal_hold_policy_assignments/{assignment}")
    assert frozen.refused("GET", f"files/{file}") == (404, "not_found")


def test_an_owner_puts_deletion_off(frozen: Box):
    file = frozen.upload()["id"]
    assign(frozen, policy(frozen)["id"], "enterprise")
    frozen("PUT", f"files/{file}", {"disposition_at": "2026-05-20T00:00:00Z"})
    advance(frozen, 18.9)
    assert frozen("GET", f"files/{file}")["id"] == file
    advance(frozen, 0.1)
    assert frozen.refused("GET", f"files/{file}") == (404, "not_found")


def test_a_shorter_policy_deletes_what_has_been_kept_for_long_enough(frozen: Box):
    file, made = frozen.upload()["id"], policy(frozen)["id"]
    assign(frozen, made, "enterprise")
    advance(frozen, 5)
    frozen("PUT", f"retention_policies/{made}", {"retention_length": 4})
    assert frozen.refused("GET", f"files/{file}") == (404, "not_found")


@pytest.mark.parametrize("with_folder", [False, True])
def test_what_is_moved_into_a_retained_folder_is_kept_from_then_on(frozen: Box, with_folder: bool):
    kept, outer = frozen.folder("Kept"), frozen.folder("Outer")
    assign(frozen, policy(frozen)["id"], "folder", kept)
    file = frozen.upload(parent=outer)["id"]
    advance(frozen, 10)
    moved = f"folders/{outer}" if with_folder else f"files/{file}"
    frozen("PUT", moved, {"parent": {"id": kept}})
    assert frozen("GET", f"files/{file}?fields=disposition_at")["disposition_at"] == "2026-05-18T00:00:00+00:00"
    advance(frozen, 6.9)
    assert frozen("GET", f"files/{file}")["id"] == file
    advance(frozen, 0.1)
    assert frozen.refused("GET", f"files/{file}") == (404, "not_found")


@pytest.mark.parametrize(("since", "days"), [(None, 7), ("2026-05-08T00:00:00.000Z", 4)])
def test_metadata_says_from_when_on_a_file_is_kept(frozen: Box, since: str | None, days: int):
    fields = [{"type": "date", "key": "since", "displayName": "Since"}]
    wanted = {"scope": "enterprise", "displayName": "Record", "templateKey": "record", "fields": fields}
    template, file = frozen("POST", "metadata_templates/schema", wanted)["id"], frozen.upload()["id"]
    about = {"start_date_field": "since"} if since else {}
    assign(frozen, policy(frozen)["id"], "metadata_template", template, **about)
    advance(frozen, 10)
    frozen("POST", f"files/{file}/metadata/enterprise/record", {"since": since} if since else {})
    advance(frozen, days - 0.1)
    assert frozen("GET", f"files/{file}")["id"] == file
    advance(frozen, 0.1)
    assert frozen.refused("GET", f"files/{file}") == (404, "not_found")


def test_files_and_past_versions_under_retention_are_listed(box: Box):
    folder = box.folder("Kept")
    file = box.upload(parent=folder)
    current = box.new_version(file["id"], b"Second").json()["entries"][0]["file_version"]["id"]
    assignment = assign(box, policy(box)["id"], "folder", folder)
    path = f"retention_policy_assignments/{assignment['id']}"
    (now,) = box("GET", f"{path}/files_under_retention")["entries"]
    (past,) = box("GET", f"{path}/file_versions_under_retention")["entries"]
    assert (now["file_version"]["id"], past["file_version"]["id"]) == (current, file["file_version"]["id"])
    assert ids(box("GET", f"retention_policies/{assignment['retention_policy']['id']}/assignments")) == [
        assignment["id"]
    ]


def test_a_version_s_retention_names_the_policy_that_ends_last(box: Box):
    file, folder = box.upload(), box.folder("Kept")
    box("PUT", f"files/{file['id']}", {"parent": {"id": folder}})
    assign(box, policy(box)["id"], "enterprise")
    longer = policy(box, policy_name="A year", retention_length=365)
    assign(box, longer["id"], "folder", folder)
    (entry,) = box("GET", f"file_version_retentions?file_id={file['id']}")["entries"]
    assert entry["winning_retention_policy"]["id"] == longer["id"]
    assert box("GET", f"file_version_retentions/{entry['id']}") == entry
    assert box("GET", "file_version_retentions?policy_id=1")["entries"] == []


def test_retentions_and_holds_come_in_pages_and_by_version(box: Box):
    folder = box.folder("Kept")
    versions = sorted(box.upload(f"{n}.txt", parent=folder)["file_version"]["id"] for n in range(3))
    assign(box, policy(box)["id"], "folder", folder)
    held = hold(box, "folder", folder)
    case = box("GET", f"legal_hold_policy_assignments/{held}")["legal_hold_policy"]["id"]
    for path in ("file_version_retentions?", f"file_version_legal_holds?policy_id={case}&"):
        first = box("GET", f"{path}limit=2")
        rest = box("GET", f"{path}limit=2&marker={first['next_marker']}")
        assert [*ids(first), *ids(rest)] == versions
    assert ids(box("GET", f"file_version_retentions?file_version_id={versions[1]}")) == [versions[1]]
    assert box.refused("GET", "file_version_retentions/1") == (404, "not_found")
    assert box.refused("GET", "file_version_legal_holds/1") == (404, "not_found")


def test_files_are_retained_by_what_their_metadata_says(box: Box):
    fields = [{"type": "string", "key": "kind", "displayName": "Kind"}]
    wanted = {"scope": "enterprise", "displayName": "Record", "templateKey": "record", "fields": fields}
    template = box("POST", "metadata_templates/schema", wanted)
    tax, plan = box.upload("tax.txt")["id"], box.upload("plan.txt")["id"]
    for file, kind in ((tax, "tax"), (plan, "plan")):
        box("POST", f"files/{file}/metadata/enterprise/record", {"kind": kind})
    filters = [{"field": template["fields"][0]["id"], "value": "tax"}]
    assign(box, policy(box)["id"], "metadata_template", template["id"], filter_fields=filters)
    assert (purged(box, tax), purged(box, plan)) == (403, 204)


def test_a_user_who_owns_something_stays_while_there_are_policies(box: Box, ben: Box):
    ben.upload()
    policy(box)
    assert box.refused("DELETE", f"users/{BEN}?force=true") == (403, "forbidden")


def test_a_legal_hold_is_made_found_changed_and_released(box: Box):
    dates = {"filter_started_at": "2026-01-01T00:00:00Z", "filter_ended_at": "2026-02-01T00:00:00Z"}
    made = box("POST", "legal_hold_policies", {"policy_name": "Case 7", **dates})
    assert made["filter_ended_at"] == "2026-02-01T00:00:00+00:00"
    assert ids(box("GET", "legal_hold_policies?policy_name=case")) == [made["id"]]
    assert box("PUT", f"legal_hold_policies/{made['id']}", {"release_notes": "Over"})["release_notes"] == "Over"
    assert box.http("DELETE", f"legal_hold_policies/{made['id']}").status_code == 202
    assert box.refused("GET", f"legal_hold_policies/{made['id']}") == (404, "not_found")


@pytest.mark.parametrize("kind", ["file", "file_version", "folder", "user", "ownership", "interactions"])
def test_what_is_on_hold_is_not_deleted_for_good_until_it_is_released(box: Box, kind: str):
    folder = box.folder("Evidence")
    file = box.upload(parent=folder)
    of = {"file": file["id"], "file_version": file["file_version"]["id"], "folder": folder}
    assignment = hold(box, kind, of.get(kind, ADA))
    assert ids(box("GET", f"legal_hold_policy_assignments/{assignment}/files_on_hold")) == [file["id"]]
    assert purged(box, file["id"]) == 403
    assert box.http("DELETE", f"legal_hold_policy_assignments/{assignment}").status_code == 202
    assert box.http("DELETE", f"files/{file['id']}/trash").status_code == 204


def test_a_custodian_s_hold_is_of_versions_between_its_dates(enterprise: Callable[..., Box]):
    box = enterprise(clock={"mode": "frozen", "start": "2026-05-01T00:00:00"})
    file = box.upload()["id"]
    hold(box, "ownership", ADA, filter_started_at="2026-01-01T00:00:00Z", filter_ended_at="2026-02-01T00:00:00Z")
    assert purged(box, file) == 204


def test_versions_on_hold_tell_what_holds_them(box: Box):
    file = box.upload()
    assignment = hold(box, "file", file["id"])
    policy_id = box("GET", f"legal_hold_policy_assignments/{assignment}")["legal_hold_policy"]["id"]
    (entry,) = box("GET", f"file_version_legal_holds?policy_id={policy_id}")["entries"]
    assert ids({"entries": entry["legal_hold_policy_assignments"]}) == [assignment]
    assert box("GET", f"file_version_legal_holds/{entry['id']}") == entry
    assert box("GET", "file_version_legal_holds?policy_id=1")["entries"] == []
    assert box("GET", f"legal_hold_policies/{policy_id}")["assignment_counts"]["file"] == 1
    assert ids(box("GET", f"legal_hold_policy_assignments?policy_id={policy_id}")) == [assignment]


def test_policies_and_what_they_are_assigned_to_are_in_the_diff(box: Box):
    assign(box, policy(box)["id"], "enterprise")
    tables = [row["__table__"] for row in box.diff()["inserts"]]
    assert tables == ["box_retention_policies", "box_retention_policy_assignments"]
