"""Updates of an open checkout session: line items, shipping options and shipping address.

https://docs.stripe.com/api/checkout/sessions/update
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import update
from ..core.objects import Fields, retrieve, show
from ..core.params import (
    Address,
    NestedParams,
    OptMetadata,
    OptText,
    Params,
    Unset,
    merge_metadata,
    value_of,
)
from ..sales.sale_items import OptSaleItems, replace_items
from .form_fields import ShippingOption, shipping_fields
from .mode_rules import check_mode_params
from .session_amounts import amounts
from .session_creation import check_items
from .sessions import SESSIONS, CheckoutSession

api = Operations(prefix="/v1/checkout/sessions")

OWN_PAGES = ("embedded_page", "elements")
"""UI modes in which the shop may set the shipping address itself."""


class SentTo(NestedParams):
    """Recipient and shipping address."""

    address: Address
    name: str


class CollectedInformationParams(NestedParams):
    """Customer information collected by the shop."""

    shipping_details: SentTo | UnsetType = UNSET


class ChangedIntentData(NestedParams):
    """New settings of the session's PaymentIntent."""

    description: OptText = UNSET
    metadata: dict[str, str] | Unset | UnsetType = UNSET
    setup_future_usage: Literal["", "off_session", "on_session"] | UnsetType = UNSET


class UpdateSession(Params):
    """The parameters of an update."""

    collected_information: CollectedInformationParams | UnsetType = UNSET
    line_items: OptSaleItems = UNSET
    metadata: OptMetadata = UNSET
    payment_intent_data: ChangedIntentData | UnsetType = UNSET
    shipping_options: list[ShippingOption] | Unset | UnsetType = UNSET


@api.post("/{session}")
def update_session(call: Call, session: str, params: Annotated[UpdateSession, Body]) -> Fields:
    """Update a session's metadata, and line items and shipping while it is open."""
    row = retrieve(call, SESSIONS, session)
    row = update(call, SESSIONS, row, False, metadata=merge_metadata(row.metadata, params.metadata))
    _check(row, params)
    changes: Fields = {}
    if isinstance(params.line_items, list):
        check_items(call, row.mode, replace_items(call, row.id, params.line_items))
    if params.shipping_options is not UNSET:
        nothing: Fields = {"shipping_options": None, "shipping_cost": None}
        changes |= {**nothing, **shipping_fields(call, params.shipping_options or [], row.currency or "usd")}
    if (
        isinstance(params.collected_information, CollectedInformationParams)
        and params.collected_information.shipping_details
    ):
        changes["collected_information"] = _sent_to(row, params.collected_information.shipping_details)
    if isinstance(params.payment_intent_data, ChangedIntentData):
        changes["payment_intent_data"] = {**row.payment_intent_data, **value_of(params.payment_intent_data)}
    if changes:
        row = call.db.change(row, **changes)
    if changes or params.line_items is not UNSET:
        row = call.db.change(row, **amounts(call, row))
    return show(call, SESSIONS, row)


def _check(row: CheckoutSession, params: UpdateSession) -> None:
    """Raise StripeError for updates of a session that is not open or does not support them."""
    names = ("collected_information", "line_items", "payment_intent_data", "shipping_options")
    given = [name for name in names if getattr(params, name) is not UNSET]
    if given and row.status != "open":
        raise StripeError(f"Only open Checkout Sessions can be updated; this one is {row.status}.", param=given[0])
    if given and row.mode == "setup":
        raise StripeError(f"`{given[0]}` is not supported in `setup` mode.", param=given[0])
    for name, modes in (("collected_information", OWN_PAGES), ("payment_intent_data", ("elements",))):
        if name in given and row.ui_mode not in modes:
            message = f"`{name}` can only be updated when `ui_mode` is {' or '.join(modes)}."
            raise StripeError(message, param=name)
    check_mode_params(params, row.mode)


def _sent_to(row: CheckoutSession, details: SentTo) -> Fields:
    known: Fields = row.collected_information or {"business_name": None, "individual_name": None}
    said: Fields = value_of(details)
    return {**known, "shipping_details": said}
