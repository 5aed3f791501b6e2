"""Inline prices, which other objects' parameters describe as `price_data`.

Stripe keeps them inactive, so that nothing else can be sold for them. The object that described one can still sell it:
a checkout session, a payment link, a quote, or a phase of a schedule.
https://docs.stripe.com/products-prices/manage-prices#create-prices-inline
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twindiff.kit import UNSET, Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import retrieve
from ..core.params import is_set
from .price_params import LinePriceData, PriceData
from .prices import Price, make_price, product_of
from .product_tables import PRODUCTS

_ACCEPTED = "inline_prices"


def price_of(call: Call, data: PriceData, at: str) -> Price:
    """Create the inactive price that parameters describe; `at` is the parameter's name for errors."""
    described = data.product_data if isinstance(data, LinePriceData) else UNSET
    product = product_of(call, data.product, described, at)
    return make_price(call, data, product, at, active=False, inline=True)


def accept_inline(call: Call, prices: Iterable[str]) -> None:
    """Allow the current call to sell the inline prices among these ids, as their own object is selling."""
    call.memo[_ACCEPTED] = {*call.memo.get(_ACCEPTED, ()), *prices}


def check_one_price(params: Any, at: str) -> None:
    """Raise StripeError for an item with several price parameters; `at` is the item's name for errors, or ""."""
    ways = [name for name in ("price", "plan", "price_data") if is_set(getattr(params, name, UNSET))]
    if len(ways) > 1:
        message = f"You may only specify one of these parameters: {', '.join(ways)}."
        raise StripeError(message, param=f"{at}[{ways[0]}]" if at else ways[0])


def check_sold(call: Call, price: Price, param: str) -> None:
    """Raise StripeError for a price that is inactive, or whose product is."""
    is_accepted = price.inline and price.id in call.memo.get(_ACCEPTED, ())
    if not price.active and not is_accepted:
        raise StripeError("The price specified is inactive. This field only accepts active prices.", param=param)
    if not retrieve(call, PRODUCTS, price.product).active:
        message = f"Price `{price.id}` is not available to be purchased because its product is not active."
        raise StripeError(message, param=param)
