"""Rows for the objects that must exist before a recorded session is replayed: those it meets before it made them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from uuid import NAMESPACE_OID, UUID, uuid5

Object = dict[str, Any]
KINDS = ("page", "database", "data_source", "block", "user", "comment", "view", "file_upload")
MAKES = re.compile(r"/v1/(pages|databases|data_sources|comments|views|file_uploads)|.*/children")
STAMPS = {"created_by", "last_edited_by"}
Rows = dict[str, dict[str, Object]]


def pack(items: list[Object]) -> Any:
    """The short form of rich text objects."""
    pieces = [piece for item in items if (piece := _piece(item))]
    return pieces[0]["text"] if len(pieces) == 1 and pieces[0].keys() == {"text"} else pieces or ""


def _piece(item: Object) -> Object | None:
    kind = item["type"]
    if kind == "text":
        piece: Object = {"text": item["text"]["content"]}
        if item["text"].get("link"):
            piece["href"] = item["text"]["link"]["url"]
    elif kind == "equation":
        piece = {"equation": item["equation"]["expression"]}
    else:
        mention = item["mention"]
        given = mention[mention["type"]]
        is_named = mention["type"] in ("user", "page", "database", "data_source", "custom_emoji")
        piece = {"mention": {mention["type"]: {"id": given["id"]} if is_named else given}}
    return {**piece, **{name: value for name, value in item["annotations"].items() if value not in (False, "default")}}


def plain(items: list[Object]) -> str:
    """The plain text of rich text objects."""
    return "".join(item["plain_text"] for item in items)


def columns(name: str, items: list[Object], rich: str = "") -> Object:
    """The two columns of a text."""
    packed = pack(items)
    return {name: plain(items), rich or f"rich_{name}": packed if isinstance(packed, list) else None}


def file_value(given: Object | None) -> Object | None:
    """What a row holds for a file, an icon or a cover."""
    if given is None:
        return None
    kind = given["type"]
    if kind in ("external", "file"):
        return {"external": given[kind]["url"]}
    if kind == "icon":
        return {"external": f"https://www.notion.so/icons/{given['icon']['name']}_{given['icon']['color']}.svg"}
    return {kind: given[kind]["id"] if kind == "custom_emoji" else given[kind]}


def place(given: Object) -> Object:
    """The columns of where something stands."""
    parent = given.get("parent") or {"type": "workspace"}
    kind = parent["type"]
    return {"parent_type": kind, "parent_id": None if kind == "workspace" else parent[kind]}


def value_of(given: Object) -> Any:
    """What a page's row holds for a value; None for one that is computed or empty."""
    kind = given["type"]
    value: Any = given.get(kind)
    if kind in ("title", "rich_text"):
        return pack(value) or None
    if kind in ("select", "status"):
        return value["name"] if value else None
    if kind == "multi_select":
        return [each["name"] for each in value] or None
    if kind in ("people", "relation"):
        return [each["id"] for each in value] or None
    if kind == "files":
        return [{"name": each["name"], **(file_value(each) or {})} for each in value] or None
    if kind == "unique_id":
        return value["number"] if value else None
    if kind in ("formula", "rollup", "button", "created_time", "created_by", "last_edited_time", "last_edited_by"):
        return None
    if kind == "date" and value and not value["end"] and not value["time_zone"]:
        return value["start"]
    return value or None


