"""Orders of carbon removal, paid from the account's balance.  https://docs.stripe.com/api/climate/order"""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.balance_transactions import DAY, available, enter
from ..core.currencies import parse_currency
from ..core.events import record_row, update
from ..core.objects import Fields, StripeObject, build_view, new, now, resource, retrieve
from ..core.pagination import list_of
from ..core.params import ListParams, NestedParams, OptMetadata, OptName, Params, Unset, merge_metadata
from .climate_products import find_product

api = Operations(prefix="/v1/climate/orders")

_HUNDREDTH = Decimal("0.01")
MIN_METRIC_TONS = Decimal("0.01")
CANCELABLE = ("awaiting_funds", "open")


class ClimateOrder(
    StripeObject,
    table="climate_orders",
    key=("id",),
    unique=(("seq",),),
    indexes=(("status", "seq"), ("confirm_on",)),
):
    amount_fees: Column[int]
    amount_subtotal: Column[int]
    amount_total: Column[int]
    beneficiary: Column[Json] = column(default=None)
    canceled_at: Column[int | None] = column(default=None)
    cancellation_reason: Column[str | None] = column(default=None)
    confirm_on: Column[int] = column(default=0, derived=True)
    """When the day ends in which the order can be canceled; 0 once that is decided."""
    confirmed_at: Column[int | None] = column(default=None)
    currency: Column[str]
    delayed_at: Column[int | None] = column(default=None)
    delivered_at: Column[int | None] = column(default=None)
    expected_delivery_year: Column[int]
    metadata: Column[Json] = column(default={})
    metric_tons: Column[str]
    product: Column[str]
    product_substituted_at: Column[int | None] = column(default=None)
    status: Column[str] = column(default="open")


def _delivery_details(row: ClimateOrder) -> list[Fields]:
    """Return what was delivered, which is nothing yet."""
    return []


ORDERS = resource(
    ClimateOrder,
    "climate.order",
    "climorder_",
    build_view(ClimateOrder, "climate.order", "confirm_on", certificate=None, delivery_details=_delivery_details),
    spoken="climate order",
    param="order",
    expandable=("product",),
)


class Beneficiary(NestedParams):
    """Whom an order is made for."""

    public_name: str


class CreateOrder(Params, kw_only=True):
    """The parameters of a new order."""

    product: str
    amount: int | UnsetType = UNSET
    beneficiary: Beneficiary | UnsetType = UNSET
    currency: OptName = UNSET
    metadata: OptMetadata = UNSET
    metric_tons: OptName = UNSET


class UpdateOrder(Params):
    """The parameters of an update."""

    beneficiary: Beneficiary | Unset | UnsetType = UNSET
    metadata: OptMetadata = UNSET


@api.post("")
def create_order(call: Call, params: Annotated[CreateOrder, Body]) -> Fields:
    """Order an amount of money's worth, or a number of metric tons; the account's balance pays at once.

    https://docs.stripe.com/api/climate/order/create
    """
    product = find_product(params.product, 400)
    currency = parse_currency(params.currency) if isinstance(params.currency, str) else "usd"
    prices: dict[str, Fields] = product["current_prices_per_metric_ton"]
    if currency not in prices:
        raise StripeError(f"This product has no price in `{currency}`.", param="currency")
    tons = _wanted_tons(params, prices[currency])
    cost = _cost(tons, prices[currency])
    is_paid = available(call, currency) >= cost["amount_total"]
    made = new(
        call,
        ORDERS,
        **cost,
        beneficiary={"public_name": params.beneficiary.public_name} if params.beneficiary else None,
        confirm_on=now(call) + DAY,
        currency=currency,
        expected_delivery_year=product["delivery_year"],
        metadata=merge_metadata({}, params.metadata),
        metric_tons=str(tons),
        product=product["id"],
        status="open" if is_paid else "awaiting_funds",
    )
    if is_paid:
        enter(call, "climate_order_purchase", -made.amount_total, currency, made.id)
    record_row(call, "climate.order.created", ORDERS, made)
    return ORDERS.show(made)


