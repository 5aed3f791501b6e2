"""Uses that people report on: each is refused as Notion refuses it, on every route that takes what is wrong."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .conftest import HOME, Notion, paragraph

GHOST = "11111111-1111-4111-8111-111111111111"


def _row(*cells: str) -> Any:
    return {"table_row": {"cells": [[{"text": {"content": each}}] for each in cells]}}


def _link(url: str) -> list[Any]:
    return [{"text": {"content": "a", "link": {"url": url}}}]


@pytest.fixture(scope="module")
def used(workspace: Any) -> tuple[Notion, dict[str, str]]:
    """A workspace with a page, blocks of all kinds, a database with two data sources, and the ids of these by name."""
    notion: Notion = workspace()
    page = notion.page("Used")["id"]
    names = ("divider", "heading", "table", "gone", "text")
    table = {"table": {"table_width": 2, "children": [_row("a", "b")]}}
    blocks = [{"divider": {}}, paragraph("h", kind="heading_2"), table, paragraph("gone"), paragraph("x")]
    ids = {name: made["id"] for name, made in zip(names, notion.append(page, *blocks), strict=True)}
    ids["row"] = notion("GET", f"blocks/{ids['table']}/children")["results"][0]["id"]
    said = notion("POST", "comments", {"parent": {"block_id": ids["gone"]}, "rich_text": _link("https://a.test")})
    notion("DELETE", f"blocks/{ids['gone']}")
    kinds = {"M": "multi_select", "U": "rich_text", "N": "number", "L": "url", "P": "people"}
    source = notion.source({name: {kind: {}} for name, kind in kinds.items()})
    ids["row_page"] = notion.row(source, "row")["id"]
    database = notion("GET", f"data_sources/{source}")["parent"]["database_id"]
    parent = {"type": "database_id", "database_id": database}
    notion("POST", "data_sources", {"parent": parent, "properties": {"Name": {"title": {}}}})
    other = notion("GET", f"data_sources/{notion.source()}")["parent"]["database_id"]
    return notion, {
        **ids, "page": page, "source": source, "database": database, "other": other, "discussion": said["discussion_id"]
    }  # fmt: skip


APPEND = "blocks/{page}/children"
WIDTH = "Number of cells in table row must match the table width of the parent table"
ARCHIVED = "body.archived should be not present"
WORDS = ("notemoji", "über", "1")
REFUSED: list[tuple[str, str, Any, str]] = [
    (
        "POST",
        "search",
        {"filter": {"property": "object", "value": "database"}},
        'should be `"page"` or `"data_source"`',
    ),
    ("POST", "search", {"page_size": 101}, "body.page_size should be ≤ `100`, instead was `101`."),
    ("POST", "data_sources/{source}/query", {"page_size": 101}, "body.page_size should be ≤ `100`"),
    ("GET", "blocks/{page}/children?page_size=101", None, "query.page_size should be ≤ `100`"),
    ("PATCH", "pages/{page}", {"archived": True}, ARCHIVED),
    ("PATCH", "blocks/{text}", {"archived": True}, ARCHIVED),
    ("PATCH", "databases/{database}", {"archived": True}, ARCHIVED),
    ("PATCH", "data_sources/{source}", {"archived": True}, ARCHIVED),
    ("POST", "data_sources/{source}/query", {"archived": True}, ARCHIVED),
    ("PATCH", "data_sources/{source}", {"properties": {"B": {"title": {}}}}, "Cannot create a second title property"),
    ("PATCH", "blocks/{divider}/children", {"children": [paragraph("x")]}, "Block does not support children."),
    ("PATCH", "blocks/{heading}/children", {"children": [paragraph("x")]}, "Block does not support children."),
    ("PATCH", APPEND, {"children": [{"table": {"table_width": 2, "children": [_row("a")]}}]}, WIDTH),
    (
        "POST",
        "pages",
        {"parent": {"page_id": HOME}, "children": [{"table": {"table_width": 1, "children": [_row()]}}]},
        WIDTH,
    ),
    ("PATCH", "blocks/{table}/children", {"children": [_row("a", "b", "c")]}, WIDTH),
    ("PATCH", "blocks/{row}", _row("a"), WIDTH),
    ("PATCH", APPEND, {"children": [{"paragraph": {"rich_text": _link("not a url")}}]}, "Invalid URL for link."),
    ("PATCH", "blocks/{text}", {"paragraph": {"rich_text": _link("a.md")}}, "Invalid URL for link."),
    (
        "POST",
        "pages",
        {"parent": {"data_source_id": "{source}"}, "properties": {"U": {"rich_text": _link("x y")}}},
        "Invalid URL for link.",
    ),
    ("POST", "comments", {"parent": {"page_id": "{page}"}, "rich_text": _link("x y")}, "Invalid URL for link."),
    (
        "POST",
        "comments",
        {"parent": {"page_id": "{page}"}, "discussion_id": "{discussion}", "rich_text": []},
        "body.discussion_id should be not present",
    ),
    ("POST", "comments", {"discussion_id": "{discussion}", "rich_text": []}, "Can't edit block that is archived."),
    (
        "POST",
        "comments",
        {"parent": {"page_id": "{page}"}, "rich_text": [{"mention": {"user": {"id": GHOST}}}]},
        "Could not find user with ID",
    ),
    (
        "POST",
        "pages",
        {"parent": {"data_source_id": "{source}"}, "properties": {"M": {"multi_select": [{"name": ""}]}}},
        "name.length should be ≥ `1`",
    ),
    (
        "POST",
        "pages",
        {"parent": {"data_source_id": "{source}"}, "properties": {"X": {"number": 1}, "U": {"number": 1}, "Y": {}}},
        "X is not a property that exists. U is expected to be rich_text. Y is not a property that exists.",
    ),
    ("PATCH", "pages/{row_page}", {"properties": {"N": {"number": "5"}}}, "N.number should be a number or `null`, ins"),
    ("PATCH", "pages/{row_page}", {"properties": {"L": {"url": ""}}}, 'L.url should be populated, instead was `""`'),
    (
        "POST",
        "pages",
        {"parent": {"page_id": HOME, "database_id": "{database}"}},
        "parent.database_id should be not",
    ),
    ("PATCH", "pages/{page}", {"cover": {"external": {"url": "a.png"}}}, "Invalid page cover URL."),
    *[("PATCH", "pages/{page}", {"icon": {"emoji": word}}, "body.icon.emoji should be an emoji") for word in WORDS],
    ("PATCH", APPEND, {"children": [{"image": {"external": {"url": "a.png"}}}]}, "Invalid image url."),
    ("PATCH", APPEND, {"children": [{"bookmark": {"url": ""}}]}, "body.children[0].bookmark.url should be populated"),
    (
        "PATCH",
        APPEND,
        {"children": [paragraph("h", paragraph("x"), kind="heading_1")]},
        "body.children[0].heading_1.children should be not present",
    ),
    ("GET", "comments", None, "query failed validation: query.block_id should be defined, instead was `undefined`."),
    ("GET", "users?page_size=ten", None, 'query.page_size should be a number, instead was `"ten"`.'),
    (
        "POST",
        "data_sources/{source}/query",
        {"filter": {"property": "P", "people": {"contains": "Ada"}}},
        "body.filter.people.contains should be a valid uuid",
    ),
    (
        "PATCH",
        "data_sources/{source}",
        {"properties": {"R": {"relation": {"data_source_id": "{source}"}}}},
        "relation.single_property should be defined",
    ),
    ("PATCH", "data_sources/{source}", {"properties": {"N": {"number": {"format": "doubloon"}}}}, "format should be"),
]


def _fill(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda match: ids[match[1]], value)
    if isinstance(value, list):
        return [_fill(each, ids) for each in value]
    return {key: _fill(each, ids) for key, each in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize(("verb", "path", "body", "message"), REFUSED, ids=[f"{each[0]} {each[1]}" for each in REFUSED])
def test_what_people_report_as_refused_is_refused(
    used: tuple[Notion, dict[str, str]], verb: str, path: str, body: Any, message: str
):
    notion, ids = used
    status, code, told = notion.refused(verb, _fill(path, ids), _fill(body, ids))
    assert (status, code, message in told) == (400, "validation_error", True), told


RELATION = {"R": {"relation": {"database_id": "{database}", "single_property": {}}}}
SEVERAL: list[tuple[str, str, Any]] = [
    ("GET", "databases/{database}", None),
    ("PATCH", "databases/{database}", {"title": _link("https://a.test")}),
    ("POST", "databases/{database}/query", {}),
    ("POST", "pages", {"parent": {"database_id": "{database}"}}),
    ("PATCH", "databases/{other}", {"properties": RELATION}),
]


@pytest.mark.parametrize(("verb", "path", "body"), SEVERAL, ids=[f"{each[0]} {each[1]}" for each in SEVERAL])
def test_old_versions_are_told_the_data_sources_of_a_database_that_has_several(
    used: tuple[Notion, dict[str, str]], verb: str, path: str, body: Any
):
    notion, ids = used
    known = [each["id"] for each in notion("GET", f"databases/{ids['database']}")["data_sources"]]
    told = notion.at("2022-06-28").http(verb, _fill(path, ids), json=_fill(body, ids)).json()
    assert told["message"] == "Databases with multiple data sources are not supported in this API version."
    assert told["additional_data"] == {
        "error_type": "multiple_data_sources_for_database", "database_id": ids["database"],
        "child_data_source_ids": known, "minimum_api_version": "2025-09-03",
    }  # fmt: skip


def test_a_search_has_the_kinds_of_its_version(used: tuple[Notion, dict[str, str]]):
    old, value = used[0].at("2022-06-28"), {"property": "object"}
    assert old("POST", "search", {"filter": {**value, "value": "database"}})["results"][0]["object"] == "database"
    assert old.refused("POST", "search", {"filter": {**value, "value": "data_source"}})[0] == 400


def test_an_upload_that_was_not_attached_in_time_cannot_be_attached(workspace: Any):
    notion = workspace(clock={"mode": "frozen", "start": "2026-03-02T08:00:00"})
    upload = notion("POST", "file_uploads", {"filename": "a.txt"})["id"]
    notion("POST", f"file_uploads/{upload}/send", files={"file": ("a.txt", b"hi", "text/plain")})
    notion.environment.platform.post(f"env/{notion.environment.made['environmentId']}/clock", {"advance": 3700})
    block = {"file": {"type": "file_upload", "file_upload": {"id": upload}}}
    told = notion.refused("PATCH", f"blocks/{HOME}/children", {"children": [block]})
    assert (told[0], "status `expired`" in told[2]) == (400, True)


@pytest.mark.parametrize(
    ("block", "what"),
    [({"synced_block": {"synced_from": {"block_id": GHOST}}}, "block"), ({"link_to_page": {"page_id": GHOST}}, "page")],
)
def test_blocks_refer_only_to_what_exists(used: tuple[Notion, dict[str, str]], block: Any, what: str):
    notion, ids = used
    status, code, told = notion.refused("PATCH", f"blocks/{ids['page']}/children", {"children": [block]})
    assert (status, code, f"Could not find {what}" in told) == (404, "object_not_found", True)


def test_databases_are_queried_by_their_data_sources_since_these_exist(used: tuple[Notion, dict[str, str]]):
    notion, ids = used
    assert notion.refused("POST", f"databases/{ids['other']}/query", {})[1] == "invalid_request_url"
    assert notion.at("2022-06-28")("POST", f"databases/{ids['other']}/query", {})["type"] == "page_or_database"


@pytest.mark.parametrize("given", [{}, {"properties": {}}])
def test_the_first_heading_of_markdown_is_the_title_of_a_page_without_one(notion: Notion, given: Any):
    page = notion("POST", "pages", {"parent": {"page_id": HOME}, "markdown": "# Plan\n\nFirst.", **given})
    assert page["properties"]["title"]["title"][0]["plain_text"] == "Plan"
    assert notion("GET", f"pages/{page['id']}/markdown")["markdown"] == "First."


def test_the_blocks_below_a_heading_that_becomes_the_title_are_kept(notion: Notion):
    body = {"parent": {"page_id": HOME}, "markdown": '# Plan {toggle="true"}\n\tBelow\n\nAfter'}
    page = notion("POST", "pages", body)
    assert page["properties"]["title"]["title"][0]["plain_text"] == "Plan"
    assert notion("GET", f"pages/{page['id']}/markdown")["markdown"] == "Below\nAfter"


def test_what_goes_to_the_trash_can_be_changed_in_the_same_request(notion: Notion):
    source = notion.source()
    database = notion("GET", f"data_sources/{source}")["parent"]["database_id"]
    block = notion.append(HOME, paragraph("old"))[0]["id"]
    title, emoji = _link("https://a.test"), {"emoji": "🐞"}
    changes = {f"data_sources/{source}": {"title": title}, f"databases/{database}": {"title": title}}
    changes |= {f"pages/{notion.page()['id']}": {"icon": emoji}, f"blocks/{block}": paragraph("new")}
    for path, change in changes.items():
        assert notion("PATCH", path, {**change, "in_trash": True})["in_trash"], path
        assert "archived" in notion.refused("PATCH", path, change)[2], path


CONVERTED: list[tuple[str, Any, str, Any]] = [
    ("rich_text", [{"text": {"content": "1,042.5"}}], "number", 1042.5),
    *[("rich_text", [{"text": {"content": text}}], "number", None) for text in ("many", "nan", "1e999", "1_000")],
    (
        "rich_text",
        [{"text": {"content": "2026-01-02"}}],
        "date",
        "2026-01-02",
    ),
    ("rich_text", [{"text": {"content": "a, b"}}], "multi_select", ["a", "b"]),
    ("rich_text", [{"text": {"content": "Yes"}}], "checkbox", True),
    ("number", 7, "rich_text", "7"),
    ("number", 7, "select", "7"),
    ("select", {"name": "Old"}, "multi_select", ["Old"]),
    ("select", {"name": "Old"}, "status", "Old"),
    ("rich_text", [{"text": {"content": "Old"}}], "status", None),
    ("multi_select", [{"name": "a"}, {"name": "b"}], "rich_text", "a, b"),
    ("checkbox", True, "rich_text", "Yes"),
    ("date", {"start": "2026-01-02"}, "rich_text", "2026-01-02"),
    ("url", "https://a.test", "email", "https://a.test"),
    ("people", [{"id": "00000000-0000-4000-8000-0000000000a1"}], "number", None),
]


@pytest.fixture(scope="module")
def converted(workspace: Any) -> tuple[Notion, str]:
    """A workspace and its data source, whose properties take turns."""
    notion: Notion = workspace()
    return notion, notion.source()


@pytest.mark.parametrize(("old", "given", "new", "kept"), CONVERTED, ids=[f"{e[0]} {e[2]} {e[3]}" for e in CONVERTED])
def test_values_follow_the_type_of_their_property_or_are_dropped(
    converted: tuple[Notion, str], old: str, given: Any, new: str, kept: Any
):
    notion, source = converted
    notion("PATCH", f"data_sources/{source}", {"properties": {"V": {old: {}}}})
    page = notion.row(source, "one", V={old: given})["id"]
    notion("PATCH", f"data_sources/{source}", {"properties": {"V": {new: {}}}})
    value = notion("GET", f"pages/{page}")["properties"]["V"][new]
    shown = "".join(each["plain_text"] for each in value) if new == "rich_text" else value
    shown = [each["name"] for each in value] if new == "multi_select" else shown
    shown = value["name"] if value and new in ("select", "status") else value["start"] if new == "date" else shown
    assert (shown or None) == kept
    notion("PATCH", f"data_sources/{source}", {"properties": {"V": None}})


def test_a_relation_that_gets_another_type_leaves_the_other_side_alone(notion: Notion):
    first, second = notion.source(), notion.source()
    synced = {"relation": {"data_source_id": second, "dual_property": {"synced_property_name": "Back"}}}
    notion("PATCH", f"data_sources/{first}", {"properties": {"To": synced}})
    notion("PATCH", f"data_sources/{first}", {"properties": {"To": {"rich_text": {}}}})
    back = notion("GET", f"data_sources/{second}")["properties"]["Back"]["relation"]
    assert back["type"] == "single_property"


def test_a_relation_that_is_no_longer_synced_leaves_the_other_side_alone(notion: Notion):
    first, second = notion.source(), notion.source()
    to: dict[str, Any] = {"data_source_id": second}
    for config in ({"dual_property": {"synced_property_name": "Back"}}, {"single_property": {}}):
        notion("PATCH", f"data_sources/{first}", {"properties": {"To": {"relation": to | config}}})
    assert notion("GET", f"data_sources/{second}")["properties"]["Back"]["relation"]["type"] == "single_property"


def test_a_rollup_has_no_value_when_what_it_rolls_up_gets_another_type(notion: Notion):
    first, second = notion.source(), notion.source({"When": {"rich_text": {}}})
    other = notion.row(second, "other", When={"rich_text": [{"text": {"content": "soon"}}]})["id"]
    names = {"relation_property_name": "To", "rollup_property_name": "When", "function": "earliest_date"}
    to = {"relation": {"data_source_id": second, "single_property": {}}}
    notion("PATCH", f"data_sources/{first}", {"properties": {"To": to, "First": {"rollup": names}}})
    page = notion.row(first, "one", To={"relation": [{"id": other}]})["id"]
    for kinds in ((second, "When", "checkbox"), (first, "To", "rich_text")):
        assert notion("GET", f"pages/{page}")["properties"]["First"]["rollup"]["date"] is None
        source, name, kind = kinds
        changed = notion("PATCH", f"data_sources/{source}", {"properties": {name: {kind: {}}}})
        assert changed["properties"][name]["type"] == kind
        notion("PATCH", f"pages/{other}", {"properties": {"When": {"checkbox": True}}})
    assert notion("GET", f"data_sources/{first}")["properties"]["First"]["rollup"]["relation_property_name"] == ""
    assert notion("GET", f"pages/{page}")["properties"]["First"]["rollup"]["date"] is None


def test_every_kind_of_emoji_is_an_icon(used: tuple[Notion, dict[str, str]]):
    notion, ids = used
    for emoji in ("1️⃣", "©️", "\u2139\ufe0f", "‼️", "Ⓜ️", "㊗️", "🇩🇪", "👩‍👩‍👧‍👦"):
        assert notion("PATCH", f"pages/{ids['page']}", {"icon": {"emoji": emoji}})["icon"]["emoji"] == emoji


def test_a_request_has_at_most_500_kilobytes(used: tuple[Notion, dict[str, str]]):
    notion, ids = used
    body = {"children": [{"paragraph": {"rich_text": [{"text": {"content": "x" * 2000}}] * 4}}] * 100}
    assert "the payload should be at most 500 KB" in notion.refused("PATCH", f"blocks/{ids['page']}/children", body)[2]
