"""Accounts: the platform that owns the API keys, and the accounts connected to it.

https://docs.stripe.com/api/accounts, https://docs.stripe.com/keys
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, Row, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.countries import SETTLES_IN
from ..core.currencies import parse_currency
from ..core.events import update
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, find, new, resource, show
from ..core.pagination import list_of, to_range_conditions
from ..core.params import (
    ListParams,
    NestedParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
    value_of,
)
from .account_settings import Settings, change_settings, default_settings, merge_settings
from .external_accounts import ExternalAccount, fill_external_accounts

api = Operations(prefix="/v1")

OWN = "acct_1TwindiffTestShop"
"""Id of the platform account of the built-in templates."""

DESCRIPTOR = "TWINDIFF"
"""Default statement descriptor of payments."""


def build_controller(payer: str, losses: str, collection: str, dashboard: str) -> Fields:
    """Build the `controller` of a connected account: who pays fees, covers losses and collects requirements."""
    return {
        "fees": {"payer": payer},
        "losses": {"payments": losses},
        "requirement_collection": collection,
        "stripe_dashboard": {"type": dashboard},
    }


LEGACY = {
    "standard": build_controller("account", "stripe", "stripe", "full"),
    "express": build_controller("application_express", "application", "stripe", "express"),
    "custom": build_controller("application_custom", "application", "application", "none"),
}
"""The controller that each legacy account type stands for;
https://docs.stripe.com/connect/migrate-to-controller-properties
"""


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
    controller: Column[Json] = column(default=None)
    settings: Column[Json] = column(default={})
    tos_acceptance: Column[Json] = column(default={})
    takes_card_tokens: Column[bool] = column(default=False)
    """Whether customers and charges take card tokens, which an account's API policies may allow."""
    rejected: Column[str | None] = column(default=None)
    """The reason for which the account was rejected, or None."""


class ApiKey(Row, table="api_keys", key=("key",), visibility="bookkeeping"):
    """An API key and its account; `permissions` is the list of a restricted key, or None for full access."""

    key: Column[str]
    account: Column[str]
    permissions: Column[Json | None] = column(default=None)


