"""Users and their identities. https://developer.zendesk.com/api-reference/ticketing/users/users/"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.http import json_answer
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from ..number_ids import read_number_id
from .fields import USER, read_fields, read_object
from .tables import AGENT, ZendeskAccount, ZendeskIdentity, ZendeskOrganization, ZendeskUser, ZendeskUserField
from .wire_style import (
    PageChoice,
    RecordNotFound,
    Shown,
    page_rows,
    refuse_fields,
    refuse_parameter,
    show_time,
)

api = Operations(prefix="/api/v2/users")
Given = Annotated[dict[str, Any], Body]
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(T|$)")
_UNSET = (
    "shared_phone_number", "photo", "last_login_at", "signature", "details", "role_type", "custom_role_id",
    "default_group_id",
)  # fmt: skip


def find_user(call: Call, id: int | str) -> ZendeskUser:
    """Return a user, a deleted one too; `me` is who calls. Raises RecordNotFound."""
    number = AGENT if id == "me" else read_number_id(id)
    return call.db.get(ZendeskUser, number, missing=RecordNotFound)


def show_user(call: Call, row: ZendeskUser) -> Shown:
    """Return a user."""
    is_agent, account = row.role != "end-user", call.db.get(ZendeskAccount, 1)
    fields = {each.key: False if each.type == "checkbox" else None for each in call.db.rows(ZendeskUserField)}
    return {
        "id": row.id,
        "url": f"{call.base_url}/api/v2/users/{row.id}.json",
        "name": row.name,
        "email": row.email,
        "created_at": show_time(row.created_at),
        "updated_at": show_time(row.updated_at or row.created_at),
        "time_zone": account.time_zone,
        "iana_time_zone": account.iana_time_zone,
        "phone": row.phone,
        "locale_id": 1,
        "locale": "en-US",
        "organization_id": row.organization_id,
        "role": row.role,
        "verified": row.verified,
        "external_id": row.external_id,
        "tags": row.tags,
        "alias": row.alias,
        "active": row.active,
        "shared": False,
        "shared_agent": False,
        "two_factor_auth_enabled": False,
        "notes": row.notes,
        "moderator": is_agent,
        "ticket_restriction": None if is_agent else "requested",
        "only_private_comments": False,
        "restricted_agent": not is_agent,
        "suspended": row.suspended,
        "report_csv": row.role == "admin",
        "user_fields": {**fields, **row.user_fields},
        **dict.fromkeys(_UNSET),
        **row.details,
    }


def list_users_there(call: Call) -> list[ZendeskUser]:
    """Return the users that are not deleted."""
    return call.db.rows(ZendeskUser, ZendeskUser.active == True, order=ZendeskUser.id)  # noqa: E712 - an expression


def _find_by(call: Call, given: Mapping[str, Any]) -> ZendeskUser | None:
    """Return the user with an external id, or else with an address."""
    for row in list_users_there(call):
        if given.get("external_id") is not None and row.external_id == str(given["external_id"]):
            return row
    owner = _find_identity(call, str(given.get("email") or ""))
    return find_user(call, owner.user_id) if owner else None


def _find_identity(call: Call, address: str) -> ZendeskIdentity | None:
    return call.db.find(ZendeskIdentity, ZendeskIdentity.value.equals(address)) if address else None


def _check(call: Call, given: Mapping[str, Any], own: int = 0) -> Shown:
    """Return the fields of a user; raises ZendeskError for what cannot be, and what another user has."""
    values = read_fields(given, USER)
    email: Any = given.get("email")
    problems: dict[str, str] = {}
    codes: dict[str, str] = {}
    if email is not None and not (isinstance(email, str) and _ADDRESS.fullmatch(email)):
        problems["email"] = f"Email: {email} is not properly formatted"
    owner = _find_identity(call, str(email or ""))
    if owner and owner.user_id != own:
        problems["email"], codes["email"] = f"Email: {email} is already being used by another user", "DuplicateValue"
    taken = values.get("external_id") is not None and _find_by(call, {"external_id": values["external_id"]})
    if taken and taken.id != own:
        said = "External: The external_id provided is already assigned to another user."
        problems["external_id"], codes["external_id"] = said, "DuplicateValue"
    place = values.get("organization_id")
    if place and call.db.find(ZendeskOrganization, ZendeskOrganization.id == place) is None:
        problems["organization_id"] = f"Organization: {place} is not a valid organization id"
    if problems:
        raise refuse_fields(problems, codes)
    if "user_fields" in values:
        values["user_fields"] = _cut_dates(call, values["user_fields"])
    return values


def _cut_dates(call: Call, given: Mapping[str, Any]) -> Shown:
    """Return fields of a user whose dates have no time of day, as Zendesk keeps them."""
    dates = {row.key for row in call.db.rows(ZendeskUserField, ZendeskUserField.type == "date")}
    return {
        key: f"{value[:10]}T00:00:00+00:00" if key in dates and isinstance(value, str) and _DATE.match(value) else value
        for key, value in given.items()
    }


def create_user(call: Call, given: Mapping[str, Any]) -> ZendeskUser:
    """Add a user with an identity for its address. Raises ZendeskError."""
    values = _check(call, given)
    if not values.get("name"):
        if not given.get("email"):
            raise refuse_fields({"name": "Name: cannot be blank"}, {"name": "BlankValue"})
        values["name"] = str(given["email"]).partition("@")[0]
    now, email = call.clock.iso(), given.get("email")
    fields: Any = values
    row = ZendeskUser(id=360_000_100 + call.db.next("user"), email=email, created_at=now, updated_at=now, **fields)
    call.db.add(row)
    if email:
        _add_identity(call, row, "email", str(email), is_verified=row.verified, is_primary=True)
    return row


def _add_identity(
    call: Call, row: ZendeskUser, kind: str, value: str, *, is_verified: bool, is_primary: bool
) -> ZendeskIdentity:
    now, number = call.clock.iso(), 360_500_000 + call.db.next("identity")
    return call.db.add(
        ZendeskIdentity(
            id=number, user_id=row.id, type=kind, value=value, verified=is_verified, primary=is_primary,
            created_at=now, updated_at=now,
        )
    )  # fmt: skip


def _change(call: Call, row: ZendeskUser, given: Mapping[str, Any]) -> ZendeskUser:
    """Change a user; a new address becomes a further identity."""
    values = _check(call, given, row.id)
    if "user_fields" in values:
        values["user_fields"] = {**row.user_fields, **values["user_fields"]}
    if "tags" in values:
        kept = [each for each in row.tags if each in values["tags"]]
        values["tags"] = [*kept, *(each for each in values["tags"] if each not in kept)]
    if "alias" in values:
        values["alias"] = values["alias"] or ""
    email = str(given.get("email") or "")
    if email and _find_identity(call, email) is None:
        is_first = row.email is None
        _add_identity(call, row, "email", email, is_verified=bool(values.get("verified")), is_primary=is_first)
        values |= {"email": email} if is_first else {}
    return call.db.change(row, **values, updated_at=call.clock.iso())


@api.get("")
def list_users(call: Call, role: str = "", page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the users, or those of a role."""
    rows = [row for row in list_users_there(call) if not role or row.role == role]
    url = f"{call.base_url}/api/v2/users.json" + (f"?role={quote(role)}" if role else "")
    return page_rows(url, "users", rows, lambda row: show_user(call, row), page, per_page)


