"""Single-use tokens for cards, bank accounts, persons and other data, as browsers create them.

https://docs.stripe.com/api/tokens
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, new, new_id, retrieve
from ..core.params import Address, NestedParams, OptBool, OptName, OptText, Params
from ..tables.token_tables import TOKEN, token_object
from .payment_methods import CardParams, numbered_card
from .test_bank_accounts import BankAccount, bank_columns

api = Operations(prefix="/v1/tokens")

BRANDS = {
    "amex": "American Express",
    "diners": "Diners Club",
    "discover": "Discover",
    "jcb": "JCB",
    "mastercard": "MasterCard",
    "unionpay": "UnionPay",
    "visa": "Visa",
}
"""Card brands as older objects spell them."""
ADDRESS = ("address_city", "address_country", "address_line1", "address_line2", "address_state", "address_zip")
ADDRESS_CHECKS = ("address_line1_check", "address_zip_check")
KINDS = ("card", "bank_account", "pii", "account", "person", "cvc_update")


class TokenCard(CardParams, kw_only=True):
    """A card, by its number."""

    address_city: OptText = UNSET
    address_country: OptText = UNSET
    address_line1: OptText = UNSET
    address_line2: OptText = UNSET
    address_state: OptText = UNSET
    address_zip: OptText = UNSET
    currency: OptName = UNSET
    name: OptText = UNSET


class TokenBank(NestedParams, kw_only=True):
    """A bank account, by its number."""

    account_holder_name: OptText = UNSET
    account_holder_type: Literal["company", "individual"] | UnsetType = UNSET
    account_number: str
    account_type: Literal["checking", "futsu", "savings", "toza"] | UnsetType = UNSET
    country: str
    currency: OptName = UNSET
    payment_method: OptName = UNSET
    routing_number: OptText = UNSET


class Pii(NestedParams):
    """A personal id number."""

    id_number: OptText = UNSET


class CvcUpdate(NestedParams):
    """A card's security code."""

    cvc: str


class PersonRelationship(NestedParams):
    """A person's relationship to the account."""

    authorizer: OptBool = UNSET
    director: OptBool = UNSET
    executive: OptBool = UNSET
    legal_guardian: OptBool = UNSET
    owner: OptBool = UNSET
    percent_ownership: float | Literal[""] | UnsetType = UNSET
    representative: OptBool = UNSET
    title: OptText = UNSET


class Person(NestedParams):
    """A person of an account."""

    address: Address | UnsetType = UNSET
    email: OptText = UNSET
    first_name: OptText = UNSET
    id_number: OptText = UNSET
    last_name: OptText = UNSET
    phone: OptText = UNSET
    relationship: PersonRelationship | UnsetType = UNSET


class AccountToken(NestedParams):
    """The business type of an account."""

    business_type: OptText = UNSET
    company: dict[str, str] | UnsetType = UNSET
    individual: Person | UnsetType = UNSET
    tos_shown_and_accepted: bool | UnsetType = UNSET


class CreateToken(Params, kw_only=True):
    """The parameters of a new token: exactly one kind."""

    longest: ClassVar = {
        **{f"{owner}.address.{name}": most for owner in ("person", "account.individual")
           for name, most in (("city", 100), ("line1", 200), ("line2", 200))},
        "account.individual.first_name": 100,
        "account.individual.last_name": 100,
    }  # fmt: skip

    account: AccountToken | UnsetType = UNSET
    bank_account: TokenBank | UnsetType = UNSET
    card: TokenCard | UnsetType = UNSET
    customer: OptName = UNSET
    cvc_update: CvcUpdate | UnsetType = UNSET
    person: Person | UnsetType = UNSET
    pii: Pii | UnsetType = UNSET


@api.post("", scope="publishable")
def create_token(call: Call, params: Annotated[CreateToken, Body]) -> Fields:
    """Create a token of a card, a bank account, a person, an account or other data."""
    kinds = [name for name in KINDS if getattr(params, name) is not UNSET]
    if not kinds:
        message = "You must supply either a card, customer, PII data, bank account, or account to create a token."
        raise StripeError(message, param="card")
    if len(kinds) > 1:
        message = f"You may only specify one of these parameters: {', '.join(kinds)}."
        raise StripeError(message, param=kinds[1])
    fields: Fields = {}
    if isinstance(params.card, TokenCard):
        fields = _card_fields(call, params.card)
    elif isinstance(params.bank_account, TokenBank):
        fields = bank_fields(call, params.bank_account)
    prefixes = {"account": "ct_", "bank_account": "btok_", "cvc_update": "cvctok_", "person": "cpt_", "pii": "pii_"}
    id = new_id(call, prefixes[kinds[0]]) if kinds[0] in prefixes else None
    return token_object(new(call, TOKEN, id=id, type=kinds[0], **fields))


@api.get("/{token}", scope="publishable")
def retrieve_token(call: Call, token: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a token."""
    return token_object(retrieve(call, TOKEN, token))


def _card_fields(call: Call, params: TokenCard) -> Fields:
    method = numbered_card(call, params)
    details: Fields = method["details"]
    said = {name: getattr(params, name) or None for name in (*ADDRESS, "name")}
    card = build_card(call, details, said, has_code=bool(params.cvc))
    if params.currency:
        card["currency"] = params.currency.lower()
    return {"card": card, "method": method}


def build_card(call: Call, details: Fields, said: Fields, *, has_code: bool) -> Fields:
    """Build a card as older objects show it, from the details of a payment method and what was said of its holder."""
    said = {**dict.fromkeys((*ADDRESS, "name")), **said}
    checks = {name: "unchecked" if said[name.removesuffix("_check")] else None for name in ADDRESS_CHECKS}
    return {
        "id": new_id(call, "card_"),
        "object": "card",
        **said,
        **checks,
        "allow_redisplay": "unspecified",
        "brand": BRANDS[details["brand"]],
        "country": details["country"],
        "cvc_check": "unchecked" if has_code else None,
        "dynamic_last4": None,
        "exp_month": details["exp_month"],
        "exp_year": details["exp_year"],
        "fingerprint": details["fingerprint"],
        "funding": details["funding"],
        "last4": details["last4"],
        "metadata": {},
        "networks": {"preferred": None},
        "regulated_status": details["regulated_status"],
        "tokenization_method": None,
        "wallet": None,
    }


def bank_fields(call: Call, params: TokenBank) -> Fields:
    """Return a `bank_account` as older objects show it, and the columns of its payment method under `method`."""
    number = BankAccount(account_number=params.account_number)
    shown = {
        "id": new_id(call, "ba_"),
        "object": "bank_account",
        "account_holder_name": params.account_holder_name or None,
        "account_holder_type": params.account_holder_type or None,
        "account_type": params.account_type or None,
        "bank_name": "STRIPE TEST BANK",
        "country": params.country,
        "currency": (params.currency or "usd").lower(),
        "fingerprint": new_id(call, "", 16),
        "last4": params.account_number[-4:],
        "routing_number": params.routing_number or None,
        "status": "new",
    }
    return {"bank_account": shown, "method": bank_columns(call, "us_bank_account", number)}


NO_TOKENS = (
    "Card Token usage on the Customers API and Charges API has reached end of life. In order to continue "
    "processing your payments, you will need to use the Payment Intents and Payment Methods API. Read more "
    "about what you should do here: https://docs.stripe.com/payments/payment-methods/integration-options. If "
    "you need to continue to use Card Tokens on the Customers and Charges API, enable this functionality in "
    "your API policies settings: https://dashboard.stripe.com/settings/developers/api-policies"
)
