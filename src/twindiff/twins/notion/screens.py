"""Inspector views of a workspace: pages as pages, databases as tables and boards."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.inspector_views import Card, Lane, Screen, ScreenLink, ScreenPost, ScreenTable

from .blocks.child_lists import list_children
from .core.body_rules import is_list, is_object
from .core.object_lookup import find_parent, list_data_sources
from .core.user_objects import find_user
from .data_sources.page_selection import select_pages
from .formulas.formula_values import format_number
from .properties.computed_values import comparable, computed_value, find_related
from .properties.schemas import TITLE, find_properties, find_property
from .properties.typed_values import Typed
from .rich_text.rich_text_values import plain_text
from .tables.content_tables import Block, Comment, Page
from .tables.data_source_tables import Database, DatabaseView, DataSource, Property

MAX_ROWS = 200
MAX_LINES = 400
MAX_DEPTH = 30
MAX_NAMES = 5
MARKS = {"bulleted_list_item": "• ", "quote": "❝ ", "toggle": "▸ ", "divider": "――――"}
TRASH = "trash"
Cell = str | ScreenLink


def screen(call: Call, path: str) -> Screen | None:
    """Render the view at a path, or None if there is none.

    Paths are `pages/ID`, `databases/ID`, `boards/ID` (of a view), `trash`, and "" for the top of the workspace.
    """
    kind, _, id = path.partition("/")
    shown: Screen | None = None
    if not path:
        shown = _top(call)
    elif path == TRASH:
        shown = _trash(call)
    elif kind == "pages":
        page = call.db.find(Page, Page.id == id)
        shown = _page(call, page) if page else None
    elif kind == "databases":
        database = call.db.find(Database, Database.id == id)
        shown = _database(call, database) if database else None
    elif kind == "boards":
        view = call.db.find(DatabaseView, DatabaseView.id == id)
        shown = _board(call, view) if view else None
    return shown._replace(places=_places(call)) if shown else None


def _title(row: Page | Database | DataSource) -> str:
    icon: dict[str, Any] = row.icon or {}
    emoji = icon.get("emoji")
    title = row.title or ("Untitled" if isinstance(row, Page) else "New database")
    return f"{emoji} {title}" if emoji else title


def _link(row: Page | Database) -> ScreenLink:
    return ScreenLink(_title(row), f"{'pages' if isinstance(row, Page) else 'databases'}/{row.id}")


def _top_rows(call: Call) -> list[Page | Database]:
    rows: list[Page | Database] = []
    for table in (Page, Database):
        rows += call.db.rows(
            table, table.parent_type == "workspace", ~table.in_trash, order=table.position, limit=MAX_ROWS
        )
    return rows


def _places(call: Call) -> list[tuple[str, list[ScreenLink]]]:
    databases = call.db.rows(Database, ~Database.in_trash, order=Database.title, limit=MAX_ROWS)
    return [
        ("Pages", [*map(_link, _top_rows(call)), ScreenLink("Trash", TRASH)]),
        ("Databases", [_link(each) for each in databases]),
    ]


def _top(call: Call) -> Screen:
    rows = _top_rows(call)
    if len(rows) == 1 and isinstance(rows[0], Page):
        return _page(call, rows[0])
    return Screen("Workspace", tables=[ScreenTable("Pages", ("Title",), [(_link(row),) for row in rows])])


def _trash(call: Call) -> Screen:
    rows: list[Page | Database] = [*call.db.rows(Page, Page.in_trash.is_true, limit=MAX_ROWS)]
    rows += call.db.rows(Database, Database.in_trash.is_true, limit=MAX_ROWS)
    return Screen("Trash", tables=[ScreenTable("Pages and databases", ("Title",), [(_link(row),) for row in rows])])


def _trail(call: Call, row: Page | Database) -> list[ScreenLink]:
    trail: list[ScreenLink] = []
    node: Any = find_parent(call, row)
    while node is not None and len(trail) < MAX_DEPTH:
        if isinstance(node, Page | Database):
            trail.insert(0, _link(node))
        node = find_parent(call, node)
    return trail


def _page(call: Call, page: Page) -> Screen:
    content = _Content(call)
    content.read(page.id, 0)
    comments = call.db.rows(Comment, Comment.parent_id == page.id, order=Comment.created_time, limit=MAX_ROWS)
    cells = [(_link(each), "page" if isinstance(each, Page) else "database") for each in content.inside]
    inside = [ScreenTable("In this page", ("Title", "Kind"), cells)] if cells else []
    return Screen(
        _title(page),
        trail=_trail(call, page),
        facts=_facts(call, page),
        text="\n".join(content.lines).strip(),
        tables=[*content.tables, *inside],
        entries=[_post(call, each) for each in comments],
        note="The rest of the page is left out." if len(content.lines) >= MAX_LINES else "",
    )


class _Content:
    """The blocks of a page as lines, its tables, and the pages and databases in it."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.lines: list[str] = []
        self.tables: list[ScreenTable] = []
        self.inside: list[Page | Database] = []

    def read(self, parent_id: str, depth: int) -> None:
        """Read the children of a page or a block."""
        number = 0
        for node in list_children(self._call, parent_id, limit=MAX_ROWS):
            if len(self.lines) >= MAX_LINES or depth > MAX_DEPTH:
                return
            if not isinstance(node, Block):
                self.inside.append(node)
                continue
            number = number + 1 if node.type == "numbered_list_item" else 0
            if node.type == "table":
                self._read_table(node)
                continue
            is_wrapper = node.type in ("column_list", "column", "synced_block", "tab")
            if not is_wrapper:
                self.lines += ["    " * depth + line for line in _render_lines(node, number)]
            self.read(node.id, depth if is_wrapper else depth + 1)

    def _read_table(self, table: Block) -> None:
        rows = [row for row in list_children(self._call, table.id, limit=MAX_ROWS) if isinstance(row, Block)]
        cells = [[plain_text(self._call, cell) for cell in row.content["cells"]] for row in rows]
        has_header = table.content.get("has_column_header", False)
        header = cells[0] if has_header and cells else [""] * table.content.get("table_width", 1)
        self.tables.append(ScreenTable("Table", header, cells[1:] if has_header else cells))


