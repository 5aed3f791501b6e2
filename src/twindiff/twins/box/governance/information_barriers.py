"""Information barriers and their reports.

A barrier with the status `pending` is enabled before the next request, and the previously enabled one is disabled.

https://developer.box.com/reference/resources/shield-information-barrier
"""

from __future__ import annotations

from typing import Literal

from twindiff.kit import Call, Operations, Struct
from twindiff.twins.box.wire_style import BadRequest, marker_page

from ..core.access import acting_user, require_admin
from ..core.errors import Conflict, NotFound
from ..core.folder_listing import rows_from
from ..core.row_stamps import format_instant, new_id
from ..enterprise.users import enterprise_of
from ..event_delivery.event_emission import record
from ..tables.barrier_tables import Barrier, BarrierReport
from ..views.item_views import Shown

api = Operations(prefix="/2.0")


class EnterpriseRef(Struct):
    """A reference to an enterprise."""

    id: str | None = None
    type: Literal["enterprise"] = "enterprise"


class BarrierRef(Struct):
    """A reference to a barrier."""

    id: str
    type: Literal["shield_information_barrier"] = "shield_information_barrier"


def by(user_id: str | None) -> Shown | None:
    """Render a user as barriers refer to them."""
    return {"type": "user", "id": user_id} if user_id else None


def _barrier_object(call: Call, barrier: Barrier) -> Shown:
    enterprise = {"type": "enterprise", "id": enterprise_of(acting_user(call))["id"]}
    shown = {
        "type": barrier.type,
        "id": barrier.id,
        "enterprise": enterprise,
        "status": barrier.status,
        "created_at": format_instant(barrier.created_at),
        "created_by": by(barrier.created_by_id),
        "updated_at": format_instant(barrier.updated_at or barrier.created_at),
        "updated_by": by(barrier.updated_by_id or barrier.created_by_id),
        "enabled_at": format_instant(barrier.enabled_at),
        "enabled_by": by(barrier.enabled_by_id),
    }
    return {name: value for name, value in shown.items() if value is not None}


def find_barrier(call: Call, id: str) -> Barrier:
    """Return a barrier; raise unless the caller is an administrator and the barrier exists."""
    require_admin(call)
    barrier = call.db.find(Barrier, Barrier.id == id)
    if barrier is None:
        raise NotFound.of("shield_information_barrier", id)
    return barrier


@api.get("/shield_information_barriers")
def list_barriers(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List the barriers.

    https://developer.box.com/reference/get-shield-information-barriers
    """
    require_admin(call)
    rows, more = rows_from(call, marker, limit, Barrier, order=Barrier.id)
    return marker_page([_barrier_object(call, row) for row in rows], limit, more)


@api.post("/shield_information_barriers", status=201)
def create_barrier(call: Call, enterprise: EnterpriseRef) -> Shown:
    """Create a draft barrier. It restricts no users until it is enabled.

    https://developer.box.com/reference/post-shield-information-barriers
    """
    require_admin(call)
    if enterprise.id != enterprise_of(acting_user(call))["id"]:
        raise NotFound.of("enterprise", enterprise.id or "")
    made = Barrier(id=new_id(call, 8), created_at=call.clock.iso(), created_by_id=call.actor)
    return _barrier_object(call, call.db.add(made))


@api.get("/shield_information_barriers/{shield_information_barrier_id}")
def get_barrier(call: Call, shield_information_barrier_id: str) -> Shown:
    """Get a barrier.

    https://developer.box.com/reference/get-shield-information-barriers-id
    """
    return _barrier_object(call, find_barrier(call, shield_information_barrier_id))


@api.post("/shield_information_barriers/change_status")
def change_status(call: Call, id: str, status: Literal["pending", "disabled"]) -> Shown:
    """Set the status of a barrier: `pending`, after which it is enabled, or `disabled`.

    https://developer.box.com/reference/post-shield-information-barriers-change-status
    """
    barrier = find_barrier(call, id)
    fits = ("draft", "disabled") if status == "pending" else ("pending", "enabled")
    if barrier.status not in fits:
        raise Conflict(f"A barrier that is {barrier.status} cannot be made {status}")
    due = call.clock.iso() if status == "pending" else None
    return _barrier_object(call, _become(call, barrier, status, enables_at=due))


def _become(call: Call, barrier: Barrier, status: str, **columns: str | None) -> Barrier:
    stamp = {"updated_at": call.clock.iso(), "updated_by_id": call.actor}
    now = call.db.change(barrier, status=status, **stamp, **columns)
    event = f"SHIELD_INFORMATION_BARRIER_{status.upper()}"
    record(call, event, {"type": barrier.type, "id": barrier.id}, owner=call.actor)
    return now


@api.due(Barrier.enables_at, Barrier.status == "pending", actor=Barrier.updated_by_id)
def enable(call: Call, barrier: Barrier) -> None:
    """Enable a barrier and disable the previously enabled one."""
    for former in call.db.rows(Barrier, Barrier.status == "enabled"):
        _become(call, former, "disabled")
    enabled = {"enabled_at": call.clock.iso(), "enabled_by_id": call.actor}
    _become(call, barrier, "enabled", enables_at=None, **enabled)


def _report_object(report: BarrierReport) -> Shown:
    barrier = {"type": "shield_information_barrier", "id": report.barrier_id}
    shown = {
        "type": report.type,
        "id": report.id,
        "shield_information_barrier": {"shield_information_barrier": barrier},
        "status": report.status,
        "created_at": format_instant(report.created_at),
        "created_by": by(report.created_by_id),
        "updated_at": format_instant(report.created_at),
    }
    return {name: value for name, value in shown.items() if value is not None}


@api.get("/shield_information_barrier_reports")
def list_reports(call: Call, shield_information_barrier_id: str, marker: str = "", limit: int = 100) -> Shown:
    """List the reports on a barrier.

    https://developer.box.com/reference/get-shield-information-barrier-reports
    """
    barrier = find_barrier(call, shield_information_barrier_id)
    on = BarrierReport.barrier_id == barrier.id
    rows, more = rows_from(call, marker, limit, BarrierReport, on, order=BarrierReport.id)
    return marker_page([_report_object(row) for row in rows], limit, more)


@api.post("/shield_information_barrier_reports", status=201)
def create_report(call: Call, shield_information_barrier: BarrierRef | None = None) -> Shown:
    """Create a report on a barrier. It is done at once, and no file is written for it.

    https://developer.box.com/reference/post-shield-information-barrier-reports
    """
    if shield_information_barrier is None:
        said = "'shield_information_barrier' is required"
        raise BadRequest.of("missing_parameter", "shield_information_barrier", said)
    barrier = find_barrier(call, shield_information_barrier.id)
    made = BarrierReport(
        id=new_id(call, 8), barrier_id=barrier.id, created_at=call.clock.iso(), created_by_id=call.actor
    )
    return _report_object(call.db.add(made))


@api.get("/shield_information_barrier_reports/{shield_information_barrier_report_id}")
def get_report(call: Call, shield_information_barrier_report_id: str) -> Shown:
    """Get a report.

    https://developer.box.com/reference/get-shield-information-barrier-reports-id
    """
    require_admin(call)
    report = call.db.find(BarrierReport, BarrierReport.id == shield_information_barrier_report_id)
    if report is None:
        raise NotFound.of("shield_information_barrier_report", shield_information_barrier_report_id)
    return _report_object(report)
