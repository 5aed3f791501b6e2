"""The amount details line items of a PaymentIntent.

https://docs.stripe.com/api/payment_intents/amount_details_line_items
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import Body, Call, Operations

from ..core.objects import Fields, retrieve
from ..core.pagination import render_fixed_list
from ..core.params import ListParams
from ..tables.payment_intent_tables import PAYMENTS, items_url
from .payment_lifecycle import with_intent

api = Operations(prefix="/v1/payment_intents", layers=[with_intent])


@api.get("/{intent}/amount_details_line_items")
def list_amount_details_line_items(call: Call, intent: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the amount details line items of a PaymentIntent."""
    details: Fields = retrieve(call, PAYMENTS, intent).amount_details or {}
    return render_fixed_list(details.get("line_items", []), params, items_url(intent), "line item")
