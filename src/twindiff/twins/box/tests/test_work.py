"""What hangs on files and folders: comments, tasks, metadata, hubs, web links, recent items, requests."""

from __future__ import annotations

import io
from typing import Any
from zipfile import ZipFile

import pytest
from PIL import Image

from .conftest import ADA, BEN, CLEO, Box

HUBS = {"headers": {"box-version": "2025.0"}}


def comment_on(box: Box, file: str, message: str, kind: str = "file") -> Any:
    return box("POST", "comments", {"message": message, "item": {"type": kind, "id": file}})


def test_comments_are_made_changed_and_deleted(box: Box):
    file = box.upload()["id"]
    made = comment_on(box, file, "First")
    reply = comment_on(box, made["id"], "Second", "comment")
    assert (reply["is_reply_comment"], reply["item"]["id"]) == (True, made["id"])
    assert box("PUT", f"comments/{made['id']}", {"message": "Changed"})["message"] == "Changed"
    assert [each["message"] for each in box("GET", f"files/{file}/comments")["entries"]] == ["Changed", "Second"]
    assert box("GET", f"files/{file}?fields=comment_count")["comment_count"] == 2
    box("DELETE", f"comments/{made['id']}")
    assert box.refused("GET", f"comments/{made['id']}") == (404, "not_found")


def test_a_mention_is_kept_beside_the_text(box: Box):
    tagged = f"Please look, @[{BEN}:Ben]!"
    item = {"type": "file", "id": box.upload()["id"]}
    made = box("POST", "comments", {"tagged_message": tagged, "item": item})
    assert (made["message"], made["tagged_message"]) == ("Please look, @Ben!", tagged)


def test_a_comment_needs_a_text(box: Box):
    item = {"type": "file", "id": box.upload()["id"]}
    assert box.refused("POST", "comments", {"message": " ", "item": item}) == (400, "bad_request")
    assert box.refused("POST", "comments", {"message": "x"}) == (400, "bad_request")


def task_on(box: Box, file: str, **more: Any) -> Any:
    return box("POST", "tasks", {"item": {"type": "file", "id": file}, "message": "Do it", **more})


def shared_with(box: Box, *users: str) -> str:
    """A new file with viewers."""
    file = box.upload()["id"]
    for user in users:
        item, whom = {"type": "file", "id": file}, {"type": "user", "id": user}
        box("POST", "collaborations", {"item": item, "accessible_by": whom, "role": "viewer"})
    return file


def test_a_task_is_assigned_only_to_who_owns_its_file_or_collaborates_on_it(box: Box, ben: Box):
    folder = box.folder("Plans")
    task = task_on(box, box.upload(parent=folder)["id"])["id"]
    whom = {"task": {"type": "task", "id": task}, "assign_to": {"id": BEN}}
    assert box.refused("POST", "task_assignments", whom) == (400, "task_assignee_not_allowed")
    item = {"type": "folder", "id": folder}
    box("POST", "collaborations", {"item": item, "accessible_by": {"type": "user", "id": BEN}, "role": "viewer"})
    assert box("POST", "task_assignments", whom)["assigned_to"]["id"] == BEN


def test_a_task_is_completed_by_those_it_is_assigned_to(box: Box, ben: Box):
    file = shared_with(box, BEN)
    task = task_on(box, file, action="complete", due_at="2030-01-01T00:00:00Z")
    assert (task["is_completed"], task["completion_rule"]) == (False, "all_assignees")
    whom = {"task": {"type": "task", "id": task["id"]}, "assign_to": {"login": "ben.editor@example.com"}}
    assignment = box("POST", "task_assignments", whom)
    assert assignment["resolution_state"] == "incomplete"
    path = f"task_assignments/{assignment['id']}"
    assert ben.refused("PUT", path, {"resolution_state": "approved"}) == (400, "bad_request")
    assert ben("PUT", path, {"resolution_state": "completed"})["completed_at"]
    assert box("GET", f"tasks/{task['id']}")["is_completed"] is True
    assert box("GET", f"tasks/{task['id']}/assignments")["total_count"] == 1


def test_any_assignee_is_enough_where_the_task_says_so(box: Box, ben: Box):
    task = task_on(box, shared_with(box, BEN, CLEO), completion_rule="any_assignee")
    for user in (BEN, CLEO):
        made = box("POST", "task_assignments", {"task": {"id": task["id"], "type": "task"}, "assign_to": {"id": user}})
    box("PUT", f"task_assignments/{made['id']}", {"resolution_state": "rejected"})
    assert box("GET", f"tasks/{task['id']}")["is_completed"] is True


