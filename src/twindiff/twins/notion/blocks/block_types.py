"""The types of blocks: what a request may say of each, what an answer has, and how deep they nest.

https://developers.notion.com/reference/block
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..core.body_rules import (
    Problems,
    Rule,
    anything,
    array,
    boolean,
    choice,
    empty,
    invalid_at,
    is_object,
    need_one,
    nullable,
    number,
    obj,
    text,
    typed_object,
    uuid,
    web_address,
    whole,
)
from ..core.file_values import external_file, icon
from ..rich_text.rich_text_rules import MAX_EQUATION_LENGTH, color, rich_text
from .code_languages import LANGUAGES

MAX_NESTING = 2
"""Levels of children below the blocks of one request; columns and tabs add one."""
HEADINGS = ("heading_1", "heading_2", "heading_3", "heading_4")
LISTS = ("bulleted_list_item", "numbered_list_item")
TEXTS = ("paragraph", *HEADINGS, *LISTS, "quote", "to_do", "toggle", "callout", "template", "code")
FILES = ("image", "video", "pdf", "file", "audio")
EMBEDS = ("embed", "bookmark")
CONTAINERS = ("synced_block", "column_list", "column", "table", "tab")
PARENTS = frozenset({*TEXTS, *CONTAINERS} - {"code"})
"""The types that may have children."""
WRAPPERS = {"column_list": "column", "table": "table_row", "tab": "paragraph"}
"""The types whose children must be of one type."""
WRONG_WIDTH = "Number of cells in table row must match the table width of the parent table"
READ_ONLY = ("child_page", "child_database", "unsupported", "link_preview", "meeting_notes", "transcription")

DEFAULTS: dict[str, dict[str, Any]] = {
    "paragraph": {"rich_text": [], "icon": None, "color": "default"},
    **{each: {"rich_text": [], "is_toggleable": False, "color": "default"} for each in HEADINGS},
    **{each: {"rich_text": [], "color": "default"} for each in (*LISTS, "quote", "toggle")},
    "to_do": {"rich_text": [], "checked": False, "color": "default"},
    "callout": {"rich_text": [], "icon": None, "color": "default"},
    "template": {"rich_text": []},
    "code": {"caption": [], "rich_text": [], "language": "plain text"},
    "equation": {"expression": ""},
    "table_of_contents": {"color": "gray"},
    **{each: {"caption": [], "url": ""} for each in EMBEDS},
    **{each: {"caption": []} for each in FILES},
    "table": {"table_width": 1, "has_column_header": False, "has_row_header": False},
    "table_row": {"cells": []},
    "synced_block": {"synced_from": None},
    "link_preview": {"url": ""},
    "unsupported": {"block_type": "unknown"},
}
"""The fields of a type's answer, with the values that rows leave out."""

_FIELDS: dict[str, dict[str, Rule]] = {
    "paragraph": {"icon": icon},
    "to_do": {"checked": boolean},
    "callout": {"icon": icon},
    "bulleted_list_item": {},
    "numbered_list_item": {"list_start_index": whole, "list_format": choice("numbers", "letters", "roman")},
    "quote": {},
    "toggle": {},
    **{each: {"is_toggleable": boolean} for each in HEADINGS},
}
_link_to_page = typed_object({"page_id": uuid, "database_id": uuid, "comment_id": uuid})
_synced_from = nullable(typed_object({"block_id": uuid}))
_OBJECT: dict[str, Rule] = {"object": choice("block")}
_row = obj({"cells": array(rich_text)})
_caption = {"caption": rich_text}
_language = choice(*LANGUAGES)


def _file_rule(kind: str, *, is_update: bool) -> Rule:
    sources = {"external": external_file(f"Invalid {kind} url."), "file_upload": obj({"id": uuid}), "file": anything}
    named = {**_caption, "name": text(), "type": choice("external", "file_upload", "file")}
    rule = obj(None, **sources, **named)
    return rule if is_update else need_one(("external", "file_upload"), rule)


