"""Sources: ways to pay of before payment methods, some of which customers authorize or send money to.

https://docs.stripe.com/api/sources, https://docs.stripe.com/sources
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, NamedTuple

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError, join_choices

from ..core.currencies import check_charge, parse_currency
from ..core.events import record
from ..core.objects import Fields, new, new_id, retrieve
from ..core.pagination import list_object
from ..core.params import (
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    Params,
    merge_metadata,
    value_of,
)
from ..core.urls import check_url
from ..payments.payment_methods import CardParams, card_of
from ..payments.test_bank_accounts import BankAccount, bank_columns
from ..tables.source_tables import SOURCES, PaymentSource, source_object
from .customer_sources import Owner

api = Operations(prefix="/v1/sources")


class SourceType(NamedTuple):
    """How a type of source is paid: its flow, its currencies (all if empty), and whether it can be used again."""

    flow: Literal["none", "receiver", "redirect"]
    currencies: tuple[str, ...] = ()
    reusable: bool = False


TYPES = {
    "ach_credit_transfer": SourceType("receiver", ("usd",), reusable=True),
    "acss_debit": SourceType("none", ("cad",), reusable=True),
    "alipay": SourceType("redirect"),
    "au_becs_debit": SourceType("none", ("aud",), reusable=True),
    "bancontact": SourceType("redirect", ("eur",)),
    "card": SourceType("none", reusable=True),
    "eps": SourceType("redirect", ("eur",)),
    "giropay": SourceType("redirect", ("eur",)),
    "ideal": SourceType("redirect", ("eur",)),
    "klarna": SourceType("redirect"),
    "multibanco": SourceType("receiver", ("eur",)),
    "p24": SourceType("redirect", ("eur", "pln")),
    "sepa_credit_transfer": SourceType("receiver", ("eur",), reusable=True),
    "sepa_debit": SourceType("none", ("eur",), reusable=True),
    "sofort": SourceType("redirect", ("eur",)),
    "three_d_secure": SourceType("redirect"),
    "wechat": SourceType("none"),
}
"""https://docs.stripe.com/sources#flow-for-customer-action"""

_SENT = re.compile(r"amount_(\d{1,8})(?:\D.*)?@", re.DOTALL)
"""An address by which a test mode receiver gets money: `amount_4242@example.com`."""


class Iban(NestedParams):
    """The account of a SEPA debit."""

    iban: str


class Redirect(NestedParams):
    """Where the customer returns to."""

    return_url: str


class Receiver(NestedParams):
    """How refund details are asked for."""

    refund_attributes_method: Literal["email", "manual", "none"] | UnsetType = UNSET


class SourceParams(Params):
    """Parameters shared by the create and update operations."""

    amount: OptInteger = UNSET
    mandate: dict[str, Any] | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    owner: Owner | UnsetType = UNSET
    source_order: dict[str, Any] | UnsetType = UNSET


class CreateSource(SourceParams):
    """The parameters of a new source."""

    bancontact: dict[str, str] | UnsetType = UNSET
    card: CardParams | UnsetType = UNSET
    currency: OptName = UNSET
    flow: Literal["code_verification", "none", "receiver", "redirect"] | UnsetType = UNSET
    ideal: dict[str, str] | UnsetType = UNSET
    klarna: dict[str, str] | UnsetType = UNSET
    receiver: Receiver | UnsetType = UNSET
    redirect: Redirect | UnsetType = UNSET
    sepa_debit: Iban | UnsetType = UNSET
    sofort: dict[str, str] | UnsetType = UNSET
    statement_descriptor: OptText = UNSET
    three_d_secure: dict[str, str] | UnsetType = UNSET
    token: OptName = UNSET
    type: OptText = UNSET
    usage: Literal["reusable", "single_use"] | UnsetType = UNSET


class RetrieveSource(Params):
    """The parameters of a retrieval; a publishable key needs the source's client secret."""

    client_secret: OptText = UNSET


class VerifySource(Params, kw_only=True):
    """The values that verify a source."""

    values: list[str]