def _render_lines(block: Block, number: int) -> list[str]:
    """Return the lines of a block as a person reads it."""
    if block.type.startswith("heading"):
        return ["", block.text]
    if block.type == "to_do":
        return [f"{'☑' if block.content.get('checked') else '☐'} {block.text}"]
    if block.type == "numbered_list_item":
        return [f"{number}. {block.text}"]
    if block.type == "callout":
        icon: dict[str, str] = block.content.get("icon") or {}
        return [f"{icon.get('emoji', '')} {block.text}".strip()]
    if block.type == "code":
        return ["    " + line for line in block.text.split("\n")]
    mark = MARKS.get(block.type, "")
    text = block.text or str(block.content.get("expression") or block.content.get("url") or "")
    return [f"{mark}{text}"] if mark or block.type in ("paragraph", "equation") else [text or f"[{block.type}]"]


def _post(call: Call, comment: Comment) -> ScreenPost:
    return ScreenPost(_name(call, comment.created_by), (comment.created_time or "")[:16], comment.text)


def _name(call: Call, user_id: str | None) -> str:
    user = find_user(call, user_id) if user_id else None
    return (user.name if user else None) or "somebody"


def _facts(call: Call, page: Page) -> list[tuple[str, Cell]]:
    if page.data_source_id is None:
        return []
    rows = [row for row in find_properties(call, page.data_source_id) if row.type != TITLE]
    return [(row.name, cell) for row in rows if (cell := _cell(call, page, row))]


