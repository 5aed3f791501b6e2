"""The filters of a search: conditions on results besides the words of the query.

https://developer.box.com/guides/search/filters
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from twindiff.kit import Call, all_of, any_of, exists, not_
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import BadRequest

from ..core.access import (
    NONE,
    ROOT,
    find_folder,
    is_limited,
    is_trashed,
    list_collaborated_ids,
    rights,
    visible_folders,
)
from ..core.row_stamps import naive
from ..tables.item_tables import File, FileVersion, Folder, User

Trash = Literal["non_trashed_only", "trashed_only", "all_items"]


class Range(NamedTuple):
    """An inclusive range. A bound of None is open."""

    low: Any
    high: Any

    def conditions(self, column: Any) -> list[Expression]:
        """Return the conditions for a column's value to lie in the range. NULL lies in no range."""
        return [
            *([column >= self.low] if self.low is not None else ()),
            *([column <= self.high] if self.high is not None else ()),
        ]


def split_list(text: str) -> list[str]:
    """Return the entries of a comma-separated parameter."""
    return [each.strip() for each in text.split(",") if each.strip()]


def _range(text: str, name: str, read: Any) -> Range | None:
    if not text:
        return None
    low, comma, high = text.partition(",")
    try:
        span = Range(read(low.strip()) if low.strip() else None, read(high.strip()) if high.strip() else None)
    except (ValueError, OverflowError):
        span = Range(None, None)
    if not comma or span == (None, None) or (None not in span and span.low > span.high):
        raise BadRequest.of("invalid_parameter", name, f"Invalid value '{text[:100]}'. It must be from,to.")
    return span


class Filters(NamedTuple):
    """The filters of a search."""

    kinds: tuple[str, ...]
    trash: Trash
    within: frozenset[str] | None
    """The folders that must contain the items; None for any."""
    extensions: frozenset[str]
    owners: frozenset[str]
    updaters: frozenset[str]
    created: Range | None
    updated: Range | None
    deleted: Range | None
    size: Range | None

    def conditions(self, kind: Any) -> list[Expression]:
        """Return the filter conditions that a row of a kind can be tested for by itself."""
        instants = ((kind.created_at, self.created), (kind.trashed_at, self.deleted))
        conditions: list[Expression] = [part for column, span in instants if span for part in span.conditions(column)]
        if self.updated:
            since_made = all_of(kind.modified_at.is_null(), *self.updated.conditions(kind.created_at))
            conditions.append(any_of(all_of(*self.updated.conditions(kind.modified_at)), since_made))
        if self.within is not None:
            conditions.append(kind.parent_id.in_(sorted(self.within)))
        if self.owners:
            conditions.append(kind.owned_by_id.in_(sorted(self.owners)))
        if self.size:
            conditions += self.size.conditions(File.size) if kind is File else [any_of()]
        if self.extensions:
            wanted = [File.extension.equals(each) for each in sorted(self.extensions)]
            conditions.append(any_of(*wanted) if kind is File else any_of())
        return conditions

    @property
    def is_ranged(self) -> bool:
        """Return whether a time or size range is set. Ranges read rows beyond what the full-text index holds."""
        return any((self.created, self.updated, self.deleted, self.size))

    def place_conditions(self, call: Call, kind: Any) -> list[Expression]:
        """Return the conditions for rows of a kind to be in or outside the trash, as `trash` requires.

        What is in a trashed folder cannot be seen at all, unless it was put into the trash by itself.
        """
        if self.trash == "trashed_only":
            return [kind.item_status == "trashed"]
        gone = kind.parent_id.in_(_trashed_folders(call))
        if self.trash == "all_items":
            return [any_of(kind.item_status == "trashed", not_(gone))] if gone.value else []
        outside = [mostly(kind.item_status == "active")] if _has_others(call, kind, kind.item_status, "active") else []
        return [*outside, not_(gone)] if gone.value else outside

    def has_others(self, call: Call, kind: Any) -> bool:
        """Return whether another user owns items of a kind."""
        return _has_others(call, kind, kind.owned_by_id, call.actor)

    def admitting(self, call: Call, kind: Any) -> list[Expression] | None:
        """Return the conditions that admit rows already in place, or None if each row must be tested with `admit`."""
        if self.updaters or is_limited(call):
            return None
        root: list[Expression] = [kind.id != ROOT] if kind is Folder and call.db.find(Folder, Folder.id == ROOT) else []
        if not self.has_others(call, kind):
            return root
        folders = visible_folders(call)
        if folders is None:
            return None
        ways = ((kind.parent_id, folders), (kind.id, list_collaborated_ids(call, kind.type.default)))
        given = [column.in_(ids) for column, ids in ways if ids]
        return [*root, mostly(kind.owned_by_id.in_((call.actor, None)), *given)]

    def admit(self, call: Call, item: Any) -> bool:
        """Return whether an item is in the place that is searched and visible to the caller."""
        return self._is_in_place(call, item) and rights(call, item) != NONE and self._was_updated_by(call, item)

    def _is_in_place(self, call: Call, item: Any) -> bool:
        if item.id == ROOT and item.type == "folder":
            return False
        if self.trash != "non_trashed_only" and item.item_status == "trashed":
            return True
        return self.trash != "trashed_only" and not is_trashed(call, item)

    def _was_updated_by(self, call: Call, item: Any) -> bool:
        if not self.updaters:
            return True
        recent = call.db.rows(FileVersion, FileVersion.file_id == item.id, order=-FileVersion.version_number, limit=10)
        return bool({item.modified_by_id, *(version.modified_by_id for version in recent)} & self.updaters)