@api.post("", scope="publishable")
def create_source(call: Call, params: Annotated[CreateSource, Body]) -> Fields:
    """Create a source, whose customer may have to authorize it or to send money to it."""
    if not params.type:
        raise StripeError("Missing required param: type.", code="parameter_missing", param="type")
    if params.type not in TYPES:
        raise StripeError(f"Invalid type: must be one of {join_choices(sorted(TYPES))}", param="type")
    kind = TYPES[params.type]
    fields = _read_params(params.type, kind, params)
    details, method = _build_details(call, params.type, params)
    sent = _SENT.match(fields["owner"].get("email") or "") if kind.flow == "receiver" else None
    ready = bool(sent) or (kind.flow == "none" and params.type != "wechat")
    id = new_id(call, "src_")
    made = new(
        call,
        SOURCES,
        id=id,
        object="source",
        status="chargeable" if ready else "pending",
        received=int(sent[1]) if sent else 0,
        client_secret=new_id(call, "src_client_secret_"),
        details=details,
        method=method,
        **fields,
    )
    if ready:
        record(call, "source.chargeable", source_object(made))
    return source_object(made)


def _read_params(type: str, kind: SourceType, params: CreateSource) -> Fields:
    """Return the columns that parameters set; raises StripeError for those that the type needs or does not take."""
    needed = {
        "currency": type != "card",
        "amount": kind.flow == "redirect" or type == "multibanco",
        "redirect": kind.flow == "redirect",
    }
    for name, is_needed in needed.items():
        if is_needed and getattr(params, name) is UNSET:
            raise StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)
    if isinstance(params.flow, str) and params.flow != kind.flow:
        raise StripeError(f"Sources of the type `{type}` have the flow `{kind.flow}`.", param="flow")
    if params.usage == "reusable" and not kind.reusable:
        raise StripeError(f"Sources of the type `{type}` are `single_use`.", param="usage")
    currency = parse_currency(params.currency) if isinstance(params.currency, str) else None
    if currency and kind.currencies and currency not in kind.currencies:
        message = f"The currency `{currency}` is not supported by sources of the type `{type}`. Use "
        raise StripeError(f"{message}{join_choices(list(kind.currencies))}.", param="currency")
    if isinstance(params.amount, int) and currency:
        check_charge(params.amount, currency)
    receiver = params.receiver if isinstance(params.receiver, Receiver) else Receiver()
    return_url = params.redirect.return_url if isinstance(params.redirect, Redirect) else None
    check_url(return_url, "redirect[return_url]")
    return {
        "type": type,
        "flow": kind.flow,
        "usage": params.usage or ("reusable" if kind.reusable else "single_use"),
        "currency": currency,
        "amount": params.amount if isinstance(params.amount, int) else None,
        "owner": value_of(params.owner) if isinstance(params.owner, Owner) else {},
        "return_url": return_url,
        "refund_attributes_method": receiver.refund_attributes_method or "email",
        "statement_descriptor": params.statement_descriptor or None,
        "metadata": merge_metadata({}, params.metadata),
    }


