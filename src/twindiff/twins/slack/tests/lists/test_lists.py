"""Lists: columns, cells of every type, subtasks, copies, exports, and who may do what."""

import json
from uuid import uuid4

import httpx
import pytest

from tests.harness import GENERAL, JOHN, ROBERT
from twindiff.twins.slack.tests.calls import (
    DIRECT,
    EDITED,
    ITEM,
    LIST,
    ME,
    OWNER,
    STATUS,
    SUBTASK,
    TITLE,
    WORLD,
    cell,
    rich,
)
from twindiff.twins.slack.tests.conftest import SEED, TOKENS, Slack

TEXT = {"key": "title", "name": "Title", "type": "text", "is_primary_column": True}
TYPES = ("message", "number", "select", "date", "user", "attachment", "checkbox", "email", "phone", "channel", "rating")
SCHEMA = [
    TEXT,
    *({"key": type, "name": type.title(), "type": type} for type in TYPES if type != "select"),
    {
        "key": "select",
        "name": "Select",
        "type": "select",
        "options": {
            "choices": [{"value": "a", "label": "A", "color": "red"}, {"value": "b", "label": "B", "color": "blue"}]
        },
    },
    *({"key": type, "name": type.title(), "type": type} for type in ("canvas", "reference", "link", "vote")),
    {"key": "created_by", "name": "By", "type": "created_by"},
]
MESSAGE = f"https://acme.slack.com/archives/{GENERAL}/p{EDITED.replace('.', '')}"


@pytest.fixture(scope="module")
def shared(platform):
    """A workspace that tests share whose writes are their own."""
    seed = json.loads(SEED.read_text())
    name = f"slack_{uuid4().hex}"
    rows = {**seed, **{table: [*seed.get(table, []), *added] for table, added in WORLD.items()}}
    platform.post("import", {"files": {f"{name}.json": rows}})
    environment = platform.environment(f"slack:{name}", tokens=TOKENS)
    environment.made["runId"] = platform.start(environment)
    return Slack(environment)


@pytest.fixture(scope="module")
def wide(shared):
    """A list with a column of each type: its id, and the ids of its columns by key."""
    made = shared("slackLists.create", name="Wide", schema=SCHEMA)
    return made["list_id"], {column["key"]: column["id"] for column in made["list_metadata"]["schema"]}


def test_a_list_has_one_column_of_text_unless_a_schema_is_sent(shared):
    """https://docs.slack.dev/reference/methods/slackLists.create"""
    [column] = shared("slackLists.create", name="Books")["list_metadata"]["schema"]
    assert (column["name"], column["type"], column["is_primary_column"]) == ("Name", "text", True)


def test_a_list_of_things_to_do_has_three_columns_more(shared):
    made = shared("slackLists.create", name="Shows", schema=[TEXT], todo_mode=True)["list_metadata"]
    keys = [column["key"] for column in made["schema"]]
    assert keys == ["title", "todo_completed", "todo_assignee", "todo_due_date"]
    assert [column["id"] for column in made["subtask_schema"]][1:] == ["Col00", "Col01", "Col02"]


def test_a_list_becomes_one_of_things_to_do(world):
    assert world("slackLists.update", id=LIST, todo_mode=True)["ok"]
    metadata = world("slackLists.items.info", list_id=LIST, id=ITEM)["list"]["list_metadata"]
    assert (len(metadata["schema"]), metadata["todo_mode"]) == (6, True)


@pytest.mark.parametrize(
    ("key", "sent", "shown", "value"),
    [
        ("number", [2.5], [2.5], 2.5),
        ("select", ["a", "b"], ["a", "b"], "a, b"),
        ("date", ["2026-02-28"], ["2026-02-28"], "2026-02-28"),
        ("user", [ME, JOHN], [ME, JOHN], f"{ME}, {JOHN}"),
        ("attachment", ["F1"], ["F1"], "F1"),
        ("checkbox", True, True, True),
        ("checkbox", [False], False, False),
        ("email", ["a@b.example"], ["a@b.example"], "a@b.example"),
        ("phone", ["+1-555-123-4567"], ["+1-555-123-4567"], "+1-555-123-4567"),
        ("channel", [GENERAL], [GENERAL], GENERAL),
        ("rating", [4], [4], 4),
        ("message", [MESSAGE], [{"value": MESSAGE, "channel_id": GENERAL, "ts": EDITED}], MESSAGE),
    ],
)
def test_a_cell_shows_what_was_put_in_by_the_key_of_its_type(shared, wide, key, sent, shown, value):
    """https://docs.slack.dev/reference/methods/slackLists.items.create#field-types"""
    list_id, columns = wide
    fields = [{"column_id": columns[key], key: sent}]
    [field] = shared("slackLists.items.create", list_id=list_id, initial_fields=fields)["item"]["fields"]
    assert (field["key"], field[key], field["value"]) == (key, shown, value)


