"""Actions of readers: a payment, setup, refund, input or cart that the server hands to a reader.

A reader has one action at a time. It is in progress until the customer presents a card, which a test helper stands
for (`presented_cards.py`), and then succeeds or fails with the code of the decline.

https://docs.stripe.com/terminal/payments/collect-card-payment?terminal-sdk-platform=server-driven
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import record_row
from ..core.objects import Fields, refer
from ..core.params import (
    Integer,
    NestedParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    Params,
    collect_params,
    merge_metadata,
    value_of,
)
from ..payments.payment_lifecycle import confirm
from ..payments.refunds import CreateRefund, find_refunded_charge
from ..payments.setup_intents import SETUPS
from ..tables.payment_intent_tables import PAYMENTS, PaymentIntent
from .readers import READERS, Reader, existing_reader, reader_object

api = Operations(prefix="/v1/terminal/readers/{reader}")

Redisplay = Literal["always", "limited", "unspecified"]
PRESENT = ("card_present", "interac_present")


class Tipping(NestedParams):
    """The amount on which tips are calculated."""

    amount_eligible: OptInteger = UNSET


class CollectConfig(NestedParams):
    """How a reader collects a card."""

    allow_redisplay: Redisplay | UnsetType = UNSET
    enable_customer_cancellation: OptBool = UNSET
    skip_tipping: OptBool = UNSET
    tipping: Tipping | UnsetType = UNSET


class ProcessConfig(CollectConfig):
    """How a reader processes a payment."""

    return_url: OptText = UNSET


class Cancellable(NestedParams):
    """Whether the customer can cancel."""

    enable_customer_cancellation: OptBool = UNSET


class ConfirmConfig(NestedParams):
    """How a reader confirms a payment."""

    return_url: OptText = UNSET


class ProcessPayment(Params, kw_only=True):
    """The payment that a reader processes."""

    payment_intent: str
    process_config: ProcessConfig | UnsetType = UNSET


class CollectMethod(Params, kw_only=True):
    """The payment for which a reader collects a card."""

    payment_intent: str
    collect_config: CollectConfig | UnsetType = UNSET


class ConfirmPayment(Params, kw_only=True):
    """The payment that a reader confirms."""

    payment_intent: str
    confirm_config: ConfirmConfig | UnsetType = UNSET


class ProcessSetup(Params, kw_only=True):
    """The setup that a reader processes."""

    allow_redisplay: Redisplay
    setup_intent: str
    process_config: Cancellable | UnsetType = UNSET


class RefundPayment(Params):
    """The payment that a reader refunds, wholly or in part."""

    amount: OptInteger = UNSET
    charge: OptName = UNSET
    metadata: OptMetadata = UNSET
    payment_intent: OptName = UNSET
    refund_application_fee: OptBool = UNSET
    refund_payment_config: Cancellable | UnsetType = UNSET
    reverse_transfer: OptBool = UNSET


class CartLine(NestedParams):
    """A line of a cart."""

    amount: Integer
    description: str
    quantity: Integer


class Cart(NestedParams):
    """What a reader shows."""

    currency: str
    line_items: list[CartLine]
    total: Integer
    tax: OptInteger = UNSET


class SetDisplay(Params, kw_only=True):
    """The parameters of a display."""

    type: Literal["cart"]
    cart: Cart | UnsetType = UNSET


def set_action(call: Call, reader: Reader, kind: str, content: Fields, *, status: str = "in_progress") -> Fields:
    """Give a reader an action, and return the reader; raises StripeError for a busy reader or one that is offline."""
    if reader.status != "online":
        message = "Reader is currently offline, please ensure the reader is powered on and connected to the internet."
        raise StripeError(message, code="terminal_reader_offline")
    if reader.action and reader.action["status"] == "in_progress":
        message = "Reader is currently busy processing another request. Cancel its action first, or try again later."
        raise StripeError(message, code="terminal_reader_busy")
    action = {"failure_code": None, "failure_message": None, "status": status, "type": kind, kind: content}
    return reader_object(_write(call, reader, action))


def finish_action(call: Call, reader: Reader, error: StripeError | None = None, **content: Any) -> Reader:
    """End a reader's action, with further content, or with the error of what failed."""
    action: Fields = reader.action
    kind: str = action["type"]
    done = {**action, "status": "failed" if error else "succeeded", kind: {**action[kind], **content}}
    if error:
        code = error.fields.get("decline_code") or error.fields.get("code")
        done |= {"failure_code": error.fields.get("code") or code, "failure_message": str(error)}
    return _write(call, reader, done)


def _write(call: Call, reader: Reader, action: Fields) -> Reader:
    """Store an action and tell of it: of its success, its failure, or its beginning."""
    changed = call.db.change(reader, action=action, last_seen_at=call.clock.unix() * 1000)
    event = {"failed": "action_failed", "succeeded": "action_succeeded"}.get(action["status"], "action_updated")
    record_row(call, f"terminal.reader.{event}", READERS, changed)
    return changed