@cache
def content_rules(level: int, *, is_update: bool = False) -> dict[str, Rule]:
    """Return the rules of each type's content, for blocks that may have `level` levels of children below them."""

    def content(required: dict[str, Rule] | None = None, /, children: Rule | None = None, **optional: Rule) -> Rule:
        nested = {"children": children} if children and not is_update else {}
        return obj(None, **(required or {}), **optional) if is_update else obj(required, **optional, **nested)

    below = _children_rule(level - 1)
    rules: dict[str, Rule] = {
        kind: content({"rich_text": rich_text}, below, color=color, **fields) for kind, fields in _FIELDS.items()
    }
    rules |= {kind: _check_toggle(rules[kind]) for kind in HEADINGS}
    rules |= {
        "template": content({"rich_text": rich_text}, below),
        "code": content({"rich_text": rich_text, "language": _language}, **_caption),
        "equation": content({"expression": text(MAX_EQUATION_LENGTH)}),
        "divider": empty,
        "breadcrumb": empty,
        "table_of_contents": content(color=color),
        "link_to_page": _link_to_page,
        "synced_block": content({"synced_from": _synced_from}, below),
        "table_row": _row,
        **{kind: content({"url": web_address(f"Invalid {kind} url.")}, **_caption) for kind in EMBEDS},
        **{kind: _file_rule(kind, is_update=is_update) for kind in FILES},
    }
    return rules | _container_rules(level, is_update=is_update)


def _container_rules(level: int, *, is_update: bool) -> dict[str, Rule]:
    headers = {"has_column_header": boolean, "has_row_header": boolean}
    if is_update:
        column = obj(None, width_ratio=number)
        return {"table": obj(None, **headers), "column": column, "column_list": empty, "tab": empty}
    rows = array(typed_object({"table_row": _row}, **_OBJECT), least=1)
    rules: dict[str, Rule] = {"table": _check_width(obj({"table_width": whole, "children": rows}, **headers))}
    if level >= 0:
        below = _children_rule(level)
        inner = obj(None, children=below, width_ratio=number)
        column_list = obj({"children": array(typed_object({"column": inner}, **_OBJECT), least=2)})
        tab = obj({"children": array(typed_object({"paragraph": _paragraph_rule(level)}, **_OBJECT))})
        rules |= {"column_list": column_list, "column": inner, "tab": tab}
    return rules


def _check_width(rule: Rule) -> Rule:
    """Return the rule of a table whose rows have as many cells as it has columns."""

    def check(value: Any, path: str) -> Problems:
        yield from (problems := [*rule(value, path)])
        if not problems and any(len(each["table_row"]["cells"]) != value["table_width"] for each in value["children"]):
            yield WRONG_WIDTH

    return check


def _check_toggle(rule: Rule) -> Rule:
    """Return the rule of a heading, which has children only if it can be toggled."""

    def check(value: Any, path: str) -> Problems:
        yield from rule(value, path)
        if is_object(value) and value.get("children") and not value.get("is_toggleable"):
            yield invalid_at(f"{path}.children", "not present", value["children"])

    return check


def _paragraph_rule(level: int) -> Rule:
    def check(value: Any, path: str) -> Problems:
        yield from content_rules(level)["paragraph"](value, path)

    return check


@cache
def _children_rule(level: int) -> Rule:
    def refuse(value: Any, path: str) -> Problems:
        if value:
            yield invalid_at(path, "not present", value)

    def check(value: Any, path: str) -> Problems:
        yield from array(block_rule(level))(value, path)

    return refuse if level < 0 else check


@cache
def block_rule(level: int) -> Rule:
    """Return the rule of a block with up to `level` levels of children below it."""
    return typed_object(content_rules(level), **_OBJECT)


children_rule = _children_rule(MAX_NESTING)
