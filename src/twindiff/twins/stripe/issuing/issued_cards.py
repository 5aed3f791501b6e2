"""Issued cards: physical and virtual ones, their replacement and their shipping.

https://docs.stripe.com/api/issuing/cards
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import record_row, update
from ..core.objects import Fields, StripeObject, build_view, new, refer, resource, retrieve, show
from ..core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ..core.params import (
    Integer,
    ListParams,
    NestedParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
)
from .cardholders import CARDHOLDERS, Cardholder, HolderAddress, cardholder_object
from .spending_controls import DEFAULT_LIMIT, CardControls, build_controls, merge_controls

api = Operations(prefix="/v1")

YEARS_VALID = 3
DAYS_TO_ARRIVE = 7
DAY = 86_400


class IssuedCard(
    StripeObject,
    table="issuing_cards",
    key=("id",),
    unique=(("seq",),),
    indexes=(("cardholder", "seq"), ("last4",)),
):
    cancellation_reason: Column[str | None] = column(default=None)
    cardholder: Column[str]
    currency: Column[str]
    exp_month: Column[int]
    exp_year: Column[int]
    last4: Column[str]
    lifecycle_controls: Column[Json] = column(default=None)
    metadata: Column[Json] = column(default={})
    replaced_by: Column[str | None] = column(default=None)
    replacement_for: Column[str | None] = column(default=None)
    replacement_reason: Column[str | None] = column(default=None)
    second_line: Column[str | None] = column(default=None)
    shipping: Column[Json] = column(default=None)
    spending_controls: Column[Json] = column(default={})
    status: Column[str] = column(default="inactive")
    type: Column[str]


def _wallets(row: IssuedCard) -> Fields:
    eligible: Fields = {name: {"eligible": True, "ineligible_reason": None} for name in ("apple_pay", "google_pay")}
    return {**eligible, "primary_account_identifier": None}


def _fill(call: Call, cards: list[Fields]) -> None:
    """Set the cardholders, which cards show whole."""
    ids = {each["cardholder"] for each in cards}
    holders = {row.id: cardholder_object(row) for row in call.db.rows(Cardholder, Cardholder.id.in_(list(ids)))}
    for each in cards:
        each["cardholder"] = holders[each["cardholder"]]


def _number(call: Call, card: Fields) -> str:
    """Return the number of a virtual card, which ends with its last four digits."""
    _check_virtual(card, "number")
    return f"400000{sum(map(ord, card['id'])) % 10**6:06d}{card['last4']}"


def _security_code(call: Call, card: Fields) -> str:
    """Return the security code of a virtual card."""
    _check_virtual(card, "cvc")
    return f"{sum(map(ord, card['id'])) % 1000:03d}"


def _check_virtual(card: Fields, name: str) -> None:
    if card["type"] != "virtual":
        raise StripeError(f"The {name} of a physical card cannot be retrieved.", param="expand")


ISSUED_CARDS = resource(
    IssuedCard,
    "issuing.card",
    "ic_",
    build_view(
        IssuedCard,
        "issuing.card",
        brand="Visa",
        financial_account=None,
        latest_fraud_warning=None,
        personalization_design=None,
        wallets=_wallets,
    ),
    spoken="card",
    param="card",
    expandable=("cvc", "number", "replaced_by", "replacement_for"),
    includes={"number": _number, "cvc": _security_code},
    fill=_fill,
)


class AddressValidation(NestedParams):
    """How an address is validated."""

    mode: Literal["disabled", "normalization_only", "validation_and_normalization"]


class Customs(NestedParams):
    """What customs need to know."""

    eori_number: OptText = UNSET


class CardShipping(NestedParams):
    """Where a physical card is sent."""

    address: HolderAddress
    name: str
    address_validation: AddressValidation | UnsetType = UNSET
    business_name: OptText = UNSET
    customs: Customs | UnsetType = UNSET
    phone_number: OptText = UNSET
    require_signature: OptBool = UNSET
    service: Literal["express", "priority", "standard"] | UnsetType = UNSET
    type: Literal["bulk", "individual"] | UnsetType = UNSET


class Pin(NestedParams):
    """An encrypted PIN."""

    encrypted_number: OptText = UNSET


class CancelAfter(NestedParams):
    """The number of payments after which a card is canceled."""

    payment_count: Integer


class LifecycleControls(NestedParams):
    """When a card is canceled by itself."""

    cancel_after: CancelAfter


class CreateCard(Params, kw_only=True):
    """The parameters of a new card."""

    cardholder: OptName = UNSET
    currency: str
    exp_month: OptInteger = UNSET
    exp_year: OptInteger = UNSET
    financial_account: OptText = UNSET
    lifecycle_controls: LifecycleControls | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    personalization_design: OptText = UNSET
    pin: Pin | UnsetType = UNSET
    replacement_for: OptName = UNSET
    replacement_reason: Literal["damaged", "expired", "lost", "stolen"] | UnsetType = UNSET
    second_line: OptText = UNSET
    shipping: CardShipping | UnsetType = UNSET
    spending_controls: CardControls | UnsetType = UNSET
    status: Literal["active", "inactive"] | UnsetType = UNSET
    type: Literal["physical", "virtual"]


class UpdateCard(Params):
    """The parameters of an update."""

    cancellation_reason: Literal["lost", "stolen"] | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    personalization_design: OptText = UNSET
    pin: Pin | UnsetType = UNSET
    shipping: CardShipping | UnsetType = UNSET
    spending_controls: CardControls | UnsetType = UNSET
    status: Literal["active", "canceled", "inactive"] | UnsetType = UNSET


class ListCards(ListParams):
    """The parameters of a list of cards."""

    cardholder: OptName = UNSET
    created: OptRange = UNSET
    exp_month: OptInteger = UNSET
    exp_year: OptInteger = UNSET
    last4: OptText = UNSET
    personalization_design: OptText = UNSET
    status: Literal["active", "canceled", "inactive"] | UnsetType = UNSET
    type: Literal["physical", "virtual"] | UnsetType = UNSET


def _missing(name: str) -> StripeError:
    return StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)


def _build_shipping(call: Call, given: CardShipping) -> Fields:
    """Return the shipping of a card that is not sent yet."""
    empty = dict.fromkeys(HolderAddress.__struct_fields__)
    fields = collect_params(given)
    fields["address"] = {**empty, **fields["address"]}
    validation: Fields = fields.get("address_validation") or {}
    mode: str = validation.get("mode", "normalization_only")
    normalized = None if mode == "disabled" else fields["address"]
    result = "indeterminate" if mode == "validation_and_normalization" else None
    return {
        **dict.fromkeys(("business_name", "carrier", "customs", "phone_number", "require_signature")),
        "tracking_number": None,
        "tracking_url": None,
        "status": "pending",
        "service": "standard",
        "type": "individual",
        "eta": call.clock.unix() + DAYS_TO_ARRIVE * DAY,
        **fields,
        "address_validation": {"mode": mode, "normalized_address": normalized, "result": result},
    }


def _check_expiry(call: Call, params: CreateCard) -> None:
    today = call.clock.now
    if isinstance(params.exp_month, int) and not 1 <= params.exp_month <= 12:
        raise StripeError("The expiration month must be from 1 to 12.", param="exp_month")
    if isinstance(params.exp_year, int) and not today.year <= params.exp_year <= today.year + 10:
        raise StripeError("The expiration year must be one of the next ten years.", param="exp_year")


def _check_replacement(call: Call, params: CreateCard) -> IssuedCard | None:
    """Return the card that a new one replaces; raises StripeError for a reason without a card, and the reverse."""
    if bool(params.replacement_for) != bool(params.replacement_reason):
        raise _missing("replacement_reason" if params.replacement_for else "replacement_for")
    if not isinstance(params.replacement_for, str):
        return None
    card = refer(call, ISSUED_CARDS, params.replacement_for, "replacement_for")
    if card.replaced_by:
        raise StripeError(f"The card {card.id} has already been replaced.", param="replacement_for")
    if params.replacement_reason in ("lost", "stolen") and card.status != "canceled":
        message = f"The card {card.id} must be canceled before it is replaced as {params.replacement_reason}."
        raise StripeError(message, param="replacement_for")
    return card


@api.post("/issuing/cards")
def create_card(call: Call, params: Annotated[CreateCard, Body]) -> Fields:
    """Issue a card to a cardholder, or a card in place of another; it is inactive unless `status` says otherwise."""
    replaced = _check_replacement(call, params)
    holder = params.cardholder or (replaced and replaced.cardholder)
    if not holder:
        raise _missing("cardholder")
    refer(call, CARDHOLDERS, holder, "cardholder")
    _check_expiry(call, params)
    if params.type == "physical" and not isinstance(params.shipping, CardShipping):
        raise _missing("shipping")
    currency, today = parse_currency(params.currency), call.clock.now
    fields: dict[str, Any] = {"exp_month": today.month, "exp_year": today.year + YEARS_VALID}
    skipped = ("financial_account", "personalization_design", "pin", "shipping", "spending_controls")
    fields |= collect_params(params, "cardholder", "currency", *skipped)
    if params.type == "physical" and isinstance(params.shipping, CardShipping):
        fields["shipping"] = _build_shipping(call, params.shipping)
    made = new(
        call,
        ISSUED_CARDS,
        **fields,
        cardholder=holder,
        currency=currency,
        last4=f"{call.db.next('issuing_cards') % 10_000:04d}",
        metadata=merge_metadata({}, params.metadata),
        spending_controls=merge_controls(build_controls([DEFAULT_LIMIT], currency), params.spending_controls, currency),
    )
    if replaced:
        update(call, ISSUED_CARDS, replaced, "issuing_card.updated", replaced_by=made.id)
    record_row(call, "issuing_card.created", ISSUED_CARDS, made)
    return show(call, ISSUED_CARDS, made)


@api.get("/issuing/cards/{card}")
def retrieve_card(call: Call, card: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a card; number and security code of a virtual one only when expanded."""
    return show(call, ISSUED_CARDS, retrieve(call, ISSUED_CARDS, card))


