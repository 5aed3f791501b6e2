"""Finds what an account must have had before recorded calls of the APIs before version 3."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from ...recordings import RecordedCall, show_timestamp
from .account import columns_of
from .tables import RECORDS

Shown = dict[str, Any]
_COMPUTED = (
    "createdate", "lastmodifieddate", "hs_lastmodifieddate", "hs_object_id", "hs_createdate", "hs_all_contact_vids",
    "hs_is_contact", "hs_is_unworked", "hs_email_domain", "hs_pipeline", "associatedcompanyid",
    "num_associated_contacts", "num_conversion_events", "num_unique_conversion_events",
)  # fmt: skip
_KEYS = {"vid": "contacts", "companyId": "companies", "dealId": "deals"}
_ENGAGEMENTS = {"NOTE": "notes", "TASK": "tasks", "CALL": "calls", "EMAIL": "emails", "MEETING": "meetings"}


def show_moment(milliseconds: Any) -> str:
    """Return milliseconds since 1970 as a Timestamp holds them; the first instant of 2020 for what is no number."""
    try:
        return show_timestamp(datetime.fromtimestamp(int(milliseconds) / 1000, tz=UTC).isoformat())
    except (TypeError, ValueError, OverflowError, OSError):
        return "2020-01-01T00:00:00"


def find_older_records(calls: Sequence[RecordedCall], names: Mapping[str, Mapping[str, str]]) -> dict[str, list[Shown]]:
    """Return the rows of records that calls show and do not make, by table.

    `names` are the properties of version 3 by the fields of the metadata of engagements, by kind.
    """
    made: set[tuple[str, str]] = set()
    rows: dict[tuple[str, str], Shown] = {}
    owners: dict[str, Shown] = {}
    for call in calls:
        if call.status >= 300:
            continue
        words = call.path.strip("/").split("/")
        if words[0] == "owners":
            owners |= {each["id"]: each for each in _owners_in(call.answer)}
        if words[0] not in ("contacts", "companies", "deals", "engagements"):
            continue
        for kind, id, row in _records_in(call.answer, names):
            if call.verb != "GET" and "merge" not in call.path:
                made.add((kind, id))
            elif (kind, id) not in made:
                known = rows.get((kind, id))
                own: Shown = {**row["properties"], **(known["properties"] if known else {})}
                rows[kind, id] = {**row, **(known or {}), "properties": own}
        if call.verb == "POST" and "vid" in _object_of(call.answer):
            made.add(("contacts", str(_object_of(call.answer)["vid"])))
    tables: dict[str, list[Shown]] = {"owners": [*owners.values()]} if owners else {}
    for (kind, _), row in rows.items():
        tables.setdefault(kind if kind in RECORDS else "activities", []).append(row)
    return tables


def _object_of(value: Any) -> Shown:
    return cast(Shown, value) if isinstance(value, dict) else {}


def _owners_in(answer: Any) -> Iterator[Shown]:
    listed: list[Any] = cast(list[Any], answer) if isinstance(answer, list) else [answer]
    for each in listed:
        if isinstance(each, dict) and "ownerId" in each:
            own = cast(Shown, each)
            computed = {"ownerId", "firstName", "lastName", "email"}
            yield {
                "id": str(own["ownerId"]),
                "email": str(own.get("email") or ""),
                "first_name": str(own.get("firstName") or ""),
                "last_name": str(own.get("lastName") or ""),
                "created_at": show_moment(own.get("createdAt")),
                "details": {name: value for name, value in own.items() if name not in computed},
            }


def _records_in(answer: Any, names: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str, Shown]]:
    """Yield the kind, the id and the row of each record of versions 1 and 2 in an answer."""
    if isinstance(answer, list):
        for each in cast(list[Any], answer):
            yield from _records_in(each, names)
        return
    if not isinstance(answer, dict):
        return
    fields = cast(Shown, answer)
    engagement: Any = fields.get("engagement")
    if isinstance(engagement, dict) and str(cast(Shown, engagement).get("type")) in _ENGAGEMENTS:
        about = cast(Shown, engagement)
        kind = _ENGAGEMENTS[str(about["type"])]
        metadata = cast(Shown, fields.get("metadata") or {})
        properties = {names[kind].get(name, name): value for name, value in metadata.items()}
        times = {"created_at": show_moment(about.get("createdAt")), "updated_at": show_moment(about.get("lastUpdated"))}
        own: Shown = {"hs_timestamp": about["timestamp"]} if "timestamp" in about else {}
        computed = ("id", "portalId", "active", "createdAt", "lastUpdated", "type", "timestamp")
        own["hs_engagement"] = {name: value for name, value in about.items() if name not in computed}
        yield (
            kind,
            str(about["id"]),
            {"id": str(about["id"]), "kind": kind, "properties": {**own, **properties}, **times},
        )
        return
    key = next((name for name in _KEYS if name in fields), None)
    if key and isinstance(fields.get("properties"), dict):
        yield _KEYS[key], str(fields[key]), _to_row(_KEYS[key], str(fields[key]), fields)
        return
    for each in fields.values():
        if isinstance(each, (list, dict)):
            yield from _records_in(each, names)


def _to_row(kind: str, id: str, shown: Shown) -> Shown:
    given = cast(dict[str, Any], shown["properties"])
    values = {
        name: cast(Shown, each).get("value")
        for name, each in given.items()
        if isinstance(each, dict) and cast(Shown, each).get("value") is not None
    }
    columns = columns_of(kind)
    own = {name: str(value) for name, value in values.items() if name in columns}
    others = {name: value for name, value in values.items() if name not in columns and name not in _COMPUTED}
    created = values.get("createdate") or values.get("hs_createdate") or shown.get("addedAt")
    changed = values.get("lastmodifieddate") or values.get("hs_lastmodifieddate") or created
    times = {"created_at": show_moment(created), "updated_at": show_moment(changed)}
    return {"id": id, **own, "properties": others, **times}


_NAMED_MEMBERS = (
    (re.compile(r"/contacts/v1/contact/vid/(\d+)(/profile)?"), "contacts"),
    (re.compile(r"/contacts/v1/contact/merge-vids/(\d+)"), "contacts"),
    (re.compile(r"/companies/v2/companies/(\d+)(/.*)?"), "companies"),
    (re.compile(r"/deals/v1/deal/(\d+)(/.*)?"), "deals"),
    (re.compile(r"/deals/v1/deal/associated/company/(\d+)(/.*)?"), "companies"),
    (re.compile(r"/companies/v2/companies/\d+/contacts/(\d+)"), "contacts"),
)
_NAMED_PARTS = re.compile(
    r"/(?:properties/v1/(\w+)|(deals)/v1|(companies|contacts)/v2)/(groups|properties)/named/(\w+)"
)
_LISTED_GROUPS = re.compile(r"/(?:properties/v1/(\w+)|(deals)/v1|(companies|contacts)/v2)/groups")
_GIVEN_IDS = {
    "associatedCompanyIds": "companies", "associatedVids": "contacts", "contactIds": "contacts",
    "companyIds": "companies", "dealIds": "deals", "vids": "contacts",
}  # fmt: skip


def find_named(calls: Sequence[RecordedCall]) -> dict[str, list[Shown]]:
    """Return rows of what calls name and neither show nor make: records, properties and groups."""
    shown: set[str] = set()
    tables: dict[str, dict[str, Shown]] = {}
    for call in calls:
        if call.status >= 300:
            continue
        path = call.path.rstrip("/")
        for kind, id in _ids_named(call, path):
            if id not in shown:
                at = {"created_at": "2020-01-01T00:00:00", "updated_at": "2020-01-01T00:00:00"}
                tables.setdefault(kind, {})[id] = {"id": id, "properties": {}, **at}
        _add_parts(call, path, shown, tables)
        shown |= {*_whole_numbers(call.answer)} if call.verb != "GET" else set()
        for kind in ("contacts", "companies", "deals"):
            for id in {*tables.get(kind, ())} & {*_whole_numbers(call.answer if call.verb == "GET" else None)}:
                shown.add(id)
    return {table: [*rows.values()] for table, rows in tables.items()}


def _ids_named(call: RecordedCall, path: str) -> Iterator[tuple[str, str]]:
    for pattern, kind in _NAMED_MEMBERS:
        match = pattern.fullmatch(path)
        if match:
            yield kind, match[1]
    body: Any = call.body
    if isinstance(body, dict):
        own = cast(Shown, body)
        related: Any = own.get("associations")
        for holder in (own, cast(Shown, related) if isinstance(related, dict) else {}):
            for name, kind in _GIVEN_IDS.items():
                ids: Any = holder.get(name)
                yield from ((kind, str(each)) for each in cast(list[Any], ids) if each) if isinstance(ids, list) else ()
        if own.get("vidToMerge"):
            yield "contacts", str(own["vidToMerge"])


def _add_parts(call: RecordedCall, path: str, shown: set[str], tables: dict[str, dict[str, Shown]]) -> None:
    """Add the properties and the groups that a call names, and the groups that it lists."""
    match = _NAMED_PARTS.fullmatch(path)
    if match and match[5] not in shown:
        kind, name = str(match[1] or match[2] or match[3]), match[5]
        if match[4] == "groups":
            tables.setdefault("property_groups", {})[f"{kind} {name}"] = {"kind": kind, "name": name, "label": name}
        else:
            row = {"kind": kind, "name": name, "label": name, "is_custom": True}
            tables.setdefault("property_definitions", {})[f"{kind} {name}"] = row
    body: Any = call.body
    if call.verb == "POST" and isinstance(body, dict):
        shown.add(str(cast(Shown, body).get("name")))
    match = _LISTED_GROUPS.fullmatch(path)
    answer: Any = call.answer
    if match and call.verb == "GET" and isinstance(answer, list):
        kind = str(match[1] or match[2] or match[3])
        listed = [cast(Shown, each) for each in cast(list[Any], answer) if isinstance(each, dict)]
        for each in listed:
            name = str(each.get("name"))
            if name not in shown:
                row = {"kind": kind, "name": name, "label": str(each.get("displayName") or "")}
                row |= {"display_order": int(each.get("displayOrder") or 0)}
                row["is_own"] = bool(each.get("hubspotDefined"))
                tables.setdefault("property_groups", {})[f"{kind} {name}"] = row


def _whole_numbers(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in cast(Shown, value).values():
            yield from _whole_numbers(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _whole_numbers(each)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)


_PAGES: Mapping[str, tuple[str, str, str]] = {
    "/companies/v2/companies/paged": ("companies", "has-more", "companies"),
    "/contacts/v1/lists/all/contacts/all": ("contacts", "has-more", "contacts"),
    "/deals/v1/deal/paged": ("deals", "hasMore", "deals"),
}


def find_further(calls: Sequence[RecordedCall]) -> dict[str, list[Shown]]:
    """Return a row beyond each last page that says that there are more."""
    tables: dict[str, list[Shown]] = {}
    for call in calls:
        path = call.path.rstrip("/")
        answer: Any = call.answer
        if path not in _PAGES or call.status >= 300 or not isinstance(answer, dict):
            continue
        table, flag, _ = _PAGES[path]
        page = cast(Shown, answer)
        offset: Any = page.get("offset", page.get("vid-offset"))
        if page.get(flag) and isinstance(offset, int):
            at = {"created_at": "2020-01-01T00:00:00", "updated_at": "2020-01-01T00:00:00"}
            tables[table] = [{"id": str(offset + 1), "properties": {}, **at}]
    return tables