def test_tasks_are_changed_and_deleted(box: Box):
    file = box.upload()["id"]
    task = task_on(box, file)
    assert box("PUT", f"tasks/{task['id']}", {"message": "Do it now"})["message"] == "Do it now"
    assert box.refused("POST", "tasks", {"item": {"type": "file", "id": file}, "action": "dance"})[0] == 400
    box("DELETE", f"tasks/{task['id']}")
    assert box("GET", f"files/{file}/tasks") == {"total_count": 0, "entries": []}


FIELDS = [
    {"type": "string", "key": "customer", "displayName": "Customer"},
    {"type": "float", "key": "amount", "displayName": "Amount"},
    {"type": "date", "key": "due", "displayName": "Due"},
    {"type": "enum", "key": "state", "displayName": "State", "options": [{"key": "open"}, {"key": "paid"}]},
    {"type": "multiSelect", "key": "areas", "displayName": "Areas", "options": [{"key": "a"}, {"key": "b"}]},
]


@pytest.fixture
def invoices(box: Box) -> Box:
    """An enterprise with a template."""
    wanted = {"scope": "enterprise", "templateKey": "invoice", "displayName": "Invoice", "fields": FIELDS}
    box("POST", "metadata_templates/schema", wanted)
    return box


def test_a_template_is_found_by_key_and_id(invoices: Box):
    shown = invoices("GET", "metadata_templates/enterprise/invoice/schema")
    assert [field["key"] for field in shown["fields"]] == [field["key"] for field in FIELDS]
    assert invoices("GET", f"metadata_templates/{shown['id']}")["templateKey"] == "invoice"
    assert [each["id"] for each in invoices("GET", "metadata_templates/enterprise")["entries"]] == [shown["id"]]


def test_a_template_is_changed_by_operations(invoices: Box):
    path = "metadata_templates/enterprise/invoice/schema"
    added = {"op": "addField", "data": {"type": "string", "key": "note", "displayName": "Note"}}
    option = {"op": "addEnumOption", "fieldKey": "state", "data": {"key": "late"}}
    shown = invoices("PUT", path, [added, option, {"op": "editTemplate", "data": {"displayName": "Bill"}}])
    assert (shown["displayName"], shown["fields"][-1]["key"]) == ("Bill", "note")
    assert [each["key"] for each in shown["fields"][3]["options"]] == ["open", "paid", "late"]
    assert invoices.refused("PUT", path, [{"op": "removeField", "fieldKey": "smell"}]) == (400, "bad_request")


def test_metadata_is_applied_changed_and_removed(invoices: Box):
    path = f"files/{invoices.upload()['id']}/metadata/enterprise/invoice"
    made = invoices("POST", path, {"customer": "Lee", "amount": 12.5, "state": "open", "areas": ["a"]})
    assert (made["customer"], made["$version"], made["$template"]) == ("Lee", 0, "invoice")
    assert invoices.refused("POST", path, {}) == (409, "tuple_already_exists")
    patch = [
        {"op": "test", "path": "/customer", "value": "Lee"},
        {"op": "replace", "path": "/state", "value": "paid"},
        {"op": "remove", "path": "/amount"},
    ]
    headers = {"Content-Type": "application/json-patch+json"}
    changed = invoices("PUT", path, patch, headers=headers)
    assert (changed["state"], changed["$version"], "amount" in changed) == ("paid", 1, False)
    assert invoices.refused("PUT", path, [{"op": "test", "path": "/customer", "value": "X"}])[0] == 400
    invoices("DELETE", path)
    assert invoices.refused("GET", path) == (404, "instance_not_found")


@pytest.mark.parametrize(
    "values", [{"smell": "x"}, {"amount": "x"}, {"state": "lost"}, {"due": "soon"}, {"areas": ["c"]}, {"customer": 1}]
)
def test_values_that_do_not_fit_the_template_are_refused(invoices: Box, values: dict[str, Any]):
    path = f"files/{invoices.upload()['id']}/metadata/enterprise/invoice"
    assert invoices.refused("POST", path, values) == (400, "schema_validation_failed")