def _payment(call: Call, id: str, *statuses: str) -> PaymentIntent:
    """Return a payment that a reader can take; raises StripeError for another state, or a payment not in person."""
    intent = refer(call, PAYMENTS, id, "payment_intent")
    if not set(intent.payment_method_types) & set(PRESENT):
        message = (
            "This PaymentIntent cannot be processed by a reader, since its `payment_method_types` do not include "
            f"`card_present`. It has: {', '.join(intent.payment_method_types)}."
        )
        raise StripeError(message, code="payment_intent_invalid_parameter", param="payment_intent")
    if intent.status not in statuses:
        message = (
            f"This PaymentIntent cannot be processed because it has a status of {intent.status}. Only a PaymentIntent "
            f"with one of the following statuses may be processed: {', '.join(statuses)}."
        )
        raise StripeError(message, code="intent_invalid_state", param="payment_intent")
    return intent


@api.post("/process_payment_intent")
def process_payment_intent(call: Call, reader: str, params: Annotated[ProcessPayment, Body]) -> Fields:
    """Have a reader collect and confirm a payment."""
    row = existing_reader(call, reader)
    intent = _payment(call, params.payment_intent, "requires_payment_method")
    config = value_of(params.process_config or ProcessConfig())
    return set_action(call, row, "process_payment_intent", {"payment_intent": intent.id, "process_config": config})


@api.post("/collect_payment_method")
def collect_payment_method(call: Call, reader: str, params: Annotated[CollectMethod, Body]) -> Fields:
    """Have a reader collect a card for a payment, which `confirm_payment_intent` then confirms."""
    row = existing_reader(call, reader)
    intent = _payment(call, params.payment_intent, "requires_payment_method")
    config = value_of(params.collect_config or CollectConfig())
    return set_action(call, row, "collect_payment_method", {"payment_intent": intent.id, "collect_config": config})


@api.post("/confirm_payment_intent")
def confirm_reader_payment(call: Call, reader: str, params: Annotated[ConfirmPayment, Body]) -> Fields:
    """Have a reader confirm a payment for which it has collected a card."""
    row = existing_reader(call, reader)
    intent = _payment(call, params.payment_intent, "requires_confirmation")
    config = value_of(params.confirm_config or ConfirmConfig())
    set_action(call, row, "confirm_payment_intent", {"payment_intent": intent.id, "confirm_config": config})
    _, error = confirm(call, intent)
    return reader_object(finish_action(call, existing_reader(call, reader), error))


@api.post("/process_setup_intent")
def process_setup_intent(call: Call, reader: str, params: Annotated[ProcessSetup, Body]) -> Fields:
    """Have a reader collect a card to be charged later."""
    row = existing_reader(call, reader)
    intent = refer(call, SETUPS, params.setup_intent, "setup_intent")
    if "card_present" not in intent.payment_method_types:
        message = "This SetupIntent cannot be processed by a reader: its types do not include `card_present`."
        raise StripeError(message, code="setup_intent_invalid_parameter", param="setup_intent")
    if intent.status != "requires_payment_method":
        message = f"This SetupIntent cannot be processed because it has a status of {intent.status}."
        raise StripeError(message, code="intent_invalid_state", param="setup_intent")
    config = value_of(params.process_config or Cancellable())
    return set_action(call, row, "process_setup_intent", {"setup_intent": intent.id, "process_config": config})


@api.post("/refund_payment")
def refund_payment(call: Call, reader: str, params: Annotated[RefundPayment, Body]) -> Fields:
    """Have a reader refund a payment when its card is presented."""
    row = existing_reader(call, reader)
    wanted = CreateRefund(amount=params.amount, charge=params.charge, payment_intent=params.payment_intent)
    charge, amount = find_refunded_charge(call, wanted)
    content = {**collect_params(params, "refund_payment_config"), "amount": amount, "charge": charge.id}
    content |= {"payment_intent": charge.payment_intent, "metadata": merge_metadata({}, params.metadata)}
    return set_action(call, row, "refund_payment", content)


@api.post("/set_reader_display")
def set_reader_display(call: Call, reader: str, params: Annotated[SetDisplay, Body]) -> Fields:
    """Show a cart on a reader."""
    row = existing_reader(call, reader)
    if not isinstance(params.cart, Cart):
        raise StripeError("Missing required param: cart.", code="parameter_missing", param="cart")
    cart = value_of(params.cart)
    cart["currency"] = parse_currency(params.cart.currency, "cart[currency]")
    return set_action(call, row, "set_reader_display", {"type": "cart", "cart": cart}, status="succeeded")


@api.post("/cancel_action")
def cancel_action(call: Call, reader: str, params: Annotated[Params, Body]) -> Fields:
    """Cancel the action of a reader, which then shows nothing; a payment can be handed to a reader again."""
    return reader_object(call.db.change(existing_reader(call, reader), action=None))
