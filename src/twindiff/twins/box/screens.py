"""Inspector views of an enterprise: folders with their items, and files with their versions and shared links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from twindiff.kit import Call
from twindiff.kit.inspector_views import Screen, ScreenLink, ScreenPost, ScreenTable

from .core.access import ROOT
from .core.folder_listing import KINDS
from .tables.item_tables import Comment, File, FileVersion, Folder, Item, User, WebLink
from .views.shared_link_views import shared_link_object

SHOWN = 100
"""Maximum number of items of one kind in a folder, and of versions and comments of a file."""
DEEPEST = 50
"""Maximum number of ancestor folders in an item's trail."""
TRASH = "trash"
Cell = str | ScreenLink


def screen(call: Call, path: str) -> Screen | None:
    """Render the view at a path, or None if there is none.

    Paths are `folders/ID`, `files/ID`, `web_links/ID`, `trash`, and "" for the root folder.
    """
    kind, _, id = path.partition("/")
    shown: Screen | None = None
    if path == TRASH:
        shown = _trash(call)
    elif kind in ("", "folders"):
        folder = call.db.find(Folder, Folder.id == (id if kind else ROOT))
        shown = _folder(call, folder) if folder else None if path else Screen("No files")
    elif kind == "files":
        file = call.db.find(File, File.id == id)
        shown = _file(call, file) if file else None
    elif kind == "web_links":
        link = call.db.find(WebLink, WebLink.id == id)
        shown = _web_link(call, link) if link else None
    return shown._replace(places=_places(call)) if shown else None


def _places(call: Call) -> list[tuple[str, list[ScreenLink]]]:
    active = Folder.parent_id == ROOT, Folder.item_status == "active"
    top = call.db.rows(Folder, *active, Folder.id != ROOT, order=Folder.folded_name, limit=SHOWN)
    return [
        ("Files", [ScreenLink("All files", ""), ScreenLink("Trash", TRASH)]),
        ("Folders", [_link(each) for each in top]),
    ]


def _folder(call: Call, folder: Folder) -> Screen:
    table = _items(call, "Items", order="folded_name", parent_id=folder.id, item_status="active")
    facts = [
        ("Description", folder.description or ""),
        *_describe_shared_link(call, folder),
        ("In the trash since", _at(folder.trashed_at)),
    ]
    return Screen(_title(folder), trail=_trail(call, folder), facts=_drop_empty(facts), tables=[table])


def _trash(call: Call) -> Screen:
    return Screen("Trash", tables=[_items(call, "Items", order="trashed_at", item_status="trashed")])


def _items(call: Call, title: str, *, order: str, **wanted: str) -> ScreenTable:
    """Render a table of the items whose columns have the given values: folders, then files, then web links."""
    rows: list[Item] = []
    count = 0
    for kind in KINDS:
        where = [getattr(kind, name) == value for name, value in wanted.items()]
        where += [kind.id != ROOT] if kind is Folder else []
        of_kind = call.db.rows(kind, *where, order=getattr(kind, order), limit=SHOWN)
        rows += of_kind
        count += len(of_kind) if len(of_kind) < SHOWN else call.db.count(kind, *where)
    names = _names(call, (row.owned_by_id for row in rows))
    cells = [
        (
            _link(row),
            _size(row.size) if isinstance(row, File) else row.type.replace("_", " "),
            names.get(row.owned_by_id or "", ""),
            (shared_link_object(call, row) or {}).get("access", ""),
            _at(row.modified_at),
        )
        for row in rows
    ]
    note = f"{count - len(rows):,} more are left out." if count > len(rows) else ""
    return ScreenTable(title, ("Name", "Size", "Owner", "Shared link", "Modified"), cells, note)


