"""Names of items: which characters they may have, and that they are unique in a folder.

https://developer.box.com/reference/post-folders
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.twins.box.wire_style import BadRequest

from ..core.access import ROOT
from ..core.errors import ItemNameInUse, ItemNameInvalid, ItemNameTooLong
from ..core.folder_listing import KINDS
from ..core.row_stamps import fold_name
from ..tables.item_tables import File, Item
from ..views.item_views import item_object

MAX_NAME_CHARACTERS = 255


def check_name(name: str) -> str:
    """Return the name if an item may have it; raise ItemNameInvalid or ItemNameTooLong otherwise."""
    if not name:
        raise BadRequest.of("missing_parameter", "name", "'name' is required")
    if len(name) > MAX_NAME_CHARACTERS:
        raise ItemNameTooLong
    if name in (".", "..") or name != name.strip() or any(map(_is_refused, name)):
        raise ItemNameInvalid
    return name


def _is_refused(letter: str) -> bool:
    """Return whether Box rejects a character: slashes, control characters, code points above U+FFFF such as emoji."""
    return (
        letter in "/\\"
        or ord(letter) < 32
        or 127 <= ord(letter) < 160
        or 0xD800 <= ord(letter) <= 0xDFFF
        or ord(letter) > 0xFFFF
    )


def namesake(call: Call, folder_id: str, name: str, owner: str | None, *, but: Item | None = None) -> Item | None:
    """Return another item with that name in a folder, of any kind, or None.

    Every user has a root folder of their own, so in the root `owner` decides whose items are compared.
    """
    for kind in KINDS:
        here: list[Any] = [
            kind.parent_id == folder_id,
            kind.item_status == "active",
            kind.folded_name == fold_name(name),
        ]
        if folder_id == ROOT and owner is not None:
            here.append(kind.owned_by_id == owner)
        for item in call.db.rows(kind, *here, limit=2):
            if but is None or (item.id, item.type) != (but.id, but.type):
                return item
    return None


def check_free(
    call: Call, folder_id: str, name: str, owner: str | None, *, but: Item | None = None, is_upload: bool = False
) -> None:
    """Raise ItemNameInUse if another item in the folder has the name.

    The conflict of an upload, of its preflight check, and one with a file are one object, others a list.
    """
    other = namesake(call, folder_id, name, owner, but=but)
    if other is not None:
        shown = item_object(call, other, mini=True)
        raise ItemNameInUse.of(shown if is_upload or isinstance(other, File) else [shown])
