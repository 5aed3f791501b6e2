"""The lifecycle of a PaymentIntent: creation, confirmation, authentication, capture and cancellation.

Billing uses these functions as well.

https://docs.stripe.com/payments/paymentintents/lifecycle
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call, Operations, RequestContext, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row, update
from ..core.objects import Fields, find, new, new_id, now, object_id, retrieve
from ..radar.early_fraud_warnings import create_warning
from ..radar.reviews import close_review, open_review
from ..tables.charge_tables import CHARGES, Charge
from ..tables.payment_intent_tables import PAYMENTS, PaymentIntent, payment_intent_object
from ..tables.payment_method_tables import DEBITS, METHODS, REDIRECTS, TO_VERIFY, PaymentMethod
from .charge_attempts import Attempt, attempt, begin, conclude, settle, settling_time
from .charge_outcomes import ELEVATED
from .disputes import open_dispute
from .payment_methods import attach, outcome_of, run_card_checks
from .test_cards import AUTHENTICATION, ISSUER_ASKS, Decline
from .transfer_instructions import find_missing_funds

api = Operations()

DAY = 86_400
CANCELABLE = (
    "requires_payment_method",
    "requires_capture",
    "requires_reauthorization",
    "requires_confirmation",
    "requires_action",
    "expired",
    "processing",
)
CONFIRMABLE = ("requires_payment_method", "requires_confirmation", "requires_action")
NOT_AUTHENTICATED = (
    "We are unable to authenticate your payment method. Please choose a different payment method and try again."
)
"""Message for the customer; the API returns `FAILED_AUTHENTICATION`."""
FAILED_AUTHENTICATION = (
    "The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod "
    "to attempt to fulfill this PaymentIntent again."
)


ON_PAID: list[Callable[[Call, PaymentIntent], None]] = []
"""Callbacks of other modules for a paid intent."""


def automatic_types(currency: str) -> list[str]:
    """Return the payment method types enabled in the dashboard for a currency."""
    return ["card", "klarna", "link", *(("cashapp", "amazon_pay") if currency == "usd" else ())]


def create(call: Call, amount: int, currency: str, **fields: Any) -> PaymentIntent:
    """Create a PaymentIntent that requires a payment method, or confirmation if it has one."""
    id = object_id(call, "pi_")
    status = "requires_confirmation" if fields.get("payment_method") else "requires_payment_method"
    made = new(
        call,
        PAYMENTS,
        id=id,
        created=call.clock.unix(),
        amount=amount,
        currency=currency,
        client_secret=new_id(call, f"{id}_secret_", 25),
        status=status,
        **fields,
    )
    record_row(call, "payment_intent.created", PAYMENTS, made)
    return made


def build_unexpected_state_error(message: str, **fields: Any) -> StripeError:
    """Build the error of an intent whose state does not allow the operation."""
    return StripeError(message, code="payment_intent_unexpected_state", **fields)


DETACHED = (
    "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a "
    "connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use "
    "a PaymentMethod multiple times, you must attach it to a Customer first."
)


def with_intent(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware: add the intent, in its state before the call, to errors of operations on it."""
    id = exchange.path_parameters.get("intent")
    if id is None:
        return proceed()
    known = None if exchange.operation.reads else find(call, PAYMENTS, id)
    try:
        return proceed()
    except StripeError as error:
        if intent := known or find(call, PAYMENTS, id):
            error.fields.setdefault("payment_intent", payment_intent_object(intent))
        raise