def _profile(row: Account) -> Fields:
    names = (
        "annual_revenue",
        "estimated_worker_count",
        "mcc",
        "minority_owned_business_designation",
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
    descriptor, interval = (DESCRIPTOR, "manual") if row.is_platform else (None, "daily")
    return merge_settings(default_settings(row.business_profile.get("name"), descriptor, interval), row.settings)


def _controller(row: Account) -> Fields:
    """Return the `controller` as shown on the wire; the platform itself has only its type."""
    if row.is_platform:
        return {"type": "account"}
    return {"type": "application", "is_controller": True, **(row.controller or LEGACY[row.type])}


def _nothing_due(row: Account) -> Fields:
    lists = ("alternatives", "currently_due", "errors", "eventually_due", "past_due", "pending_verification")
    reason = f"rejected.{row.rejected}" if row.rejected else None
    return {**{name: [] for name in lists}, "current_deadline": None, "disabled_reason": reason}


def _render_tos_acceptance(row: Account) -> Fields:
    return {"date": None, "ip": None, "user_agent": None, **row.tos_acceptance}


account_object = build_view(
    Account,
    "account",
    "is_platform",
    "rejected",
    "takes_card_tokens",
    business_profile=_profile,
    controller=_controller,
    future_requirements=_nothing_due,
    requirements=_nothing_due,
    settings=_settings,
    tos_acceptance=_render_tos_acceptance,
    livemode=LEFT_OUT,
)
ACCOUNTS = resource(
    Account, "account", "acct_", account_object, param="account", id_length=16, fill=fill_external_accounts
)


class Capability(NestedParams):
    """A capability that is requested."""

    requested: OptBool = UNSET


class Profile(NestedParams):
    """The business profile."""

    mcc: OptText = UNSET
    name: OptText = UNSET
    product_description: OptText = UNSET
    support_email: OptText = UNSET
    support_phone: OptText = UNSET
    support_url: OptText = UNSET
    url: OptText = UNSET


class TosAcceptanceParams(NestedParams):
    """Acceptance of the terms of service."""

    date: OptInteger = UNSET
    ip: OptText = UNSET
    service_agreement: OptText = UNSET
    user_agent: OptText = UNSET


class Fees(NestedParams):
    """Who pays Stripe's fees."""

    payer: Literal["account", "application"] = "account"


class Losses(NestedParams):
    """Who is liable for losses."""

    payments: Literal["application", "stripe"] = "stripe"


class StripeDashboard(NestedParams):
    """The kind of dashboard that an account has access to."""

    type: Literal["express", "full", "none"] = "full"


class Controller(NestedParams):
    """The controller properties of an account."""

    fees: Fees | UnsetType = UNSET
    losses: Losses | UnsetType = UNSET
    requirement_collection: Literal["application", "stripe"] = "stripe"
    stripe_dashboard: StripeDashboard | UnsetType = UNSET


class AccountParams(Params):
    """Parameters shared by the create and update operations."""

    business_profile: Profile | UnsetType = UNSET
    business_type: Literal["", "company", "government_entity", "individual", "non_profit"] | UnsetType = UNSET
    capabilities: dict[str, Capability] | UnsetType = UNSET
    default_currency: OptName = UNSET
    email: OptText = UNSET
    metadata: OptMetadata = UNSET
    settings: Settings | UnsetType = UNSET
    tos_acceptance: TosAcceptanceParams | UnsetType = UNSET


class CreateAccount(AccountParams):
    """The parameters of a new connected account."""

    country: OptText = UNSET
    type: Literal["custom", "express", "standard"] | UnsetType = UNSET
    controller: Controller | UnsetType = UNSET


class RejectAccount(Params, kw_only=True):
    """The parameters of a rejection."""

    reason: Literal["fraud", "other", "terms_of_service"]
    payouts_action: Literal["none", "pause"] | UnsetType = UNSET


class ListAccounts(ListParams):
    """The parameters of a list of accounts."""

    created: OptRange = UNSET


@api.get("/account")
def retrieve_own_account(call: Call, params: Annotated[Params, Body]) -> Fields:
    """Retrieve the account that the API key belongs to."""
    return show(call, ACCOUNTS, own_account(call))


@api.get("/accounts/{id}")
def retrieve_account(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an account."""
    return show(call, ACCOUNTS, require_account(call, id))


@api.get("/accounts")
def list_accounts(call: Call, params: Annotated[ListAccounts, Body]) -> Fields:
    """List the connected accounts."""
    where = to_range_conditions(Account.created, params.created)
    return list_of(call, ACCOUNTS, params, "/v1/accounts", ~Account.is_platform, *where)


@api.post("/accounts")
def create_account(call: Call, params: Annotated[CreateAccount, Body]) -> Fields:
    """Create a connected account; transfers to it are possible at once."""
    country = params.country or "US"
    fields: Fields = {
        "country": country,
        "default_currency": SETTLES_IN.get(str(country), "eur"),
        **_control(params),
        **_fields(params, Account(id="", seq=0, created=0)),
        "metadata": merge_metadata({}, params.metadata),
        "payouts_enabled": True,
        "charges_enabled": True,
        "details_submitted": True,
    }
    made = new(call, ACCOUNTS, **fields)
    return show(call, ACCOUNTS, made)


@api.post("/accounts/{id}")
def update_account(call: Call, id: str, params: Annotated[AccountParams, Body]) -> Fields:
    """Update the given fields of an account."""
    account = require_account(call, id)
    metadata = merge_metadata(account.metadata, params.metadata)
    return show(call, ACCOUNTS, update(call, ACCOUNTS, account, **_fields(params, account), metadata=metadata))


@api.post("/accounts/{id}/reject")
def reject_account(call: Call, id: str, params: Annotated[RejectAccount, Body]) -> Fields:
    """Reject a connected account, which can then take no payments and be paid nothing."""
    account = require_account(call, id)
    if account.is_platform:
        raise StripeError("You cannot reject your own account.", param="account")
    off: Fields = {"charges_enabled": False, "payouts_enabled": False}
    return show(call, ACCOUNTS, update(call, ACCOUNTS, account, rejected=params.reason, **off))


@api.delete("/accounts/{id}")
def delete_account(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a connected account and its external accounts."""
    account = require_account(call, id)
    if account.is_platform:
        raise StripeError("You cannot delete your own account through the API.", param="account")
    for each in call.db.rows(ExternalAccount, ExternalAccount.account == id):
        call.db.remove(each)
    call.db.remove(account)
    return {"id": id, "object": "account", "deleted": True}


def require_account(call: Call, id: str) -> Account:
    """Return the account with this id; raises StripeError as for a key without access to it."""
    account = call.db.find(Account, Account.id == id)
    if account is None:
        message = (
            f"The provided key does not have access to account '{id[:100]}' (or that account does not exist). "
            "Application access may have been revoked."
        )
        raise StripeError(message, status=403, code="account_invalid")
    return account


def _control(params: CreateAccount) -> Fields:
    """Return the `controller` and the legacy `type` of a new account, if the controller matches one."""
    if not isinstance(params.controller, Controller):
        return {"type": params.type or "standard"}
    if params.type is not UNSET:
        raise StripeError("You may only specify one of these parameters: controller, type.", param="controller")
    asked = params.controller
    payer = (asked.fees or Fees()).payer
    dashboard = (asked.stripe_dashboard or StripeDashboard()).type
    control = build_controller(payer, (asked.losses or Losses()).payments, asked.requirement_collection, dashboard)
    types = {"full": "standard", "express": "express", "none": "custom"}
    legacy = LEGACY[types[dashboard]]
    is_legacy = legacy == {**control, "fees": legacy["fees"]} and legacy["fees"]["payer"].startswith(payer)
    return {"type": types[dashboard] if is_legacy else "none", "controller": control}


def _fields(params: AccountParams, account: Account) -> Fields:
    fields = collect_params(params, "capabilities", "controller", "type", "country")
    if currency := fields.get("default_currency"):
        fields["default_currency"] = parse_currency(currency, "default_currency")
    if isinstance(params.capabilities, dict):
        wanted = {name: "active" for name, each in value_of(params.capabilities).items() if each.get("requested")}
        fields["capabilities"] = {**account.capabilities, **wanted}
    if wanted := fields.get("settings"):
        fields["settings"] = change_settings(account.settings, wanted)
    for name in ("tos_acceptance", "business_profile"):
        if name in fields:
            fields[name] = merge_settings(getattr(account, name), fields[name])
    return fields


def check_connected_account(call: Call, id: Any, param: str, spoken: str) -> None:
    """Raise StripeError for an account that is unknown, the platform itself, or a destination without transfers.

    `spoken` is the noun in the message. An account that has never been given a capability can be paid to.
    """
    if not isinstance(id, str) or not id:
        return
    row = find(call, ACCOUNTS, id)
    if row is None:
        raise StripeError(f"No such {spoken}: '{id[:100]}'", code="resource_missing", param=param)
    if row.is_platform:
        raise StripeError(f"The '{param}' param cannot be set to your own account.", param=param)
    if spoken == "destination" and row.capabilities and row.capabilities.get("transfers") != "active":
        raise StripeError(
            "Your destination account needs to have at least one of the following capabilities enabled: transfers, "
            "crypto_transfers, legacy_payments",
            code="insufficient_capabilities_for_transfer",
        )


def own_account(call: Call) -> Account:
    """Return the account that a call acts for, cached in `call.memo`."""
    if "account" not in call.memo:
        acting = call.db.find(Account, Account.id == call.actor) if call.actor else None
        call.memo["account"] = acting or call.db.find(Account, Account.is_platform) or _default()
    return call.memo["account"]


def _default() -> Account:
    return Account(**empty()["accounts"][0])


def actor_of(call: Call) -> str | None:
    """Return the id of the account that the call's API key belongs to, or None for an unknown key."""
    known = call.db.find(ApiKey, ApiKey.key == call.token)
    return known and known.account


def empty() -> dict[str, list[Fields]]:
    """Return the seed rows of an empty shop, by table: its account and one API key of each kind."""
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


def empty_with_card_tokens() -> dict[str, list[Fields]]:
    """Return the seed rows of an empty shop whose customers and charges take card tokens."""
    rows = empty()
    rows["accounts"][0]["takes_card_tokens"] = True
    return rows