def test_a_cell_of_text_shows_rich_text_and_plain_text(shared, wide):
    list_id, columns = wide
    fields = [{"column_id": columns["title"], "rich_text": rich("Worldhoppers")}]
    [field] = shared("slackLists.items.create", list_id=list_id, initial_fields=fields)["item"]["fields"]
    assert field["text"] == "Worldhoppers"
    assert json.loads(field["value"]) == field["rich_text"]


def test_links_and_references_are_shown_as_their_page_says(shared, wide):
    """https://docs.slack.dev/reference/methods/slackLists.items.list"""
    list_id, columns = wide
    link = {"original_url": "https://docs.slack.dev/", "display_as_url": False, "display_name": "Docs"}
    reference = {"file": {"file_id": "F8"}}
    fields = [
        {"column_id": columns["link"], "link": [link]},
        {"column_id": columns["canvas"], "reference": [reference]},
    ]
    made = shared("slackLists.items.create", list_id=list_id, initial_fields=fields)["item"]["fields"]
    shown = {field["key"]: field for field in made}
    [shown_link] = shown["link"]["link"]
    assert (shown_link["originalUrl"], shown_link["displayName"]) == (link["original_url"], "Docs")
    assert shown["canvas"]["reference"] == [reference]


REFUSED = [
    ("title", {"text": "plain"}, "invalid_input_type"),
    ("title", {"rich_text": [{"type": "divider"}]}, "invalid_blocks"),
    ("title", {"rich_text": [{"type": "rich_text"}]}, "invalid_blocks"),
    ("number", {"number": "3"}, "invalid_input_type"),
    ("number", {"number": ["3"]}, "invalid_input_type"),
    ("number", {"number": [1, 2]}, "over_cell_fields_limit"),
    ("select", {"select": ["A"]}, "invalid_option_id"),
    ("select", {"select": ["a"] * 51}, "over_cell_fields_limit"),
    ("date", {"date": ["28.2.2026"]}, "invalid_date"),
    ("date", {"timestamp": [10**17]}, "invalid_date"),
    ("date", {"timestamp": [1, 2]}, "over_cell_fields_limit"),
    ("user", {"user": ["U0NOPE000"]}, "user_not_found"),
    ("attachment", {"attachment": ["F0"]}, "file_not_found"),
    ("attachment", {"attachment": ["F1"] * 11}, "over_cell_fields_limit"),
    ("checkbox", {"checkbox": ["yes"]}, "invalid_input_type"),
    ("email", {"email": ["nobody"]}, "invalid_email"),
    ("phone", {"phone": ["call me"]}, "invalid_phone_number"),
    ("channel", {"channel": ["general"]}, "channel_not_found"),
    ("rating", {"rating": [6]}, "invalid_input_type"),
    ("message", {"message": ["https://example.com"]}, "invalid_link"),
    ("message", {"message": [f"{MESSAGE[:-1]}9"]}, "invalid_message"),
    ("canvas", {"reference": ["F8"]}, "invalid_input_type"),
    ("link", {"link": [{"display_name": "Docs"}]}, "invalid_input_type"),
    ("vote", {"vote": [True]}, "invalid_vote_value"),
    ("created_by", {"user": [ME]}, "uneditable_column"),
]


@pytest.mark.parametrize(("key", "value", "error"), REFUSED)
def test_a_cell_refuses_what_its_column_does_not_hold(shared, wide, key, value, error):
    """https://docs.slack.dev/reference/methods/slackLists.items.update"""
    list_id, columns = wide
    fields = [{"column_id": columns[key], **value}]
    assert shared("slackLists.items.create", list_id=list_id, initial_fields=fields)["error"] == error


