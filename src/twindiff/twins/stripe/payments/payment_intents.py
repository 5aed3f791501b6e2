"""PaymentIntents: operations and their validation.

https://docs.stripe.com/api/payment_intents
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..connect.destination_charges import check_destination
from ..core.currencies import check_charge, parse_currency
from ..core.events import update
from ..core.objects import Fields, refer, retrieve
from ..core.pagination import list_of, to_range_conditions, to_reference_conditions
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
    Parcel,
    SearchParams,
    Unset,
    collect_params,
    merge_metadata,
    value_of,
)
from ..core.search import search_of
from ..tables.customer_tables import CUSTOMERS, check_email
from ..tables.payment_intent_tables import AUTOMATIC, PAYMENTS, PaymentIntent, payment_intent_object
from ..tables.payment_method_tables import DEBITS, METHODS, REDIRECTS, PaymentMethod
from .amount_details import OptAmountDetails, merge_details
from .confirmation_tokens import Spent, spend
from .mandates import OptMandateData, accept
from .payment_lifecycle import (
    CONFIRMABLE,
    automatic_types,
    build_unexpected_state_error,
    cancel,
    capture,
    confirm,
    create,
    with_intent,
)
from .payment_method_types import (
    check_allowed,
    check_choice,
    check_confirms,
    check_currency,
    check_no_customer,
    check_owner,
    check_redirects,
    check_types,
    filter_allowed_types,
    without_method,
)
from .payment_methods import NewMethod, make, method_named

api = Operations(prefix="/v1/payment_intents", layers=[with_intent])

CaptureMethod = Literal["automatic", "automatic_async", "manual"]
Usage = Literal["", "off_session", "on_session"]


class Automatic(NestedParams):
    """Whether the payment methods of the dashboard are accepted."""

    enabled: bool
    allow_redirects: Literal["always", "never"] | UnsetType = UNSET


class TransferData(NestedParams):
    """The connected account that is paid, and the amount."""

    amount: OptInteger = UNSET
    destination: OptName = UNSET


class IntentParams(Params):
    """Parameters shared by the create, update and confirm operations."""

    longest: ClassVar = {"description": 1000}

    capture_method: CaptureMethod | UnsetType = UNSET
    payment_method: OptName = UNSET
    payment_method_data: NewMethod | UnsetType = UNSET
    payment_method_options: dict[str, dict[str, Any]] | UnsetType = UNSET
    payment_method_types: list[str] | UnsetType = UNSET
    receipt_email: OptText = UNSET
    setup_future_usage: Usage | UnsetType = UNSET
    shipping: Parcel | Unset | UnsetType = UNSET
    amount_details: OptAmountDetails = UNSET
    payment_details: dict[str, Any] | Unset | UnsetType = UNSET
    hooks: dict[str, Any] | UnsetType = UNSET
    excluded_payment_method_types: list[str] | Unset | UnsetType = UNSET


class ConfirmIntent(IntentParams):
    """The parameters of a confirmation."""

    confirmation_token: OptName = UNSET
    error_on_requires_action: OptBool = UNSET
    mandate: OptText = UNSET
    mandate_data: OptMandateData = UNSET
    off_session: bool | Literal["one_off", "recurring"] | UnsetType = UNSET
    radar_options: dict[str, Any] | UnsetType = UNSET
    return_url: OptName = UNSET
    use_stripe_sdk: OptBool = UNSET
    client_secret: OptText = UNSET


class UpdateIntent(IntentParams):
    """The parameters of an update."""

    amount: OptInteger = UNSET
    application_fee_amount: OptInteger = UNSET
    currency: OptName = UNSET
    customer: OptName = UNSET
    description: OptText = UNSET
    metadata: OptMetadata = UNSET
    payment_method_configuration: OptText = UNSET
    statement_descriptor: OptText = UNSET
    statement_descriptor_suffix: OptText = UNSET
    transfer_data: TransferData | UnsetType = UNSET
    transfer_group: OptText = UNSET
    allowed_payment_method_types: list[str] | UnsetType = UNSET


class CreateIntent(ConfirmIntent, kw_only=True):
    """The parameters of a new PaymentIntent."""

    amount: Integer
    currency: str
    application_fee_amount: OptInteger = UNSET
    automatic_payment_methods: Automatic | UnsetType = UNSET
    confirm: OptBool = UNSET
    confirmation_method: Literal["automatic", "manual"] | UnsetType = UNSET
    customer: OptName = UNSET
    description: OptText = UNSET
    metadata: OptMetadata = UNSET
    on_behalf_of: OptText = UNSET
    payment_method_configuration: OptText = UNSET
    statement_descriptor: OptText = UNSET
    statement_descriptor_suffix: OptText = UNSET
    transfer_data: TransferData | UnsetType = UNSET
    transfer_group: OptText = UNSET
    allowed_payment_method_types: list[str] | UnsetType = UNSET


class CaptureIntent(Params):
    """The parameters of a capture."""

    amount_details: OptAmountDetails = UNSET
    amount_to_capture: OptInteger = UNSET
    application_fee_amount: OptInteger = UNSET
    final_capture: OptBool = UNSET
    metadata: OptMetadata = UNSET
    statement_descriptor: OptText = UNSET
    statement_descriptor_suffix: OptText = UNSET


class CancelIntent(Params):
    """The parameters of a cancellation."""

    cancellation_reason: Literal["abandoned", "duplicate", "fraudulent", "requested_by_customer"] | UnsetType = UNSET


class RetrieveIntent(Params):
    """The parameters of a retrieval; a publishable key needs the intent's client secret."""

    client_secret: OptText = UNSET