def _file(call: Call, file: File) -> Screen:
    of_file = FileVersion.file_id == file.id, FileVersion.purged_at.is_null()
    versions = call.db.rows(FileVersion, *of_file, order=-FileVersion.version_number, limit=SHOWN)
    comments = call.db.rows(Comment, Comment.file_id == file.id, order=Comment.id, limit=SHOWN)
    people = [file.owned_by_id, *(each.modified_by_id for each in versions), *(each.created_by_id for each in comments)]
    names = _names(call, people)
    facts = [
        ("Description", file.description or ""),
        ("Size", _size(file.size)),
        ("Owner", names.get(file.owned_by_id or "", "")),
        ("Modified", _at(file.modified_at)),
        ("Locked", _lock(call, file)),
        ("Tags", ", ".join(file.tags or ())),
        ("In the trash since", _at(file.trashed_at)),
        *_describe_shared_link(call, file),
    ]
    return Screen(
        title=_title(file),
        trail=_trail(call, file),
        facts=_drop_empty(facts),
        tables=[_version_table(file, versions, names)],
        entries=[
            ScreenPost(names.get(each.created_by_id or "", "somebody"), each.created_at or "", each.message or "")
            for each in comments
        ],
    )


def _lock(call: Call, file: File) -> str:
    lock: dict[str, Any] = file.lock or {}
    until: str = lock.get("expires_at") or ""
    return "" if not lock or (until and until <= call.clock.iso()) else f"until {_at(until)}" if until else "yes"


def _version_table(file: File, versions: list[FileVersion], names: Mapping[str, str]) -> ScreenTable:
    cells = [
        (
            f"{each.version_number}{_standing(file, each)}",
            each.name or "",
            _size(each.size),
            names.get(each.modified_by_id or "", ""),
            _at(each.created_at),
        )
        for each in versions
    ]
    note = f"Only the newest {SHOWN} are shown." if len(versions) == SHOWN else ""
    return ScreenTable("Versions", ("Version", "Name", "Size", "By", "Uploaded"), cells, note)


def _standing(file: File, version: FileVersion) -> str:
    return " (current)" if version.id == file.file_version_id else " (in the trash)" if version.trashed_at else ""


def _web_link(call: Call, link: WebLink) -> Screen:
    facts = [("Address", link.url or ""), ("Description", link.description or ""), *_describe_shared_link(call, link)]
    return Screen(_title(link), trail=_trail(call, link), facts=_drop_empty(facts))


def _describe_shared_link(call: Call, item: Item) -> list[tuple[str, str]]:
    """Return the facts of an item's shared link, if it has one."""
    link: dict[str, Any] = shared_link_object(call, item) or {}
    if not link:
        return []
    return [
        ("Shared link", link["url"]),
        ("Also at", link["vanity_url"] or ""),
        ("Open to", link["access"]),
        ("Allows", link["effective_permission"].removeprefix("can_")),
        ("Password", "yes" if link["is_password_enabled"] else ""),
        ("Expires", _at(link["unshared_at"])),
    ]


def _trail(call: Call, item: Item) -> list[ScreenLink]:
    """Return links to the enclosing folders, outermost first; for an item in the trash, a link to the trash."""
    if item.item_status == "trashed":
        return [ScreenLink("Trash", TRASH)]
    links: list[ScreenLink] = []
    parent = item.parent_id
    while parent and parent != ROOT and len(links) < DEEPEST:
        folder = call.db.find(Folder, Folder.id == parent)
        links += [_link(folder)] if folder else []
        parent = folder.parent_id if folder else None
    return [ScreenLink("All files", ""), *links[::-1]] if item.id != ROOT else []


def _link(item: Item) -> ScreenLink:
    return ScreenLink(_title(item), f"{item.type}s/{item.id}")


def _title(item: Item) -> str:
    return item.name or item.id


def _names(call: Call, ids: Iterable[str | None]) -> dict[str, str]:
    users = call.db.rows(User, User.id.in_({id for id in ids if id}))
    return {each.id: each.name or each.login or each.id for each in users}


def _drop_empty(facts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, value) for name, value in facts if value]


def _size(size: int) -> str:
    return f"{size:,} bytes"


def _at(instant: str | None) -> str:
    return (instant or "")[:16].replace("T", " ")