def test_a_refused_cell_leaves_no_item(world):
    fields = [{"column_id": OWNER, "user": ["U0NOPE000"]}]
    world("slackLists.items.create", list_id=LIST, initial_fields=fields)
    assert world.diff(include="all") == {"inserts": [], "updates": [], "deletes": []}


def test_a_default_stands_in_new_items_unless_something_else_is_said(shared):
    options = {"format": "single_entity", "default_value_typed": {"user": [JOHN]}}
    owner = {"key": "owner", "name": "Owner", "type": "user", "options": options}
    made = shared("slackLists.create", name="Owned", schema=[TEXT, owner])
    column = made["list_metadata"]["schema"][1]["id"]
    for sent, owners in (([], [JOHN]), ([{"column_id": column, "user": [ROBERT]}], [ROBERT])):
        item = shared("slackLists.items.create", list_id=made["list_id"], initial_fields=sent)["item"]
        assert [field["user"] for field in item["fields"]] == [owners]


def test_cells_of_several_items_are_written_at_once(world):
    cells = [cell(STATUS, select=["done"]), cell(STATUS, SUBTASK, select=["open"]), cell(OWNER, user=[])]
    assert world("slackLists.items.update", list_id=LIST, cells=cells) == {"ok": True}
    texts = {row["item_id"]: row["text"] for row in world.diff()["inserts"]}
    assert texts == {ITEM: "done", SUBTASK: "open"}
    assert [row["column_id"] for row in world.diff()["deletes"]] == [OWNER]


def test_cells_make_a_new_item_together(world):
    new = {"row_id_to_create": True, "row_id": "new"}
    cells = [{**new, "column_id": TITLE, "rich_text": rich("New")}, {**new, "column_id": STATUS, "select": ["open"]}]
    assert world("slackLists.items.update", list_id=LIST, cells=cells)["ok"]
    newest = world("slackLists.items.list", list_id=LIST)["items"][0]
    assert [field["key"] for field in newest["fields"]] == ["title", "status"]


def test_an_item_goes_with_its_subtasks_and_is_known_to_have_been(world):
    """https://docs.slack.dev/reference/methods/slackLists.items.info"""
    assert world("slackLists.items.delete", list_id=LIST, id=ITEM)["ok"]
    assert world("slackLists.items.info", list_id=LIST, id=SUBTASK)["error"] == "record_deleted"


def test_an_item_is_shown_with_its_subtasks_and_its_list(shared):
    answer = shared("slackLists.items.info", list_id=LIST, id=ITEM, include_is_subscribed=True)
    assert (answer["record"]["is_subscribed"], [each["id"] for each in answer["subtasks"]]) == (True, [SUBTASK])
    assert answer["subtasks"][0]["parent_record_id"] == ITEM
    assert (answer["list"]["title"], answer["list"]["list_limits"]["row_count"]) == ("Plan", 2)


def test_an_item_is_copied_with_its_cells(world):
    item = world("slackLists.items.create", list_id=LIST, duplicated_item_id=ITEM)["item"]
    assert [field["key"] for field in item["fields"]] == ["title", "owner"]


def test_items_come_in_pages_the_newest_first(shared):
    first = shared("slackLists.items.list", list_id=LIST, limit=1)
    cursor = first["response_metadata"]["next_cursor"]
    second = shared("slackLists.items.list", list_id=LIST, limit=1, cursor=cursor)
    assert [page["items"][0]["id"] for page in (first, second)] == [SUBTASK, ITEM]
    assert second["response_metadata"]["next_cursor"] == ""


def test_archived_items_are_listed_apart(workspace_with):
    items = [{**item, "is_archived": item["item_id"] == ITEM} for item in WORLD["list_items"]]
    slack = workspace_with(**{**WORLD, "list_items": items})
    listed = [slack("slackLists.items.list", list_id=LIST, archived=archived)["items"] for archived in (True, False)]
    assert [[item["id"] for item in items] for items in listed] == [[ITEM], [SUBTASK]]