class ListIntents(ListParams):
    """The parameters of a list of PaymentIntents."""

    created: OptRange = UNSET
    customer: OptName = UNSET


_NO_COLUMNS = (
    "payment_method",
    "payment_method_data",
    "automatic_payment_methods",
    "amount_details",
    "payment_details",
    "hooks",
    "allowed_payment_method_types",
    "confirmation_token",
    "error_on_requires_action",
    "mandate",
    "mandate_data",
    "off_session",
    "radar_options",
    "use_stripe_sdk",
    "client_secret",
    "confirm",
    "payment_method_configuration",
    "payment_method_options",
)
"""Parameters that are not columns of the intent."""

_ONLY_CONFIRMED = (
    "confirmation_token",
    "error_on_requires_action",
    "mandate",
    "mandate_data",
    "off_session",
    "return_url",
)
"""Parameters of a new intent that require `confirm`."""


@api.post("")
def create_payment_intent(call: Call, params: Annotated[CreateIntent, Body]) -> Any:
    """Create a PaymentIntent, and with `confirm` try to collect it at once."""
    check_choice(call, params)
    currency = parse_currency(params.currency)
    check_charge(params.amount, currency)
    check_confirms("PaymentIntent", params, _ONLY_CONFIRMED)
    check_destination(call, params, params.amount)
    if params.receipt_email:
        check_email(params.receipt_email, "receipt_email")
    if isinstance(params.customer, str):
        refer(call, CUSTOMERS, params.customer, "customer")
    fields = {**collect_params(params, *_NO_COLUMNS, "amount", "currency"), **_ways(params, currency)}
    if "automatic_payment_methods" not in fields:
        _check_descriptor(params, fields["payment_method_types"])
    spent = spend(call, params.confirmation_token)
    method = _method(call, params, fields.get("customer"), spent)
    check_allowed("PaymentIntent", method, fields["payment_method_types"])
    fields = {**(spent.fields if spent else {}), **fields}
    made = create(
        call,
        params.amount,
        currency,
        **fields,
        payment_method=method and method.id,
        payment_method_options=value_of(params.payment_method_options or {}),
        amount_details=merge_details(call, None, params.amount_details, params.amount),
        metadata=merge_metadata({}, params.metadata),
    )
    if spent:
        spent.on(call, payment_intent=made.id)
    return _confirm(call, made, params) if params.confirm else payment_intent_object(made)


