"""Promotion codes: customer-facing codes for coupons.

https://docs.stripe.com/api/promotion_codes
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record, update
from ..core.objects import Fields, StripeObject, build_view, new, refer, resource, retrieve
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
from ..tables.charge_tables import Charge
from ..tables.customer_tables import CUSTOMERS
from .coupons import COUPONS, Coupon, check_future

api = Operations(prefix="/v1/promotion_codes")

NO_RESTRICTIONS: Fields = {
    "first_time_transaction": False,
    "minimum_amount": None,
    "minimum_amount_currency": None,
}
_CODE = re.compile(r"[a-zA-Z0-9\-_]+")


class PromotionCode(
    StripeObject, table="promotion_codes", key=("id",), unique=(("seq",),), indexes=(("code", "seq"), ("coupon",))
):
    active: Column[bool] = column(default=True)
    code: Column[str]
    customer: Column[str | None] = column(default=None)
    expires_at: Column[int | None] = column(default=None)
    max_redemptions: Column[int | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    restrictions: Column[Json] = column(default={})
    times_redeemed: Column[int] = column(default=0, derived=True)
    coupon: Column[str]


def _promotion(row: PromotionCode) -> Fields:
    return {"type": "coupon", "coupon": row.coupon}


promotion_code_object = build_view(
    PromotionCode,
    "promotion_code",
    "coupon",
    customer_account=None,
    promotion=_promotion,
)
PROMOTION_CODES = resource(
    PromotionCode,
    "promotion_code",
    "promo_",
    promotion_code_object,
    spoken="promotion code",
    param="promotion_code",
    expandable=("customer", "promotion.coupon"),
)


class Promotion(NestedParams):
    """The coupon of a code."""

    type: Literal["coupon"]
    coupon: OptName = UNSET


class MinimumAmount(NestedParams):
    """The minimum purchase in a currency."""

    minimum_amount: Integer


class ChangedRestrictions(NestedParams):
    """The mutable restrictions."""

    currency_options: dict[str, MinimumAmount] | UnsetType = UNSET


class Restrictions(ChangedRestrictions):
    """Who may use a code, and for which purchases."""

    first_time_transaction: OptBool = UNSET
    minimum_amount: OptInteger = UNSET
    minimum_amount_currency: OptText = UNSET


class CreatePromotionCode(Params):
    """The parameters of a new promotion code."""

    longest: ClassVar = {"code": 500}

    promotion: Promotion
    active: OptBool = UNSET
    code: OptName = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    expires_at: OptInteger = UNSET
    max_redemptions: OptInteger = UNSET
    metadata: OptMetadata = UNSET
    restrictions: Restrictions | UnsetType = UNSET


class UpdatePromotionCode(Params):
    """The parameters of an update."""

    active: OptBool = UNSET
    metadata: OptMetadata = UNSET
    restrictions: ChangedRestrictions | UnsetType = UNSET


class ListPromotionCodes(ListParams):
    """The parameters of a list of promotion codes."""

    active: OptBool = UNSET
    code: OptName = UNSET
    coupon: OptName = UNSET
    created: OptRange = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET


@api.post("")
def create_promotion_code(call: Call, params: Annotated[CreatePromotionCode, Body]) -> Fields:
    """Create a promotion code for a coupon; a generated code has eight characters."""
    if not isinstance(params.promotion.coupon, str) or not params.promotion.coupon:
        raise StripeError("You must pass promotion.coupon when passing promotion", param="promotion.coupon")
    coupon = refer(call, COUPONS, params.promotion.coupon, "promotion[coupon]")
    if isinstance(params.customer, str) and params.customer:
        refer(call, CUSTOMERS, params.customer, "customer")
    check_future(call, params.expires_at, "expires_at")
    _check_coupon_limits(params, coupon)
    fields = collect_params(params, "promotion", "customer_account")
    _check_restrictions(fields)
    fields["code"] = _free_code(call, fields.get("code"), fields.get("customer") or None)
    fields["restrictions"] = {**NO_RESTRICTIONS, **(fields.get("restrictions") or {})}
    made = new(call, PROMOTION_CODES, **fields, coupon=coupon.id, metadata=merge_metadata({}, params.metadata))
    record(call, "promotion_code.created", promotion_code_object(made))
    return promotion_code_object(made)


@api.get("/{promotion_code}")
def retrieve_promotion_code(call: Call, promotion_code: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a promotion code."""
    return promotion_code_object(retrieve(call, PROMOTION_CODES, promotion_code))


@api.post("/{promotion_code}")
def update_promotion_code(call: Call, promotion_code: str, params: Annotated[UpdatePromotionCode, Body]) -> Fields:
    """Update whether a code is active, its restrictions or its metadata."""
    row = retrieve(call, PROMOTION_CODES, promotion_code)
    fields = collect_params(params)
    if params.active is True and not row.active:
        _free_code(call, row.code, row.customer or None)
    if changed := fields.pop("restrictions", None):
        fields["restrictions"] = {**row.restrictions, **changed}
    metadata = merge_metadata(row.metadata, params.metadata)
    return promotion_code_object(update(call, PROMOTION_CODES, row, **fields, metadata=metadata))


