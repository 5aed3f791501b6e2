"""SetupIntents: payment methods set up for future payments.

https://docs.stripe.com/api/setup_intents
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, RequestContext, UnsetType, column, references
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row, update
from ..core.objects import (
    Fields,
    StripeObject,
    build_view,
    find,
    new,
    new_id,
    object_id,
    refer,
    render_unmanaged_payments,
    resource,
    retrieve,
)
from ..core.pagination import list_of, to_range_conditions, to_reference_conditions
from ..core.params import (
    ListParams,
    NestedParams,
    OptBool,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    Unset,
    collect_params,
    merge_metadata,
    value_of,
)
from ..tables.customer_tables import CUSTOMERS, Customer
from ..tables.payment_intent_tables import AUTOMATIC, configuration, options_of
from ..tables.payment_method_tables import DEBITS, METHODS, TO_VERIFY, PaymentMethod
from .confirmation_tokens import spend
from .mandates import OptMandateData, accept
from .payment_intents import Automatic
from .payment_lifecycle import microdeposit_action
from .payment_method_types import (
    check_allowed,
    check_choice,
    check_confirms,
    check_no_customer,
    check_owner,
    check_redirects,
    check_types,
    filter_allowed_types,
    without_method,
)
from .payment_methods import NewMethod, attach, make, method_named, outcome_of, run_card_checks
from .setup_attempts import record_attempt
from .test_cards import Decline, decline_of

api = Operations(prefix="/v1/setup_intents")

OPEN = ("requires_payment_method", "requires_confirmation", "requires_action")


class SetupIntent(
    StripeObject,
    table="setup_intents",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("payment_method", "seq")),
):
    allowed_payment_method_types: Column[Json | None] = column(default=None)
    automatic_payment_methods: Column[Json] = column(default=None)
    cancellation_reason: Column[str | None] = column(default=None)
    client_secret: Column[str]
    customer: Column[str | None] = references(Customer, default=None)
    description: Column[str | None] = column(default=None)
    excluded_payment_method_types: Column[Json | None] = column(default=None)
    latest_attempt: Column[str | None] = column(default=None, derived=True)
    last_setup_error: Column[Json] = column(default=None)
    mandate: Column[str | None] = column(default=None, derived=True)
    metadata: Column[Json] = column(default={})
    next_action: Column[Json] = column(default=None)
    on_behalf_of: Column[str | None] = column(default=None)
    payment_method: Column[str | None] = references(PaymentMethod, default=None)
    payment_method_options: Column[Json] = column(default={})
    payment_method_types: Column[Json]
    status: Column[str]
    usage: Column[str] = column(default="off_session")
    return_url: Column[str | None] = column(default=None)


OPTIONS: Fields = {
    "card": {"mandate_options": None, "network": None, "request_three_d_secure": "automatic"},
    "us_bank_account": {"mandate_options": {}, "verification_method": "automatic"},
}
"""Default `payment_method_options` of each type."""


def _options(row: SetupIntent) -> Fields:
    return options_of(row.payment_method_types, row.payment_method_options, OPTIONS)


setup_intent_object = build_view(
    SetupIntent,
    "setup_intent",
    "return_url",
    application=None,
    customer_account=None,
    flow_directions=None,
    managed_payments=render_unmanaged_payments,
    payment_method_configuration_details=configuration,
    payment_method_options=_options,
    single_use_mandate=None,
)
SETUPS = resource(
    SetupIntent,
    "setup_intent",
    "seti_",
    setup_intent_object,
    spoken="setupintent",
    param="intent",
    expandable=("customer", "latest_attempt", "mandate", "payment_method", "on_behalf_of"),
)

SUCCEEDED: list[Callable[[Call, SetupIntent], None]] = []
"""Callbacks of other modules for a succeeded SetupIntent."""


def with_intent(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware: add the intent, in its state before the call, to errors of operations on it."""
    id = exchange.path_parameters.get("intent")
    if id is None:
        return proceed()
    known = None if exchange.operation.reads else find(call, SETUPS, id)
    try:
        return proceed()
    except StripeError as error:
        if intent := known or find(call, SETUPS, id):
            error.fields.setdefault("setup_intent", setup_intent_object(intent))
        raise