def _build_details(call: Call, type: str, params: CreateSource) -> tuple[Fields, Fields]:
    """Return the object under the type's name, and the columns of the payment method that pays."""
    if type == "card":
        if params.token is UNSET and params.card is UNSET:
            raise StripeError("Missing required param: token.", code="parameter_missing", param="token")
        card = params.card if isinstance(params.card, CardParams) else CardParams(token=params.token)
        method = card_of(call, card)
        hidden = ("checks", "display_brand", "generated_from", "networks", "regulated_status", "three_d_secure_usage")
        shown = {name: value for name, value in method["details"].items() if name not in (*hidden, "wallet")}
        more = {"cvc_check": "unchecked", "name": None, "three_d_secure": "optional", "tokenization_method": None}
        return {**shown, "address_line1_check": None, "address_zip_check": None, "dynamic_last4": None, **more}, method
    if type == "sepa_debit":
        if not isinstance(params.sepa_debit, Iban):
            raise StripeError("Missing required param: sepa_debit.", code="parameter_missing", param="sepa_debit")
        method = bank_columns(call, "sepa_debit", BankAccount(iban=params.sepa_debit.iban))
        names = ("bank_code", "branch_code", "country", "fingerprint", "last4")
        mandate = {"mandate_reference": new_id(call, "", 16).upper(), "mandate_url": None}
        return {**{name: method["details"][name] for name in names}, **mandate}, method
    if type == "ach_credit_transfer":
        number = f"test_{new_id(call, '', 12)}"
        refund = dict.fromkeys(
            f"refund_{name}" for name in ("account_holder_name", "account_holder_type", "routing_number")
        )
        bank = {"bank_name": "TEST BANK", "fingerprint": new_id(call, "", 16), "routing_number": "110000000"}
        return {"account_number": number, **bank, "swift_code": "TSTEZ122", **refund}, {"type": type, "details": {}}
    return _build_other_details(call, type, params), {"type": type, "details": {}}


def _build_other_details(call: Call, type: str, params: CreateSource) -> Fields:
    given: Any = getattr(params, type, UNSET)
    shown: Fields = {**given} if isinstance(given, dict) else {}
    if type == "sepa_credit_transfer":
        shown["iban"], shown["bic"], shown["bank_name"] = "DE89370400440532013000", "COBADEFFXXX", "TEST BANK"
    if type == "multibanco":
        shown |= {"entity": "11639", "reference": f"{call.ids.new('', 9, '123456789')}"}
    return {**shown, **({} if "receiver" in TYPES[type].flow else {"statement_descriptor": None})}


@api.get("/{source}", scope="publishable")
def retrieve_source(call: Call, source: str, params: Annotated[RetrieveSource, Body]) -> Fields:
    """Retrieve a source."""
    row = retrieve(call, SOURCES, source)
    if params.client_secret and params.client_secret != row.client_secret:
        raise StripeError("The client_secret provided does not match the source.", param="client_secret")
    return source_object(row)


@api.post("/{source}")
def update_source(call: Call, source: str, params: Annotated[SourceParams, Body]) -> Fields:
    """Update the owner, the metadata, the mandate or the amount of a source."""
    row = retrieve(call, SOURCES, source)
    owner = {**row.owner, **value_of(params.owner)} if isinstance(params.owner, Owner) else row.owner
    amount = params.amount if isinstance(params.amount, int) else row.amount
    now = call.db.change(row, owner=owner, amount=amount, metadata=merge_metadata(row.metadata, params.metadata))
    if now.customer:
        record(call, "customer.source.updated", source_object(now))
    return source_object(now)


@api.get("/{source}/source_transactions")
def list_source_transactions(call: Call, source: str, params: Annotated[ListParams, Body]) -> Fields:
    """List what was sent to a receiver: at most one transfer."""
    row = retrieve(call, SOURCES, source)
    sent: Fields = {
        "id": f"srctxn_{row.id.removeprefix('src_')}",
        "object": "source_transaction",
        "amount": row.received,
        "created": row.created,
        "currency": row.currency,
        "livemode": False,
        "source": row.id,
        "status": "succeeded",
        "type": row.type,
    }
    return list_object([sent] if row.received else [], f"/v1/sources/{row.id}/source_transactions")


@api.post("/{source}/verify")
def verify_source(call: Call, source: str, params: Annotated[VerifySource, Body]) -> Fields:
    """Reject a verification: no type that the twin has is verified by a code."""
    row = retrieve(call, SOURCES, source)
    raise StripeError(f"The source {row.id} does not use the code verification flow.", param="values")


def complete(call: Call, source: PaymentSource, *, succeeds: bool) -> None:
    """Apply what a customer chose on the page of a redirect: the source is chargeable, or has failed."""
    now = call.db.change(source, status="chargeable" if succeeds else "failed")
    record(call, "source.chargeable" if succeeds else "source.failed", source_object(now))