@api.get("/issuing/cards")
def list_cards(call: Call, params: Annotated[ListCards, Body]) -> Fields:
    """List cards."""
    where = to_range_conditions(IssuedCard.created, params.created)
    where += to_reference_conditions(call, (IssuedCard.cardholder, params.cardholder, CARDHOLDERS))
    names = ("exp_month", "exp_year", "last4", "status", "type")
    where += equal(*((getattr(IssuedCard, name), getattr(params, name)) for name in names))
    return list_of(call, ISSUED_CARDS, params, "/v1/issuing/cards", *where)


@api.post("/issuing/cards/{card}")
def update_card(call: Call, card: str, params: Annotated[UpdateCard, Body]) -> Fields:
    """Update a card; a canceled one stays canceled."""
    row = retrieve(call, ISSUED_CARDS, card)
    if row.status == "canceled" and params.status in ("active", "inactive"):
        raise StripeError("You cannot change the status of a canceled card.", param="status")
    if params.cancellation_reason and "canceled" not in (params.status, row.status):
        message = "`cancellation_reason` can only be set when `status` is `canceled`."
        raise StripeError(message, param="cancellation_reason")
    fields = collect_params(params, "personalization_design", "pin", "shipping", "spending_controls")
    if isinstance(params.shipping, CardShipping):
        if row.shipping is None or row.shipping["status"] != "pending":
            raise StripeError("The shipping of this card can no longer be changed.", param="shipping")
        fields["shipping"] = _build_shipping(call, params.shipping)
    fields["spending_controls"] = merge_controls(row.spending_controls, params.spending_controls, row.currency)
    fields["metadata"] = merge_metadata(row.metadata, params.metadata)
    return show(call, ISSUED_CARDS, update(call, ISSUED_CARDS, row, "issuing_card.updated", **fields))