def confirm(
    call: Call, intent: PaymentIntent, *, off_session: bool = False, authenticated: bool = False
) -> tuple[PaymentIntent, StripeError | None]:
    """Try to collect a PaymentIntent; returns the intent, and the error if the payment was declined.

    Callers return the error instead of raising it, so that the failed charge is kept. `off_session` means that the
    customer cannot authenticate now; `authenticated`, that they just have.
    """
    method = retrieve(call, METHODS, intent.payment_method or "")
    if method.detached:
        raise StripeError(DETACHED)
    if method.type == "customer_balance" and (action := find_missing_funds(call, intent)):
        return _wait(call, intent, action), None
    if not authenticated and (action := _find_required_action(intent, method, off_session=off_session)):
        if off_session:
            return _decline_unauthenticated(call, intent, method)
        return _await_action(call, intent, action), None
    if method.type in DEBITS:
        return _process(call, intent, method), None
    return _charge(call, intent, run_card_checks(call, method), off_session=off_session)


def _decline_unauthenticated(
    call: Call, intent: PaymentIntent, method: PaymentMethod
) -> tuple[PaymentIntent, StripeError | None]:
    """Decline an off-session payment that requires authentication, with a failed charge if its issuer declines it."""
    charge = None
    if outcome_of(method) in ISSUER_ASKS:
        charge, _ = attempt(call, _build_attempt(intent, method, off_session=True), AUTHENTICATION)
    return fail(call, intent, method, AUTHENTICATION, charge)


def _find_required_action(intent: PaymentIntent, method: PaymentMethod, *, off_session: bool) -> str:
    """Return the type of action the customer must take first, or ""."""
    if method.type in TO_VERIFY and not method.verified:
        return "verify_with_microdeposits"
    if method.type in REDIRECTS and method.type != "link":
        return "redirect_to_url"
    outcome = outcome_of(method)
    wanted = _options_of_cards(intent).get("request_three_d_secure")
    asks = outcome.startswith("authenticate") or (
        outcome == "three_d_secure_optional" and wanted in ("any", "challenge")
    )
    if outcome in ("authenticate_unless_set_up", "authenticate_on_session") and method.set_up and off_session:
        asks = False
    return ("redirect_to_url" if intent.return_url else "use_stripe_sdk") if asks else ""


def _await_action(call: Call, intent: PaymentIntent, kind: str) -> PaymentIntent:
    """Set the next action of an intent, with the URL of the authentication page."""
    page = f"{call.base_url}/twin/authenticate/{intent.id}?client_secret={intent.client_secret}"
    if kind == "verify_with_microdeposits":
        action = microdeposit_action(call, intent.id)
    elif kind == "redirect_to_url":
        action = {"type": kind, kind: {"return_url": intent.return_url, "url": page}}
    else:
        action = {"type": kind, kind: {"type": "three_d_secure_redirect", "stripe_js": page, "source": intent.id}}
    return _wait(call, intent, action)


def _wait(call: Call, intent: PaymentIntent, action: Fields) -> PaymentIntent:
    waiting = call.db.change(intent, status="requires_action", next_action=action, last_payment_error=None)
    record_row(call, "payment_intent.requires_action", PAYMENTS, waiting)
    return waiting


def _options_of_cards(intent: PaymentIntent) -> Fields:
    return intent.payment_method_options.get("card") or {}