@api.get("")
def list_promotion_codes(call: Call, params: Annotated[ListPromotionCodes, Body]) -> Fields:
    """List promotion codes."""
    where = to_range_conditions(PromotionCode.created, params.created)
    where += equal((PromotionCode.active, params.active))
    if isinstance(params.code, str):
        where.append(PromotionCode.code.equals(params.code))
    where += to_reference_conditions(
        call, (PromotionCode.coupon, params.coupon, COUPONS), (PromotionCode.customer, params.customer, CUSTOMERS)
    )
    return list_of(call, PROMOTION_CODES, params, "/v1/promotion_codes", *where)


@api.due(PromotionCode.expires_at, PromotionCode.active)
def expire_promotion_code(call: Call, row: PromotionCode) -> None:
    """Scheduled job: deactivate a code whose `expires_at` has passed."""
    update(call, PROMOTION_CODES, row, active=False)


def _check_coupon_limits(params: CreatePromotionCode, coupon: Coupon) -> None:
    """Raise StripeError for a code that could be used more often or later than its coupon.

    https://docs.stripe.com/api/promotion_codes/create
    """
    for name, than, limit in (
        ("max_redemptions", "greater than", "max_redemptions"),
        ("expires_at", "after", "redeem_by"),
    ):
        wanted, bound = getattr(params, name), getattr(coupon, limit)
        if isinstance(wanted, int) and bound is not None and wanted > bound:
            raise StripeError(f"`{name}` cannot be {than} the coupon's `{limit}`, {bound}.", param=name)


def _check_restrictions(fields: Fields) -> None:
    least = "This value must be greater than or equal to 1."
    if fields.get("max_redemptions", 1) < 1:
        raise StripeError(least, code="parameter_invalid_integer", param="max_redemptions")
    restrictions: Fields = fields.get("restrictions") or {}
    if "minimum_amount" not in restrictions:
        return
    if not restrictions.get("minimum_amount_currency"):
        message = "You must pass minimum_amount_currency when passing minimum_amount"
        raise StripeError(message, param="restrictions[minimum_amount_currency]")
    if restrictions["minimum_amount"] < 1:
        raise StripeError(least, code="parameter_invalid_integer", param="restrictions[minimum_amount]")


def _free_code(call: Call, wanted: str | None, customer: str | None) -> str:
    """Return a code, a new one unless one is wanted; raises StripeError for one that a customer has already.

    A code is unique regardless of case: among those that all may use, and among those of each customer.
    https://docs.stripe.com/api/promotion_codes/create#create_promotion_code-code
    """
    code = wanted or call.ids.new("", 8)
    if not _CODE.fullmatch(code):
        pattern = r"/\A[a-zA-Z0-9\-_]+\z/"
        message = f"This value must match the regex pattern. ({pattern} does not match for the value {code[:100]})."
        raise StripeError(message, param="code")
    rivals = call.db.rows(PromotionCode, PromotionCode.code.equals(code), PromotionCode.active)
    if any(customer is None or each.customer in (None, customer) for each in rivals):
        raise StripeError(f"An active promotion code with `code: {code}` already exists.")
    return code


def check_code(call: Call, row: PromotionCode, customer: str | None, param: str = "promotion_code") -> None:
    """Raise StripeError for a code that a customer cannot use."""
    if not row.active:
        raise StripeError(f"This promotion code {row.code} is not active.", param=param)
    if row.customer and row.customer != customer:
        raise StripeError("This promotion code cannot be redeemed by this customer.", param=param)
    if row.restrictions["first_time_transaction"] and customer and _has_prior_transactions(call, customer):
        message = "This promotion code cannot be redeemed because the associated customer has prior transactions."
        raise StripeError(message, param=param)


def check_minimum(row: PromotionCode, amount: int, currency: str, param: str = "promotion_code") -> None:
    """Raise StripeError for a purchase below the minimum of a code, in the currency of the purchase."""
    restrictions: Fields = row.restrictions
    options: dict[str, Fields] = restrictions.get("currency_options") or {}
    least: int | None = options.get(currency, {}).get("minimum_amount")
    if least is None and currency == restrictions["minimum_amount_currency"]:
        least = restrictions["minimum_amount"]
    if amount < (least or 0):
        message = "This promotion code cannot be redeemed because it does not meet the minimum amount requirement."
        raise StripeError(message, param=param)


PRIOR_TRANSACTIONS: list[Callable[[Call, str], bool]] = []
"""Predicates of other modules: whether a customer has transactions that `first_time_transaction` excludes."""


def _has_prior_transactions(call: Call, customer: str) -> bool:
    """Return whether a customer has a successful charge, or other transactions.

    https://docs.stripe.com/billing/subscriptions/coupons#promotion-codes
    """
    succeeded = (Charge.customer == customer, Charge.status == "succeeded")
    return call.db.find(Charge, *succeeded) is not None or any(each(call, customer) for each in PRIOR_TRANSACTIONS)


def count_use(call: Call, row: PromotionCode) -> None:
    """Count a redemption of a code; the last one deactivates it."""
    times = row.times_redeemed + 1
    active = row.max_redemptions is None or times < row.max_redemptions
    update(call, PROMOTION_CODES, row, times_redeemed=times, active=active)