def mostly(*ways: Expression) -> Expression:
    """Build the condition that one of `ways` holds, for conditions that hold for most rows.

    It is written as NOT (NOT a AND NOT b): the full-text index excludes the few other rows faster than an index of the
    column could enumerate nearly all rows.
    """
    return not_(all_of(*(not_(way) for way in ways)))


def _has_others(call: Call, kind: Any, column: Any, value: str) -> bool:
    """Return whether a row of a kind has a value other than `value`; tested once, with the column's index."""
    key = f"others {kind.type.default} {column.name}"
    if key not in call.memo:
        others = any_of(exists(kind, column < value), exists(kind, column > value))
        call.memo[key] = bool(call.db.rows(User, User.id == call.actor, others, columns=(User.id,)))
    return call.memo[key]


def _trashed_folders(call: Call) -> list[str]:
    """Return the folders in the trash and all folders below them."""
    if "trashed folders" not in call.memo:
        is_gone = any_of(Folder.item_status < "active", Folder.item_status > "active")
        tops = call.db.rows(Folder, is_gone, columns=(Folder.id,))
        call.memo["trashed folders"] = sorted(_below(call, [id for (id,) in tops]))
    return call.memo["trashed folders"]


def _within(call: Call, ancestors: list[str]) -> frozenset[str] | None:
    """Return the folders and all folders below them; None if they include the root."""
    if not ancestors or "0" in ancestors:
        return None
    return _below(call, ancestors)


def _below(call: Call, folders: list[str]) -> frozenset[str]:
    """Return the folders and all folders below them, looked up level by level."""
    below = level = frozenset(folders)
    while level:
        inside = call.db.rows(Folder, Folder.parent_id.in_(sorted(level)), columns=(Folder.id,))
        level = frozenset(folder for (folder,) in inside) - below
        below |= level
    return below


def read_narrowing(call: Call, given: dict[str, Any]) -> Filters:
    """Parse the filters of a search; raise BadRequest or NotFound if they are invalid."""
    for folder in split_list(given["ancestor_folder_ids"]):
        find_folder(call, folder)
    return Filters(
        kinds=(given["type_"],) if given["type_"] else ("file", "folder", "web_link"),
        trash=given["trash_content"],
        within=_within(call, split_list(given["ancestor_folder_ids"])),
        extensions=frozenset(each.lower().removeprefix(".") for each in split_list(given["file_extensions"])),
        owners=frozenset(split_list(given["owner_user_ids"])),
        updaters=frozenset(split_list(given["recent_updater_user_ids"])),
        created=_range(given["created_at_range"], "created_at_range", naive),
        updated=_range(given["updated_at_range"], "updated_at_range", naive),
        deleted=_range(given["deleted_at_range"], "deleted_at_range", naive),
        size=_range(given["size_range"], "size_range", int),
    )
