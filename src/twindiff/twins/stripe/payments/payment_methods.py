"""Payment methods: cards by token or number, bank accounts, and other types.

https://docs.stripe.com/api/payment_methods
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError, join_choices

from ..core.events import record_row, update
from ..core.objects import Fields, find, new, now, refer, retrieve
from ..core.pagination import equal, list_of
from ..core.params import (
    Address,
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    Params,
    Unset,
    collect_params,
    merge_metadata,
    value_of,
)
from ..tables.customer_tables import CUSTOMERS, check_email, existing
from ..tables.payment_method_tables import (
    DEBITS,
    IN_PERSON,
    METHODS,
    NOWHERE,
    TYPES,
    PaymentMethod,
    payment_method_object,
)
from ..tables.source_tables import SOURCES
from ..tables.token_tables import consume_card_token
from .redirect_methods import Boleto, Fpx, NaverPay, PayersBank, Sofort, details_of
from .test_bank_accounts import BANKS, Bank, BankAccount, bank_columns, find_bank
from .test_cards import BY_NAME, Card, decline_of, find_card, find_card_by_number

api = Operations(prefix="/v1")

ON_DETACH: list[Callable[[Call, PaymentMethod], None]] = []
"""Functions that are called with a payment method that its customer has no longer."""

Redisplay = Literal["always", "limited", "unspecified"]


class CardParams(NestedParams):
    """A card, by its token or its number."""

    token: OptText = UNSET
    number: OptText = UNSET
    exp_month: OptInteger = UNSET
    exp_year: OptInteger = UNSET
    cvc: OptText = UNSET
    networks: dict[str, Any] | UnsetType = UNSET


class Billing(NestedParams):
    """Billing details."""

    address: Address | Unset | UnsetType = UNSET
    email: OptText = UNSET
    name: OptText = UNSET
    phone: OptText = UNSET
    tax_id: OptText = UNSET


class NewMethod(Params):
    """The description of a payment method; types other than cards and bank accounts have their own object."""

    type: OptText = UNSET
    card: CardParams | UnsetType = UNSET
    billing_details: Billing | UnsetType = UNSET
    allow_redisplay: Redisplay | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    us_bank_account: BankAccount | UnsetType = UNSET
    sepa_debit: BankAccount | UnsetType = UNSET
    acss_debit: BankAccount | UnsetType = UNSET
    bacs_debit: BankAccount | UnsetType = UNSET
    au_becs_debit: BankAccount | UnsetType = UNSET
    klarna: dict[str, Any] | UnsetType = UNSET
    boleto: Boleto | UnsetType = UNSET
    eps: PayersBank | UnsetType = UNSET
    fpx: Fpx | UnsetType = UNSET
    ideal: PayersBank | UnsetType = UNSET
    naver_pay: NaverPay | UnsetType = UNSET
    p24: PayersBank | UnsetType = UNSET
    sofort: Sofort | UnsetType = UNSET
    link: dict[str, Any] | UnsetType = UNSET
    paypal: dict[str, Any] | UnsetType = UNSET
    radar_options: dict[str, Any] | UnsetType = UNSET


class CreateMethod(NewMethod):
    """The parameters of a new payment method."""

    customer: OptName = UNSET
    payment_method: OptName = UNSET


class UpdateCard(NestedParams):
    """The mutable fields of a card."""

    exp_month: OptInteger = UNSET
    exp_year: OptInteger = UNSET


class UpdateMethod(Params):
    """The parameters of an update."""

    allow_redisplay: Redisplay | UnsetType = UNSET
    billing_details: Billing | UnsetType = UNSET
    card: UpdateCard | UnsetType = UNSET
    metadata: OptMetadata = UNSET


class ListMethods(ListParams):
    """The parameters of a list of payment methods."""

    allow_redisplay: Redisplay | UnsetType = UNSET
    customer: OptName = UNSET
    type: OptText = UNSET


class AttachMethod(Params):
    """The customer to attach to."""

    customer: OptName = UNSET


@api.post("/payment_methods", scope="publishable")
def create_payment_method(call: Call, params: Annotated[CreateMethod, Body]) -> Fields:
    """Create a payment method."""
    return payment_method_object(make(call, params))


@api.get("/payment_methods/{id}")
def retrieve_payment_method(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a payment method, or one of Stripe's named test methods."""
    if columns := named_columns(call, id):
        return payment_method_object(PaymentMethod(id=id, seq=0, created=now(call), **columns))
    return payment_method_object(method_named(call, id, param=None, status=404))


