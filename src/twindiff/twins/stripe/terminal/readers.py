"""Readers: devices that take cards in person. Those of test mode are simulated.

https://docs.stripe.com/api/terminal/readers
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import update
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, new, new_id, refer, resource, retrieve
from ..core.pagination import equal, list_of
from ..core.params import ListParams, OptMetadata, OptName, OptText, Params, collect_params, merge_metadata
from .locations import existing_location

api = Operations(prefix="/v1/terminal/readers")

SIMULATED = {
    "simulated-s700": "simulated_stripe_s700",
    "simulated-s710": "simulated_stripe_s710",
    "simulated-v660p": "simulated_verifone_v660p",
    "simulated-wpe": "simulated_wisepos_e",
}
"""Types of simulated readers by registration code; https://docs.stripe.com/terminal/references/testing"""


DeviceType = Literal[
    "bbpos_chipper2x", "bbpos_wisepad3", "bbpos_wisepos_e", "mobile_phone_reader", "simulated_stripe_s700",
    "simulated_stripe_s710", "simulated_verifone_m425", "simulated_verifone_p630", "simulated_verifone_ux700",
    "simulated_verifone_v660p", "simulated_wisepos_e", "stripe_m2", "stripe_s700", "stripe_s710", "verifone_P400",
    "verifone_m425", "verifone_p630", "verifone_ux700", "verifone_v660p",
]  # fmt: skip


class Reader(
    StripeObject,
    table="terminal_readers",
    key=("id",),
    unique=(("seq",),),
    indexes=(("location", "seq"), ("serial_number",)),
):
    action: Column[Json] = column(default=None)
    deleted: Column[bool] = column(default=False)
    device_sw_version: Column[str | None] = column(default=None)
    device_type: Column[str]
    ip_address: Column[str | None] = column(default="192.168.2.2")
    label: Column[str]
    last_seen_at: Column[int | None] = column(default=None, derived=True)
    location: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    serial_number: Column[str]
    status: Column[str] = column(default="online")


_existing = build_view(Reader, "terminal.reader", "deleted", created=LEFT_OUT)


def reader_object(row: Reader) -> Fields:
    """Render a reader; a deleted one has only its id, type and serial number."""
    if row.deleted:
        stub = {"device_type": row.device_type, "serial_number": row.serial_number}
        return {"id": row.id, "object": "terminal.reader", "deleted": True, **stub}
    return _existing(row)


READERS = resource(
    Reader,
    "terminal.reader",
    "tmr_",
    reader_object,
    spoken="reader",
    param="reader",
    expandable=(
        "location",
        *(f"action.process_payment_intent.{name}" for name in ("payment_intent", "setup_intent", "charge", "refund")),
    ),
)


class UpdateReader(Params):
    """The parameters of an update."""

    label: OptText = UNSET
    metadata: OptMetadata = UNSET


class CreateReader(UpdateReader, kw_only=True):
    """The parameters of a registration."""

    location: OptName = UNSET
    registration_code: str


class ListReaders(ListParams):
    """The parameters of a list of readers."""

    device_type: DeviceType | UnsetType = UNSET
    location: OptName = UNSET
    serial_number: OptText = UNSET
    status: Literal["offline", "online"] | UnsetType = UNSET


def existing_reader(call: Call, id: str) -> Reader:
    """Return a reader that is not deleted."""
    return refer(call, READERS, id, "reader", 404)


@api.post("")
def create_reader(call: Call, params: Annotated[CreateReader, Body]) -> Fields:
    """Register a simulated reader by one of the codes for testing; no other reader shows a code here."""
    code = params.registration_code
    if code not in SIMULATED:
        message = f"The registration code '{code[:100]}' is not valid. Use one of {', '.join(SIMULATED)} in test mode."
        raise StripeError(message, param="registration_code")
    location = existing_location(call, params.location).id if params.location else None
    made = new(
        call,
        READERS,
        device_type=SIMULATED[code],
        label=params.label or code,
        last_seen_at=call.clock.unix() * 1000,
        location=location,
        metadata=merge_metadata({}, params.metadata),
        serial_number=new_id(call, f"{code.replace('-', '_')}_", 12),
    )
    return reader_object(made)


@api.get("/{reader}")
def retrieve_reader(call: Call, reader: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a reader, or what is left of a deleted one."""
    return reader_object(retrieve(call, READERS, reader))


@api.get("")
def list_readers(call: Call, params: Annotated[ListReaders, Body]) -> Fields:
    """List readers, of one location, type, number or status."""
    if params.location:
        existing_location(call, params.location)
    where = equal(
        (Reader.deleted, False),
        (Reader.device_type, params.device_type),
        (Reader.location, params.location),
        (Reader.serial_number, params.serial_number),
        (Reader.status, params.status),
    )
    return list_of(call, READERS, params, "/v1/terminal/readers", *where)


@api.post("/{reader}")
def update_reader(call: Call, reader: str, params: Annotated[UpdateReader, Body]) -> Fields:
    """Update the label and the metadata of a reader."""
    row = existing_reader(call, reader)
    fields = collect_params(params)
    if fields.get("label", "") is None:
        fields["label"] = row.device_type
    metadata = merge_metadata(row.metadata, params.metadata)
    return reader_object(update(call, READERS, row, False, **fields, metadata=metadata))


@api.delete("/{reader}")
def delete_reader(call: Call, reader: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a reader."""
    return reader_object(call.db.change(existing_reader(call, reader), deleted=True, action=None))