@api.post("", status=201)
def post_user(call: Call, body: Given) -> Shown:
    """Create a user."""
    return {"user": show_user(call, create_user(call, read_object(body, "user")))}


@api.post("/create_or_update")
def post_or_put_user(call: Call, body: Given) -> Any:
    """Change the user with an external id or an address, or create it (201)."""
    given = read_object(body, "user")
    known = _find_by(call, given)
    row = _change(call, known, given) if known else create_user(call, given)
    return json_answer({"user": show_user(call, row)}, 200 if known else 201)


@api.get("/search")
def search_users(
    call: Call, query: str = "", external_id: str = "", page: PageChoice = 1, per_page: int = 100
) -> Shown:
    """Find users by external id, or by words of their names, addresses and numbers."""
    if not query and not external_id:
        raise refuse_parameter("Either query or external_id must be given", "Invalid parameter")
    rows = [row for row in list_users_there(call) if _matches(call, row, query, external_id)]
    wanted = f"external_id={quote(external_id)}" if external_id else f"query={quote(query)}"
    url = f"{call.base_url}/api/v2/users/search.json?{wanted}"
    return page_rows(url, "users", rows, lambda row: show_user(call, row), page, per_page)


def _matches(call: Call, row: ZendeskUser, query: str, external_id: str) -> bool:
    if external_id:
        return row.external_id == external_id
    return all(matches_word(call, row, word) for word in query.split())


def matches_word(call: Call, row: ZendeskUser, word: str) -> bool:
    """Return whether a user has a word, or a field a value: `email:a@b.c`, `role:agent`."""
    name, _, value = word.partition(":")
    wanted = value.strip('"').lower()
    if wanted and name in ("name", "role", "phone", "external_id", "notes"):
        return wanted in str(getattr(row, name) or "").lower()
    if wanted and name == "tags":
        return wanted in row.tags
    if wanted and name in ("email", "user"):
        word = wanted
    rows = call.db.rows(ZendeskIdentity, ZendeskIdentity.user_id == row.id)
    texts = [row.name, row.phone or "", row.notes or "", *(each.value for each in rows)]
    return any(word.strip('"').lower() in text.lower() for text in texts)


@api.get("/show_many")
def show_users(call: Call, ids: str = "", external_ids: str = "") -> Shown:
    """Return the users of up to 100 ids or external ids."""
    wanted = [each.strip() for each in (ids or external_ids).split(",")]
    rows = [row for row in list_users_there(call) if (str(row.id) if ids else row.external_id) in wanted]
    shown = [show_user(call, row) for row in rows]
    return {"users": shown, "next_page": None, "previous_page": None, "count": len(shown)}