def test_a_copy_has_the_columns_of_its_list_and_its_items_if_asked(shared):
    for asked, rows in ((False, 0), (True, 2)):
        made = shared("slackLists.create", name="Copy", copy_from_list_id=LIST, include_copied_list_records=asked)
        items = shared("slackLists.items.list", list_id=made["list_id"], include_list=True)
        assert len(items["items"]) == rows
        assert items["list"]["list_metadata"]["creation_source"]["reference_id"] == LIST


def test_a_list_is_exported_as_comma_separated_values(shared):
    """https://docs.slack.dev/reference/methods/slackLists.download.get"""
    job = shared("slackLists.download.start", list_id=LIST)["job_id"]
    ready = shared("slackLists.download.get", list_id=LIST, job_id=job)
    file = httpx.get(ready["download_url"], headers={"Authorization": f"Bearer {shared.token}"})
    assert ready["status"] == "COMPLETED"
    assert file.text.splitlines() == ["Title,Status,Owner", f"Ship it,,{ME}", ",,"]


def test_who_has_no_access_does_not_find_a_list(world):
    robert, here = world.as_user(ROBERT), {"list_id": LIST}
    assert robert("slackLists.items.list", **here)["error"] == "list_not_found"
    world("slackLists.access.set", **here, access_level="read", channel_ids=[GENERAL])
    assert robert("slackLists.items.list", **here)["ok"]
    world("slackLists.access.delete", **here, channel_ids=[GENERAL])
    assert robert("slackLists.items.list", **here)["error"] == "list_not_found"


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("slackLists.items.create", {}, "access_denied"),
        ("slackLists.items.delete", {"id": ITEM}, "access_denied"),
        ("slackLists.items.update", {"cells": [cell(STATUS, select=["done"])]}, "permission_denied"),
        ("slackLists.access.set", {"access_level": "read", "user_ids": [ROBERT]}, "restricted_action"),
        ("slackLists.access.delete", {"user_ids": [ME]}, "restricted_action"),
    ],
)
def test_readers_of_a_list_do_not_write_in_it(shared, method, arguments, error):
    assert shared.as_user(JOHN)(method, list_id=LIST, **arguments)["error"] == error


