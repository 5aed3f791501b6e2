"""Items requested by parameters: recurring prices, one-time items and the end of a subscription.

https://docs.stripe.com/billing/subscriptions/change
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from twindiff.kit import UNSET, Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.discounts import OptDiscounts, check_discount_currencies, create_discounts
from ...catalog.inline_prices import check_one_price, check_sold, price_of
from ...catalog.price_params import PriceData
from ...catalog.prices import PRICES, Price, check_price_currency, check_price_type
from ...catalog.product_tables import PRODUCTS
from ...core.objects import Fields, new, now, object_id, refer, retrieve
from ...core.params import OptMetadata, Unset, integer_or_word, is_set, merge_metadata, value_of
from ...core.periods import DAY, check_trial_days, next_boundary
from ...tables.payment_intent_tables import PaymentIntent
from ...tax import automatic_tax
from ...tax.tax_rates import tax_rates_of
from ..invoices import invoice_lifecycle
from ..tables.invoice_tables import Invoice, build_pricing, make_item
from ..tables.subscription_tables import SUBSCRIPTION_ITEMS, Subscription, SubscriptionItem, items_of
from . import billing_cycles, prorations
from .subscription_params import ItemFields, OnceItem

MAX_ITEMS = 20
MIN_THRESHOLD = 50


def check_billing(call: Call, row: Subscription) -> None:
    """Raise StripeError for a subscription whose taxes, discounts or billing threshold cannot be applied."""
    _check_threshold(call, row)
    _check_taxes(call, row)
    check_discount_currencies(call, row.discounts, row.currency)
    for number, item in enumerate(items_of(call, row.id)):
        check_discount_currencies(call, item.discounts, row.currency, f"items[{number}][discounts]")


def _check_threshold(call: Call, row: Subscription) -> None:
    """Raise StripeError for an amount threshold below the regular charge or the minimum."""
    thresholds: Fields = row.billing_thresholds or {}
    least: int | None = thresholds.get("amount_gte")
    if least is None:
        return
    items = items_of(call, row.id)
    prices = billing_cycles.prices_of(call, items)
    licensed = [item for item in items if not billing_cycles.is_metered(prices[item.price])]
    costs = sum(prorations.full_price(prices[item.price], item.quantity, row.currency) for item in licensed)
    if least < MIN_THRESHOLD or least <= costs:
        message = (
            f"The threshold must be at least {MIN_THRESHOLD}, and more than all licensed prices come to ({costs})."
        )
        raise StripeError(message, param="billing_thresholds[amount_gte]")


def _check_taxes(call: Call, row: Subscription) -> None:
    """Raise StripeError for a subscription with automatic tax whose prices or rates do not allow it."""
    if automatic_tax.is_on(row):
        items = items_of(call, row.id)
        rates = [*row.default_tax_rates, *(id for item in items for id in item.tax_rates)]
        automatic_tax.check_taxable(call, [item.price for item in items], rates)


class RequestedItem(NamedTuple):
    """A subscription item as requested by parameters; `param` is the name of its price's parameter for errors."""

    price: Price
    quantity: int | None
    fields: Fields
    param: str = ""


def resolve_new_item(call: Call, params: ItemFields | Any, at: str, customer: str) -> RequestedItem:
    """Return the requested new item; `at` is the parameter's name for errors."""
    price = _price(call, params, at)
    check_price_type(price, "recurring", nest_param(at, "price"))
    fields = item_fields(call, params, at, customer)
    return _to_requested_item(price, _quantity(params.quantity, price, at), fields, at)


def resolve_changed_item(call: Call, old: SubscriptionItem, params: Any, at: str, customer: str) -> RequestedItem:
    """Return an existing item with the requested changes; `at` is the parameter's name for errors."""
    is_other = is_set(params.price) or is_set(params.plan) or is_set(params.price_data)
    price = _price(call, params, at) if is_other else retrieve(call, PRICES, old.price)
    check_price_type(price, "recurring", nest_param(at, "price"))
    # A replaced price keeps the quantity, as Stripe's subscription items do.
    quantity = _quantity(params.quantity, price, at, old.quantity)
    return _to_requested_item(price, quantity, item_fields(call, params, at, customer, old), at)