SEARCHABLE = {
    "amount": PaymentIntent.amount,
    "created": PaymentIntent.created,
    "currency": PaymentIntent.currency,
    "customer": PaymentIntent.customer,
    "metadata": PaymentIntent.metadata,
    "status": PaymentIntent.status,
}


@api.get("/search")
def search_payment_intents(call: Call, params: Annotated[SearchParams, Body]) -> Fields:
    """Search PaymentIntents."""
    return search_of(call, PAYMENTS, params, "/v1/payment_intents/search", SEARCHABLE)


@api.get("/{intent}", scope="publishable")
def retrieve_payment_intent(call: Call, intent: str, params: Annotated[RetrieveIntent, Body]) -> Fields:
    """Retrieve a PaymentIntent."""
    row = retrieve(call, PAYMENTS, intent)
    _check_secret(call, row, params.client_secret)
    return payment_intent_object(row)


@api.get("")
def list_payment_intents(call: Call, params: Annotated[ListIntents, Body]) -> Fields:
    """List PaymentIntents."""
    where = to_range_conditions(PaymentIntent.created, params.created)
    where += to_reference_conditions(call, (PaymentIntent.customer, params.customer, CUSTOMERS))
    return list_of(call, PAYMENTS, params, "/v1/payment_intents", *where)


@api.post("/{intent}")
def update_payment_intent(call: Call, intent: str, params: Annotated[UpdateIntent, Body]) -> Fields:
    """Update the given fields of a PaymentIntent; the amount only until it is paid."""
    row = retrieve(call, PAYMENTS, intent)
    check_choice(call, params)
    wanted = collect_params(params, *_NO_COLUMNS)
    _check_update(call, row, params)
    if not row.automatic_payment_methods:
        _check_descriptor(params, wanted.get("payment_method_types", row.payment_method_types))
    if isinstance(params.allowed_payment_method_types, list):
        types = filter_allowed_types(params.allowed_payment_method_types, wanted.get("currency", row.currency))
        wanted |= {"payment_method_types": types, "allowed_payment_method_types": params.allowed_payment_method_types}
    elif isinstance(params.payment_method_types, list):
        check_types("payment_intent", params.payment_method_types)
    if {"currency", "payment_method_types"} & wanted.keys() and not row.automatic_payment_methods:
        types = wanted.get("payment_method_types", row.payment_method_types)
        check_currency(types, wanted.get("currency", row.currency))
    if isinstance(params.payment_method_options, dict):
        wanted["payment_method_options"] = {**row.payment_method_options, **value_of(params.payment_method_options)}
    if params.amount_details is not UNSET:
        total: int = wanted.get("amount", row.amount)
        wanted["amount_details"] = merge_details(call, row.amount_details, params.amount_details, total)
    method = _method(call, params, wanted.get("customer", row.customer))
    check_allowed("PaymentIntent", method, wanted.get("payment_method_types", row.payment_method_types))
    if method:
        wanted |= {"payment_method": method.id, "status": "requires_confirmation"}
    metadata = merge_metadata(row.metadata, params.metadata)
    return payment_intent_object(update(call, PAYMENTS, row, False, **wanted, metadata=metadata))


