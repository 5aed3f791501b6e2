"""Cards, bank accounts and sources of customers, from before payment methods.

https://docs.stripe.com/api/cards, https://docs.stripe.com/api/customer_bank_accounts
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.accounts import own_account
from ..core.events import record, update
from ..core.objects import Fields, find, new, refer, retrieve
from ..core.pagination import equal, list_of
from ..core.params import (
    Address,
    Integer,
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    Params,
    collect_params,
    merge_metadata,
    value_of,
)
from ..payments.microdeposits import VERIFIED
from ..payments.payment_methods import ON_DETACH, attach, card_columns, check_expiry
from ..payments.test_cards import find_card
from ..payments.tokens import NO_TOKENS, TokenBank, bank_fields, build_card
from ..tables.customer_tables import CUSTOMERS, Customer, existing
from ..tables.payment_method_tables import METHODS, PaymentMethod
from ..tables.source_tables import CARDS, SOURCES, PaymentSource, source_object, sources_of
from ..tables.token_tables import TOKEN

api = Operations(prefix="/v1/customers/{customer}/sources")


class ListSources(ListParams):
    """The parameters of a list of sources; `object` is `card`, `bank_account` or `source`."""

    object: OptText = UNSET


class BankSource(TokenBank, kw_only=True):
    """A bank account, by its number."""

    object: Literal["bank_account"]


class CreateSource(Params):
    """The source to add: a token, the id of a source, or a bank account."""

    metadata: OptMetadata = UNSET
    source: OptName | BankSource = UNSET
    validate: bool | UnsetType = UNSET


class Owner(NestedParams):
    """The owner of a source."""

    address: Address | UnsetType = UNSET
    email: OptText = UNSET
    name: OptText = UNSET
    phone: OptText = UNSET


class UpdateSource(Params):
    """The mutable fields of a card or bank account, or the owner of a source."""

    account_holder_name: OptText = UNSET
    account_holder_type: Literal["company", "individual"] | UnsetType = UNSET
    address_city: OptText = UNSET
    address_country: OptText = UNSET
    address_line1: OptText = UNSET
    address_line2: OptText = UNSET
    address_state: OptText = UNSET
    address_zip: OptText = UNSET
    exp_month: OptInteger = UNSET
    exp_year: OptInteger = UNSET
    metadata: OptMetadata = UNSET
    name: OptText = UNSET
    owner: Owner | UnsetType = UNSET


class VerifySource(Params):
    """The amounts of two microdeposits, in cents."""

    amounts: list[Integer] | UnsetType = UNSET


@api.get("")
def list_sources(call: Call, customer: str, params: Annotated[ListSources, Body]) -> Fields:
    """List a customer's sources, newest first."""
    owner = existing(call, customer)
    where = equal((PaymentSource.object, params.object))
    return list_of(
        call, SOURCES, params, f"/v1/customers/{owner.id}/sources", PaymentSource.customer == owner.id, *where
    )


@api.post("")
def create_source(call: Call, customer: str, params: Annotated[CreateSource, Body]) -> Fields:
    """Add a card by a token, or a bank account, or attach a source; the first one becomes the default."""
    owner = existing(call, customer)
    if isinstance(params.source, UnsetType):
        raise StripeError("Missing required param: source.", code="parameter_missing", param="source")
    made = add_source(call, owner, params.source, params.metadata)
    if owner.default_source is None:
        update(call, CUSTOMERS, owner, default_source=made.id)
    return source_object(made)


