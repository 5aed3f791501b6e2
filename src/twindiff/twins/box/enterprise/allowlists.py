"""Collaboration allowlists: domains whose users may collaborate, and users exempt from the restriction.

The entries are stored but not enforced, as in an enterprise that has not enabled the feature.
https://developer.box.com/guides/collaborations/allowlist
"""

from __future__ import annotations

import re
from typing import Any, Literal

from twindiff.kit import Call, Operations, Struct
from twindiff.twins.box.wire_style import BadRequest, marker_page

from ..core.access import acting_user, require_admin
from ..core.errors import NotFound, WhitelistEntryExists
from ..core.folder_listing import rows_from
from ..core.row_stamps import format_instant, new_id
from ..tables.administration_tables import AllowedDomain, ExemptUser
from ..views.item_views import user_mini
from .users import enterprise_of, find_user

api = Operations(prefix="/2.0")
Shown = dict[str, Any]
_DOMAIN = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")


def _entry_object(call: Call, row: AllowedDomain) -> Shown:
    return {
        "type": row.type,
        "id": row.id,
        "domain": row.domain,
        "direction": row.direction,
        "enterprise": enterprise_of(acting_user(call)),
        "created_at": format_instant(row.created_at),
    }


def _target_object(call: Call, row: ExemptUser) -> Shown:
    return {
        "type": row.type,
        "id": row.id,
        "user": user_mini(call, row.user_id),
        "enterprise": enterprise_of(acting_user(call)),
        "created_at": format_instant(row.created_at),
        "modified_at": format_instant(row.created_at),
    }


@api.get("/collaboration_whitelist_entries")
def list_entries(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List the allowed domains.

    https://developer.box.com/reference/get-collaboration-whitelist-entries
    """
    require_admin(call)
    rows, more = rows_from(call, marker, limit, AllowedDomain, order=AllowedDomain.id)
    return marker_page([_entry_object(call, row) for row in rows], limit, more)


@api.post("/collaboration_whitelist_entries", status=201)
def create_entry(call: Call, domain: str, direction: Literal["inbound", "outbound", "both"]) -> Shown:
    """Allow a domain. Box answers 201, where its description has 200: https://github.com/box/box-openapi/issues/399

    https://developer.box.com/reference/post-collaboration-whitelist-entries
    """
    require_admin(call)
    if not _DOMAIN.fullmatch(domain) or len(domain) > 255:
        raise BadRequest.of("invalid_parameter", "domain", f"Invalid value '{domain[:100]}'. It must be a domain.")
    if call.db.find(AllowedDomain, AllowedDomain.domain == domain):
        raise WhitelistEntryExists
    made = AllowedDomain(id=new_id(call, 6), domain=domain, direction=direction, created_at=call.clock.iso())
    return _entry_object(call, call.db.add(made))


def _entry(call: Call, id: str) -> AllowedDomain:
    require_admin(call)
    row = call.db.find(AllowedDomain, AllowedDomain.id == id)
    if row is None:
        raise NotFound.of("collaboration_whitelist_entry", id)
    return row


@api.get("/collaboration_whitelist_entries/{collaboration_whitelist_entry_id}")
def get_entry(call: Call, collaboration_whitelist_entry_id: str) -> Shown:
    """Get an allowed domain.

    https://developer.box.com/reference/get-collaboration-whitelist-entries-id
    """
    return _entry_object(call, _entry(call, collaboration_whitelist_entry_id))


@api.delete("/collaboration_whitelist_entries/{collaboration_whitelist_entry_id}", status=204)
def delete_entry(call: Call, collaboration_whitelist_entry_id: str) -> None:
    """Remove a domain from the allowlist.

    https://developer.box.com/reference/delete-collaboration-whitelist-entries-id
    """
    call.db.remove(_entry(call, collaboration_whitelist_entry_id))


class Whom(Struct):
    """A reference to a user."""

    id: str


@api.get("/collaboration_whitelist_exempt_targets")
def list_targets(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List the users who are exempt from the allowlist.

    https://developer.box.com/reference/get-collaboration-whitelist-exempt-targets
    """
    require_admin(call)
    rows, more = rows_from(call, marker, limit, ExemptUser, order=ExemptUser.id)
    return marker_page([_target_object(call, row) for row in rows], limit, more)


@api.post("/collaboration_whitelist_exempt_targets")
def create_target(call: Call, user: Whom) -> Shown:
    """Exempt a user from the allowlist.

    https://developer.box.com/reference/post-collaboration-whitelist-exempt-targets
    """
    require_admin(call)
    exempt = find_user(call, user.id)
    if call.db.find(ExemptUser, ExemptUser.user_id == exempt.id):
        raise WhitelistEntryExists
    made = ExemptUser(id=new_id(call, 6), user_id=exempt.id, created_at=call.clock.iso())
    return _target_object(call, call.db.add(made))


def _target(call: Call, id: str) -> ExemptUser:
    require_admin(call)
    row = call.db.find(ExemptUser, ExemptUser.id == id)
    if row is None:
        raise NotFound.of("collaboration_whitelist_exempt_target", id)
    return row


@api.get("/collaboration_whitelist_exempt_targets/{collaboration_whitelist_exempt_target_id}")
def get_target(call: Call, collaboration_whitelist_exempt_target_id: str) -> Shown:
    """Get a user's exemption from the allowlist.

    https://developer.box.com/reference/get-collaboration-whitelist-exempt-targets-id
    """
    return _target_object(call, _target(call, collaboration_whitelist_exempt_target_id))


@api.delete("/collaboration_whitelist_exempt_targets/{collaboration_whitelist_exempt_target_id}", status=204)
def delete_target(call: Call, collaboration_whitelist_exempt_target_id: str) -> None:
    """Delete a user's exemption from the allowlist.

    https://developer.box.com/reference/delete-collaboration-whitelist-exempt-targets-id
    """
    call.db.remove(_target(call, collaboration_whitelist_exempt_target_id))