Options = dict[str, Any] | UnsetType


Network = Literal[
    "amex", "cartes_bancaires", "diners", "discover", "eftpos_au", "girocard", "interac", "jcb", "link", "mastercard",
    "unionpay", "unknown", "visa",
]  # fmt: skip


class CardOptions(NestedParams):
    """Options of card setups."""

    mandate_options: Options = UNSET
    moto: OptBool = UNSET
    network: Network | UnsetType = UNSET
    request_three_d_secure: Literal["any", "automatic", "challenge"] | UnsetType = UNSET
    three_d_secure: Options = UNSET


class MethodOptions(NestedParams):
    """Options by payment method type."""

    acss_debit: Options = UNSET
    amazon_pay: Options = UNSET
    bacs_debit: Options = UNSET
    bizum: Options = UNSET
    card: CardOptions | UnsetType = UNSET
    card_present: Options = UNSET
    klarna: Options = UNSET
    link: Options = UNSET
    paypal: Options = UNSET
    payto: Options = UNSET
    pix: Options = UNSET
    sepa_debit: Options = UNSET
    upi: Options = UNSET
    us_bank_account: Options = UNSET


class SetupParams(Params):
    """Parameters shared by the create, update and confirm operations."""

    longest: ClassVar = {"description": 1000}

    payment_method: OptName = UNSET
    payment_method_data: NewMethod | UnsetType = UNSET
    payment_method_options: MethodOptions | UnsetType = UNSET


class UpdateSetup(SetupParams):
    """The parameters of an update."""

    attach_to_self: OptBool = UNSET
    customer: OptName = UNSET
    description: OptText = UNSET
    flow_directions: list[Literal["inbound", "outbound"]] | Unset | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    payment_method_configuration: OptText = UNSET
    payment_method_types: list[str] | UnsetType = UNSET
    excluded_payment_method_types: list[str] | Unset | UnsetType = UNSET
    allowed_payment_method_types: list[str] | UnsetType = UNSET


class ConfirmSetup(SetupParams):
    """The parameters of a confirmation."""

    client_secret: OptText = UNSET
    confirmation_token: OptName = UNSET
    mandate_data: OptMandateData = UNSET
    return_url: OptName = UNSET
    use_stripe_sdk: OptBool = UNSET


class CreateSetup(UpdateSetup):
    """The parameters of a new SetupIntent."""

    automatic_payment_methods: Automatic | UnsetType = UNSET
    confirm: OptBool = UNSET
    confirmation_token: OptName = UNSET
    mandate_data: OptMandateData = UNSET
    on_behalf_of: OptText = UNSET
    return_url: OptName = UNSET
    single_use: dict[str, Any] | UnsetType = UNSET
    usage: Literal["off_session", "on_session"] | UnsetType = UNSET
    use_stripe_sdk: OptBool = UNSET


class CancelSetup(Params):
    """The parameters of a cancellation."""

    cancellation_reason: Literal["abandoned", "duplicate", "requested_by_customer"] | UnsetType = UNSET


class RetrieveSetup(Params):
    """The parameters of a retrieval; a publishable key needs the intent's client secret."""

    client_secret: OptText = UNSET


class ListSetups(ListParams):
    """The parameters of a list of SetupIntents."""

    attach_to_self: OptBool = UNSET
    created: OptRange = UNSET
    customer: OptName = UNSET
    payment_method: OptName = UNSET


_COLUMNS = ("customer", "description", "excluded_payment_method_types", "on_behalf_of", "return_url", "usage")


