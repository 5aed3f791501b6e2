"""Accounts: the one that keys belong to, and those connected to it.

https://docs.stripe.com/api/accounts, https://docs.stripe.com/keys
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, Row, UnsetType, column
from twindiff.kit.styles.stripe import StripeError

from .countries import SETTLES_IN
from .currencies import checked_currency
from .events import update
from .external_accounts import ExternalAccount, fill_external_accounts
from .lists import list_of, within
from .objects import LEFT_OUT, Fields, StripeObject, new, resource, show, shown
from .params import (
    ListParams,
    OptBool,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    Part,
    given,
    merged_metadata,
    value_of,
)

api = Operations(prefix="/v1")

OWN = "acct_1TwindiffTestShop"
"""The account of the built-in templates."""

DESCRIPTOR = "TWINDIFF"
"""What payments are called on statements."""


class Account(StripeObject, table="accounts", key=("id",), unique=(("seq",),)):
    type: Column[str] = column(default="standard")
    country: Column[str] = column(default="US")
    default_currency: Column[str] = column(default="usd")
    email: Column[str | None] = column(default=None)
    business_type: Column[str | None] = column(default=None)
    business_profile: Column[Json] = column(default={})
    capabilities: Column[Json] = column(default={})
    charges_enabled: Column[bool] = column(default=False)
    payouts_enabled: Column[bool] = column(default=False)
    details_submitted: Column[bool] = column(default=False)
    metadata: Column[Json] = column(default={})
    is_platform: Column[bool] = column(default=False)


class ApiKey(Row, table="api_keys", key=("key",), visibility="bookkeeping"):
    """A key and the account that it acts for; `permissions` are those of a restricted key, None being all."""

    key: Column[str]
    account: Column[str]
    permissions: Column[Json | None] = column(default=None)


def _profile(row: Account) -> Fields:
    names = (
        "mcc",
        "name",
        "product_description",
        "support_address",
        "support_email",
        "support_phone",
        "support_url",
        "url",
    )
    return {**dict.fromkeys(names), **row.business_profile}


def _settings(row: Account) -> Fields:
    schedule = {"delay_days": 2, "interval": "manual"}
    name = row.business_profile.get("name")
    return {
        "branding": dict.fromkeys(("icon", "logo", "primary_color", "secondary_color")),
        "card_payments": {"statement_descriptor_prefix": None},
        "dashboard": {"display_name": name, "timezone": "Etc/UTC"},
        "payouts": {"debit_negative_balances": True, "schedule": schedule},
        "payments": {"statement_descriptor": DESCRIPTOR},
    }


account_object = shown(
    Account,
    "account",
    "is_platform",
    business_profile=_profile,
    settings=_settings,
    livemode=LEFT_OUT,
)
ACCOUNTS = resource(
    Account, "account", "acct_", account_object, param="account", id_length=16, fill=fill_external_accounts
)


class Capability(Part):
    """What is asked for."""

    requested: OptBool = UNSET


class Profile(Part):
    """What an account's business is."""

    mcc: OptText = UNSET
    name: OptText = UNSET
    product_description: OptText = UNSET
    support_email: OptText = UNSET
    support_phone: OptText = UNSET
    support_url: OptText = UNSET
    url: OptText = UNSET


class AccountParams(Params):
    """What creating and updating have in common."""

    business_profile: Profile | UnsetType = UNSET
    business_type: Literal["", "company", "government_entity", "individual", "non_profit"] | UnsetType = UNSET
    capabilities: dict[str, Capability] | UnsetType = UNSET
    default_currency: OptName = UNSET
    email: OptText = UNSET
    metadata: OptMetadata = UNSET


class CreateAccount(AccountParams):
    """The parameters of a new connected account."""

    country: OptText = UNSET
    type: Literal["custom", "express", "standard"] | UnsetType = UNSET
    controller: dict[str, Any] | UnsetType = UNSET


class ListAccounts(ListParams):
    """The parameters of a list of accounts."""

    created: OptRange = UNSET