def _wanted_tons(params: CreateOrder, price: Fields) -> Decimal:
    """Return the tons that are ordered; raises StripeError unless exactly one of amount and tons is given."""
    if (params.amount is UNSET) == (params.metric_tons is UNSET):
        said = "Please pass exactly one of `amount` and `metric_tons`."
        raise StripeError(said, code="parameter_missing" if params.amount is UNSET else None, param="amount")
    if isinstance(params.amount, int):
        tons = (Decimal(params.amount) / price["amount_total"]).quantize(_HUNDREDTH, ROUND_DOWN)
        name = "amount"
    else:
        tons, name = _read_tons(str(params.metric_tons)), "metric_tons"
    if tons < MIN_METRIC_TONS:
        raise StripeError(f"An order is of at least {MIN_METRIC_TONS} metric tons.", param=name)
    return tons


def _read_tons(text: str) -> Decimal:
    try:
        tons = Decimal(text)
    except InvalidOperation:
        tons = Decimal("NaN")
    if not tons.is_finite() or tons > 1_000_000 or tons != tons.quantize(_HUNDREDTH, ROUND_DOWN):
        message = f"Invalid decimal: {text[:100]}; must have at most 2 decimal places."
        raise StripeError(message, code="parameter_invalid_decimal", param="metric_tons")
    return tons


def _cost(tons: Decimal, price: Fields) -> dict[str, int]:
    subtotal, fees = (int((tons * price[name]).to_integral_value(ROUND_HALF_UP)) for name in _PARTS)
    return {"amount_subtotal": subtotal, "amount_fees": fees, "amount_total": subtotal + fees}


_PARTS = ("amount_subtotal", "amount_fees")


@api.get("/{order}")
def retrieve_order(call: Call, order: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an order."""
    return ORDERS.show(retrieve(call, ORDERS, order))


@api.post("/{order}")
def update_order(call: Call, order: str, params: Annotated[UpdateOrder, Body]) -> Fields:
    """Update whom an order is made for, or its metadata."""
    row = retrieve(call, ORDERS, order)
    given, fields = params.beneficiary, Fields()
    if given is not UNSET:
        fields["beneficiary"] = {"public_name": given.public_name} if isinstance(given, Beneficiary) else None
    fields["metadata"] = merge_metadata(row.metadata, params.metadata)
    return ORDERS.show(update(call, ORDERS, row, False, **fields))


@api.post("/{order}/cancel")
def cancel_order(call: Call, order: str, params: Annotated[Params, Body]) -> Fields:
    """Cancel an order within a day; the fees are not refunded.

    https://docs.stripe.com/api/climate/order/cancel
    """
    row = retrieve(call, ORDERS, order)
    if row.status not in CANCELABLE:
        message = f"You cannot cancel this order because it has a status of {row.status}."
        raise StripeError(f"{message} An order can be canceled within 24 hours of its creation.", param="order")
    if row.status == "open":
        enter(call, "climate_order_refund", row.amount_subtotal, row.currency, row.id)
    changes = {"status": "canceled", "canceled_at": now(call), "cancellation_reason": "requested", "confirm_on": 0}
    canceled = call.db.change(row, **changes)
    record_row(call, "climate.order.canceled", ORDERS, canceled)
    return ORDERS.show(canceled)


@api.get("")
def list_orders(call: Call, params: Annotated[ListParams, Body]) -> Fields:
    """List orders."""
    return list_of(call, ORDERS, params, "/v1/climate/orders")


@api.due(ClimateOrder.confirm_on, ClimateOrder.confirm_on > 0)
def confirm_order(call: Call, row: ClimateOrder) -> None:
    """Scheduled job: confirm an order that was paid for a day ago; cancel one that was not paid for."""
    if row.status == "open":
        call.db.change(row, status="confirmed", confirmed_at=now(call), confirm_on=0)
        return
    expired = {"status": "canceled", "canceled_at": now(call), "cancellation_reason": "expired", "confirm_on": 0}
    record_row(call, "climate.order.canceled", ORDERS, call.db.change(row, **expired))