@api.post("")
def create_setup_intent(call: Call, params: Annotated[CreateSetup, Body]) -> Any:
    """Create a SetupIntent, and with `confirm` confirm it at once."""
    check_choice(call, params)
    check_confirms("SetupIntent", params, ("confirmation_token", "mandate_data", "return_url"))
    if isinstance(params.customer, str):
        refer(call, CUSTOMERS, params.customer, "customer")
    ways = _ways(params)
    spent = spend(call, params.confirmation_token)
    method = spent.method if spent else _method(call, params, params.customer or None)
    check_allowed("SetupIntent", method, ways["payment_method_types"])
    id = object_id(call, SETUPS.prefix)
    if spent:
        spent.on(call, setup_intent=id)
    made = new(
        call,
        SETUPS,
        id=id,
        client_secret=new_id(call, f"{id}_secret_", 25),
        status="requires_confirmation" if method else "requires_payment_method",
        payment_method=method and method.id,
        payment_method_options=_merge_method_options({}, params),
        metadata=merge_metadata({}, params.metadata),
        **ways,
        **{name: value for name, value in collect_params(params).items() if name in _COLUMNS},
    )
    record_row(call, "setup_intent.created", SETUPS, made)
    return _confirm(call, made, params.mandate_data) if params.confirm else setup_intent_object(made)


@api.get("/{intent}", scope="publishable", layers=[with_intent])
def retrieve_setup_intent(call: Call, intent: str, params: Annotated[RetrieveSetup, Body]) -> Fields:
    """Retrieve a SetupIntent."""
    return setup_intent_object(_retrieve_intent(call, intent, params.client_secret))


@api.get("")
def list_setup_intents(call: Call, params: Annotated[ListSetups, Body]) -> Fields:
    """List SetupIntents."""
    where = to_range_conditions(SetupIntent.created, params.created)
    where += to_reference_conditions(
        call,
        (SetupIntent.customer, params.customer, CUSTOMERS),
        (SetupIntent.payment_method, params.payment_method, METHODS),
    )
    return list_of(call, SETUPS, params, "/v1/setup_intents", *where)


@api.post("/{intent}", layers=[with_intent])
def update_setup_intent(call: Call, intent: str, params: Annotated[UpdateSetup, Body]) -> Fields:
    """Update the given fields of a SetupIntent."""
    row = retrieve(call, SETUPS, intent)
    check_choice(call, params)
    if isinstance(params.customer, str):
        check_no_customer("SetupIntent", row.customer)
        refer(call, CUSTOMERS, params.customer, "customer")
    wanted = {name: value for name, value in collect_params(params).items() if name in _COLUMNS}
    if isinstance(params.allowed_payment_method_types, list):
        types = filter_allowed_types(params.allowed_payment_method_types)
        wanted |= {"payment_method_types": types, "allowed_payment_method_types": params.allowed_payment_method_types}
    if isinstance(params.payment_method_types, list):
        check_types("setup_intent", params.payment_method_types)
        wanted["payment_method_types"] = params.payment_method_types
    if row.status not in OPEN and (params.payment_method or params.payment_method_data):
        how = "already succeeded" if row.status == "succeeded" else "been canceled"
        message = f"You cannot update this SetupIntent because it has {how}."
        raise StripeError(message, code="setup_intent_unexpected_state")
    customer = row.customer if params.customer is UNSET else params.customer or None
    if method := _method(call, params, customer):
        check_allowed("SetupIntent", method, wanted.get("payment_method_types", row.payment_method_types))
        wanted |= {"payment_method": method.id, "status": "requires_confirmation"}
    wanted["payment_method_options"] = _merge_method_options(row.payment_method_options, params)
    metadata = merge_metadata(row.metadata, params.metadata)
    return setup_intent_object(update(call, SETUPS, row, False, **wanted, metadata=metadata))


@api.post("/{intent}/confirm", scope="publishable", layers=[with_intent])
def confirm_setup_intent(call: Call, intent: str, params: Annotated[ConfirmSetup, Body]) -> Any:
    """Confirm a SetupIntent."""
    row = _retrieve_intent(call, intent, params.client_secret)
    given = params.payment_method or params.payment_method_data or params.confirmation_token
    if row.status not in OPEN and (given or row.payment_method):
        message = (
            f"You cannot confirm this SetupIntent because it has a status of {row.status}. Only a SetupIntent with one "
            "of the following statuses may be confirmed: requires_confirmation, requires_action."
        )
        if row.status == "succeeded":
            message = "You cannot confirm this SetupIntent because it has already succeeded."
        raise StripeError(message, code="setup_intent_unexpected_state")
    wanted = {name: value for name, value in collect_params(params).items() if name == "return_url"}
    wanted["payment_method_options"] = _merge_method_options(row.payment_method_options, params)
    spent = spend(call, params.confirmation_token)
    if spent:
        spent.on(call, setup_intent=row.id)
    if method := spent.method if spent else _method(call, params, row.customer):
        check_allowed("SetupIntent", method, row.payment_method_types)
        wanted["payment_method"] = method.id
    return _confirm(call, call.db.change(row, **wanted), params.mandate_data)