@api.get("/account")
def retrieve_own_account(call: Call, params: Annotated[Params, Body]) -> Fields:
    """Look at the account that the key belongs to."""
    return show(call, ACCOUNTS, own_account(call))


@api.get("/accounts/{id}")
def retrieve_account(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Look at an account."""
    return show(call, ACCOUNTS, known(call, id))


@api.get("/accounts")
def list_accounts(call: Call, params: Annotated[ListAccounts, Body]) -> Fields:
    """List the connected accounts."""
    where = within(Account.created, params.created)
    return list_of(call, ACCOUNTS, params, "/v1/accounts", ~Account.is_platform, *where)


@api.post("/accounts")
def create_account(call: Call, params: Annotated[CreateAccount, Body]) -> Fields:
    """Connect an account, which can be paid to at once."""
    country = params.country or "US"
    fields: Fields = {
        "country": country,
        "default_currency": SETTLES_IN.get(str(country), "eur"),
        "type": params.type or "standard",
        **_fields(params, {}),
        "metadata": merged_metadata({}, params.metadata),
        "payouts_enabled": True,
        "charges_enabled": True,
        "details_submitted": True,
    }
    made = new(call, ACCOUNTS, **fields)
    return show(call, ACCOUNTS, made)


@api.post("/accounts/{id}")
def update_account(call: Call, id: str, params: Annotated[AccountParams, Body]) -> Fields:
    """Change what is given of an account."""
    account = known(call, id)
    metadata = merged_metadata(account.metadata, params.metadata)
    return show(
        call, ACCOUNTS, update(call, ACCOUNTS, account, **_fields(params, account.capabilities), metadata=metadata)
    )


@api.delete("/accounts/{id}")
def delete_account(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Disconnect an account."""
    account = known(call, id)
    if account.is_platform:
        raise StripeError("You cannot delete your own account through the API.", param="account")
    for each in call.db.rows(ExternalAccount, ExternalAccount.account == id):
        call.db.remove(each)
    call.db.remove(account)
    return {"id": id, "object": "account", "deleted": True}


def known(call: Call, id: str) -> Account:
    """The account that a path names."""
    account = call.db.find(Account, Account.id == id)
    if account is None:
        message = (
            f"The provided key does not have access to account '{id[:100]}' (or that account does not exist). "
            "Application access may have been revoked."
        )
        raise StripeError(message, status=403, code="account_invalid")
    return account


def _fields(params: AccountParams, capabilities: dict[str, str]) -> Fields:
    fields = given(params, "capabilities", "controller", "type", "country")
    if currency := fields.get("default_currency"):
        fields["default_currency"] = checked_currency(currency, "default_currency")
    if isinstance(params.capabilities, dict):
        wanted = {name: "active" for name, each in value_of(params.capabilities).items() if each.get("requested")}
        fields["capabilities"] = {**capabilities, **wanted}
    return fields


def own_account(call: Call) -> Account:
    """The account that a call acts for."""
    if "account" not in call.memo:
        acting = call.db.find(Account, Account.id == call.actor) if call.actor else None
        call.memo["account"] = acting or call.db.find(Account, Account.is_platform) or _default()
    return call.memo["account"]


def _default() -> Account:
    return Account(**empty()["accounts"][0])


def actor_of(call: Call) -> str | None:
    """The account that a key acts for."""
    known = call.db.find(ApiKey, ApiKey.key == call.token)
    return known and known.account


def empty() -> dict[str, list[Fields]]:
    """A shop without anything in it: its account, and a key of each kind."""
    account: Fields = {
        "id": OWN,
        "seq": 0,
        "created": 1_735_689_600,
        "email": "owner@shop.example",
        "business_profile": {"name": "Twindiff Test Shop", "url": "https://shop.example"},
        "capabilities": {"card_payments": "active", "transfers": "active"},
        "charges_enabled": True,
        "payouts_enabled": True,
        "details_submitted": True,
        "is_platform": True,
    }
    keys = [{"key": f"{kind}_test_shop", "account": OWN} for kind in ("sk", "rk", "pk")]
    return {"accounts": [account], "api_keys": keys}