def _cell(call: Call, page: Page, row: Property) -> Cell:
    """Return what a table shows of a value."""
    value = computed_value(call, page, row)
    if row.type == TITLE:
        return ScreenLink(page.title or "Untitled", f"pages/{page.id}")
    if isinstance(value, Typed):
        values = [each.value for each in value.items] if value.items is not None else value.value
        return _text(values)
    plain = comparable(call, page, row, value)
    if row.type in ("people", "created_by", "last_edited_by"):
        people: list[str] = plain or []
        return ", ".join(_name(call, id) for id in people)
    if row.type == "relation":
        ids: list[str] = plain or []
        related = find_related(call, ids[:MAX_NAMES])
        more = f" and {len(ids) - MAX_NAMES} more" if len(ids) > MAX_NAMES else ""
        return ", ".join(each.title for each in related) + more
    if row.type == "unique_id" and plain is not None:
        return f"{row.config['prefix']}-{plain}" if row.config.get("prefix") else str(plain)
    return ", ".join(each["name"] for each in plain) if row.type == "files" and plain else _text(plain)


def _text(value: Any) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "✓"
    if isinstance(value, int | float):
        return format_number(value)
    if is_object(value):
        end = f" → {value['end']}" if value.get("end") else ""
        return f"{value.get('start', '')}{end}"
    return ", ".join(_text(each) for each in value) if is_list(value) else str(value)


def _database(call: Call, database: Database) -> Screen:
    sources = list_data_sources(call, database.id)
    boards = call.db.rows(DatabaseView, DatabaseView.database_id == database.id, order=DatabaseView.position)
    links = [ScreenLink(view.name, f"boards/{view.id}", view.type) for view in boards if view.type == "board"]
    facts: list[tuple[str, Cell]] = [("Description", database.description)] if database.description else []
    facts += [("Board", link) for link in links]
    tables = [_table(call, source) for source in sources]
    return Screen(_title(database), trail=_trail(call, database), facts=facts, tables=tables)


def _table(call: Call, source: DataSource) -> ScreenTable:
    rows = sorted(find_properties(call, source.id), key=lambda row: row.type != TITLE)
    pages = select_pages(call, source.id, None, [])
    cells = [[_cell(call, page, row) for row in rows] for page in pages[:MAX_ROWS]]
    note = f"{len(pages) - MAX_ROWS:,} more are left out." if len(pages) > MAX_ROWS else ""
    return ScreenTable(source.title or "New database", [row.name for row in rows], cells, note)


def _board(call: Call, view: DatabaseView) -> Screen:
    database = call.db.get(Database, view.database_id)
    group = _group_property(call, view)
    pages = select_pages(call, view.data_source_id, view.filter, view.sorts or [])
    options: list[dict[str, str]] = group.config.get("options", []) if group else []
    lanes: dict[str, list[Card]] = {option["name"]: [] for option in options}
    for page in pages[:MAX_ROWS]:
        value = page.properties.get(group.id) if group else None
        lane = _text(value) or f"No {group.name if group else 'group'}"
        lanes.setdefault(lane, []).append(Card(page.title or "Untitled", f"pages/{page.id}", _notes(call, page, group)))
    shown = [Lane(name, cards) for name, cards in lanes.items()]
    trail = [*_trail(call, database), _link(database)]
    note = f"{len(pages) - MAX_ROWS:,} more are left out." if len(pages) > MAX_ROWS else ""
    return Screen(view.name or "Board", trail=trail, lanes=shown, note=note)


def _group_property(call: Call, view: DatabaseView) -> Property | None:
    """Return the property by which a board is grouped: the configured one, or the first status or select."""
    configuration: dict[str, Any] = view.configuration or {}
    group: dict[str, Any] = configuration.get("group_by") or {}
    wanted: str | None = group.get("property_id")
    row = find_property(call, view.data_source_id, wanted) if wanted else None
    rows = find_properties(call, view.data_source_id)
    return row or next((each for each in rows if each.type in ("status", "select")), None)


def _notes(call: Call, page: Page, group: Property | None) -> list[str]:
    computed = (TITLE, "formula", "rollup")
    rows = [row for row in find_properties(call, page.data_source_id or "") if row.type not in computed]
    cells = [str(_cell(call, page, row)) for row in rows if group is None or row.id != group.id]
    return [cell for cell in cells if cell][:3]