@api.get("/count")
def count_users(call: Call) -> Shown:
    """Return how many users there are."""
    return {"count": {"value": len(list_users_there(call)), "refreshed_at": show_time(call.clock.iso())}}


@api.get("/{user_id}")
def get_user(call: Call, user_id: str) -> Shown:
    """Return a user, also one that is deleted."""
    return {"user": show_user(call, find_user(call, user_id))}


@api.put("/{user_id}")
def put_user(call: Call, user_id: str, body: Given) -> Shown:
    """Change a user."""
    row = find_user(call, user_id)
    if not row.active:
        raise RecordNotFound
    return {"user": show_user(call, _change(call, row, read_object(body, "user")))}


@api.delete("/{user_id}")
def delete_user(call: Call, user_id: str) -> Shown:
    """Delete a user, which loses its identities and its external id."""
    row = find_user(call, user_id)
    if not row.active:
        raise RecordNotFound
    for each in call.db.rows(ZendeskIdentity, ZendeskIdentity.user_id == row.id):
        call.db.remove(each)
    lost: Shown = {"email": None, "external_id": None, "verified": False, "active": False}
    row = call.db.change(row, **lost, updated_at=call.clock.iso())
    return {"user": show_user(call, row)}


# -- identities --------------------------------------------------------------------------------------------------------


def _show_identity(call: Call, row: ZendeskIdentity) -> Shown:
    shown: Shown = {
        "url": f"{call.base_url}/api/v2/users/{row.user_id}/identities/{row.id}.json",
        "id": row.id,
        "user_id": row.user_id,
        "type": row.type,
        "value": row.value,
        "verified": row.verified,
        "primary": row.primary,
        "created_at": show_time(row.created_at),
        "updated_at": show_time(row.updated_at or row.created_at),
    }
    return {**shown, **({"undeliverable_count": 0, "deliverable_state": "deliverable"} if row.type == "email" else {})}


def _list_identities(call: Call, user_id: str) -> list[ZendeskIdentity]:
    rows = call.db.rows(ZendeskIdentity, ZendeskIdentity.user_id == find_user(call, user_id).id)
    return sorted(rows, key=lambda row: (not row.primary, row.created_at, row.id))


def _get_identity(call: Call, user_id: str, identity_id: str) -> ZendeskIdentity:
    for row in _list_identities(call, user_id):
        if str(row.id) == identity_id:
            return row
    raise RecordNotFound


@api.get("/{user_id}/identities")
def list_identities(call: Call, user_id: str, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the addresses and numbers of a user, the primary one first."""
    url = f"{call.base_url}/api/v2/users/{user_id}/identities.json"
    rows = _list_identities(call, user_id)
    return page_rows(url, "identities", rows, lambda row: _show_identity(call, row), page, per_page)


@api.post("/{user_id}/identities", status=201)
def post_identity(call: Call, user_id: str, body: Given) -> Shown:
    """Give a user an address or a number."""
    row, given = find_user(call, user_id), read_object(body, "identity")
    value, kind = str(given.get("value") or ""), str(given.get("type") or "")
    if kind not in ("email", "phone_number", "twitter", "facebook", "google", "agent_forwarding") or not value:
        raise refuse_fields({"type": f"Type: {kind!r} is not valid, or the identity has no value"})
    _check(call, {"email": value} if kind == "email" else {}, row.id)
    if _find_identity(call, value):
        raise refuse_fields({"value": f"Value: {value} is already being used by another user"})
    made = _add_identity(call, row, kind, value, is_verified=bool(given.get("verified")), is_primary=False)
    return {"identity": _show_identity(call, made)}


@api.get("/{user_id}/identities/{identity_id}")
def get_identity(call: Call, user_id: str, identity_id: str) -> Shown:
    """Return an identity of a user."""
    return {"identity": _show_identity(call, _get_identity(call, user_id, identity_id))}


@api.put("/{user_id}/identities/{identity_id}/make_primary")
def make_primary(call: Call, user_id: str, identity_id: str) -> Shown:
    """Make an identity the primary one of its kind; an address is then the user's."""
    row = _get_identity(call, user_id, identity_id)
    for each in _list_identities(call, user_id):
        if each.type == row.type:
            call.db.change(each, primary=each.id == row.id, updated_at=call.clock.iso())
    if row.type == "email":
        call.db.change(find_user(call, user_id), email=row.value, updated_at=call.clock.iso())
    return list_identities(call, user_id)


@api.put("/{user_id}/identities/{identity_id}/verify")
def verify_identity(call: Call, user_id: str, identity_id: str) -> Shown:
    """Take an identity for verified."""
    row = _get_identity(call, user_id, identity_id)
    return {"identity": _show_identity(call, call.db.change(row, verified=True, updated_at=call.clock.iso()))}


@api.delete("/{user_id}/identities/{identity_id}", status=204)
def delete_identity(call: Call, user_id: str, identity_id: str) -> None:
    """Take an identity from a user; that which is primary stays."""
    row = _get_identity(call, user_id, identity_id)
    if row.primary:
        raise refuse_fields({"identity": "Identity: the primary identity cannot be deleted"})
    call.db.remove(row)