def test_free_properties_take_any_text(box: Box):
    path = f"folders/{box.folder('f')}/metadata/global/properties"
    assert box("POST", path, {"colour": "red"})["colour"] == "red"
    assert box.refused("PUT", path, [{"op": "add", "path": "/size", "value": 1}])[0] == 400


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("amount > :low", {"b", "c"}),
        ("amount >= :low AND state = 'open'", {"a", "c"}),
        ("customer ILIKE 'L%' OR amount = 30", {"a", "c"}),
        ("NOT (state = :paid)", {"a", "c"}),
        ("areas IN (:area)", {"b"}),
        ("due IS NULL", {"a", "b", "c"}),
        ("", {"a", "b", "c"}),
    ],
)
def test_metadata_queries_find_what_fits(invoices: Box, query: str, expected: set[str]):
    rows = {"a": ("Lee", 10, "open", ["a"]), "b": ("Kim", 20, "paid", ["b"]), "c": ("Noor", 30, "open", ["a"])}
    for name, (customer, amount, state, areas) in rows.items():
        path = f"files/{invoices.upload(name)['id']}/metadata/enterprise/invoice"
        invoices("POST", path, {"customer": customer, "amount": amount, "state": state, "areas": areas})
    scope = invoices("GET", "metadata_templates/enterprise/invoice/schema")["scope"]
    asked = {"from": f"{scope}.invoice", "ancestor_folder_id": "0", "query": query, "fields": ["name"]}
    asked["query_params"] = {"low": 10, "paid": "paid", "area": "b"}
    page = invoices("POST", "metadata_queries/execute_read", asked)
    assert {entry["name"] for entry in page["entries"]} == expected


@pytest.mark.parametrize("query", ["amount >", "(amount = 1", "amount # 1", "= 1", "a = 1 b"])
def test_a_metadata_query_that_makes_no_sense_is_refused(invoices: Box, query: str):
    scope = invoices("GET", "metadata_templates/enterprise/invoice/schema")["scope"]
    asked = {"from": f"{scope}.invoice", "ancestor_folder_id": "0", "query": query}
    assert invoices.refused("POST", "metadata_queries/execute_read", asked) == (400, "invalid_query")


def test_hubs_hold_items_and_answer_for_each(box: Box):
    hub = box("POST", "hubs", {"title": "Reading"}, **HUBS)
    folder = box.folder("Books")
    add = {"action": "add", "item": {"type": "folder", "id": folder}}
    lost = {"action": "add", "item": {"type": "file", "id": "1"}}
    answer = box("POST", f"hubs/{hub['id']}/manage_items", {"operations": [add, add, lost]}, **HUBS)
    assert [each["status"] for each in answer["operations"]] == [201, 409, 404]
    assert box("GET", f"hub_items?hub_id={hub['id']}", **HUBS)["entries"][0]["name"] == "Books"
    remove = {"operations": [{**add, "action": "remove"}]}
    assert box("POST", f"hubs/{hub['id']}/manage_items", remove, **HUBS)["operations"][0]["status"] == 200


def test_hubs_are_of_a_version(box: Box):
    assert box.refused("GET", "hubs") == (400, "bad_request")
    assert box.refused("POST", "hubs", {"title": "x" * 51}, **HUBS) == (400, "bad_request")


def test_hubs_are_shared_changed_copied_and_deleted(box: Box, ben: Box):
    hub = box("POST", "hubs", {"title": "Reading", "description": "d"}, **HUBS)["id"]
    assert ben.refused("GET", f"hubs/{hub}", **HUBS) == (404, "not_found")
    whom = {"hub": {"type": "hubs", "id": hub}, "accessible_by": {"type": "user", "id": BEN}, "role": "viewer"}
    made = box("POST", "hub_collaborations", whom, **HUBS)
    assert [each["id"] for each in ben("GET", "hubs", **HUBS)["entries"]] == [hub]
    assert ben.refused("PUT", f"hubs/{hub}", {"title": "Mine"}, **HUBS)[0] == 403
    box("PUT", f"hub_collaborations/{made['id']}", {"role": "editor"}, **HUBS)
    assert ben("PUT", f"hubs/{hub}", {"title": "Ours"}, **HUBS)["title"] == "Ours"
    assert box("POST", f"hubs/{hub}/copy", {"title": "Copy"}, **HUBS)["description"] == "d"
    box("DELETE", f"hubs/{hub}", **HUBS)
    assert box.refused("GET", f"hubs/{hub}", **HUBS) == (404, "not_found")


def test_web_links_are_made_changed_trashed_and_restored(box: Box):
    wanted = {"url": "https://example.com/a", "name": "Example", "parent": {"id": "0"}}
    link = box("POST", "web_links", wanted)
    assert box("PUT", f"web_links/{link['id']}", {"url": "https://example.org"})["url"] == "https://example.org"
    assert box.refused("POST", "web_links", {**wanted, "url": "ftp://x"}) == (400, "bad_request")
    box("DELETE", f"web_links/{link['id']}")
    assert box("GET", f"web_links/{link['id']}")["item_status"] == "trashed"
    assert box("POST", f"web_links/{link['id']}", {})["item_status"] == "active"


def test_recent_items_are_the_last_ones_first(enterprise: Any):
    box = enterprise(clock={"mode": "steps"})
    first, second = box.upload("a")["id"], box.upload("b")["id"]
    comment_on(box, first, "again")
    page = box("GET", "recent_items")
    assert [(each["item"]["id"], each["interaction_type"]) for each in page["entries"]] == [
        (first, "item_comment"),
        (second, "item_upload"),
    ]