_SHIPPED = {"deliver": "delivered", "fail": "failure", "return": "returned", "ship": "shipped", "submit": "submitted"}
"""Status of a card's shipping by the test helper that sets it."""


def _ship(call: Call, card: str, action: str) -> Fields:
    """Set the status of a physical card's shipping."""
    row = retrieve(call, ISSUED_CARDS, card)
    if row.shipping is None:
        raise StripeError("Only physical cards are shipped.", param="card")
    shipping = {**row.shipping, "status": _SHIPPED[action]}
    if action == "ship":
        shipping |= {"carrier": "usps", "tracking_number": f"94{row.seq:020d}", "tracking_url": None}
    return show(call, ISSUED_CARDS, update(call, ISSUED_CARDS, row, "issuing_card.updated", shipping=shipping))


@api.post("/test_helpers/issuing/cards/{card}/shipping/deliver")
def deliver_card(call: Call, card: str, params: Annotated[Params, Body]) -> Fields:
    """Mark a card as delivered."""
    return _ship(call, card, "deliver")


@api.post("/test_helpers/issuing/cards/{card}/shipping/fail")
def fail_card(call: Call, card: str, params: Annotated[Params, Body]) -> Fields:
    """Mark the shipping of a card as failed."""
    return _ship(call, card, "fail")


@api.post("/test_helpers/issuing/cards/{card}/shipping/return")
def return_card(call: Call, card: str, params: Annotated[Params, Body]) -> Fields:
    """Mark a card as returned."""
    return _ship(call, card, "return")


@api.post("/test_helpers/issuing/cards/{card}/shipping/ship")
def ship_card(call: Call, card: str, params: Annotated[Params, Body]) -> Fields:
    """Mark a card as shipped."""
    return _ship(call, card, "ship")


@api.post("/test_helpers/issuing/cards/{card}/shipping/submit")
def submit_card(call: Call, card: str, params: Annotated[Params, Body]) -> Fields:
    """Mark a card as handed to its maker."""
    return _ship(call, card, "submit")