@api.post("/{intent}/cancel", layers=[with_intent])
def cancel_setup_intent(call: Call, intent: str, params: Annotated[CancelSetup, Body]) -> Fields:
    """Cancel a SetupIntent."""
    row = retrieve(call, SETUPS, intent)
    if row.status not in OPEN:
        message = (
            f"You cannot cancel this SetupIntent because it has a status of {row.status}. Only a SetupIntent with "
            "one of the following statuses may be canceled: `requires_payment_method`, `requires_confirmation`, or "
            "`requires_action`."
        )
        if row.status == "canceled":
            message = "You cannot cancel this SetupIntent because it is already canceled."
        raise StripeError(message, code="setup_intent_unexpected_state")
    reason = params.cancellation_reason or None
    canceled = call.db.change(row, status="canceled", cancellation_reason=reason, next_action=None)
    record_row(call, "setup_intent.canceled", SETUPS, canceled)
    return setup_intent_object(canceled)


def complete(call: Call, intent: SetupIntent, *, succeeds: bool) -> SetupIntent:
    """Apply the result of an authentication to a SetupIntent."""
    if intent.status != "requires_action":
        return intent
    method = retrieve(call, METHODS, intent.payment_method or "")
    if succeeds:
        return complete_setup(call, intent, method)
    message = (
        "We are unable to authenticate your payment method. Please choose a different payment method and try again."
    )
    failure = Decline("setup_intent_authentication_failure", "", message, None, None)
    return fail(call, intent, method, failure, kind="invalid_request_error")[0]


def _merge_method_options(known: Fields, params: SetupParams) -> Fields:
    """Merge the given options by type; `moto` applies to one request and is not stored."""
    if not isinstance(params.payment_method_options, MethodOptions):
        return known
    options: Fields = value_of(params.payment_method_options)
    options.get("card", {}).pop("moto", None)
    return {**known, **options}


def _retrieve_intent(call: Call, id: str, secret: str | UnsetType) -> SetupIntent:
    intent = retrieve(call, SETUPS, id)
    if call.token.startswith("pk_") and secret != intent.client_secret:
        message = "The client_secret provided does not match any associated SetupIntent on this account."
        raise StripeError(message, code="setup_intent_invalid_parameter", param="client_secret")
    return intent


def _method(call: Call, params: SetupParams, customer: str | None) -> PaymentMethod | None:
    if isinstance(params.payment_method_data, NewMethod):
        return make(call, params.payment_method_data)
    if not isinstance(params.payment_method, str):
        return None
    method = method_named(call, params.payment_method)
    check_owner("SetupIntent", method, customer)
    return method


def _ways(params: CreateSetup) -> Fields:
    automatic = params.automatic_payment_methods
    if isinstance(params.allowed_payment_method_types, list):
        types = filter_allowed_types(params.allowed_payment_method_types)
        return {"payment_method_types": types, "allowed_payment_method_types": params.allowed_payment_method_types}
    if isinstance(params.payment_method_types, list):
        if isinstance(automatic, Automatic) and automatic.enabled:
            message = "You may only specify one of these parameters: automatic_payment_methods, payment_method_types."
            raise StripeError(message, param="automatic_payment_methods")
        check_types("setup_intent", params.payment_method_types)
        return {"payment_method_types": params.payment_method_types}
    if isinstance(automatic, Automatic) and not automatic.enabled:
        return {"payment_method_types": ["card"]}
    redirects = automatic.allow_redirects if isinstance(automatic, Automatic) else UNSET
    ways = {**AUTOMATIC, "allow_redirects": redirects or "always"}
    types = [each for each in ("card", "link") if each not in (params.excluded_payment_method_types or ())]
    return {"payment_method_types": types, "automatic_payment_methods": ways}


