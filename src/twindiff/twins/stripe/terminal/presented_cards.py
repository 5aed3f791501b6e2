"""Cards presented to a simulated reader, by the test helper that stands for the customer.

https://docs.stripe.com/api/terminal/readers/present_payment_method, https://docs.stripe.com/terminal/references/testing
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import update
from ..core.objects import Fields, new, retrieve
from ..core.params import Integer, NestedParams, OptInteger, OptText, Params
from ..payments.payment_lifecycle import confirm
from ..payments.payment_methods import card_columns
from ..payments.refunds import refund
from ..payments.setup_intents import SETUPS, complete_setup
from ..payments.test_cards import find_card_by_number
from ..tables.charge_tables import CHARGES
from ..tables.payment_intent_tables import PAYMENTS
from ..tables.payment_method_tables import METHODS, PaymentMethod
from .reader_actions import finish_action
from .readers import Reader, existing_reader, reader_object

api = Operations(prefix="/v1/test_helpers/terminal/readers/{reader}")

DEFAULT_NUMBERS = {"card_present": "4242424242424242", "interac_present": "4506445006931933", "card": ""}


class PresentedNumber(NestedParams):
    """The number of a test card."""

    number: OptText = UNSET


class TypedCard(NestedParams):
    """A card whose number is typed in."""

    number: str
    exp_month: Integer
    exp_year: Integer
    cvc: OptText = UNSET


class PresentMethod(Params):
    """The card that a customer presents."""

    amount_tip: OptInteger = UNSET
    card: TypedCard | UnsetType = UNSET
    card_present: PresentedNumber | UnsetType = UNSET
    interac_present: PresentedNumber | UnsetType = UNSET
    type: Literal["card", "card_present", "interac_present"] | UnsetType = UNSET


@api.post("/present_payment_method")
def present_payment_method(call: Call, reader: str, params: Annotated[PresentMethod, Body]) -> Fields:
    """Present a card to a reader whose action waits for one."""
    row = existing_reader(call, reader)
    kind = row.action["type"] if row.action and row.action["status"] == "in_progress" else ""
    present = _PRESENT.get(kind)
    if present is None:
        message = "The reader has no action in progress that waits for a payment method."
        raise StripeError(message, code="terminal_reader_invalid_state")
    return reader_object(present(call, row, row.action[kind], params))


def _make_method(call: Call, params: PresentMethod) -> PaymentMethod:
    """Create the payment method of a card that is read; raises StripeError for a number that no test card has."""
    type = params.type or "card_present"
    given = getattr(params, type)
    number = (given.number if not isinstance(given, UnsetType) else "") or DEFAULT_NUMBERS[type]
    if not number:
        raise StripeError("Missing required param: card.", code="parameter_missing", param="card")
    if type == "card":
        type = "card_present"
    columns = card_columns(call, find_card_by_number(number), UNSET)
    details: Fields = {name: columns["details"][name] for name in _SHARED}
    details |= {"brand_product": None, "cardholder_name": None, "issuer": None, "offline": None, "wallet": None}
    details |= {"preferred_locales": ["en"], "read_method": "contactless_emv", "description": None}
    return new(call, METHODS, **{**columns, "type": type, "details": details})


_SHARED = ("brand", "country", "exp_month", "exp_year", "fingerprint", "funding", "last4", "networks")


def _process_payment(call: Call, reader: Reader, content: Fields, params: PresentMethod) -> Reader:
    intent = retrieve(call, PAYMENTS, content["payment_intent"])
    fields: Fields = {"payment_method": _make_method(call, params).id}
    if isinstance(params.amount_tip, int):
        if params.amount_tip < 0 or content["process_config"].get("skip_tipping"):
            raise StripeError("This payment takes no such tip.", param="amount_tip")
        fields["amount"] = intent.amount + params.amount_tip
        fields["amount_details"] = {**(intent.amount_details or {}), "tip": {"amount": params.amount_tip}}
    _, error = confirm(call, call.db.change(intent, **fields))
    return finish_action(call, reader, error)


def _collect_method(call: Call, reader: Reader, content: Fields, params: PresentMethod) -> Reader:
    intent, method = retrieve(call, PAYMENTS, content["payment_intent"]), _make_method(call, params)
    update(call, PAYMENTS, intent, False, payment_method=method.id, status="requires_confirmation")
    return finish_action(call, reader, payment_method=METHODS.show(method))


def _process_setup(call: Call, reader: Reader, content: Fields, params: PresentMethod) -> Reader:
    intent, method = retrieve(call, SETUPS, content["setup_intent"]), _make_method(call, params)
    complete_setup(call, call.db.change(intent, payment_method=method.id), method)
    return finish_action(call, reader)


def _refund(call: Call, reader: Reader, content: Fields, params: PresentMethod) -> Reader:
    charge = retrieve(call, CHARGES, content["charge"])
    made = refund(call, charge, content["amount"], metadata=content["metadata"])
    return finish_action(call, reader, refund=made.id)


_PRESENT = {
    "collect_payment_method": _collect_method,
    "process_payment_intent": _process_payment,
    "process_setup_intent": _process_setup,
    "refund_payment": _refund,
}
