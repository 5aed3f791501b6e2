"""Configurations of the billing portal: the actions that customers are allowed on its page.

The default configuration, with all features enabled, has no row until it is updated.

https://docs.stripe.com/api/customer_portal/configurations
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.subscriptions.subscription_params import Behavior
from ..catalog.prices import PRICES
from ..catalog.product_tables import PRODUCTS
from ..core.events import record_row, update
from ..core.objects import Fields, StripeObject, build_view, find, new, new_id, now, refer, resource
from ..core.pagination import clamp_limit, list_object
from ..core.params import (
    ListParams,
    NestedParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptText,
    Params,
    Unset,
    check_count,
    collect_params,
    merge_metadata,
    value_of,
)
from ..core.urls import check_url

api = Operations(prefix="/v1/billing_portal/configurations")

DEFAULT = "bpc_1TwindiffTestShop"
"""Id of the default configuration, used by sessions that name none."""

Feedback = Literal[
    "customer_service", "low_quality", "missing_features", "other", "switched_service", "too_complex", "too_expensive",
    "unused",
]  # fmt: skip
Update = Literal["address", "email", "name", "phone", "shipping", "tax_id"]
NO_PROFILE: Fields = {"headline": None, "privacy_policy_url": None, "terms_of_service_url": None}
MAX_PRODUCTS = 10
ALL_FEEDBACK = ["too_expensive", "missing_features", "switched_service", "unused", "other"]
OFF: dict[str, Fields] = {
    "customer_update": {"allowed_updates": [], "enabled": False},
    "invoice_history": {"enabled": False},
    "payment_method_update": {"enabled": False, "payment_method_configuration": None},
    "subscription_cancel": {
        "cancellation_reason": {"enabled": False, "options": ALL_FEEDBACK},
        "enabled": False,
        "mode": "at_period_end",
        "proration_behavior": "none",
    },
    "subscription_update": {
        "billing_cycle_anchor": None,
        "default_allowed_updates": [],
        "enabled": False,
        "products": None,
        "proration_behavior": "none",
        "schedule_at_period_end": {"conditions": []},
        "trial_update_behavior": "end_trial",
    },
}
"""Features as they are unless requested."""
ON: Fields = {
    **{name: {**feature, "enabled": True} for name, feature in OFF.items() if name != "subscription_update"},
    "subscription_update": OFF["subscription_update"],
}


class PortalConfiguration(StripeObject, table="billing_portal_configurations", key=("id",), unique=(("seq",),)):
    active: Column[bool] = column(default=True)
    business_profile: Column[Json] = column(default={})
    default_return_url: Column[str | None] = column(default=None)
    features: Column[Json]
    is_default: Column[bool] = column(default=False)
    login_secret: Column[str | None] = column(default=None)
    """Secret in the URL of the login page; None without a login page."""
    metadata: Column[Json] = column(default={})
    name: Column[str | None] = column(default=None)
    updated: Column[int] = column(derived=True)


def _profile(row: PortalConfiguration) -> Fields:
    return {**NO_PROFILE, **row.business_profile}


def _login_page(row: PortalConfiguration) -> Fields:
    url = f"https://billing.stripe.com/p/login/{row.login_secret}" if row.login_secret else None
    return {"enabled": url is not None, "url": url}


CONFIGURATIONS = resource(
    PortalConfiguration,
    "billing_portal.configuration",
    "bpc_",
    build_view(
        PortalConfiguration,
        "billing_portal.configuration",
        "login_secret",
        application=None,
        business_profile=_profile,
        login_page=_login_page,
    ),
    spoken="configuration",
    param="configuration",
)


class Profile(NestedParams):
    """The business profile shown on the page."""

    headline: OptText = UNSET
    privacy_policy_url: OptText = UNSET
    terms_of_service_url: OptText = UNSET


class CustomerUpdate(NestedParams):
    """Which of their details customers may update."""

    allowed_updates: list[Literal["address", "email", "name", "phone", "shipping", "tax_id"]] | Unset | UnsetType = (
        UNSET
    )
    enabled: OptBool = UNSET


class Switch(NestedParams):
    """An `enabled` flag."""

    enabled: bool


class MethodUpdate(NestedParams):
    """Whether customers may update payment methods."""

    enabled: bool
    payment_method_configuration: OptText = UNSET


class Reasons(NestedParams):
    """Whether customers are asked for a cancellation reason."""

    enabled: bool
    options: list[Feedback] | Unset | UnsetType = UNSET


class Cancel(NestedParams):
    """Whether customers may cancel subscriptions, and when cancellations take effect."""

    cancellation_reason: Reasons | UnsetType = UNSET
    enabled: OptBool = UNSET
    mode: Literal["at_period_end", "immediately"] | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET


class Adjustable(NestedParams):
    """The quantities of a product that customers may choose."""

    enabled: bool
    maximum: OptInteger = UNSET
    minimum: OptInteger = UNSET


class PortalProductParams(NestedParams):
    """The prices of a product that customers may switch to."""

    product: str
    prices: list[str]
    adjustable_quantity: Adjustable | UnsetType = UNSET


class Condition(NestedParams):
    """A kind of update that takes effect at the end of the period."""

    type: Literal["decreasing_item_amount", "shortening_interval"]


class Conditions(NestedParams):
    """The kinds of updates that take effect at the end of the period."""

    conditions: list[Condition] | Unset | UnsetType = UNSET


class SubscriptionUpdate(NestedParams):
    """Whether customers may update subscriptions, and how."""

    billing_cycle_anchor: Literal["now", "unchanged"] | UnsetType = UNSET
    default_allowed_updates: list[Literal["price", "promotion_code", "quantity"]] | Unset | UnsetType = UNSET
    enabled: OptBool = UNSET
    products: list[PortalProductParams] | Unset | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    schedule_at_period_end: Conditions | UnsetType = UNSET
    trial_update_behavior: Literal["continue_trial", "end_trial"] | UnsetType = UNSET


class Features(NestedParams):
    """The features of the portal."""

    customer_update: CustomerUpdate | UnsetType = UNSET
    invoice_history: Switch | UnsetType = UNSET
    payment_method_update: MethodUpdate | UnsetType = UNSET
    subscription_cancel: Cancel | UnsetType = UNSET
    subscription_update: SubscriptionUpdate | UnsetType = UNSET


class ConfigurationParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    business_profile: Profile | UnsetType = UNSET
    default_return_url: OptText = UNSET
    login_page: Switch | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    name: OptText = UNSET


class CreateConfiguration(ConfigurationParams, kw_only=True):
    """The parameters of a new configuration."""

    features: Features


class UpdateConfiguration(ConfigurationParams, kw_only=True):
    """The parameters of an update."""

    active: OptBool = UNSET
    features: Features | UnsetType = UNSET


class ListConfigurations(ListParams, kw_only=True):
    """The parameters of a list of configurations."""

    active: OptBool = UNSET
    is_default: OptBool = UNSET


@api.post("")
def create_configuration(call: Call, params: Annotated[CreateConfiguration, Body]) -> Fields:
    """Create a portal configuration."""
    for name in ("customer_update", "subscription_cancel", "subscription_update"):
        if getattr(getattr(params.features, name), "enabled", None) is UNSET:
            param = f"features[{name}][enabled]"
            raise StripeError(f"Missing required param: {param}.", code="parameter_missing", param=param)
    fields = _fields(call, params, OFF, {})
    made = new(call, CONFIGURATIONS, **fields, metadata=merge_metadata({}, params.metadata), updated=now(call))
    record_row(call, "billing_portal.configuration.created", CONFIGURATIONS, made)
    return CONFIGURATIONS.show(made)


@api.get("/{configuration}")
def retrieve_configuration(call: Call, configuration: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a configuration."""
    return CONFIGURATIONS.show(retrieve_portal_configuration(call, configuration))