@api.post("/payment_methods/{id}")
def update_payment_method(call: Call, id: str, params: Annotated[UpdateMethod, Body]) -> Fields:
    """Update the given fields of a payment method."""
    method = retrieve(call, METHODS, id)
    wanted = collect_params(params, "card", "billing_details")
    if isinstance(params.billing_details, Billing):
        wanted["billing_details"] = {**method.billing_details, **_billing(params.billing_details)}
    if isinstance(params.card, UpdateCard):
        wanted["details"] = {**method.details, **value_of(params.card)}
        check_expiry(call, wanted["details"]["exp_month"], wanted["details"]["exp_year"])
    metadata = merge_metadata(method.metadata, params.metadata)
    return payment_method_object(update(call, METHODS, method, **wanted, metadata=metadata))


@api.get("/payment_methods")
def list_payment_methods(call: Call, params: Annotated[ListMethods, Body]) -> Fields:
    """List the payment methods of a customer; without a customer, the list is empty."""
    if isinstance(params.customer, str):
        refer(call, CUSTOMERS, params.customer, "customer")
    return _list_methods(call, params, "/v1/payment_methods", params.customer or "")


@api.get("/customers/{customer}/payment_methods")
def list_customer_payment_methods(call: Call, customer: str, params: Annotated[ListMethods, Body]) -> Fields:
    """List the payment methods of a customer."""
    existing(call, customer)
    return _list_methods(call, params, f"/v1/customers/{customer}/payment_methods", customer)


