"""Terms of service that managed or external users must accept.

https://developer.box.com/reference/resources/terms-of-service
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import Call, Operations, Struct
from twindiff.kit.rows import Expression

from ..core.access import acting_user, is_admin, require_admin
from ..core.errors import (
    AccessDeniedInsufficientPermissions,
    NotFound,
    TermsOfServiceExists,
    TermsOfServiceRequired,
)
from ..core.row_stamps import format_instant, new_id
from ..tables.administration_tables import TermsOfService, TermsOfServiceStatus
from ..views.item_views import user_mini
from .users import enterprise_of, find_user

api = Operations(prefix="/2.0")
Shown = dict[str, Any]
Kind = Literal["external", "managed"]
Status = Literal["enabled", "disabled"]
_ITEMS = frozenset(("files", "folders", "web_links", "shared_items", "recent_items", "search", "zip_downloads"))


class Terms(Struct):
    """A reference to terms of service."""

    id: str
    type: Literal["terms_of_service"] = "terms_of_service"


class Whom(Struct):
    """A reference to a user."""

    id: str
    type: Literal["user"] = "user"


def _terms_object(call: Call, row: TermsOfService) -> Shown:
    return {
        "type": row.type,
        "id": row.id,
        "status": row.status,
        "tos_type": row.tos_type,
        "text": row.text,
        "enterprise": enterprise_of(acting_user(call)),
        "created_at": format_instant(row.created_at),
        "modified_at": format_instant(row.modified_at),
    }


def _status_object(call: Call, row: TermsOfServiceStatus) -> Shown:
    return {
        "type": row.type,
        "id": row.id,
        "tos": {"type": "terms_of_service", "id": row.tos_id},
        "user": user_mini(call, row.user_id),
        "is_accepted": row.is_accepted,
        "created_at": format_instant(row.created_at),
        "modified_at": format_instant(row.modified_at),
    }


def _find(call: Call, id: str) -> TermsOfService:
    row = call.db.find(TermsOfService, TermsOfService.id == id)
    if row is None:
        raise NotFound.of("terms_of_service", id)
    return row


@api.get("/terms_of_services")
def list_terms(call: Call, tos_type: Kind | None = None) -> Shown:
    """List the terms of service, optionally only those for managed or for external users.

    https://developer.box.com/reference/get-terms-of-services
    """
    where = [TermsOfService.tos_type == tos_type] if tos_type else []
    rows = call.db.rows(TermsOfService, *where, order=TermsOfService.id)
    return {"total_count": len(rows), "entries": [_terms_object(call, row) for row in rows]}


@api.post("/terms_of_services")
def create_terms(call: Call, status: Status, text: str, tos_type: Kind = "managed") -> Shown:
    """Create terms of service. The enterprise has at most one for managed and one for external users.

    https://developer.box.com/reference/post-terms-of-services
    """
    require_admin(call)
    if call.db.find(TermsOfService, TermsOfService.tos_type == tos_type):
        raise TermsOfServiceExists
    stamps = {"created_at": call.clock.iso(), "modified_at": call.clock.iso()}
    made = TermsOfService(id=new_id(call, 6), status=status, tos_type=tos_type, text=text, **stamps)
    return _terms_object(call, call.db.add(made))


@api.get("/terms_of_services/{terms_of_service_id}")
def get_terms(call: Call, terms_of_service_id: str) -> Shown:
    """Get terms of service.

    https://developer.box.com/reference/get-terms-of-services-id
    """
    return _terms_object(call, _find(call, terms_of_service_id))


@api.put("/terms_of_services/{terms_of_service_id}")
def update_terms(call: Call, terms_of_service_id: str, status: Status, text: str) -> Shown:
    """Change terms of service.

    https://developer.box.com/reference/put-terms-of-services-id
    """
    require_admin(call)
    row = _find(call, terms_of_service_id)
    return _terms_object(call, call.db.change(row, status=status, text=text, modified_at=call.clock.iso()))


@api.get("/terms_of_service_user_statuses")
def list_statuses(call: Call, tos_id: str, user_id: str = "") -> Shown:
    """List the users who have accepted or declined terms of service.

    https://developer.box.com/reference/get-terms-of-service-user-statuses
    """
    where: list[Expression] = [TermsOfServiceStatus.tos_id == _find(call, tos_id).id]
    if user_id or not is_admin(call):
        where.append(TermsOfServiceStatus.user_id == (user_id if is_admin(call) else call.actor))
    rows = call.db.rows(TermsOfServiceStatus, *where, order=TermsOfServiceStatus.id)
    return {"total_count": len(rows), "entries": [_status_object(call, row) for row in rows]}


@api.post("/terms_of_service_user_statuses", status=201)
def create_status(call: Call, tos: Terms, user: Whom, is_accepted: bool) -> Shown:
    """Record whether a user accepts the terms. Administrators may do so for other users.

    https://developer.box.com/reference/post-terms-of-service-user-statuses
    """
    terms, whom = _find(call, tos.id), find_user(call, user.id)
    _check_whose(call, whom.id)
    same = (TermsOfServiceStatus.tos_id == terms.id, TermsOfServiceStatus.user_id == whom.id)
    if call.db.find(TermsOfServiceStatus, *same):
        raise TermsOfServiceExists("The user has a status for these terms of service")
    stamps = {"created_at": call.clock.iso(), "modified_at": call.clock.iso()}
    made = TermsOfServiceStatus(id=new_id(call, 7), tos_id=terms.id, user_id=whom.id, is_accepted=is_accepted, **stamps)
    return _status_object(call, call.db.add(made))


@api.put("/terms_of_service_user_statuses/{terms_of_service_user_status_id}")
def update_status(call: Call, terms_of_service_user_status_id: str, is_accepted: bool) -> Shown:
    """Change whether a user accepts the terms.

    https://developer.box.com/reference/put-terms-of-service-user-statuses-id
    """
    row = call.db.find(TermsOfServiceStatus, TermsOfServiceStatus.id == terms_of_service_user_status_id)
    if row is None:
        raise NotFound.of("terms_of_service_user_status", terms_of_service_user_status_id)
    _check_whose(call, row.user_id)
    return _status_object(call, call.db.change(row, is_accepted=is_accepted, modified_at=call.clock.iso()))


def _check_whose(call: Call, user_id: str) -> None:
    if user_id != call.actor and not is_admin(call):
        raise AccessDeniedInsufficientPermissions


def check_accepted(call: Call, path: str) -> None:
    """Raise TermsOfServiceRequired for operations on items while the caller has not accepted the enterprise's terms.

    https://developer.box.com/guides/security/terms-of-service/flow
    """
    if path.removeprefix("/api").removeprefix("/2.0/").partition("/")[0] not in _ITEMS:
        return
    terms = call.db.find(TermsOfService, TermsOfService.tos_type == "managed", TermsOfService.status == "enabled")
    if terms is None:
        return
    of = (TermsOfServiceStatus.tos_id == terms.id, TermsOfServiceStatus.user_id == call.actor)
    said = call.db.find(TermsOfServiceStatus, *of)
    if said is None or not said.is_accepted:
        known = {"tos_user_status_id": said.id} if said else {}
        raise TermsOfServiceRequired(context_info={"tos_id": terms.id, **known})
