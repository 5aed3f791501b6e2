"""The shipping cost of an invoice.

https://docs.stripe.com/api/invoices/create#create_invoice-shipping_cost
"""

from __future__ import annotations

from twindiff.kit import UNSET, Call, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.shipping_rates import SHIPPING_RATES, RateData, cost_of, make_rate
from ...core.objects import Fields, refer
from ...core.params import NestedParams, OptName, Unset


class ShippingCost(NestedParams):
    """An existing shipping rate, or one created for this invoice."""

    shipping_rate: OptName = UNSET
    shipping_rate_data: RateData | UnsetType = UNSET


OptShippingCost = ShippingCost | Unset | UnsetType


def shipping_cost(call: Call, wanted: ShippingCost, currency: str) -> Fields:
    """Return the `shipping_cost` of an invoice, in the form of `cost_of`.

    Raises StripeError for an inactive rate, or one without the invoice's currency.
    """
    if isinstance(wanted.shipping_rate_data, RateData):
        rate = make_rate(call, wanted.shipping_rate_data, "shipping_cost[shipping_rate_data]")
    else:
        rate = refer(call, SHIPPING_RATES, str(wanted.shipping_rate or ""), "shipping_cost[shipping_rate]")
    if not rate.active:
        raise StripeError(f"The shipping rate {rate.id} is not active.", param="shipping_cost[shipping_rate]")
    options: dict[str, dict[str, int]] = rate.fixed_amount.get("currency_options") or {}
    if rate.currency != currency and currency not in options:
        message = f"The shipping rate is in {rate.currency}, but the invoice is in {currency}."
        raise StripeError(message, param="shipping_cost")
    amount = rate.fixed_amount["amount"] if rate.currency == currency else options[currency]["amount"]
    return cost_of({"shipping_amount": amount, "shipping_rate": rate.id})