class RecordedRows:
    """Collects rows by table and id; the first state of each object counts."""

    def __init__(self) -> None:
        self.tables: Rows = {}
        self.number = 0
        self.children: dict[str, Object] = {}

    def put(self, table: str, key: str, **row: Any) -> None:
        """Keep a row unless there is one."""
        self.tables.setdefault(table, {}).setdefault(key, row)

    def has_id(self, id: str) -> bool:
        """Whether there is a row with an id in any table."""
        return any(id in rows for rows in self.tables.values())

    def stamps(self, given: Object) -> Object:
        """When and by whom something was made."""
        people = {name: given[name]["id"] for name in STAMPS if name in given}
        self.number += 1
        second = 59 - self.number % 60  # objects of one minute come in the order of the answer
        at = {
            name: f"{given[name][:16]}:{second:02d}" for name in ("created_time", "last_edited_time") if name in given
        }
        return {**people, **at}

    def take(self, given: Object) -> None:
        """Keep the rows of an object."""
        if (given.get("object") in KINDS and "created_time" in given) or given.get("object") == "user":
            getattr(self, f"_{given['object']}")(given)

    def _position(self) -> str:
        return f"b{self.number:02d}"

    def _user(self, given: Object) -> None:
        if "type" in given:
            email = (given.get("person") or {}).get("email")
            named = {name: given.get(name) for name in ("id", "name", "type", "avatar_url")}
            bot = given.get("bot") or {}
            if bot.get("workspace_id"):
                self.tables.get("notion_users", {}).pop(given["id"], None)
            self.put("notion_users", given["id"], **named, email=email)
            if bot.get("workspace_id"):
                self.put("notion_workspaces", bot["workspace_id"], id=bot["workspace_id"], name=bot["workspace_name"])

    def _page(self, given: Object) -> None:
        title = next((each["title"] for each in given["properties"].values() if each["type"] == "title"), [])
        values = {unquote(each["id"]): value_of(each) for each in given["properties"].values()}
        values.pop("title", None)
        packed = pack(title)
        if isinstance(packed, list):
            values["title"] = packed
        where = place(given)
        if where["parent_type"] == "data_source_id":
            where["data_source_id"] = where["parent_id"]
        if where["parent_type"] == "database_id":
            source = given["parent"]["database_id"]
            where = {"parent_type": "data_source_id", "parent_id": source, "data_source_id": source}
        self.put(
            "notion_pages", given["id"], id=given["id"], title=plain(title), icon=file_value(given["icon"]),
            cover=file_value(given["cover"]), in_trash=given.get("in_trash", False),
            properties={key: value for key, value in values.items() if value is not None}, **where,
            **self.stamps(given), position=self._position(),
        )  # fmt: skip

    def _database(self, given: Object) -> None:
        if "properties" in given:
            self._source({**given, "parent": {"type": "database_id", "database_id": given["id"]}})
        self.put(
            "notion_databases", given["id"], id=given["id"], is_inline=given.get("is_inline", False),
            icon=file_value(given["icon"]), cover=file_value(given["cover"]), in_trash=given.get("in_trash", False),
            **columns("title", given["title"]), **columns("description", given.get("description", [])),
            **place(given), **self.stamps(given), position=self._position(),
        )  # fmt: skip
        for each in given.get("data_sources", []):
            self.put("notion_data_sources", each["id"], id=each["id"], database_id=given["id"], title=each["name"])

    def _data_source(self, given: Object) -> None:
        trashed = given.get("in_trash", False)
        self._source({**given, "in_trash": False})
        above = {**place({"parent": given["database_parent"]}), "in_trash": trashed}
        parent = given["parent"]["database_id"]
        self.put(
            "notion_databases",
            parent,
            id=parent,
            is_inline=given["is_inline"],
            **columns("title", given["title"]),
            **above,
        )

    def _source(self, given: Object) -> None:
        parent = given["parent"]["database_id"]
        self.put(
            "notion_data_sources", given["id"], id=given["id"], database_id=parent, icon=file_value(given["icon"]),
            cover=file_value(given["cover"]), in_trash=given.get("in_trash", False),
            **columns("title", given["title"]), **columns("description", given.get("description", [])),
            **self.stamps(given), position=self._position(),
        )  # fmt: skip
        for number, each in enumerate(given["properties"].values()):
            id = unquote(each["id"])
            self.put(
                "notion_properties", f"{given['id']} {id}", data_source_id=given["id"], id=id, name=each["name"],
                type=each["type"], config=self._config(each), description=each.get("description"),
                position=f"b{number:02d}",
            )  # fmt: skip

    def _config(self, given: Object) -> Object:
        config = given[given["type"]]
        if given["type"] == "relation":
            shown = {"data_source_id": config.get("data_source_id", config.get("database_id"))}
            synced = (config.get("dual_property") or {}).get("synced_property_id")
            return {**shown, "synced_property_id": unquote(synced)} if synced else shown
        if given["type"] == "rollup":
            keys = {"relation": "relation_property_id", "property": "rollup_property_id"}
            return {"function": config["function"], **{key: unquote(config[name]) for key, name in keys.items()}}
        return config

    def _block(self, given: Object) -> None:
        kind = given["type"]
        content = dict(given.get(kind) or {})
        if kind in ("child_page", "child_database"):
            table = "notion_pages" if kind == "child_page" else "notion_databases"
            self.put(
                table,
                given["id"],
                id=given["id"],
                title=content["title"],
                **place(given),
                **self.stamps(given),
                position=self._position(),
            )
            return
        text = columns("text", content.get("rich_text", []), "rich_text")
        content.pop("rich_text", None)
        for name in ("caption", "icon"):
            if name in content:
                content[name] = pack(content[name]) if name == "caption" else file_value(content[name])
        if "cells" in content:
            content["cells"] = [pack(cell) for cell in content["cells"]]
        if kind in ("image", "video", "pdf", "file", "audio"):
            content["source"] = file_value({"type": content["type"], content["type"]: content.pop(content["type"])})
            content.pop("type")
        where = place(given) if "parent" in given else {"parent_type": "page_id", "parent_id": "unknown"}
        trashed = given.get("in_trash", given.get("archived", False))
        if given["has_children"]:
            child = {"type": "paragraph", "parent_type": "block_id", "parent_id": given["id"]}
            self.children[given["id"]] = {"id": str(uuid5(NAMESPACE_OID, given["id"])), **child}
        self.put(
            "notion_blocks", given["id"], id=given["id"], type=kind, content=content, in_trash=trashed, **text, **where,
            **self.stamps(given), position=self._position(),
        )  # fmt: skip

    def add_older_uploads(self) -> None:
        """Add uploads beyond those that a page of a list shows."""
        for number in range(5):
            id = f"00000000-0000-4000-8000-{number:012d}"
            self.put("notion_file_uploads", id, id=id, created_time="2026-01-01T00:00:00", status="pending")

    def _comment(self, given: Object) -> None:
        self.number += 1
        self.put(
            "notion_comments", given["id"], id=given["id"], discussion_id=given["discussion_id"], number=self.number,
            **columns("text", given["rich_text"], "rich_text"), **place(given), created_by=given["created_by"]["id"],
            created_time=given["created_time"][:19], last_edited_time=given["last_edited_time"][:19],
        )  # fmt: skip

    def add_parents(self, made: set[str]) -> None:
        """Add an empty page for each parent that no answer shows."""
        parents = {row["parent_id"] for row in self.tables.get("notion_blocks", {}).values()}
        for parent, child in self.children.items():
            if parent not in parents:
                self.put("notion_blocks", child["id"], **child)
        known = {
            id for table in ("notion_pages", "notion_blocks", "notion_databases") for id in self.tables.get(table, {})
        }
        for table in ("notion_pages", "notion_blocks", "notion_comments", "notion_databases"):
            for row in [*self.tables.get(table, {}).values()]:
                parent = row.get("parent_id")
                if parent and row["parent_type"] in ("page_id", "block_id") and parent not in known | made:
                    self.put("notion_pages", parent, id=parent, title="", position=self._position())

    def _view(self, given: Object) -> None:
        """Views are made with their database."""

    def _file_upload(self, given: Object) -> None:
        names = ("id", "status", "filename", "content_type", "content_length")
        at = {name: given[name][:19] for name in ("created_time", "last_edited_time") if given.get(name)}
        self.number += 1
        row = {**{name: given[name] for name in names}, **at, "number": 1000 - self.number}
        row["mode"] = "external_url" if "file_import_result" in given else "single_part"
        self.put("notion_file_uploads", given["id"], **row, created_by=given["created_by"]["id"])


