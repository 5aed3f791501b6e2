"""The objects of Asana to which requests refer: ids of references, users by `me`, and compact forms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from twindiff.drafts.drafting import Draft
from twindiff.drafts.shipped.document_collections import DocumentRequest
from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter, MissingOperation, MissingParameter, NotFound

API = "/api/1.0"
_ONE = {"projects": "project", "tags": "tag", "users": "user", "tasks": "task", "sections": "section"}


class AsanaObjects:
    """Finds objects in the tables of a draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.task = draft.row("tasks")

    def find(self, call: Call, table: str, gid: Any) -> Any:
        """Return the row that a path names. Raises NotFound."""
        row = self.find_known(call, table, gid)
        if row is None:
            raise NotFound(_ONE.get(table, table.removesuffix("s")), gid)
        return row

    def find_known(self, call: Call, table: str, gid: Any) -> Any:
        """Return the row with an id; None if there is none."""
        row = self.draft.row(table)
        return call.db.find(row, row.gid == str(gid)) if isinstance(gid, (str, int)) else None

    def refer(self, call: Call, table: str, field: str, given: Any) -> Any:
        """Return the row to which a field refers by its id. Raises InvalidParameter and MissingParameter."""
        if given in (None, ""):
            raise MissingParameter(field)
        row = self.find_known(call, table, given)
        if row is None:
            raise InvalidParameter(field, f"Not a recognized ID: {_cut_text(given)}")
        return row

    def refer_user(self, call: Call, field: str, given: Any) -> str:
        """Return the id of the user that `me`, an id or an address names. Raises InvalidParameter."""
        if given == "me":
            return str(self.draft.find_user_key(call))
        user = self.draft.row("users")
        if isinstance(given, str) and "@" in given:
            known = call.db.find(user, user.email == given)
            if known is not None:
                return known.gid
        return self.refer(call, "users", field, given).gid


def list_gids(value: Any) -> list[str]:
    """Return the ids in a stored list of references, which are texts or objects with `gid`."""
    listed = cast(list[Any], value) if isinstance(value, list) else [value] if value is not None else []
    return [gid for each in listed if (gid := gid_of(each))]


def gid_of(value: Any) -> str:
    """Return the id of a stored reference; empty for none."""
    given = cast(Mapping[str, Any], value).get("gid") if isinstance(value, Mapping) else value
    return "" if given is None else str(given)


def refer_by(gids: Sequence[str]) -> list[dict[str, str]]:
    """Return references by ids, each once."""
    return [{"gid": each} for each in dict.fromkeys(gids)]


def read_data(request: DocumentRequest) -> dict[str, Any]:
    """Return the object `data` of a body. Raises InvalidParameter."""
    data = request.find_object("data")
    if data is None:
        if request.find_object() is not None and "data" not in request.body:
            return {}
        raise InvalidParameter("data", "Value is not an object")
    return data


def refuse_positions(data: Mapping[str, Any]) -> None:
    """Refuse a place among other tasks. Raises InvalidParameter for two places, and MissingOperation for one."""
    given = [name for name in ("insert_before", "insert_after") if data.get(name) is not None]
    if len(given) > 1:
        raise InvalidParameter("insert_before", "Only one of insert_before and insert_after may be given")
    if given:
        raise MissingOperation(f"This drafted twin does not keep the order of tasks, which '{given[0]}' changes.")


def _cut_text(given: Any) -> str:
    return re.sub(r"\s+", " ", str(given))[:100]