@api.post("/{intent}/confirm", scope="publishable")
def confirm_payment_intent(call: Call, intent: str, params: Annotated[ConfirmIntent, Body]) -> Any:
    """Confirm a PaymentIntent, which tries to collect it."""
    check_choice(call, params)
    row = retrieve(call, PAYMENTS, intent)
    _check_secret(call, row, params.client_secret)
    if row.status == "succeeded":
        message = (
            "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed."
        )
        raise build_unexpected_state_error(message)
    if row.status == "canceled":
        _check_ways(row, params)
    if row.status not in CONFIRMABLE:
        message = (
            f"You cannot confirm this PaymentIntent because it has a status of {row.status}. Only a PaymentIntent "
            "with one of the following statuses may be confirmed: requires_confirmation, requires_action."
        )
        raise build_unexpected_state_error(message)
    spent = spend(call, params.confirmation_token)
    wanted = {**(spent.fields if spent else {}), **collect_params(params, *_NO_COLUMNS)}
    if spent:
        spent.on(call, payment_intent=row.id)
    if method := _method(call, params, row.customer, spent):
        check_allowed("PaymentIntent", method, wanted.get("payment_method_types", row.payment_method_types))
        wanted["payment_method"] = method.id
    if isinstance(params.payment_method_options, dict):
        wanted["payment_method_options"] = {**row.payment_method_options, **value_of(params.payment_method_options)}
    if params.amount_details is not UNSET:
        wanted["amount_details"] = merge_details(call, row.amount_details, params.amount_details, row.amount)
    changed = call.db.change(row, **wanted) if wanted else row
    if changed.payment_method is None:
        raise _without_method(changed)
    return _confirm(call, changed, params)


@api.post("/{intent}/capture")
def capture_payment_intent(call: Call, intent: str, params: Annotated[CaptureIntent, Body]) -> Fields:
    """Capture an authorized PaymentIntent, wholly or in part."""
    row = retrieve(call, PAYMENTS, intent)
    if params.final_capture is False:
        message = "This PaymentIntent does not support multicapture, so that `final_capture` cannot be false."
        raise StripeError(message, param="final_capture")
    if params.amount_details is not UNSET:
        total = params.amount_to_capture if isinstance(params.amount_to_capture, int) else row.amount
        details = merge_details(call, row.amount_details, params.amount_details, total)
        row = call.db.change(row, amount_details=details)
    captured = capture(call, row, params.amount_to_capture)
    metadata = merge_metadata(captured.metadata, params.metadata)
    return payment_intent_object(update(call, PAYMENTS, captured, False, metadata=metadata))


@api.post("/{intent}/cancel")
def cancel_payment_intent(call: Call, intent: str, params: Annotated[CancelIntent, Body]) -> Fields:
    """Cancel a PaymentIntent and release its authorization."""
    reason = params.cancellation_reason or None
    return payment_intent_object(cancel(call, retrieve(call, PAYMENTS, intent), reason))


def _ways(params: CreateIntent, currency: str) -> Fields:
    """Return the columns of accepted payment method types: the requested ones, or those of the dashboard."""
    automatic = params.automatic_payment_methods
    if isinstance(params.allowed_payment_method_types, list):
        types = filter_allowed_types(params.allowed_payment_method_types, currency)
        return {"payment_method_types": types, "allowed_payment_method_types": params.allowed_payment_method_types}
    if isinstance(params.payment_method_types, list):
        if isinstance(automatic, Automatic) and automatic.enabled:
            message = "You may only specify one of these parameters: automatic_payment_methods, payment_method_types."
            raise StripeError(message, param="automatic_payment_methods")
        check_types("payment_intent", params.payment_method_types)
        check_currency(params.payment_method_types, currency)
        return {"payment_method_types": params.payment_method_types}
    if isinstance(automatic, Automatic) and not automatic.enabled:
        return {"payment_method_types": ["card"]}
    redirects = automatic.allow_redirects if isinstance(automatic, Automatic) else UNSET
    types = automatic_types(currency)
    if redirects == "never":
        types = [each for each in types if each not in REDIRECTS or each == "link"]
    types = [each for each in types if each not in (params.excluded_payment_method_types or ())]
    ways = {**AUTOMATIC, "allow_redirects": redirects or "always"}
    return {"payment_method_types": types, "automatic_payment_methods": ways}