def test_a_thumbnail_is_a_small_picture(box: Box):
    drawn = io.BytesIO()
    Image.new("RGB", (640, 480), "red").save(drawn, "PNG")
    file = box.upload("red.png", drawn.getvalue())["id"]
    answer = box.http("GET", f"files/{file}/thumbnail.jpg?min_height=94&max_height=160")
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert max(Image.open(io.BytesIO(answer.content)).size) == 94
    text = box.upload("a.txt")["id"]
    other = box.http("GET", f"files/{text}/thumbnail.jpg?min_width=94")
    assert other.status_code == 302
    drawn_instead = box.environment.platform.client.get(other.headers["Location"]).content
    assert Image.open(io.BytesIO(drawn_instead)).size == (94, 94)
    assert box.refused("GET", f"files/{file}/thumbnail.png?min_height=300") == (400, "requested_preview_unavailable")
    assert box.refused("GET", f"files/{box.upload('x.png')['id']}/thumbnail.png")[0] == 404


def test_an_archive_holds_files_and_folders(box: Box):
    folder = box.folder("docs")
    box.upload("a.txt", b"1", folder)
    loose = box.upload("docs.txt", b"2")["id"]
    items = [{"type": "folder", "id": folder}, {"type": "file", "id": loose}, {"type": "file", "id": loose}]
    made = box("POST", "zip_downloads", {"items": items, "download_file_name": "all"})
    assert len(made["name_conflicts"][0]) == 2
    client, token = box.environment.platform.client, {"Authorization": f"Bearer {box.token}"}
    content = client.get(made["download_url"], headers=token).content
    assert sorted(ZipFile(io.BytesIO(content)).namelist()) == ["docs.txt", "docs/a.txt", "docs_1.txt"]
    assert client.get(made["status_url"], headers=token).json()["state"] == "succeeded"


def test_signatures_are_asked_for(box: Box):
    file = box.upload()["id"]
    wanted = {"signers": [{"email": "a@example.com"}], "source_files": [{"type": "file", "id": file}]}
    made = box("POST", "sign_requests", wanted)
    assert (made["status"], [each["email"] for each in made["signers"]][1:]) == ("sent", ["a@example.com"])
    assert [each["id"] for each in box("GET", "sign_requests")["entries"]] == [made["id"]]
    cancelled = box.http("POST", f"sign_requests/{made['id']}/cancel")
    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    assert box.refused("POST", "sign_requests", {"signers": []})[0] == 400


def test_the_sender_of_a_sign_request_gets_a_copy_of_the_pdf(box: Box):
    signer = {"email": "a@example.com", "signer_group_id": "legal", "suppress_notifications": True}
    tag = {"document_tag_id": "0", "date_value": "2035-01-01"}
    wanted = {"signers": [signer], "source_files": [{"type": "file", "id": box.upload()["id"]}], "name": "Lease"}
    made = box("POST", "sign_requests", {**wanted, "prefill_tags": [tag], "external_system_name": "Crm"})
    assert [each["role"] for each in made["signers"]] == ["final_copy_reader", "signer"]
    assert made["signers"][1].items() >= signer.items()
    assert (made["name"], made["sign_files"]["files"][0]["name"]) == ("Lease.pdf", "Lease.pdf")
    assert (made["prefill_tags"], made["external_system_name"]) == ([tag], "Crm")


def test_an_assignment_of_a_completed_task_stays(box: Box):
    task = box("POST", "tasks", {"item": {"type": "file", "id": box.upload()["id"]}, "action": "review"})
    made = box("POST", "task_assignments", {"task": {"id": task["id"], "type": "task"}, "assign_to": {"id": ADA}})
    box("PUT", f"task_assignments/{made['id']}", {"resolution_state": "approved"})
    assert box.refused("DELETE", f"task_assignments/{made['id']}") == (403, "forbidden")


def test_box_ai_is_refused_as_where_it_was_not_bought(box: Box):
    items = [{"type": "file", "id": box.upload()["id"]}]
    asked = {"mode": "single_item_qa", "prompt": "What?", "items": items}
    assert box.refused("POST", "ai/ask", asked) == (403, "forbidden")
    assert box.refused("POST", "ai/ask", {**asked, "mode": "guess"}) == (400, "bad_request")


def test_nobody_else_sees_tasks_and_comments(box: Box, ben: Box):
    file = box.upload()["id"]
    task, comment = task_on(box, file), comment_on(box, file, "x")
    assert ben.refused("GET", f"tasks/{task['id']}") == (404, "not_found")
    assert ben.refused("GET", f"comments/{comment['id']}") == (404, "not_found")
    assert box("GET", f"users/{ADA}")["id"] == ADA