def item_fields(call: Call, params: Any, at: str, customer: str, now_: Any = None) -> Fields:
    """Return the given columns of an item: metadata, discounts, tax rates and billing thresholds.

    `at` is the parameter's name for errors. `now_` is the existing item; a new one with discounts also gets its `id`,
    since they refer to it.
    """
    fields: Fields = {}
    metadata: OptMetadata = params.metadata
    discounts: OptDiscounts = params.discounts
    rates: list[str] | Unset = params.tax_rates
    if metadata is not UNSET or now_ is None:
        fields["metadata"] = merge_metadata(now_.metadata if now_ else {}, metadata, nest_param(at, "metadata"))
    if discounts is not UNSET:
        id = now_.id if now_ else object_id(call, SUBSCRIPTION_ITEMS.prefix, SUBSCRIPTION_ITEMS.id_length)
        fields["discounts"] = create_discounts(
            call, discounts, customer, at=nest_param(at, "discounts"), subscription_item=id
        )
        fields |= {} if now_ else {"id": id}
    if rates is not UNSET:
        fields["tax_rates"] = tax_rates_of(call, rates or [], nest_param(at, "tax_rates"))
    if (thresholds := getattr(params, "billing_thresholds", UNSET)) is not UNSET:
        fields["billing_thresholds"] = value_of(thresholds)
    return fields


def _to_requested_item(price: Price, quantity: int | None, fields: Fields, at: str) -> RequestedItem:
    if fields.get("billing_thresholds") and not billing_cycles.is_metered(price):
        message = "Usage thresholds can only be set for prices with `recurring[usage_type]` of `metered`."
        raise StripeError(message, param=nest_param(at, "billing_thresholds"))
    return RequestedItem(price, quantity, fields, nest_param(at, "price"))


def nest_param(at: str, name: str) -> str:
    """Return a nested parameter's name for errors, as `at[name]`."""
    return f"{at}[{name}]" if at else name


def _price(call: Call, params: ItemFields | OnceItem, at: str) -> Price:
    check_one_price(params, at)
    if isinstance(params.price_data, PriceData):
        return price_of(call, params.price_data, nest_param(at, "price_data"))
    id = params.price if is_set(params.price) else getattr(params, "plan", UNSET)
    if not isinstance(id, str) or not id:
        raise StripeError("You must pass one of price, price_data or plan.", code="parameter_missing",
                          param=nest_param(at, "price"))  # fmt: skip
    price = refer(call, PRICES, id, nest_param(at, "price" if is_set(params.price) else "plan"))
    check_sold(call, price, nest_param(at, "price"))
    return price


def _quantity(given: Any, price: Price, at: str, now_: int | None = 1) -> int | None:
    if billing_cycles.is_metered(price):
        if given is not UNSET:
            message = "Quantity cannot be set for prices with `recurring[usage_type]` of `metered`."
            raise StripeError(message, param=nest_param(at, "quantity"))
        return None
    quantity = 1 if now_ is None else now_
    if isinstance(given, int):
        quantity = given
    if quantity < 0:
        message = "This value must be greater than or equal to 0."
        raise StripeError(message, code="parameter_invalid_integer", param=nest_param(at, "quantity"))
    return quantity


def check_items(prices: Sequence[str], currency: str, requested: Sequence[RequestedItem]) -> None:
    """Raise StripeError if the prices of a subscription's items cannot be combined.

    `prices` are the ids of all prices, and `requested` are the new or changed items.
    """
    seen: set[str] = set()
    for id in prices:
        if id in seen:
            message = f"Cannot create a Subscription with multiple Subscription Items with the same Price: {id}"
            raise StripeError(message, param="plan")
        seen.add(id)
    if len(prices) > MAX_ITEMS:
        raise StripeError(f"A subscription can have up to {MAX_ITEMS} items.", param="items")
    for each in requested:
        check_price_currency(each.price, currency, each.param)


def moment(call: Call, text: str, param: str, *words: str) -> int | str:
    """Parse a future Unix timestamp, or one of `words`; raises StripeError for a past time."""
    value = integer_or_word(text, param, *words)
    if isinstance(value, int) and value <= now(call):
        raise StripeError(
            f"The parameter `{param}` expects a unix timestamp representing a date and time in the future. You "
            f"specified the value `{value}` which is in the past.",
            param=param,
        )
    if isinstance(value, int) and value > now(call) + 5 * 366 * DAY:
        raise StripeError("Invalid timestamp: can be no more than five years in the future.", param=param)
    return value


def trial_end_of(call: Call, text: str, param: str, start: int | None = None) -> int | str:
    """Parse the end of a trial, or `now`; raises StripeError for trials of more than two years from `start` or now."""
    end = moment(call, text, param, "now")
    if isinstance(end, int):
        check_trial_days((end - (start or now(call))) / DAY, param)
    return end