@api.post("/{configuration}")
def update_configuration(call: Call, configuration: str, params: Annotated[UpdateConfiguration, Body]) -> Fields:
    """Update the given fields of a configuration."""
    row = retrieve_portal_configuration(call, configuration)
    if params.active is False and row.is_default:
        raise StripeError("You cannot deactivate the default configuration.", param="active")
    if row.id == DEFAULT and find(call, CONFIGURATIONS, DEFAULT) is None:
        row = new(call, CONFIGURATIONS, id=DEFAULT, features=ON, is_default=True, updated=now(call))
    fields = _fields(call, params, row.features, row.business_profile)
    metadata = merge_metadata(row.metadata, params.metadata)
    return CONFIGURATIONS.show(update(call, CONFIGURATIONS, row, **fields, metadata=metadata, updated=now(call)))


@api.get("")
def list_configurations(call: Call, params: Annotated[ListConfigurations, Body]) -> Fields:
    """List configurations, newest first; the default one is the oldest."""
    rows = call.db.rows(PortalConfiguration, order=-PortalConfiguration.seq)
    if all(row.id != DEFAULT for row in rows):
        rows.append(retrieve_portal_configuration(call, DEFAULT))
    wanted = [row for row in rows if params.active in (UNSET, row.active)]
    wanted = [row for row in wanted if params.is_default in (UNSET, row.is_default)]
    page, more = _page(call, wanted, params)
    objects = [CONFIGURATIONS.show(row) for row in page]
    return list_object(objects, "/v1/billing_portal/configurations", has_more=more)


