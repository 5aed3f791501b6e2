"""Databases and data sources: schemas, values of every type, relations, rollups, views, versions."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import ADA, BOT, HOME, Notion, rewrite_rows

SCHEMA: dict[str, Any] = {
    "Notes": {"rich_text": {}},
    "Price": {"number": {"format": "dollar"}},
    "Kind": {"select": {"options": [{"name": "A", "color": "red"}]}},
    "Tags": {"multi_select": {}},
    "Stage": {"status": {}},
    "Due": {"date": {}},
    "Who": {"people": {}},
    "Docs": {"files": {}},
    "Done": {"checkbox": {}},
    "Link": {"url": {}},
    "Mail": {"email": {}},
    "Phone": {"phone_number": {}},
    "Key": {"unique_id": {"prefix": "T"}},
    "Made": {"created_time": {}},
    "Maker": {"created_by": {}},
    "Edited": {"last_edited_time": {}},
    "Where": {"place": {}},
}
GIVEN: dict[str, Any] = {
    "Notes": {"rich_text": [{"text": {"content": "hello"}}]},
    "Price": {"number": 4.5},
    "Kind": {"select": {"name": "B"}},
    "Tags": {"multi_select": [{"name": "x"}, {"name": "y"}]},
    "Stage": {"status": {"name": "In progress"}},
    "Due": {"date": {"start": "2026-07-01", "end": "2026-07-03"}},
    "Who": {"people": [{"id": ADA}]},
    "Docs": {"files": [{"name": "a.pdf", "external": {"url": "https://example.com/a.pdf"}}]},
    "Done": {"checkbox": True},
    "Link": {"url": "https://example.com"},
    "Mail": {"email": "a@example.com"},
    "Phone": {"phone_number": "1"},
}


def values_of(page: Any) -> dict[str, Any]:
    return {name: each[each["type"]] for name, each in page["properties"].items()}


def test_values_of_every_type_come_back_and_their_rows_are_short(notion: Notion):
    page = notion.row(notion.source(SCHEMA), "one", **GIVEN)
    shown = values_of(page)
    assert (shown["Kind"]["name"], [each["name"] for each in shown["Tags"]]) == ("B", ["x", "y"])
    assert (shown["Stage"]["name"], shown["Key"], shown["Maker"]["id"]) == (
        "In progress",
        {"prefix": "T", "number": 1},
        BOT,
    )
    assert (shown["Who"][0]["person"]["email"], shown["Due"]["end"]) == ("ada.admin@example.com", "2026-07-03")
    assert [shown[name] for name in ("Price", "Done", "Link", "Mail", "Phone")] == [
        4.5,
        True,
        "https://example.com",
        "a@example.com",
        "1",
    ]
    [row] = [row for row in notion.diff()["inserts"] if row["id"] == page["id"]]
    assert row["properties"] == {
        "Notes": "hello", "Price": 4.5, "Kind": "B", "Tags": ["x", "y"], "Stage": "In progress", "Who": [ADA],
        "Due": {"start": "2026-07-01", "end": "2026-07-03", "time_zone": None}, "Done": True, "Key": 1,
        "Docs": [{"name": "a.pdf", "external": "https://example.com/a.pdf"}], "Link": "https://example.com",
        "Mail": "a@example.com", "Phone": "1",
    }  # fmt: skip


def test_values_are_emptied_by_null_and_empty_lists(notion: Notion):
    page = notion.row(notion.source(SCHEMA), "one", **GIVEN)
    empty: dict[str, Any] = {
        name: {next(iter(value)): None}
        for name, value in GIVEN.items()
        if name not in ("Done", "Notes", "Tags", "Who", "Docs")
    }
    empty |= {
        "Notes": {"rich_text": []},
        "Tags": {"multi_select": []},
        "Who": {"people": []},
        "Done": {"checkbox": False},
    }
    shown = values_of(notion("PATCH", f"pages/{page['id']}", {"properties": empty}))
    assert {name: shown[name] for name in empty} == {
        name: False if name == "Done" else [] if name in ("Notes", "Tags", "Who") else None for name in empty
    }


def test_times_get_the_offset_of_their_zone(notion: Notion):
    source = notion.source({"At": {"date": {}}})
    dates = [
        ("2026-07-01T10:30:45", "Europe/Berlin", "2026-07-01T10:30:00.000+02:00"),
        ("2026-07-01T10:30", None, "2026-07-01T10:30:00.000+00:00"),
    ]
    for start, zone, expected in dates:
        page = notion.row(source, "one", At={"date": {"start": start, "time_zone": zone}})
        assert values_of(page)["At"] == {"start": expected, "end": None, "time_zone": None}


WRONG: list[tuple[str, Any, str]] = [
    ("Price", {"number": "4"}, "body.properties.Price.number should be a number"),
    ("Price", {"select": {"name": "A"}}, "Price is expected to be number."),
    ("Stage", {"status": {"name": "Nope"}}, 'Status option "Nope" does not exist'),
    ("Kind", {"select": {"name": "a,b"}}, "commas not allowed"),
    ("Due", {"date": {"start": "tomorrow"}}, "should be a valid ISO 8601 date string"),
    ("Due", {"date": {"start": "2026-02-30"}}, "should be a valid ISO 8601 date string"),
    ("Due", {"date": {"start": "2026-02-03", "end": "2026-02-01"}}, "should be after"),
    ("Due", {"date": {"start": "2026-02-03T10:00", "time_zone": "Mars/Base"}}, "not a valid IANA time zone"),
    ("Who", {"people": [{"id": HOME}]}, "Could not find user"),
    ("Done", {"checkbox": "yes"}, "should be a boolean"),
    ("Key", {"unique_id": {"number": 3}}, "cannot be updated"),
    ("Missing", {"number": 3}, "Missing is not a property that exists."),
]


@pytest.fixture(scope="module")
def table(workspace: Any) -> tuple[Notion, str]:
    """A workspace with a data source."""
    notion = workspace()
    return notion, notion.source(SCHEMA)


@pytest.mark.parametrize(("name", "value", "message"), WRONG, ids=[each[2][:30] for each in WRONG])
def test_values_that_do_not_fit_are_refused(table: tuple[Notion, str], name: str, value: Any, message: str):
    notion, source = table
    body = {"parent": {"data_source_id": source}, "properties": {name: value}}
    status, code, told = notion.refused("POST", "pages", body)
    assert (status, code, message in told) == (400, "validation_error", True), told
    assert notion.names(source) == []


def test_a_schema_is_changed_by_adding_renaming_and_removing(notion: Notion):
    source = notion.source({"Price": {"number": {}}, "Kind": {"select": {"options": [{"name": "A", "color": "red"}]}}})
    page = notion.row(source, "one", Price={"number": 1}, Kind={"select": {"name": "A"}})["id"]
    changes = {
        "Price": {"name": "Cost"},
        "New": {"checkbox": {}},
        "Kind": {"select": {"options": [{"name": "A"}, {"name": "B"}]}},
    }
    shown = notion("PATCH", f"data_sources/{source}", {"properties": changes})["properties"]
    assert ({*shown}, [each["name"] for each in shown["Kind"]["select"]["options"]]) == (
        {"Name", "Cost", "New", "Kind"},
        ["A", "B"],
    )
    assert values_of(notion("GET", f"pages/{page}"))["Cost"] == 1
    shown = notion("PATCH", f"data_sources/{source}", {"properties": {"Cost": None, "Kind": {"rich_text": {}}}})[
        "properties"
    ]
    assert ({*shown}, shown["Kind"]["type"]) == ({"Name", "New", "Kind"}, "rich_text")
    for body in ({"Name": None}, {"Gone": None}, {"New": {"name": "Name"}}, {"New": {"title": {}}}):
        assert notion.refused("PATCH", f"data_sources/{source}", {"properties": body})[1] == "validation_error"


def test_relations_are_kept_on_both_sides_and_rolled_up(notion: Notion):
    projects = notion.source({"Budget": {"number": {}}}, title="Projects")
    dual = {
        "relation": {
            "data_source_id": projects,
            "type": "dual_property",
            "dual_property": {"synced_property_name": "Tasks"},
        }
    }
    tasks = notion.source({"Project": dual, "Hours": {"number": {}}}, title="Tasks")
    house = notion.row(projects, "House")["id"]
    for name, hours in (("Roof", 3), ("Door", 4)):
        notion.row(tasks, name, Project={"relation": [{"id": house}]}, Hours={"number": hours})
    functions = {"sum": 7, "average": 3.5, "count": 2, "max": 4, "percent_not_empty": 1}
    rollups = {
        name: {"rollup": {"relation_property_name": "Tasks", "rollup_property_name": "Hours", "function": name}}
        for name in functions
    }
    shown = {"rollup": {"relation_property_name": "Tasks", "rollup_property_name": "Name", "function": "show_original"}}
    notion("PATCH", f"data_sources/{projects}", {"properties": {**rollups, "names": shown}})
    page = values_of(notion("GET", f"pages/{house}"))
    assert len(page["Tasks"]) == 2
    assert {name: page[name]["number"] for name in functions} == functions
    assert [each["title"][0]["plain_text"] for each in page["names"]["array"]] == ["Roof", "Door"]
    notion("PATCH", f"pages/{house}", {"properties": {"Tasks": {"relation": page["Tasks"][:1]}}})
    related = [values_of(each)["Project"] for each in notion("POST", f"data_sources/{tasks}/query", {})["results"]]
    assert sorted(map(len, related)) == [0, 1]


def test_long_properties_are_read_in_pages(notion: Notion):
    people = notion.source(title="People")
    ids = [{"id": notion.row(people, str(number))["id"]} for number in range(30)]
    relation = {"relation": {"data_source_id": people, "type": "single_property", "single_property": {}}}
    page = notion.row(notion.source({"People": relation}), "all", People={"relation": ids})
    assert (len(page["properties"]["People"]["relation"]), page["properties"]["People"]["has_more"]) == (25, True)
    path = f"pages/{page['id']}/properties/People"
    first = notion("GET", f"{path}?page_size=20")
    rest = notion("GET", f"{path}?page_size=20&start_cursor={first['next_cursor']}")
    assert [each["relation"] for each in first["results"] + rest["results"]] == ids
    assert notion("GET", f"pages/{page['id']}/properties/title")["results"][0]["title"]["plain_text"] == "all"


def test_each_version_of_the_api_has_its_own_shape_of_databases(notion: Notion):
    old, new = notion.at("2022-06-28"), notion.at("2025-09-03")
    body = {
        "parent": {"page_id": HOME},
        "title": [{"text": {"content": "Old"}}],
        "properties": {"Name": {"title": {}}, "N": {"number": {}}},
    }
    made = old("POST", "databases", body)
    assert ({*made["properties"]}, "data_sources" in made, made["archived"]) == ({"Name", "N"}, False, False)
    page = old("POST", "pages", {"parent": {"database_id": made["id"]}, "properties": {"N": {"number": 1}}})
    assert page["parent"] == {"type": "database_id", "database_id": made["id"]}
    assert len(old("POST", f"databases/{made['id']}/query", {})["results"]) == 1
    source = new("GET", f"databases/{made['id']}")["data_sources"][0]["id"]
    assert new("GET", f"pages/{page['id']}")["parent"] == {
        "type": "data_source_id",
        "data_source_id": source,
        "database_id": made["id"],
    }
    assert ("archived" in new("GET", f"pages/{page['id']}"), "archived" in notion("GET", f"pages/{page['id']}")) == (
        True,
        False,
    )
    old("PATCH", f"databases/{made['id']}", {"properties": {"N": {"name": "M"}}})
    assert "M" in new("GET", f"data_sources/{source}")["properties"]
    added = {"parent": {"type": "database_id", "database_id": made["id"]}, "properties": {"Name": {"title": {}}}}
    new("POST", "data_sources", added)
    assert old.refused("POST", f"databases/{made['id']}/query", {})[1] == "validation_error"


def test_views_are_made_changed_run_and_deleted(notion: Notion):
    source = notion.source({"N": {"number": {}}})
    for number in range(3):
        notion.row(source, str(number), N={"number": number})
    body = {
        "data_source_id": source,
        "name": "High",
        "type": "board",
        "filter": {"property": "N", "number": {"greater_than": 0}},
    }
    view = notion("POST", "views", {**body, "sorts": [{"property": "N", "direction": "descending"}]})
    changed = notion("PATCH", f"views/{view['id']}", {"name": "Higher"})
    assert (changed["name"], changed["type"], changed["configuration"]) == ("Higher", "board", {"type": "board"})
    query = notion("POST", f"views/{view['id']}/queries", {"page_size": 1})
    rest = notion("GET", f"views/{view['id']}/queries/{query['id']}?start_cursor={query['next_cursor']}")
    assert (query["total_count"], len(query["results"]), len(rest["results"])) == (2, 1, 1)
    listed = notion("GET", f"views?data_source_id={source}")["results"]
    assert [each["id"] for each in listed][1:] == [view["id"]]
    notion("DELETE", f"views/{view['id']}")
    assert notion.refused("DELETE", f"views/{listed[0]['id']}")[1] == "validation_error"
    assert notion.refused("GET", f"views/{view['id']}")[0] == 404


def test_a_page_takes_over_a_template(workspace: Any):
    notion = workspace()
    source = notion.source({"Stage": {"status": {}}})
    assert notion("GET", f"data_sources/{source}/templates")["templates"] == []
    body = {"parent": {"data_source_id": source}, "template": {"type": "default"}}
    assert notion.refused("POST", "pages", body)[1] == "validation_error"
    assert notion.names(source) == []


def test_what_relates_to_a_source_that_is_not_shared_is_hidden(notion: Notion):
    """Schemas lack it, and pages show it empty; the rest of the workspace still has it."""
    shared, hidden = notion.page("Shared")["id"], notion.page("Hidden")["id"]
    people = notion.source({"Pay": {"number": {}}}, parent={"type": "page_id", "page_id": hidden})
    ann = notion.row(people, "Ann", Pay={"number": 7})["id"]
    relation = {"relation": {"data_source_id": people, "single_property": {}}}
    rollup = {"rollup": {"relation_property_name": "Who", "rollup_property_name": "Pay", "function": "sum"}}
    tasks = notion.source({"Who": relation, "Sum": rollup}, parent={"type": "page_id", "page_id": shared})
    task = notion.row(tasks, "Plan", Who={"relation": [{"id": ann}]})["id"]
    assert notion("GET", f"data_sources/{tasks}")["properties"].keys() == {"Name", "Who", "Sum"}
    narrow = rewrite_rows(notion, "notion_users", shared_with=[shared])
    assert narrow("GET", f"data_sources/{tasks}")["properties"].keys() == {"Name"}
    shown = narrow("GET", f"pages/{task}")["properties"]
    assert (shown["Who"]["relation"], shown["Sum"]["rollup"]["number"]) == ([], 0)
    who = {"property": "Who", "relation": {"contains": ann}}
    assert (narrow.names(tasks, filter=who), notion.names(tasks, filter=who)) == ([], ["Plan"])
    assert narrow.refused("GET", f"pages/{ann}")[:2] == (404, "object_not_found")


NEEDS = {
    "read_content": (
        "GET pages/{id}", "GET pages/{id}/properties/title", "GET pages/{id}/markdown", "GET blocks/{id}",
        "GET blocks/{id}/children", "GET databases/{id}", "GET data_sources/{id}", "POST data_sources/{id}/query",
        "POST databases/{id}/query", "GET views?database_id={id}", "GET views/{id}", "POST views/{id}/queries",
        "POST search", "POST blocks/meeting_notes/query", "GET agents", "GET agents/{id}", "GET agents/{id}/insights",
        "GET agents/{id}/threads", "GET threads/{id}/messages", "POST agents/query", "POST agents/{id}/threads/query",
        "POST threads/{id}/messages/query", "POST sessions/query", "GET sessions/{id}",
        "POST sessions/{id}/events/query", "GET external_agent_stub/{id}/sessions/{id}/events",
    ),
    "insert_content": (
        "POST pages", "PATCH blocks/{id}/children", "POST databases", "POST data_sources", "POST file_uploads",
        "POST file_uploads/{id}/complete", "POST sessions", "POST agents/{id}/chat", "POST threads/{id}/messages",
        "POST threads/{id}/continue", "POST external_agent_stub/{id}/vaults", "POST external_agent_stub/{id}/sessions",
        "POST external_agent_stub/{id}/sessions/{id}/messages",
    ),
    "update_content": (
        "PATCH pages/{id}", "POST pages/{id}/move", "PATCH pages/{id}/markdown", "PATCH blocks/{id}",
        "DELETE blocks/{id}", "PATCH databases/{id}", "PATCH data_sources/{id}", "POST views", "PATCH views/{id}",
        "DELETE views/{id}", "PATCH agents/{id}/status", "PATCH agents/{id}/credit_limit", "DELETE agents/{id}",
        "POST agents/batch", "POST sessions/{id}/cancel", "PATCH external_agent_stub/{id}/vaults/{id}",
        "DELETE external_agent_stub/{id}/vaults/{id}",
    ),
    "read_comments": ("GET comments?block_id={id}", "GET comments/{id}"),
    "insert_comments": ("POST comments", "PATCH comments/{id}", "DELETE comments/{id}"),
    "read_users": ("GET users", "GET users/{id}"),
}  # fmt: skip


def test_an_operation_is_refused_to_an_integration_without_the_capability_it_needs(notion: Notion):
    powerless = rewrite_rows(notion, "notion_users", capabilities=[])
    for capability, operations in NEEDS.items():
        for operation in operations:
            verb, path = operation.format(id=HOME).split(" ")
            body: Any = {} if verb in ("POST", "PATCH") else None
            status, code, message = powerless.refused(verb, path, body)
            assert (status, code, message.split()[-1]) == (403, "restricted_resource", f"{capability}."), operation
    assert powerless("GET", "users/me")["object"] == "user"
