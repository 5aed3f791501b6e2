"""The kinds of Notion: users, pages, databases, rows and comments."""

from __future__ import annotations

from typing import Any, cast

from .kinds import Kind, KindField, Rows, Vendor, Verb, World, WorldEntity, drop_none, list_names, persons

KINDS = (
    Kind("notion.user", (("user", "users"), ("person", "people"), ("member", "members")), most=100),
    Kind(
        "notion.page",
        (("page", "pages"), ("subpage", "subpages"), ("doc", "docs")),
        ("notion.page",),
        (KindField("text", "text", leads=("that says", "saying", "with the text", "with the content")),),
        most=100,
    ),
    Kind("notion.database", (("database", "databases"),), ("notion.page",), most=20),
    Kind(
        "notion.property",
        (("property", "properties"), ("column", "columns")),
        ("notion.database",),
        needs="notion.database",
    ),
    Kind(
        "notion.row",
        (("row", "rows"), ("entry", "entries"), ("item", "items"), ("record", "records"), ("page", "pages")),
        ("notion.database",),
        (
            KindField(
                "status",
                "text",
                leads=(
                    "status",
                    "in status",
                    "with the status",
                    "with status",
                    "marked as",
                    "marked",
                    "whose status is",
                ),
            ),
            KindField("stage", "text", leads=("stage", "in stage", "in the stage", "with the stage", "with stage")),
            KindField("priority", "text", leads=("priority", "with the priority", "with priority")),
        ),
        needs="notion.database",
    ),
    Kind(
        "notion.comment",
        (("comment", "comments"),),
        ("notion.page", "notion.row"),
        (KindField("author", "person", leads=("by", "from")),),
        {"commented": Verb("author")},
        is_text=True,
        needs="notion.page",
    ),
)
SELECTED = ("status", "stage", "priority")


def write(world: World) -> dict[str, Any]:
    """Make the configuration of a workspace."""
    return {
        "users": [*world.people],
        "pages": [_page(world, each) for each in world.loose("notion.page")],
        "databases": [_database(world, each) for each in world.loose("notion.database")],
    }


def _page(world: World, page: WorldEntity) -> dict[str, Any]:
    return drop_none(
        title=page.name,
        content=page.fields.get("text"),
        pages=[_page(world, each) for each in world.of("notion.page", page)],
        databases=[_database(world, each) for each in world.of("notion.database", page)],
        comments=_comments(world, page),
    )


def _comments(world: World, page: WorldEntity) -> list[dict[str, Any]] | None:
    return [
        drop_none(text=each.name, user=each.fields.get("author")) for each in world.of("notion.comment", page)
    ] or None


def _database(world: World, database: WorldEntity) -> dict[str, Any]:
    rows, names = world.of("notion.row", database), [each.name for each in world.of("notion.property", database)]
    for each in rows:
        names += [name.title() for name in SELECTED if name in each.fields and name.title() not in names]
    kinds = {name: "select" if name.lower() in SELECTED else "rich_text" for name in names}
    title = next((name for name in names if name.lower() in ("name", "title")), "Name")
    properties = {title: "title", **{name: kind for name, kind in kinds.items() if name != title}}
    return {"title": database.name, "properties": properties, "rows": [_row(world, each, title) for each in rows]}


def _row(world: World, row: WorldEntity, title: str) -> dict[str, Any]:
    values = {title: row.name, **{name.title(): row.fields[name] for name in SELECTED if name in row.fields}}
    comments = _comments(world, row)
    return {"values": values, "comments": comments} if comments else values


def read(rows: Rows) -> list[WorldEntity]:
    """Find the entities of a workspace."""
    users = persons(
        [row for row in rows["notion_users"] if row["type"] == "person"], "notion.user", "id", "name", "email"
    )
    databases = {row["id"]: WorldEntity("notion.database", row["title"]) for row in rows["notion_databases"]}
    sources = {row["id"]: databases[row["database_id"]] for row in rows["notion_data_sources"]}
    properties = [
        WorldEntity("notion.property", row["name"], {}, [sources[row["data_source_id"]]])
        for row in rows["notion_properties"]
    ]
    names = {(row["data_source_id"], row["id"]): row["name"] for row in rows["notion_properties"]}
    pages: dict[str, WorldEntity] = {}
    for row in rows["notion_pages"]:
        source = row["data_source_id"]
        if source:
            held = cast("dict[str, Any]", row["properties"] or {})
            values = {names.get((source, key), key): value for key, value in held.items()}
            fields = {name: _read_selection(values.get(name.title())) for name in SELECTED}
            pages[row["id"]] = WorldEntity("notion.row", row["title"], fields, [sources[source]])
        else:
            pages[row["id"]] = WorldEntity("notion.page", row["title"], {"text": _text(rows, row["id"])})
    for table, known in (("notion_pages", pages), ("notion_databases", databases)):
        for row in rows[table]:
            if row["parent_id"] in pages and not row.get("data_source_id"):
                known[row["id"]].places.append(pages[row["parent_id"]])
    comments = [
        WorldEntity(
            "notion.comment",
            row["text"],
            {"author": list_names(users.get(row["created_by"] or ""))},
            [pages[row["parent_id"]]],
        )
        for row in rows["notion_comments"]
        if row["parent_id"] in pages
    ]
    return [*users.values(), *databases.values(), *properties, *pages.values(), *comments]


def _read_selection(value: Any) -> str:
    """The name of the chosen option of a property."""
    if not isinstance(value, dict):
        return str(value or "")
    held = cast("dict[str, Any]", value)
    chosen = held.get("select") or held.get("status") or held
    return str(cast("dict[str, Any]", chosen).get("name", "")) if isinstance(chosen, dict) else str(chosen)


def _text(rows: Rows, page: str) -> str:
    blocks = [row for row in rows["notion_blocks"] if row["parent_id"] == page]
    return "\n".join(row["text"] for row in sorted(blocks, key=lambda row: row["position"]))


NOTION = Vendor("notion", ("notion",), KINDS, write, read)