def _check_descriptor(params: CreateIntent | UpdateIntent, types: list[str]) -> None:
    """Raise StripeError for a full statement descriptor of card payments, which allow a suffix only."""
    if params.statement_descriptor and "card" in types:
        raise StripeError(
            "The statement_descriptor parameter is not supported for the payment_method_type `card`. To continue "
            "supporting payment_method_type `card`, please pass in `statement_descriptor_suffix` or remove the "
            "`statement_descriptor` parameter altogether. Please see https://support.stripe.com/questions/"
            "use-of-the-statement-descriptor-parameter-on-paymentintents-for-card-charges for additional details.",
            param="statement_descriptor",
        )


def _method(call: Call, params: IntentParams, customer: str | None, spent: Spent | None = None) -> PaymentMethod | None:
    """Return the given payment method, or create it from the given data; None without either."""
    if spent and not params.payment_method:
        return spent.method
    if isinstance(params.payment_method_data, NewMethod):
        return make(call, params.payment_method_data)
    if not isinstance(params.payment_method, str) or not params.payment_method:
        return None
    method = method_named(call, params.payment_method)
    check_owner("PaymentIntent", method, customer)
    return method


def _without_method(intent: PaymentIntent) -> StripeError:
    return build_unexpected_state_error(without_method("PaymentIntent", intent.customer))


def _confirm(call: Call, intent: PaymentIntent, params: ConfirmIntent) -> Any:
    """Return the intent after an attempt, or the error of a declined one, whose changes are kept."""
    if intent.payment_method is None:
        raise _without_method(intent)
    check_redirects(call, "PaymentIntent", intent.automatic_payment_methods, intent.return_url)
    method = retrieve(call, METHODS, intent.payment_method)
    if method.type in DEBITS and not params.mandate:
        once = None if intent.setup_future_usage else {"amount": intent.amount, "currency": intent.currency}
        accept(call, method, params.mandate_data, once)
    done, error = confirm(call, intent, off_session=bool(params.off_session))
    if error is None and done.status == "requires_action" and params.error_on_requires_action is True:
        message = "Your card was declined. This transaction requires authentication."
        raise StripeError(message, kind="card_error", status=402, code="authentication_required")
    return error or payment_intent_object(done)


def _check_update(call: Call, intent: PaymentIntent, params: UpdateIntent) -> None:
    if params.amount is not UNSET:
        _check_open(intent, "amount")
    _check_ways(intent, params)
    currency = parse_currency(params.currency) if isinstance(params.currency, str) else intent.currency
    if isinstance(params.amount, int):
        check_charge(params.amount, currency)
    if params.receipt_email:
        check_email(params.receipt_email, "receipt_email")
    if isinstance(params.customer, str) and params.customer:
        check_no_customer("PaymentIntent", intent.customer)
        refer(call, CUSTOMERS, params.customer, "customer")


def _check_ways(intent: PaymentIntent, params: IntentParams | UpdateIntent) -> None:
    """Raise StripeError for changes of the payment method once the intent is paid or canceled."""
    for name in ("currency", "capture_method", "payment_method", "payment_method_data", "payment_method_types"):
        if getattr(params, name, UNSET) is not UNSET:
            _check_open(intent, name.removesuffix("_data"))


def _check_open(intent: PaymentIntent, name: str) -> None:
    if intent.status not in CONFIRMABLE:
        raise build_unexpected_state_error(
            f"This PaymentIntent's {name} could not be updated because it has a status of {intent.status}. You may "
            f"only update the {name} of a PaymentIntent with one of the following statuses: {', '.join(CONFIRMABLE)}.",
            param=name,
        )


def _check_secret(call: Call, intent: PaymentIntent, secret: str | UnsetType) -> None:
    if call.token.startswith("pk_") and secret != intent.client_secret:
        message = (
            "The client_secret provided does not match any associated PaymentIntent on this account. Ensure the "
            "provided client_secret and PaymentIntent belong to the same account."
        )
        raise StripeError(message, code="payment_intent_invalid_parameter", param="client_secret")