@api.get("/{id}")
def retrieve_source(call: Call, customer: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a source of a customer."""
    return source_object(_source_of(call, customer, id))


@api.post("/{id}")
def update_source(call: Call, customer: str, id: str, params: Annotated[UpdateSource, Body]) -> Fields:
    """Update the given fields of a source of a customer."""
    row = _source_of(call, customer, id)
    given = collect_params(params, "metadata", "owner")
    if unknown := sorted(given.keys() - row.details.keys()):
        raise StripeError(f"Received unknown parameter: {unknown[0]}", code="parameter_unknown", param=unknown[0])
    details: Fields = {**row.details, **{name: value or None for name, value in given.items()}}
    if "exp_month" in given or "exp_year" in given:
        check_expiry(call, details["exp_month"], details["exp_year"])
        _change_expiry(call, row, details)
    owner = {**row.owner, **value_of(params.owner)} if isinstance(params.owner, Owner) else row.owner
    now = call.db.change(row, details=details, owner=owner, metadata=merge_metadata(row.metadata, params.metadata))
    record(call, "customer.source.updated", source_object(now))
    return source_object(now)


@api.delete("/{id}")
def delete_source(call: Call, customer: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a card or bank account, or detach a source, which is consumed by that."""
    return remove_source(call, _source_of(call, customer, id))


@api.post("/{id}/verify")
def verify_source(call: Call, customer: str, id: str, params: Annotated[VerifySource, Body]) -> Fields:
    """Verify a bank account by the amounts of its microdeposits, 32 and 45."""
    row = _source_of(call, customer, id)
    if row.object != "bank_account":
        raise StripeError("Only bank accounts can be verified.", param="id")
    if row.status == "verified":
        raise StripeError("This bank account has already been verified.")
    if not isinstance(params.amounts, list):
        raise StripeError("Missing required param: amounts.", code="parameter_missing", param="amounts")
    if sorted(params.amounts) != sorted(VERIFIED[1]):
        message = "The amounts provided do not match the amounts that were sent to the bank account."
        raise StripeError(message, code="bank_account_verification_failed", param="amounts")
    now = call.db.change(row, status="verified")
    if method := find(call, METHODS, row.id):
        call.db.change(method, verified=True)
    record(call, "customer.source.updated", source_object(now))
    return source_object(now)


def add_source(call: Call, customer: Customer, source: str | BankSource, metadata: Any = UNSET) -> PaymentSource:
    """Add the source that a token makes, a bank account, or an existing source, to a customer.

    Raises StripeError for card tokens of accounts that do not take them, and for what can no longer be attached.
    """
    if isinstance(source, str) and source.startswith("src_"):
        row = _attachable(call, source)
        made = call.db.change(row, customer=customer.id, metadata=merge_metadata(row.metadata, metadata))
        method = row.method
    else:
        fields, method = read_token(call, source) if isinstance(source, str) else _read_bank(bank_fields(call, source))
        _refuse_known_bank(call, customer, fields)
        made = new(call, CARDS, **fields, customer=customer.id, metadata=merge_metadata({}, metadata))
    attach(call, new(call, METHODS, id=made.id, **method), customer.id)
    record(call, "customer.source.created", source_object(made))
    return made


def replace_default(call: Call, customer: Customer, source: str | BankSource) -> str:
    """Add a source in place of a customer's default, which is deleted; returns the id of the new one."""
    made = add_source(call, customer, source)
    if former := find(call, SOURCES, customer.default_source or ""):
        remove_source(call, former)
    return made.id


def check_default(call: Call, customer: Customer, id: str) -> None:
    """Raise StripeError unless a customer has the source with an id."""
    row = find(call, SOURCES, id)
    if row is None or row.customer != customer.id:
        raise StripeError(f"No such source: '{id[:500]}'", code="resource_missing", param="default_source")


def read_token(call: Call, token: str) -> tuple[Fields, Fields]:
    """Consume a token; returns the columns of its card or bank account, and those of the payment method."""
    if token.startswith("btok_us"):
        return _test_bank(call, verified=token.startswith("btok_us_verified"))
    card = find_card(token)
    row = find(call, TOKEN, token)
    if row is not None and row.type == "bank_account":
        _use(call, row)
        return _read_bank({"bank_account": row.bank_account, "method": row.method})
    if not own_account(call).takes_card_tokens:
        raise StripeError(NO_TOKENS)
    if card:
        method = card_columns(call, card, UNSET)
        shown = build_card(call, method["details"], {}, has_code=True)
    elif row is not None and row.type == "card":
        _use(call, row)
        method, shown = row.method, row.card
    else:
        raise StripeError(f"No such token: '{token[:500]}'", code="resource_missing", param="source")
    hidden = ("id", "object", "metadata")
    details = {name: value for name, value in shown.items() if name not in hidden}
    return {"id": shown["id"], "object": "card", "details": details}, method


def _use(call: Call, token: Any) -> None:
    if token.used:
        message = f"You cannot use a Stripe token more than once: {token.id}."
        raise StripeError(message, code="token_already_used", param="source")
    call.db.change(token, used=True)


def _test_bank(call: Call, *, verified: bool) -> tuple[Fields, Fields]:
    """Return the columns of the test bank account, and those of its payment method."""
    number = TokenBank(
        account_number="000123456789",
        routing_number="110000000",
        country="US",
        account_holder_name="Jane Austen",
        account_holder_type="individual",
    )
    fields, method = _read_bank(bank_fields(call, number))
    return {**fields, "status": "verified" if verified else "new"}, {**method, "verified": verified}


def _read_bank(given: Fields) -> tuple[Fields, Fields]:
    """Return the columns of a `bank_account` as objects show it, and those of the payment method under `method`."""
    shown = given["bank_account"]
    details = {name: value for name, value in shown.items() if name not in ("id", "object", "status")}
    return {"id": shown["id"], "object": "bank_account", "status": "new", "details": details}, given["method"]


def _refuse_known_bank(call: Call, customer: Customer, fields: Fields) -> None:
    """Raise StripeError if the customer has the bank account already; https://docs.stripe.com/error-codes"""
    if fields["object"] != "bank_account":
        return
    known = ("last4", "routing_number")
    for row in sources_of(call, customer.id, "bank_account"):
        if all(row.details[name] == fields["details"][name] for name in known):
            raise StripeError(
                "A bank account with that routing number and account number already exists for this customer.",
                code="bank_account_exists",
            )


def _attachable(call: Call, id: str) -> PaymentSource:
    row = retrieve(call, SOURCES, id, param="source", status=404)
    if row.customer:
        raise StripeError("The source you provided has already been attached to a customer.")
    if row.status not in ("chargeable", "pending"):
        raise StripeError(
            f"The source you provided is in the {row.status} state. Only sources in the chargeable or pending state "
            "can be attached to a customer."
        )
    return row


def _source_of(call: Call, customer: str, id: str) -> PaymentSource:
    """Return a source of a customer; raises StripeError if the customer has none with this id."""
    owner = existing(call, customer)
    row = find(call, SOURCES, id)
    if row is None or row.customer != owner.id:
        raise StripeError(f"No such source: '{id[:500]}'", status=404, code="resource_missing", param="id")
    return row


def _change_expiry(call: Call, row: PaymentSource, details: Fields) -> None:
    method = find(call, METHODS, row.id)
    if method:
        dates = {name: details[name] for name in ("exp_month", "exp_year")}
        call.db.change(method, details={**method.details, **dates})


def remove_source(call: Call, row: PaymentSource) -> Fields:
    """Take a source from its customer, whose next newest source becomes the default."""
    if (method := find(call, METHODS, row.id)) and method.customer:
        update(call, METHODS, method, "payment_method.detached", customer=None, detached=True)
    return _forget(call, row)


def _forget(call: Call, row: PaymentSource) -> Fields:
    owner = refer(call, CUSTOMERS, row.customer or "", "customer")
    record(call, "customer.source.deleted", source_object(row))
    now = call.db.change(row, customer=None, status="consumed" if row.object == "source" else row.status)
    if owner.default_source == row.id:
        others = sources_of(call, owner.id)
        update(call, CUSTOMERS, owner, default_source=others[0].id if others else None)
    return source_object(now) if row.object == "source" else {"id": row.id, "object": row.object, "deleted": True}


def _follow_detachment(call: Call, method: PaymentMethod) -> None:
    row = find(call, SOURCES, method.id)
    if row and row.customer:
        _forget(call, row)


ON_DETACH.append(_follow_detachment)