def emojis_in(value: Any) -> Iterator[Object]:
    """Every custom emoji in the answers of a session."""
    if isinstance(value, dict):
        emoji = value.get("custom_emoji")
        if isinstance(emoji, dict) and {"id", "name", "url"} <= emoji.keys():
            yield {name: emoji[name] for name in ("id", "name", "url")}
        for each in value.values():
            yield from emojis_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from emojis_in(each)


def objects_in(value: Any) -> Iterator[Object]:
    """Every object in an answer, the outermost first."""
    if isinstance(value, dict):
        if value.get("object") in KINDS:
            yield value
        for each in value.values():
            yield from objects_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from objects_in(each)


def uuid(id: str) -> str:
    """An id with its dashes."""
    return str(UUID(id))


def add_mentioned(rows: RecordedRows, session: Object, kept: list[Object], made: set[str]) -> None:
    """Add what a session names and no answer shows."""
    text = json.dumps(session).replace("-", "")
    is_listed = any(step["path"] == "/v1/search" for step in session["steps"])
    for each in kept:
        is_named = each["id"].replace("-", "") in text
        if each["id"] not in made and (is_named if is_listed or each["object"] == "user" else True):
            rows.take(each)
    for _, at, id in session["seed"]:
        if at.endswith(("page_id", "block_id")) and not rows.has_id(uuid(id)):
            rows.put("notion_pages", uuid(id), id=uuid(id))


def rows_before(session: Object, kept: list[Object]) -> dict[str, list[Object]]:
    """The rows that must exist before a session, by table; `kept` are further objects of its source."""
    made: set[str] = set()
    rows = RecordedRows()
    for step in session["steps"]:
        answer = step.get("response")
        below = re.fullmatch(r"/v1/blocks/([^/]+)/children", step["path"])
        is_making = step["method"] in ("POST", "PATCH") and MAKES.fullmatch(step["path"])
        for each in objects_in(answer):
            is_new = is_making and each["object"] != "user" and not rows.has_id(each["id"])
            if is_new or (each.get("parent") or {}).get((each.get("parent") or {}).get("type")) in made:
                made.update((each["id"], *(one["id"] for one in each.get("data_sources", []))))
            if each["id"] not in made:
                parent = {"type": "block_id", "block_id": below[1]} if below else None
                is_trashing = step["method"] == "DELETE" or "trash" in json.dumps(step.get("body"))
                before = {"in_trash": False, "archived": False} if is_trashing else {}
                rows.take({"parent": parent, **each, **before} if parent else {**each, **before})
    for emoji in emojis_in(session):
        rows.put("notion_custom_emojis", emoji["id"], **emoji)
    add_mentioned(rows, session, kept, made)
    rows.add_parents(made)
    if "notion_file_uploads" in rows.tables and '"has_more": true' in json.dumps(session):
        rows.add_older_uploads()
    return {table: [*by_id.values()] for table, by_id in rows.tables.items()}