@api.get("/customers/{customer}/payment_methods/{id}")
def retrieve_customer_payment_method(call: Call, customer: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a payment method of a customer."""
    existing(call, customer)
    method = retrieve(call, METHODS, id)
    if method.customer != customer:
        raise StripeError("Invalid request", status=404, param="customer")
    return payment_method_object(method)


@api.post("/payment_methods/{id}/attach")
def attach_payment_method(call: Call, id: str, params: Annotated[AttachMethod, Body]) -> Fields:
    """Attach a payment method to a customer; a card that the bank declines cannot be attached."""
    if not isinstance(params.customer, str) or not params.customer:
        raise StripeError("Must provide customer or customer_account.", code="parameter_missing")
    customer = refer(call, CUSTOMERS, params.customer, "customer")
    return payment_method_object(attach(call, method_named(call, id, status=404), customer.id))


@api.post("/payment_methods/{id}/detach")
def detach_payment_method(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Detach a payment method from its customer; it cannot be used again."""
    method = retrieve(call, METHODS, id)
    if method.customer is None:
        message = "The payment method you provided is not attached to a customer so detachment is impossible."
        raise StripeError(message)
    _forget_default(call, method)
    detached = update(call, METHODS, method, "payment_method.detached", customer=None, detached=True)
    for follow in ON_DETACH:
        follow(call, detached)
    return payment_method_object(detached)


def _forget_default(call: Call, method: PaymentMethod) -> None:
    customer = find(call, CUSTOMERS, method.customer or "")
    if customer and customer.invoice_settings.get("default_payment_method") == method.id:
        settings = {**customer.invoice_settings, "default_payment_method": None}
        update(call, CUSTOMERS, customer, invoice_settings=settings)


def attach(call: Call, method: PaymentMethod, customer: str) -> PaymentMethod:
    """Attach a payment method to a customer; raises StripeError if the bank declines the card."""
    if method.customer == customer:
        return method
    if method.customer:
        message = "The payment method you provided has already been attached to a customer."
        raise StripeError(message)
    if method.detached:
        raise StripeError(
            "This PaymentMethod was previously used without being attached to a Customer or was detached from a "
            "Customer, and may not be used again."
        )
    outcome = outcome_of(method) if method.type == "card" else ""
    decline = (
        decline_of(outcome) if outcome != "fails_when_charged" and not outcome.startswith("authenticate") else None
    )
    if decline and decline.decline_code != "fraudulent":
        raise StripeError(
            decline.message,
            kind="card_error",
            status=402,
            code=decline.code,
            decline_code=decline.decline_code,
            advice_code=decline.advice_code,
            network_decline_code=decline.network_decline_code,
            param="",
        )
    attached = call.db.change(run_card_checks(call, method), customer=customer)
    record_row(call, "payment_method.attached", METHODS, attached)
    return attached


def run_card_checks(call: Call, method: PaymentMethod) -> PaymentMethod:
    """Run the bank's checks of the security code and the address of a card."""
    if method.type != "card" or method.details["checks"]["cvc_check"] != "unchecked":
        return method
    outcome = outcome_of(method)
    address: Fields = {**NOWHERE, **(method.billing_details.get("address") or {})}
    both = {"address_fails": "fail", "address_unavailable": "unavailable"}.get(outcome)
    line1 = both or ("fail" if outcome == "line1_fails" else "pass")
    postal = both or ("fail" if outcome == "postal_code_fails" else "pass")
    checks = {
        "address_line1_check": line1 if address["line1"] else None,
        "address_postal_code_check": postal if address["postal_code"] else None,
        "cvc_check": "fail" if outcome in ("cvc_check_fails", "incorrect_cvc") else "pass",
    }
    return call.db.change(method, details={**method.details, "checks": checks})


def outcome_of(method: PaymentMethod) -> str:
    """Return the special outcome of payments with a test method, or ""."""
    named: Card | Bank | None = BY_NAME.get(method.test_card) or BANKS.get(method.test_card)
    return named.outcome if named else ""


def method_named(call: Call, id: str, param: str | None = "payment_method", status: int = 400) -> PaymentMethod:
    """Return the payment method with an id; named test methods such as `pm_card_visa` are created each time.

    Raises StripeError for an unknown one, and for a source that no customer has.
    """
    columns = named_columns(call, id)
    if columns is not None:
        return new(call, METHODS, **columns)
    if id.startswith("src_") and find(call, SOURCES, id) and find(call, METHODS, id) is None:
        message = "A source must be attached to a customer to be used as a `payment_method`."
        raise StripeError(message, param="payment_method")
    return retrieve(call, METHODS, id, param=param, status=status)


def named_columns(call: Call, id: str) -> Fields | None:
    """Return the columns of a named test method, such as `pm_card_visa`, or None."""
    if id.startswith("pm_card_"):
        card = find_card(id)
        return card_columns(call, card, UNSET) if card else None
    bank = find_bank(id)
    if bank is None:
        return None
    is_iban = bank.type == "sepa_debit"
    account = BankAccount(iban=bank.number) if is_iban else BankAccount(account_number=bank.number)
    billing = {"name": "Jenny Rosen", "email": "jenny@example.com"}
    return {**bank_columns(call, bank.type, account), "billing_details": billing, "verified": True}


def retrieve_attached_method(call: Call, id: str, customer: str, param: str) -> PaymentMethod:
    """Return the payment method with an id; raises StripeError unless it is attached to the customer."""
    method = retrieve(call, METHODS, id, param=param, status=400)
    if method.customer != customer:
        message = (
            f"The customer does not have a payment method with the ID {id}. The payment method must be attached to the "
            "customer."
        )
        raise StripeError(message, code="resource_missing", param=param)
    return method


def make(call: Call, params: NewMethod) -> PaymentMethod:
    """Create an unattached payment method from parameters."""
    return new(call, METHODS, **columns_of(call, params))


def columns_of(call: Call, params: NewMethod) -> Fields:
    """Return the columns of the payment method that parameters describe."""
    type = _type(params)
    if type in IN_PERSON:
        message = f"PaymentMethods of the type `{type}` cannot be created by request. A reader creates them."
        raise StripeError(message, param="type")
    fields: Fields = {
        "billing_details": _billing(params.billing_details) if isinstance(params.billing_details, Billing) else {},
        "metadata": merge_metadata({}, params.metadata),
        "allow_redisplay": params.allow_redisplay or "unspecified",
    }
    if type == "card":
        return {**fields, **card_of(call, params.card)}
    if type in DEBITS:
        return {**fields, **bank_columns(call, type, getattr(params, type))}
    return {**fields, "type": type, "details": details_of(type, getattr(params, type, UNSET))}


def _type(params: NewMethod) -> str:
    type = params.type
    if not type:
        raise StripeError("Missing required param: type.", code="parameter_missing", param="type")
    _check_type(type)
    return type


def _check_type(type: str) -> None:
    if type not in TYPES:
        raise StripeError(f"Invalid type: must be one of {join_choices(sorted(TYPES))}", param="type")


def card_of(call: Call, params: CardParams | UnsetType) -> Fields:
    """Return the columns of a card by its token or its number."""
    if not isinstance(params, CardParams):
        raise StripeError("Missing required param: card.", code="parameter_missing", param="card")
    if isinstance(params.token, str):
        card = find_card(params.token)
        return card_columns(call, card, params) if card else consume_card_token(call, params.token)
    return numbered_card(call, params)


def numbered_card(call: Call, params: CardParams) -> Fields:
    """Return the columns of a card by its number."""
    for name in ("number", "exp_month", "exp_year"):
        if getattr(params, name) is UNSET:
            raise StripeError(f"Missing required param: card[{name}].", code="parameter_missing", param=f"card[{name}]")
    check_expiry(call, int(params.exp_month or 0), int(params.exp_year or 0))
    card = find_card_by_number(str(params.number))
    digits = (4,) if card.brand == "amex" else (3,)
    if params.cvc and not (params.cvc.isdecimal() and len(params.cvc) in digits):
        message = "Your card's security code is invalid."
        raise StripeError(message, kind="card_error", status=402, code="invalid_cvc", param="cvc")
    return card_columns(call, card, params)


def _billing(said: Billing) -> Fields:
    if said.email:
        check_email(said.email, "billing_details[email]")
    return value_of(said)


def check_expiry(call: Call, month: int, year: int) -> None:
    """Raise StripeError for an invalid or past expiry date."""
    today = call.clock.now
    if not 1 <= month <= 12:
        message = "Your card's expiration month is invalid."
        raise StripeError(message, kind="card_error", status=402, code="invalid_expiry_month", param="exp_month")
    year += 2000 if year < 100 else 0
    if (year, month) < (today.year, today.month) or year > today.year + 50:
        message = "Your card's expiration year is invalid."
        raise StripeError(message, kind="card_error", status=402, code="invalid_expiry_year", param="exp_year")


def card_columns(call: Call, card: Card, params: CardParams | UnsetType) -> Fields:
    """Return the columns of a test card."""
    today = call.clock.now
    month = params.exp_month if isinstance(params, CardParams) and params.exp_month else today.month
    year = params.exp_year if isinstance(params, CardParams) and params.exp_year else today.year + 1
    details: Fields = {
        "brand": card.brand,
        "checks": {"address_line1_check": None, "address_postal_code_check": None, "cvc_check": "unchecked"},
        "country": card.country,
        "display_brand": {"amex": "american_express", "diners": "diners_club"}.get(card.brand, card.brand),
        "exp_month": month,
        "exp_year": int(year) + (2000 if int(year) < 100 else 0),
        "fingerprint": f"{int(card.number):016x}"[-16:],
        "funding": card.funding,
        "generated_from": None,
        "last4": card.number[-4:],
        "networks": {"available": [card.brand], "preferred": None},
        "regulated_status": "unregulated",
        "three_d_secure_usage": {"supported": card.brand in ("visa", "mastercard", "amex", "discover")},
        "wallet": None,
    }
    return {"type": "card", "details": details, "test_card": card.name}


def _list_methods(call: Call, params: ListMethods, url: str, customer: str) -> Fields:
    if params.type:
        _check_type(params.type)
    where = equal((PaymentMethod.type, params.type), (PaymentMethod.allow_redisplay, params.allow_redisplay))
    return list_of(call, METHODS, params, url, PaymentMethod.customer == customer, *where)
