"""Discounts: coupons applied to a customer's invoices, subscriptions or items.

https://docs.stripe.com/api/discounts
"""

from __future__ import annotations

from collections.abc import Sequence

from twindiff.kit import UNSET, Call, Column, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, find, new, now, refer, resource
from ..core.params import NestedParams, OptName, Unset
from ..core.periods import shift_time
from .coupons import COUPONS, Coupon, check_coupon_currency, redeem
from .promotion_codes import PROMOTION_CODES, check_code, check_minimum, count_use


class Discount(
    StripeObject, table="discounts", key=("id",), unique=(("seq",),), indexes=(("subscription",), ("customer",))
):
    customer: Column[str | None] = column(default=None)
    end: Column[int | None] = column(default=None)
    invoice: Column[str | None] = column(default=None)
    invoice_item: Column[str | None] = column(default=None)
    promotion_code: Column[str | None] = column(default=None)
    start: Column[int]
    subscription: Column[str | None] = column(default=None)
    subscription_item: Column[str | None] = column(default=None)
    coupon: Column[str]


def _source(row: Discount) -> Fields:
    return {"type": "coupon", "coupon": row.coupon}


discount_object = build_view(
    Discount,
    "discount",
    "coupon",
    created=LEFT_OUT,
    livemode=LEFT_OUT,
    checkout_session=None,
    customer_account=None,
    source=_source,
)
DISCOUNTS = resource(
    Discount,
    "discount",
    "di_",
    discount_object,
    expandable=("customer", "promotion_code", "source.coupon", "discounts.discounts", "discounts.discount"),
)


class DiscountParams(NestedParams):
    """A coupon, a promotion code, or an existing discount."""

    coupon: OptName = UNSET
    discount: OptName = UNSET
    promotion_code: OptName = UNSET


OptDiscounts = list[DiscountParams] | Unset | UnsetType


def create_discounts(
    call: Call,
    wanted: OptDiscounts,
    customer: str | None,
    at: str = "discounts",
    *,
    currency: str | None = None,
    is_checked: bool = False,
    **holder: str | None,
) -> list[str]:
    """Create the requested discounts and return their ids; `holder` is their owner, such as `subscription=id`.

    Raises StripeError for a coupon that takes nothing off in `currency`, if that is known already, and for a promotion
    code that the customer cannot use, unless a purchase with it `is_checked`.
    """
    if not isinstance(wanted, list):
        return []
    ids: list[str] = []
    for number, each in enumerate(wanted):
        param = f"{at}[{number}]"
        if isinstance(each.promotion_code, str) and each.promotion_code and not is_checked:
            code = refer(call, PROMOTION_CODES, each.promotion_code, f"{param}[promotion_code]")
            check_code(call, code, customer, f"{param}[promotion_code]")
        ids.append(_create_discount(call, each, customer, param, holder))
    if currency:
        check_discount_currencies(call, ids, currency, at)
    return ids


def check_discount_currencies(call: Call, ids: Sequence[str], currency: str, at: str = "discounts") -> None:
    """Raise StripeError for discounts that take nothing off in a currency."""
    for number, (_, coupon) in enumerate(coupons_of(call, ids, now(call))):
        check_coupon_currency(coupon, currency, f"{at}[{number}]")


def check_minimums(call: Call, ids: Sequence[str], amount: int, currency: str, at: str = "discounts") -> None:
    """Raise StripeError for discounts by promotion codes whose minimum a purchase does not reach."""
    rows = {row.id: row for row in call.db.rows(Discount, Discount.id.in_(list(ids)))} if ids else {}
    for number, id in enumerate(ids):
        code = rows[id].promotion_code if id in rows else None
        if code:
            check_minimum(refer(call, PROMOTION_CODES, code, at), amount, currency, f"{at}[{number}][promotion_code]")


def _create_discount(
    call: Call, wanted: DiscountParams, customer: str | None, at: str, holder: dict[str, str | None]
) -> str:
    if isinstance(wanted.discount, str) and wanted.discount:
        return refer(call, DISCOUNTS, wanted.discount, f"{at}[discount]").id
    code = None
    if isinstance(wanted.promotion_code, str) and wanted.promotion_code:
        code = refer(call, PROMOTION_CODES, wanted.promotion_code, f"{at}[promotion_code]")
        count_use(call, code)
        coupon = refer(call, COUPONS, code.coupon, "coupon")
    elif isinstance(wanted.coupon, str) and wanted.coupon:
        coupon = refer(call, COUPONS, wanted.coupon, f"{at}[coupon]")
    else:
        raise StripeError("You must pass one of coupon, discount or promotion_code.", param=at)
    redeem(call, coupon)
    made = new(
        call,
        DISCOUNTS,
        customer=customer,
        coupon=coupon.id,
        promotion_code=code.id if code else None,
        start=now(call),
        end=_end(coupon, now(call)),
        **holder,
    )
    if customer:
        record_row(call, "customer.discount.created", DISCOUNTS, made)
    return made.id


def _end(coupon: Coupon, start: int) -> int | None:
    return shift_time(start, "month", coupon.duration_in_months or 0) if coupon.duration == "repeating" else None


def coupons_of(call: Call, ids: Sequence[str], at: int) -> list[tuple[str, Coupon]]:
    """Return the ids and coupons of the discounts in `ids` that are active at a time."""
    if not ids:
        return []
    rows = {row.id: row for row in call.db.rows(Discount, Discount.id.in_(ids))}
    coupons: list[tuple[str, Coupon]] = []
    for id in ids:
        row = rows.get(id)
        coupon = find(call, COUPONS, row.coupon) if row and (row.end is None or row.end > at) else None
        if coupon:
            coupons.append((id, coupon))
    return coupons


def record_deleted_discount(call: Call, id: str) -> Fields:
    """Record the deletion of a discount and return it rendered as deleted."""
    row = refer(call, DISCOUNTS, id, "discount")
    record_row(call, "customer.discount.deleted", DISCOUNTS, row)
    left = {name: value for name, value in discount_object(row).items() if name != "end"}
    return {**left, "deleted": True}


def end_one_time_discounts(call: Call, ids: Sequence[str]) -> list[str]:
    """End the one-time discounts after an invoice; returns the ids of the others."""
    once = {id for id, coupon in coupons_of(call, ids, now(call)) if coupon.duration == "once"}
    for id in once:
        row = refer(call, DISCOUNTS, id, "discount")
        call.db.change(row, end=now(call))
        record_row(call, "customer.discount.deleted", DISCOUNTS, row)
    return [id for id in ids if id not in once]
