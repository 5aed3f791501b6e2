"""Device pins: the devices with which users access Box. They come from templates, since no request creates one.

https://developer.box.com/reference/resources/device-pinner
"""

from __future__ import annotations

from typing import Literal

from twindiff.kit import Call, Operations
from twindiff.twins.box.wire_style import BadRequest, check_limit

from ..core.access import acting_user, require_admin
from ..core.errors import NotFound
from ..tables.administration_tables import DevicePin
from ..views.item_views import Shown, user_mini
from .users import enterprise_of

api = Operations(prefix="/2.0")


def _pin_object(call: Call, pin: DevicePin) -> Shown:
    owner = user_mini(call, pin.owned_by_id)
    return {"type": pin.type, "id": pin.id, "owned_by": owner, "product_name": pin.product_name or ""}


def _find(call: Call, id: str) -> DevicePin:
    require_admin(call)
    pin = call.db.find(DevicePin, DevicePin.id == id)
    if pin is None:
        raise NotFound.of("device_pinner", id)
    return pin


@api.get("/enterprises/{enterprise_id}/device_pinners")
def list_pins(
    call: Call,
    enterprise_id: str,
    marker: str = "0",
    limit: int = 100,
    direction: Literal["ASC", "DESC", "asc", "desc"] = "ASC",
) -> Shown:
    """List the pins of the enterprise's users by id. Markers are numbers here.

    https://developer.box.com/reference/get-enterprises-id-device-pinners
    """
    require_admin(call)
    if enterprise_id != enterprise_of(acting_user(call))["id"]:
        raise NotFound.of("enterprise", enterprise_id)
    if not (marker.isascii() and marker.isdecimal() and len(marker) < 10):
        raise BadRequest.of("invalid_parameter", "marker", f"Invalid value '{marker[:40]}'. It is no marker.")
    start, order = int(marker), DevicePin.id if direction.upper() == "ASC" else -DevicePin.id
    rows = call.db.rows(DevicePin, order=order, limit=check_limit(limit) + 1, offset=start)
    return {
        "entries": [_pin_object(call, row) for row in rows[:limit]],
        "limit": limit,
        **({"next_marker": start + limit} if len(rows) > limit else {}),
        "order": [{"by": "id", "direction": direction.lower()}],
    }


@api.get("/device_pinners/{device_pinner_id}")
def get_pin(call: Call, device_pinner_id: str) -> Shown:
    """Get a pin.

    https://developer.box.com/reference/get-device-pinners-id
    """
    return _pin_object(call, _find(call, device_pinner_id))


@api.delete("/device_pinners/{device_pinner_id}", status=204)
def delete_pin(call: Call, device_pinner_id: str) -> None:
    """Delete a device pin.

    https://developer.box.com/reference/delete-device-pinners-id
    """
    call.db.remove(_find(call, device_pinner_id))