def _confirm(call: Call, intent: SetupIntent, mandate: OptMandateData) -> Any:
    if intent.payment_method is None:
        message = without_method("SetupIntent", intent.customer)
        raise StripeError(message, code="setup_intent_unexpected_state")
    check_redirects(call, "SetupIntent", intent.automatic_payment_methods, intent.return_url)
    method = run_card_checks(call, retrieve(call, METHODS, intent.payment_method))
    if method.type in DEBITS:
        intent = call.db.change(intent, mandate=accept(call, method, mandate).id)
    outcome = outcome_of(method)
    to_verify = method.type in TO_VERIFY and not method.verified
    if to_verify or _must_authenticate(intent, outcome):
        return setup_intent_object(_await_action(call, intent, method, to_verify=to_verify))
    if method.type in DEBITS:
        return setup_intent_object(complete_setup(call, intent, method))
    if outcome != "fails_when_charged" and (decline := decline_of(outcome)):
        return fail(call, intent, method, decline)[1]
    return setup_intent_object(complete_setup(call, intent, method))


def _must_authenticate(intent: SetupIntent, outcome: str) -> bool:
    wanted = _options(intent).get("card", {}).get("request_three_d_secure")
    is_asked = outcome == "three_d_secure_optional" and wanted in ("any", "challenge")
    return is_asked or outcome.startswith("authenticate")


def _await_action(call: Call, intent: SetupIntent, method: PaymentMethod, *, to_verify: bool) -> SetupIntent:
    page = f"{call.base_url}/twin/authenticate/{intent.id}?client_secret={intent.client_secret}"
    kind = "redirect_to_url" if intent.return_url else "use_stripe_sdk"
    action: Fields = {"type": kind, kind: {"type": "three_d_secure_redirect", "stripe_js": page}}
    if intent.return_url:
        action[kind] = {"return_url": intent.return_url, "url": page}
    if to_verify:
        action = microdeposit_action(call, intent.id)
    attempt = record_attempt(call, intent, method, "requires_action")
    waiting = call.db.change(intent, status="requires_action", next_action=action, latest_attempt=attempt)
    record_row(call, "setup_intent.requires_action", SETUPS, waiting)
    return waiting


def complete_setup(call: Call, intent: SetupIntent, method: PaymentMethod) -> SetupIntent:
    """Conclude a SetupIntent whose payment method was accepted, and attach the method to its customer."""
    attached = attach(call, method, intent.customer) if intent.customer else method
    call.db.change(attached, set_up=True)
    noted = {"latest_attempt": record_attempt(call, intent, attached, "succeeded"), "last_setup_error": None}
    done = call.db.change(intent, status="succeeded", next_action=None, **noted)
    record_row(call, "setup_intent.succeeded", SETUPS, done)
    for each in SUCCEEDED:
        each(call, done)
    return done


def fail(
    call: Call, intent: SetupIntent, method: PaymentMethod, decline: Decline, *, kind: str = "card_error"
) -> tuple[SetupIntent, StripeError]:
    """Set a SetupIntent back to requiring a payment method; returns it with the error of the declined one."""
    said = {
        "advice_code": decline.advice_code,
        "code": decline.code,
        "decline_code": decline.decline_code or None,
        "network_decline_code": decline.network_decline_code,
        "payment_method": METHODS.show(method),
    }
    said = {name: value for name, value in said.items() if value is not None}
    doc_url = f"https://stripe.com/docs/error-codes/{decline.code.replace('_', '-')}"
    error = {**said, "doc_url": doc_url, "message": decline.message, "type": kind}
    noted = {"latest_attempt": record_attempt(call, intent, method, "failed", error), "last_setup_error": error}
    failed = call.db.change(intent, status="requires_payment_method", payment_method=None, next_action=None, **noted)
    record_row(call, "setup_intent.setup_failed", SETUPS, failed)
    shown = setup_intent_object(failed)
    param = "exp_month" if decline.code == "expired_card" else None
    return failed, StripeError(decline.message, kind=kind, status=402, param=param, setup_intent=shown, **said)
