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
    source = notion.source({"M": {"multi_select": {}}, "U": {"rich_text": {}}})
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
REFUSED: list[tuple[str, str, Any, str]] = [
    (
        "POST",
        "search",
        {"filter": {"property": "object", "value": "database"}},
        'should be `"page"`, or `"data_source"`',
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
