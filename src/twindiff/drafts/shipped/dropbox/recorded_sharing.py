"""Finds the shared links and folders, accounts and deletions that must have been there before recorded calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall
from .accounts import AGENT
from .recorded_entries import Entry, find_entries, to_row


def find_rows(calls: Sequence[RecordedCall]) -> Mapping[str, list[Entry]]:
    """Return the rows that calls show or take and do not make."""
    entries = find_entries(calls)
    others = find_others(calls)
    links = find_links(calls, {str(each["path_lower"]): each for each in entries})
    return {**others, "entries": [*entries, *others["entries"]], "shared_links": links}


def find_links(calls: Sequence[RecordedCall], entries: Mapping[str, Entry]) -> list[Entry]:
    """Return the shared links that reads show, or that calls change, before the calls make them."""
    made: set[str] = set()
    links: dict[str, Entry] = {}
    for call in calls:
        word = call.path.rpartition("/")[2]
        if call.status >= 300:
            continue
        for each in _links_in(call.answer):
            row = entries.get(str(each.get("path_lower")))
            if word == "create_shared_link_with_settings":
                made.add(str(each["url"]))
            elif row is not None and each["url"] not in made:
                visibility = each.get("link_permissions", {}).get("resolved_visibility", {}).get(".tag", "public")
                link = {"url": each["url"], "entry_id": row["id"], "visibility": visibility}
                links.setdefault(str(each["url"]), link | {"expires": each.get("expires")})
        body: Any = call.body
        url = cast(Entry, body).get("url") if isinstance(body, dict) else None
        if word == "revoke_shared_link" and url and url not in made:
            links.setdefault(str(url), {"url": url, "entry_id": f"id:{url}", "visibility": "public"})
    return [*links.values()]


def _links_in(value: Any) -> Iterator[Entry]:
    if isinstance(value, dict):
        fields = cast(Entry, value)
        if "url" in fields and "link_permissions" in fields:
            yield fields
        for each in fields.values():
            yield from _links_in(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _links_in(each)


def find_others(calls: Sequence[RecordedCall]) -> dict[str, list[Entry]]:
    """Return the rows of accounts, deletions and shared folders that answers show."""
    accounts: dict[str, Entry] = {}
    deletions: dict[str, Entry] = {}
    folders: dict[str, Entry] = {}
    entries: list[Entry] = []
    for call in calls:
        if call.status >= 300 or not is_reading(call):
            continue
        body: Any = call.body
        given = cast(Entry, body) if isinstance(body, dict) else {}
        for each in _objects_in(call.answer):
            if each.get(".tag") == "deleted" and "path_lower" in each:
                path = str(each.get("path_display") or each["path_lower"])
                deletions[path.lower()] = {"path_lower": path.lower(), "path_display": path}
            if "account_id" in each and isinstance(each.get("name"), dict):
                is_own = call.path.endswith("/get_current_account")
                id = AGENT if is_own else str(each["account_id"])
                accounts[id] = _to_account(each, id)
        id = str(given.get("shared_folder_id") or "")
        if id and id not in folders:
            answer: Any = call.answer
            shown = cast(Entry, answer) if isinstance(answer, dict) else {}
            invited = "2026-01-01T00:00:00"
            folders[id] = {"shared_folder_id": id, "entry_id": f"id:shared-{id}", "time_invited": invited}
            path = f"/{shown.get('name') or id}"
            entries.append(to_row({".tag": "folder", "id": f"id:shared-{id}"}, path.lower(), path))
    rows = {"accounts": accounts, "deletions": deletions, "shared_folders": folders}
    return {"entries": entries, **{table: [*each.values()] for table, each in rows.items()}}


def _to_account(shown: Entry, id: str) -> Entry:
    account: Entry = {"account_id": id, "email": shown.get("email", ""), "display_name": shown["name"]["display_name"]}
    account |= {name: shown[name] for name in ("country", "locale") if name in shown}
    kind = shown.get("account_type")
    return account | ({"account_type": kind[".tag"]} if isinstance(kind, dict) else {})


def _objects_in(value: Any) -> Iterator[Entry]:
    if isinstance(value, dict):
        yield cast(Entry, value)
        for each in cast(Entry, value).values():
            yield from _objects_in(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _objects_in(each)