def new_item(call: Call, row: Subscription, wanted: RequestedItem, trial_end: int | None = None) -> SubscriptionItem:
    """Create a subscription item whose first period starts now."""
    every: Fields = wanted.price.recurring
    end = trial_end or next_boundary(row.billing_cycle_anchor, now(call), every["interval"], every["interval_count"])
    return new(
        call,
        SUBSCRIPTION_ITEMS,
        subscription=row.id,
        price=wanted.price.id,
        quantity=wanted.quantity,
        current_period_start=now(call),
        current_period_end=end,
        **wanted.fields,
    )


def add_once(call: Call, row: Subscription, wanted: Any, invoice: Invoice | None) -> None:
    """Add the one-time items to the first invoice, or to the pending ones without an invoice."""
    once = cast(list[OnceItem], wanted) if isinstance(wanted, list) else []
    for number, each in enumerate(once):
        at = f"add_invoice_items[{number}]"
        price = _price(call, each, at)
        check_price_type(price, "one_time", f"{at}[price]")
        check_price_currency(price, row.currency, f"{at}[price]")
        quantity = each.quantity if isinstance(each.quantity, int) else 1
        item = make_item(
            call,
            customer=row.customer,
            test_clock=row.test_clock,
            subscription=row.id,
            amount=prorations.full_price(price, quantity, row.currency),
            currency=row.currency,
            description=retrieve(call, PRODUCTS, price.product).name,
            quantity=quantity,
            quantity_decimal=str(quantity),
            period={"start": now(call), "end": now(call)},
            pricing=build_pricing(price, prorations.amounts_in(price, row.currency)["unit_amount_decimal"]),
            product=price.product,
            **item_fields(call, each, at, row.customer),
        )
        if invoice:
            invoice_lifecycle.add_items(call, invoice, [item], quiet=True)


def set_end(call: Call, row: Subscription, params: Any, items: Sequence[SubscriptionItem]) -> Subscription:
    """Set or clear the scheduled cancellation of a subscription."""
    ends = min(item.current_period_end for item in items)
    if row.schedule and (params.cancel_at is not UNSET or params.cancel_at_period_end is not UNSET):
        raise StripeError(
            f"The subscription is managed by the subscription schedule `{row.schedule}`, and updating any cancelation "
            "behavior directly is not allowed. Please update the schedule instead."
        )
    if is_set(params.cancel_at) and params.cancel_at_period_end is True:
        message = "You may only specify one of these parameters: cancel_at, cancel_at_period_end."
        raise StripeError(message, param="cancel_at")
    if isinstance(params.cancel_at, str):
        if not params.cancel_at:
            return _clear_cancellation(call, row)
        at = moment(call, params.cancel_at, "cancel_at", "min_period_end", "max_period_end", "max_billed_until")
        last = max(item.current_period_end for item in items)
        when = {"min_period_end": ends, "max_period_end": last, "max_billed_until": last}.get(str(at)) or int(at)
        return call.db.change(
            row, cancel_at=when, canceled_at=now(call), cancellation_details=_build_cancellation_details(row)
        )
    if params.cancel_at_period_end is True:
        fields = {"cancel_at": ends, "cancel_at_period_end": True, "canceled_at": now(call)}
        return call.db.change(row, **fields, cancellation_details=_build_cancellation_details(row))
    if params.cancel_at_period_end is False and row.cancel_at_period_end:
        return _clear_cancellation(call, row)
    return row


def _build_cancellation_details(row: Subscription) -> Fields:
    return {**row.cancellation_details, "reason": "cancellation_requested"}


def _clear_cancellation(call: Call, row: Subscription) -> Subscription:
    fields: Fields = {"cancel_at": None, "cancel_at_period_end": False, "canceled_at": None, "cancellation_details": {}}
    return call.db.change(row, **fields)


def raise_incomplete(intent: PaymentIntent | None, refused: StripeError | None) -> None:
    """Raise the error of a failed payment, or of one that requires action, so that the change is rolled back."""
    if refused:
        raise refused
    if intent and intent.status == "requires_action":
        raise StripeError(
            "Payment for this subscription requires additional user action, but the requested payment behavior doesn't "
            "save the invoice or PaymentIntent. Retry the request with `payment_behavior=allow_incomplete` or "
            "`payment_behavior=default_incomplete`, then complete the PaymentIntent on the subscription's latest "
            "invoice. Additional information is available here: "
            "https://stripe.com/docs/billing/subscriptions/overview#requires-action",
            kind="card_error",
            status=402,
            code="subscription_payment_intent_requires_action",
            doc_url=None,
        )