def test_an_owner_hands_a_list_over_and_may_write_from_then_on(world):
    set_owner = {"list_id": LIST, "access_level": "owner", "user_ids": [JOHN]}
    assert world("slackLists.access.set", **set_owner)["ok"]
    levels = [
        user("slackLists.items.info", list_id=LIST, id=ITEM)["list"]["access"] for user in (world, world.as_user(JOHN))
    ]
    assert levels == ["write", "owner"]
    assert world("slackLists.access.set", **set_owner)["error"] == "restricted_action"


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("slackLists.create", {"schema": [TEXT], "copy_from_list_id": LIST}, "invalid_copy_and_schema_args"),
        ("slackLists.create", {"include_copied_list_records": True}, "missing_arg_copy_from_list_id"),
        ("slackLists.create", {"copy_from_list_id": "F0"}, "list_not_found"),
        ("slackLists.create", {"schema": []}, "invalid_primary_column"),
        ("slackLists.create", {"schema": [TEXT, {**TEXT, "key": "b"}]}, "invalid_primary_column"),
        ("slackLists.create", {"schema": [{**TEXT, "type": "number"}]}, "invalid_primary_column"),
        ("slackLists.create", {"schema": [TEXT, {"key": "a", "name": "A", "type": "dance"}]}, "invalid_column_type"),
        ("slackLists.create", {"schema": [{"key": "a"}]}, "invalid_schema"),
        ("slackLists.create", {"schema": [TEXT, {"key": "title", "name": "A", "type": "date"}]}, "invalid_schema"),
        ("slackLists.create", {"schema": [{**TEXT, "options": {"format": "odd"}}]}, "invalid_schema"),
        ("slackLists.create", {"schema": [{**TEXT, "key": str(each)} for each in range(31)]}, "invalid_primary_column"),
        ("slackLists.create", {"name": "x" * 256}, "over_title_length_maximum"),
        ("slackLists.update", {"id": "F0", "name": "A"}, "list_not_found"),
        ("slackLists.update", {"id": LIST}, "missing_arguments"),
        ("slackLists.update", {"id": LIST, "name": "x" * 256}, "over_title_length_maximum"),
        (
            "slackLists.update",
            {"id": LIST, "description_blocks": [{"type": "divider"}]},
            "unexpected_description_blocks_arg",
        ),
        ("slackLists.items.create", {"list_id": "F0"}, "list_not_found"),
        ("slackLists.items.create", {"list_id": LIST, "duplicated_item_id": "Rec0"}, "duplicated_item_not_found"),
        ("slackLists.items.create", {"list_id": LIST, "parent_item_id": "Rec0"}, "invalid_args"),
        ("slackLists.items.create", {"list_id": LIST, "initial_fields": [{"column_id": "Col9"}]}, "invalid_column_id"),
        ("slackLists.items.update", {"list_id": LIST, "cells": [{"row_id": ITEM}]}, "column_id_not_provided"),
        ("slackLists.items.update", {"list_id": LIST, "cells": [{"column_id": TITLE}]}, "row_id_not_provided"),
        ("slackLists.items.update", {"list_id": LIST, "cells": [cell(TITLE, "Rec0")]}, "invalid_row_id"),
        ("slackLists.items.update", {"list_id": LIST, "cells": [cell(TITLE)] * 101}, "over_cell_fields_limit"),
        ("slackLists.items.delete", {"list_id": LIST, "id": "Rec7"}, "record_not_found"),
        ("slackLists.items.info", {"list_id": LIST, "id": "Rec7"}, "record_not_found"),
        ("slackLists.items.list", {"list_id": LIST, "cursor": "abc"}, "invalid_cursor"),
        ("slackLists.download.start", {"list_id": LIST, "format": "json"}, "invalid_arguments"),
        ("slackLists.download.get", {"list_id": LIST, "job_id": "Le0"}, "job_not_found"),
        ("slackLists.access.set", {"list_id": LIST, "access_level": "read"}, "invalid_parameters"),
        ("slackLists.access.set", {"list_id": LIST, "access_level": "much", "user_ids": [JOHN]}, "invalid_arguments"),
        ("slackLists.access.set", {"list_id": LIST, "access_level": "read", "user_ids": ["U0"]}, "user_not_found"),
        (
            "slackLists.access.delete",
            {"list_id": LIST, "channel_ids": [DIRECT]},
            "channel_not_found",
        ),
    ],
)
def test_a_refusal_of_a_list_says_why(shared, method, arguments, error):
    named = {"name": "New"} if method == "slackLists.create" else {}
    assert shared(method, **{**named, **arguments})["error"] == error


def test_what_a_template_misshaped_stops_nobody_from_reading_a_list(workspace_with):
    odd = {"link": 7, "checkbox": [], "message": [7], "number": None, "dance": ["a"], "select": "open"}
    columns = [
        {"list_id": LIST, "column_id": type, "column_key": type, "column_name": type, "column_type": type, "options": 7}
        for type in odd
    ]
    cells = [{"item_id": ITEM, "column_id": type, "value": value} for type, value in odd.items() if value is not None]
    lists = [{**WORLD["lists"][0], "description_blocks": [{"type": "divider"}]}]
    slack = workspace_with(**{**WORLD, "lists": lists, "list_columns": columns, "list_cells": cells})
    answer = slack("slackLists.items.info", list_id=LIST, id=ITEM)
    assert {field["key"] for field in answer["record"]["fields"]} == {cell["column_id"] for cell in cells}
    copy = {"name": "Copy", "copy_from_list_id": LIST, "include_copied_list_records": True}
    assert slack("slackLists.create", **copy)["ok"]
    assert slack("slackLists.items.create", list_id=LIST, duplicated_item_id=ITEM)["ok"]


def test_a_list_has_at_most_30_columns(shared):
    more = [{"key": str(each), "name": "More", "type": "date"} for each in range(29)]
    assert shared("slackLists.create", name="Wide", schema=[TEXT, *more])["ok"]
    refused = shared("slackLists.create", name="Wider", schema=[TEXT, *more], todo_mode=True)
    assert refused["error"] == "over_column_maximum"


def test_a_list_has_at_most_1000_items(workspace_with):
    (first, *_) = WORLD["list_items"]
    items = [{**first, "item_id": f"Rec{each}"} for each in range(1000)]
    slack = workspace_with(**{**WORLD, "list_items": items, "list_cells": []})
    assert slack("slackLists.items.create", list_id=LIST)["error"] == "over_row_maximum"
