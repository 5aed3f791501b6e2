"""Coupons: a percentage or an amount off, for a duration.

https://docs.stripe.com/api/coupons
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import record, update
from ..core.objects import Fields, StripeObject, build_view, find, new, now, refer, resource, retrieve
from ..core.pagination import list_of, to_range_conditions
from ..core.params import (
    Integer,
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    check_percentage,
    collect_params,
    is_set,
    merge_metadata,
)
from .price_calculation import percentage, shares
from .prices import check_keys
from .product_tables import PRODUCTS

api = Operations(prefix="/v1/coupons")


class Coupon(StripeObject, table="coupons", key=("id",), unique=(("seq",),)):
    amount_off: Column[int | None] = column(default=None)
    currency: Column[str | None] = column(default=None)
    duration: Column[str] = column(default="once")
    duration_in_months: Column[int | None] = column(default=None)
    max_redemptions: Column[int | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    name: Column[str | None] = column(default=None)
    percent_off: Column[float | None] = column(default=None)
    redeem_by: Column[int | None] = column(default=None)
    times_redeemed: Column[int] = column(default=0, derived=True)
    valid: Column[bool] = column(default=True)
    applies_to: Column[Json] = column(default=None)
    currency_options: Column[Json] = column(default={})
    deleted: Column[bool] = column(default=False)


coupon_object = build_view(Coupon, "coupon", "applies_to", "currency_options", "deleted")


def _applies_to(call: Call, fields: Fields) -> Any:
    return retrieve(call, COUPONS, fields["id"]).applies_to


def _currency_options(call: Call, fields: Fields) -> Any:
    coupon = retrieve(call, COUPONS, fields["id"])
    own = {coupon.currency: {"amount_off": coupon.amount_off}} if coupon.currency else {}
    return {**own, **coupon.currency_options}


COUPONS = resource(
    Coupon,
    "coupon",
    "",
    coupon_object,
    param="coupon",
    id_length=8,
    includes={"applies_to": _applies_to, "currency_options": _currency_options},
)


class AppliesTo(NestedParams):
    """The products that a coupon applies to."""

    products: list[str] | UnsetType = UNSET


class AmountOff(NestedParams):
    """The amount off in another currency."""

    amount_off: Integer


class CouponParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    longest: ClassVar = {"name": 40}

    currency_options: dict[str, AmountOff] | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    name: OptText = UNSET


class CreateCoupon(CouponParams):
    """The parameters of a new coupon."""

    amount_off: OptInteger = UNSET
    applies_to: AppliesTo | UnsetType = UNSET
    currency: OptName = UNSET
    duration: Literal["forever", "once", "repeating"] | UnsetType = UNSET
    duration_in_months: OptInteger = UNSET
    id: OptText = UNSET
    max_redemptions: OptInteger = UNSET
    percent_off: float | UnsetType = UNSET
    redeem_by: OptInteger = UNSET


class ListCoupons(ListParams):
    """The parameters of a list of coupons."""

    created: OptRange = UNSET


@api.post("")
def create_coupon(call: Call, params: Annotated[CreateCoupon, Body]) -> Fields:
    """Create a coupon."""
    _check(call, params)
    fields = collect_params(params)
    _free(call, fields.get("id"))
    if "currency" in fields:
        fields["currency"] = parse_currency(fields["currency"])
    made = new(call, COUPONS, **fields, metadata=merge_metadata({}, params.metadata))
    record(call, "coupon.created", coupon_object(made))
    return coupon_object(made)


@api.get("/{coupon}")
def retrieve_coupon(call: Call, coupon: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a coupon."""
    return coupon_object(_existing(call, coupon))


@api.post("/{coupon}")
def update_coupon(call: Call, coupon: str, params: Annotated[CouponParams, Body]) -> Fields:
    """Update the mutable fields of a coupon."""
    row = _existing(call, coupon)
    fields = collect_params(params)
    if isinstance(params.currency_options, dict):
        check_keys(params.currency_options)
        fields["currency_options"] = {**row.currency_options, **fields["currency_options"]}
    return coupon_object(update(call, COUPONS, row, **fields, metadata=merge_metadata(row.metadata, params.metadata)))


