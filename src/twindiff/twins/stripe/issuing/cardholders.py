"""Cardholders: people and companies to whom cards are issued.

https://docs.stripe.com/api/issuing/cardholders
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, column

from ..core.events import record_row, update
from ..core.objects import Fields, StripeObject, build_view, new, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions
from ..core.params import (
    Integer,
    ListParams,
    NestedParams,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    UnsetType,
    collect_params,
    merge_metadata,
)
from ..tables.customer_tables import check_email
from .spending_controls import HolderControls, build_controls, merge_controls

api = Operations(prefix="/v1/issuing/cardholders")


class Cardholder(
    StripeObject,
    table="issuing_cardholders",
    key=("id",),
    unique=(("seq",),),
    indexes=(("email", "seq"), ("status", "seq")),
):
    billing: Column[Json]
    company: Column[Json] = column(default=None)
    email: Column[str | None] = column(default=None)
    individual: Column[Json] = column(default=None)
    metadata: Column[Json] = column(default={})
    name: Column[str]
    phone_number: Column[str | None] = column(default=None)
    preferred_locales: Column[Json] = column(default=None)
    spending_controls: Column[Json] = column(default={})
    status: Column[str] = column(default="active")
    type: Column[str] = column(default="individual")


def _requirements(row: Cardholder) -> Fields:
    return {"disabled_reason": None, "past_due": []}


cardholder_object = build_view(Cardholder, "issuing.cardholder", requirements=_requirements)
CARDHOLDERS = resource(
    Cardholder, "issuing.cardholder", "ich_", cardholder_object, spoken="cardholder", param="cardholder"
)


class HolderAddress(NestedParams):
    """A postal address."""

    city: OptName
    country: OptName
    line1: OptName
    postal_code: OptName
    line2: OptText = UNSET
    state: OptText = UNSET


class HolderBilling(NestedParams):
    """Where a cardholder lives or a company is."""

    address: HolderAddress


class Company(NestedParams):
    """A company."""

    tax_id: OptText = UNSET


class Birthday(NestedParams):
    """A date of birth."""

    day: Integer
    month: Integer
    year: Integer


class Acceptance(NestedParams):
    """When and from where a cardholder accepted the terms."""

    date: Integer | UnsetType = UNSET
    ip: OptText = UNSET
    user_agent: OptText = UNSET


class CardIssuing(NestedParams):
    """What a cardholder accepted."""

    user_terms_acceptance: Acceptance | UnsetType = UNSET


class HolderDocument(NestedParams):
    """Files of an identity document."""

    back: OptText = UNSET
    front: OptText = UNSET


class Verification(NestedParams):
    """An identity document."""

    document: HolderDocument | UnsetType = UNSET


class Individual(NestedParams):
    """A person."""

    card_issuing: CardIssuing | UnsetType = UNSET
    dob: Birthday | UnsetType = UNSET
    first_name: OptText = UNSET
    last_name: OptText = UNSET
    verification: Verification | UnsetType = UNSET


class HolderParams(Params):
    """Parameters shared by creation and update."""

    company: Company | UnsetType = UNSET
    email: OptText = UNSET
    individual: Individual | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    phone_number: OptText = UNSET
    preferred_locales: list[Literal["de", "en", "es", "fr", "it"]] | UnsetType = UNSET
    spending_controls: HolderControls | UnsetType = UNSET
    status: Literal["active", "inactive"] | UnsetType = UNSET


class CreateHolder(HolderParams, kw_only=True):
    """The parameters of a new cardholder."""

    billing: HolderBilling
    name: str
    type: Literal["company", "individual"] | UnsetType = UNSET


class UpdateHolder(HolderParams):
    """The parameters of an update."""

    billing: HolderBilling | UnsetType = UNSET


class ListHolders(ListParams):
    """The parameters of a list of cardholders."""

    created: OptRange = UNSET
    email: OptText = UNSET
    phone_number: OptText = UNSET
    status: Literal["active", "blocked", "inactive"] | UnsetType = UNSET
    type: Literal["company", "individual"] | UnsetType = UNSET


def _collect(params: HolderParams) -> Fields:
    """Return the columns that parameters give; what is left out of a nested object is null."""
    if params.email:
        check_email(params.email, "email")
    fields = collect_params(params, "spending_controls")
    if "billing" in fields:
        empty = dict.fromkeys(HolderAddress.__struct_fields__)
        fields["billing"] = {"address": {**empty, **fields["billing"]["address"]}}
    if fields.get("company") is not None:
        fields["company"] = {"tax_id_provided": bool(fields["company"].get("tax_id"))}
    if fields.get("individual") is not None:
        empty = {"dob": None, "first_name": None, "last_name": None, "verification": None}
        fields["individual"] = {**empty, **fields["individual"]}
    return fields


@api.post("")
def create_cardholder(call: Call, params: Annotated[CreateHolder, Body]) -> Fields:
    """Create a cardholder."""
    controls = merge_controls(build_controls([], None), params.spending_controls, None)
    metadata = merge_metadata({}, params.metadata)
    made = new(call, CARDHOLDERS, **_collect(params), spending_controls=controls, metadata=metadata)
    record_row(call, "issuing_cardholder.created", CARDHOLDERS, made)
    return cardholder_object(made)


@api.get("/{cardholder}")
def retrieve_cardholder(call: Call, cardholder: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a cardholder."""
    return cardholder_object(retrieve(call, CARDHOLDERS, cardholder))


@api.get("")
def list_cardholders(call: Call, params: Annotated[ListHolders, Body]) -> Fields:
    """List cardholders, by email, phone, status or type."""
    where = to_range_conditions(Cardholder.created, params.created)
    names = ("email", "phone_number", "status", "type")
    where += equal(*((getattr(Cardholder, name), getattr(params, name)) for name in names))
    return list_of(call, CARDHOLDERS, params, "/v1/issuing/cardholders", *where)


@api.post("/{cardholder}")
def update_cardholder(call: Call, cardholder: str, params: Annotated[UpdateHolder, Body]) -> Fields:
    """Update the given fields of a cardholder."""
    row = retrieve(call, CARDHOLDERS, cardholder)
    controls = merge_controls(row.spending_controls, params.spending_controls, None)
    metadata = merge_metadata(row.metadata, params.metadata)
    fields = {**_collect(params), "spending_controls": controls, "metadata": metadata}
    return cardholder_object(update(call, CARDHOLDERS, row, "issuing_cardholder.updated", **fields))