def _page(
    call: Call, rows: list[PortalConfiguration], params: ListConfigurations
) -> tuple[list[PortalConfiguration], bool]:
    """Return a page of rows after or before a cursor, and whether there are more."""
    most = clamp_limit(params.limit)
    if params.ending_before:
        before = retrieve_portal_configuration(call, params.ending_before, param="ending_before", status=400)
        newer = [row for row in rows if row.seq > before.seq]
        return newer[-most:], len(newer) > most
    if params.starting_after:
        after = retrieve_portal_configuration(call, params.starting_after, param="starting_after", status=400)
        rows = [row for row in rows if row.seq < after.seq]
    return rows[:most], len(rows) > most


def retrieve_portal_configuration(
    call: Call, id: str, *, param: str = "configuration", status: int = 404
) -> PortalConfiguration:
    """Return the configuration with an id; raises StripeError if it does not exist."""
    if row := find(call, CONFIGURATIONS, id):
        return row
    if id != DEFAULT:
        raise CONFIGURATIONS.missing(id, param=param, status=status)
    begun = now(call)
    return PortalConfiguration(id=DEFAULT, seq=0, created=begun, features=ON, is_default=True, updated=begun)


def _fields(call: Call, params: ConfigurationParams, features: Fields, profile: Fields) -> Fields:
    """Return the columns that the parameters set; `features` and `profile` are the current values."""
    fields = collect_params(params, "features", "login_page")
    check_url(fields.get("default_return_url"), "default_return_url")
    for name in ("privacy_policy_url", "terms_of_service_url"):
        check_url(getattr(params.business_profile, name, UNSET), f"business_profile[{name}]")
    wanted: Any = getattr(params, "features", UNSET)
    if isinstance(wanted, Features):
        _check_products(call, wanted.subscription_update)
        fields["features"] = _merge_features(features, wanted)
        _check_features(fields["features"])
    if isinstance(params.business_profile, Profile):
        fields["business_profile"] = {**profile, **value_of(params.business_profile)}
    if isinstance(params.login_page, Switch):
        fields["login_secret"] = new_id(call, "test_", 24) if params.login_page.enabled else None
    return fields


def _merge_features(features: Fields, wanted: Features) -> Fields:
    """Merge requested features into the current ones; an empty string for a list becomes an empty list."""
    merged: Fields = {**features}
    for name, part in value_of(wanted).items():
        emptied = [field for field, value in part.items() if value is None and isinstance(OFF[name][field], list)]
        merged[name] = {**merged[name], **part, **{field: list[str]() for field in emptied}}
    reasons = merged["subscription_cancel"]["cancellation_reason"]
    cancel = {"cancellation_reason": {"options": ALL_FEEDBACK, **reasons}}
    offered = [_with_adjustable_quantity(each) for each in merged["subscription_update"]["products"] or ()] or None
    return {
        **merged,
        "subscription_cancel": {**merged["subscription_cancel"], **cancel},
        "subscription_update": {**merged["subscription_update"], "products": offered},
    }


def _check_features(features: Fields) -> None:
    """Raise StripeError for features that need others.

    https://docs.stripe.com/api/customer_portal/configurations/create
    """
    changes: Fields = features["subscription_update"]
    if changes["enabled"] and not features["payment_method_update"]["enabled"]:
        raise StripeError("Cannot enable subscription updates while payment method update is disabled.")


def _with_adjustable_quantity(product: Fields) -> Fields:
    """Return a product with its `adjustable_quantity`, by default disabled."""
    bounds: Fields = {"enabled": False, "maximum": None, "minimum": 1, **(product.get("adjustable_quantity") or {})}
    return {**product, "adjustable_quantity": bounds}


def _check_products(call: Call, wanted: SubscriptionUpdate | UnsetType) -> None:
    products = wanted.products if isinstance(wanted, SubscriptionUpdate) else UNSET
    at = "features[subscription_update][products]"
    check_count(products, at, MAX_PRODUCTS)
    for number, each in enumerate(products if isinstance(products, list) else []):
        refer(call, PRODUCTS, each.product, f"{at}[{number}][product]")
        for place, price in enumerate(each.prices):
            refer(call, PRICES, price, f"{at}[{number}][prices][{place}]")