@api.delete("/{coupon}")
def delete_coupon(call: Call, coupon: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a coupon; existing discounts stay valid."""
    row = _existing(call, coupon)
    deleted = call.db.change(row, deleted=True, valid=False)
    record(call, "coupon.deleted", coupon_object(deleted))
    return {"id": row.id, "object": "coupon", "deleted": True}


@api.get("")
def list_coupons(call: Call, params: Annotated[ListCoupons, Body]) -> Fields:
    """List coupons."""
    where = to_range_conditions(Coupon.created, params.created)
    return list_of(call, COUPONS, params, "/v1/coupons", ~Coupon.deleted, *where)


@api.due(Coupon.redeem_by, Coupon.valid)
def expire_coupon(call: Call, coupon: Coupon) -> None:
    """Scheduled job: invalidate a coupon whose `redeem_by` has passed."""
    update(call, COUPONS, coupon, valid=False)


def check_redeemable(coupon: Coupon, param: str) -> None:
    """Raise StripeError for a coupon that has expired or been redeemed as often as it can be."""
    if not coupon.valid:
        raise StripeError(f"Coupon expired: {coupon.id}", code="coupon_expired", param=param)


def redeem(call: Call, coupon: Coupon) -> None:
    """Count a redemption of a coupon; raises StripeError if it is no longer valid."""
    check_redeemable(coupon, "coupon")
    times = coupon.times_redeemed + 1
    valid = coupon.max_redemptions is None or times < coupon.max_redemptions
    update(call, COUPONS, coupon, times_redeemed=times, valid=valid)


def takes_off(coupon: Coupon, product: str | None) -> bool:
    """Return whether a coupon applies to a product; one without products applies to all."""
    applies: Fields = coupon.applies_to or {}
    products: list[str] | None = applies.get("products")
    return not products or product in products


def check_coupon_currency(coupon: Coupon, currency: str, param: str) -> None:
    """Raise StripeError for an amount off that a coupon does not have in a currency."""
    if coupon.amount_off is None or currency == coupon.currency or currency in coupon.currency_options:
        return
    message = (
        f"The coupon `{coupon.id}` only supports `{coupon.currency}`. This doesn't match the expected currency: "
        f"`{currency}`."
    )
    raise StripeError(message, param=param)


def off_each(coupon: Coupon, amounts: Sequence[int], currency: str | None) -> list[int]:
    """Return the discount on each amount; an amount off is divided among them in proportion."""
    if coupon.percent_off is not None:
        return [percentage(amount, coupon.percent_off) for amount in amounts]
    options: dict[str, dict[str, int]] = coupon.currency_options
    off = coupon.amount_off if coupon.currency == currency else options.get(currency or "", {}).get("amount_off", 0)
    return shares(min(off or 0, sum(amounts)), amounts)


def check_future(call: Call, moment: OptInteger, name: str) -> None:
    """Raise StripeError for a time that is past or more than five years ahead."""
    if not isinstance(moment, int):
        return
    if moment <= now(call):
        raise StripeError(
            f"The parameter `{name}` expects a unix timestamp representing a date and time in the future. You "
            f"specified the value `{moment}` which is in the past.",
            param=name,
        )
    if moment > now(call) + 5 * 366 * 86400:
        raise StripeError("Invalid timestamp: can be no more than five years in the future.", param=name)


def _existing(call: Call, id: str) -> Coupon:
    return refer(call, COUPONS, id, "coupon", status=404)


def _check(call: Call, params: CreateCoupon) -> None:
    percent, amount = params.percent_off, params.amount_off
    if percent is UNSET and amount is UNSET:
        raise StripeError("Must provide percent_off or amount_off.", code="parameter_missing")
    if percent is not UNSET and amount is not UNSET:
        raise StripeError("Received both percent_off and amount_off parameters. Please pass in only one.")
    if isinstance(percent, float):
        _check_percent(percent, params)
    if isinstance(amount, int):
        _check_amount(amount, params)
    if isinstance(params.currency_options, dict):
        check_keys(params.currency_options)
    _check_duration(params)
    check_future(call, params.redeem_by, "redeem_by")
    if isinstance(params.max_redemptions, int) and params.max_redemptions < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="max_redemptions")
    if isinstance(params.applies_to, AppliesTo) and isinstance(params.applies_to.products, list):
        for number, product in enumerate(params.applies_to.products):
            refer(call, PRODUCTS, product, f"applies_to[products][{number}]")


def _check_percent(percent: float, params: CreateCoupon) -> None:
    check_percentage(percent, 0.01, "percent_off")
    if is_set(params.currency_options):
        message = "You may only specify one of these parameters: currency_options, percent_off."
        raise StripeError(message, param="currency_options")


def _check_amount(amount: int, params: CreateCoupon) -> None:
    if not is_set(params.currency):
        raise StripeError("You must pass currency when passing amount_off", param="currency")
    if amount < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="amount_off")


def _check_duration(params: CreateCoupon) -> None:
    months = params.duration_in_months
    if params.duration == "repeating" and not isinstance(months, int):
        message = "The duration_in_months param must be set when creating a coupon with a repeating duration"
        raise StripeError(message, param="duration")
    if params.duration != "repeating" and isinstance(months, int):
        message = "The duration_in_months param can only be set when creating a coupon with a repeating duration"
        raise StripeError(message, param="duration_in_months")
    if isinstance(months, int) and months < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="duration_in_months")


def _free(call: Call, id: str | None) -> None:
    """Raise StripeError for an id in use; the row of a deleted coupon with this id is removed."""
    if id and (known := find(call, COUPONS, id)):
        if not known.deleted:
            raise StripeError("Coupon already exists.", code="resource_already_exists")
        call.db.remove(known)