def microdeposit_action(call: Call, intent: str) -> Fields:
    """Return the next action of a customer whose bank account is not verified."""
    details = {
        "arrival_date": (now(call) // DAY + 2) * DAY,
        "hosted_verification_url": f"https://payments.stripe.com/microdeposit/{intent}",
        "microdeposit_type": "descriptor_code",
    }
    return {"type": "verify_with_microdeposits", "verify_with_microdeposits": details}


def _charge(
    call: Call, intent: PaymentIntent, method: PaymentMethod, *, off_session: bool
) -> tuple[PaymentIntent, StripeError | None]:
    asked = _build_attempt(intent, method, off_session=off_session)
    charge, decline = attempt(call, asked)
    return _apply_charge(call, intent, method, charge, decline)


def _build_attempt(intent: PaymentIntent, method: PaymentMethod, *, off_session: bool) -> Attempt:
    shared = {name: getattr(intent, name) for name in _SHARED}
    return Attempt(
        intent.amount,
        intent.currency,
        method,
        capture=intent.capture_method != "manual",
        off_session=off_session,
        may_increment=_options_of_cards(intent).get("request_incremental_authorization") == "if_available",
        shared={**shared, "payment_intent": intent.id},
    )


def _apply_charge(
    call: Call, intent: PaymentIntent, method: PaymentMethod, charge: Charge, decline: Decline | None
) -> tuple[PaymentIntent, StripeError | None]:
    """Apply the result of a charge to its intent."""
    manual = intent.capture_method == "manual" and method.type not in DEBITS
    if decline:
        return fail(call, intent, method, decline, charge)
    if intent.setup_future_usage and intent.customer:
        call.db.change(attach(call, method, intent.customer), set_up=True)
    elif not method.customer:
        call.db.change(method, detached=True)
    fields: Fields = {"latest_charge": charge.id, "next_action": None, "last_payment_error": None, "settles_at": 0}
    fields["transfer_group"] = charge.transfer_group
    if charge.special == ELEVATED:
        fields["review"] = open_review(call, charge).id
    if manual:
        held = call.db.change(intent, status="requires_capture", amount_capturable=intent.amount, **fields)
        record_row(call, "payment_intent.amount_capturable_updated", PAYMENTS, held)
        return held, None
    paid = call.db.change(intent, status="succeeded", amount_received=intent.amount, processing=None, **fields)
    _dispute(call, charge)
    record_row(call, "payment_intent.succeeded", PAYMENTS, paid)
    for each in ON_PAID:
        each(call, paid)
    return paid, None


_SHARED = (
    "application_fee_amount",
    "customer",
    "description",
    "metadata",
    "on_behalf_of",
    "receipt_email",
    "shipping",
    "statement_descriptor",
    "statement_descriptor_suffix",
    "transfer_data",
    "transfer_group",
)
"""Columns that a charge copies from its intent."""


def _dispute(call: Call, charge: Charge) -> None:
    if charge.special.startswith("dispute_"):
        open_dispute(call, charge, charge.special.removeprefix("dispute_"))
    if charge.special == "fraud_warning":
        create_warning(call, charge)


def fail(
    call: Call,
    intent: PaymentIntent,
    method: PaymentMethod,
    decline: Decline,
    charge: Charge | None = None,
    *,
    kind: str = "card_error",
) -> tuple[PaymentIntent, StripeError]:
    """Set an intent back to requiring a payment method; returns it with the error of the declined one."""
    said = {
        "advice_code": decline.advice_code,
        "charge": charge and charge.id,
        "code": decline.code,
        "decline_code": decline.decline_code or None,
        "network_decline_code": decline.network_decline_code,
        "payment_method": METHODS.show(method),
    }
    said = {name: value for name, value in said.items() if value is not None}
    doc_url = f"https://stripe.com/docs/error-codes/{decline.code.replace('_', '-')}"
    error = {**said, "doc_url": doc_url, "message": decline.message, "type": kind}
    failed = call.db.change(
        intent,
        status="requires_payment_method",
        payment_method=None,
        next_action=None,
        processing=None,
        settles_at=0,
        latest_charge=charge.id if charge else intent.latest_charge,
        last_payment_error={**error, "payment_method_type": method.type},
    )
    record_row(call, "payment_intent.payment_failed", PAYMENTS, failed)
    shown = payment_intent_object(failed)
    return failed, StripeError(decline.message, kind=kind, status=402, payment_intent=shown, **said)


def _process(call: Call, intent: PaymentIntent, method: PaymentMethod) -> PaymentIntent:
    """Start a debit; its intent is processing until the bank responds."""
    charge = begin(call, _build_attempt(intent, method, off_session=True))
    waiting = call.db.change(
        intent,
        status="processing",
        next_action=None,
        latest_charge=charge.id,
        settles_at=settling_time(call, charge),
    )
    record_row(call, "payment_intent.processing", PAYMENTS, waiting)
    return waiting


@api.due(PaymentIntent.settles_at, PaymentIntent.status == "processing")
def settle_debit(call: Call, intent: PaymentIntent) -> None:
    """Scheduled job: complete a processing debit with the bank's result."""
    method = retrieve(call, METHODS, intent.payment_method or "")
    charge, decline = conclude(call, retrieve(call, CHARGES, intent.latest_charge or ""))
    _apply_charge(call, intent, method, charge, decline)


def complete(call: Call, intent: PaymentIntent, *, succeeds: bool) -> tuple[PaymentIntent, StripeError | None]:
    """Apply the result of an authentication to an intent; returns the intent, and the error of a failed payment."""
    if intent.status != "requires_action":
        return intent, None
    if succeeds:
        return confirm(call, intent, authenticated=True)
    failure = Decline("payment_intent_authentication_failure", "", FAILED_AUTHENTICATION, None, None)
    method = retrieve(call, METHODS, intent.payment_method or "")
    return fail(call, intent, method, failure, kind="invalid_request_error")


def capture(call: Call, intent: PaymentIntent, wanted: int | UnsetType) -> PaymentIntent:
    """Capture the authorized amount of an intent, or the requested part; the rest is released."""
    if intent.status == "succeeded" and intent.capture_method == "manual":
        raise build_unexpected_state_error(
            "The remaining amount on this PaymentIntent could not be captured because the remainder of the authorized "
            "amount has been released.",
        )
    if intent.status != "requires_capture":
        raise build_unexpected_state_error(
            f"This PaymentIntent could not be captured because it has a status of {intent.status}. Only a "
            "PaymentIntent with one of the following statuses may be captured: requires_capture.",
        )
    amount = _captured_amount(intent, wanted)
    charge = retrieve(call, CHARGES, intent.latest_charge or "")
    settled = settle(call, charge, amount)
    record_row(call, "charge.captured", CHARGES, settled)
    paid = call.db.change(intent, status="succeeded", amount_capturable=0, amount_received=amount)
    _dispute(call, settled)
    record_row(call, "payment_intent.succeeded", PAYMENTS, paid)
    return paid


def _captured_amount(intent: PaymentIntent, wanted: int | UnsetType) -> int:
    if not isinstance(wanted, int):
        return intent.amount_capturable
    if wanted < 0:
        raise StripeError("Invalid non-negative integer", param="amount_to_capture")
    if wanted == 0:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="amount")
    if wanted > intent.amount_capturable:
        raise StripeError(
            "The payment could not be captured because the requested capture amount is greater than the amount you can "
            "capture for this charge. Contact us via https://support.stripe.com/contact/ for help.",
            code="amount_too_large",
        )
    return wanted


def cancel(call: Call, intent: PaymentIntent, reason: str | None = None) -> PaymentIntent:
    """Cancel an intent and release its authorization."""
    if intent.status not in CANCELABLE:
        raise build_unexpected_state_error(
            f"You cannot cancel this PaymentIntent because it has a status of {intent.status}. Only a PaymentIntent "
            f"with one of the following statuses may be canceled: {', '.join(CANCELABLE)}.",
        )
    charge = find(call, CHARGES, intent.latest_charge or "") if intent.status == "requires_capture" else None
    if charge:
        update(call, CHARGES, charge, "charge.refunded", refunded=True, amount_refunded=charge.amount)
    if intent.status == "processing" and intent.latest_charge:
        call.db.change(retrieve(call, CHARGES, intent.latest_charge), status="failed", failure_code="charge_canceled")
    if intent.review:
        close_review(call, intent.review, "canceled")
    canceled = call.db.change(
        intent,
        status="canceled",
        canceled_at=now(call),
        cancellation_reason=reason,
        amount_capturable=0,
        next_action=None,
        settles_at=0,
    )
    record_row(call, "payment_intent.canceled", PAYMENTS, canceled)
    return canceled
