"""Customer sessions and ephemeral keys: secrets that give a page or an app access to one customer.

https://docs.stripe.com/api/customer_sessions, https://docs.stripe.com/payments/mobile
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, StripeObject, build_view, new, new_id, now, refer, resource, retrieve
from ..core.params import NestedParams, OptInteger, OptName, OptText, Params, Unset, value_of
from ..tables.customer_tables import CUSTOMERS

api = Operations(prefix="/v1")

SESSION_SECONDS = 1800
KEY_SECONDS = 3600
Redisplay = Literal["always", "limited", "unspecified"]
OnOff = Literal["disabled", "enabled"]


class EphemeralKey(StripeObject, table="ephemeral_keys", key=("id",), unique=(("seq",),)):
    associated_objects: Column[Json]
    expires: Column[int] = column(derived=True)
    secret: Column[str] = column(derived=True)


EPHEMERAL_KEYS = resource(
    EphemeralKey, "ephemeral_key", "ephkey_", build_view(EphemeralKey, "ephemeral_key"), spoken="ephemeral key"
)


class Switch(NestedParams):
    """An `enabled` flag of a component."""

    enabled: bool


class Features(NestedParams):
    """What an element lets the customer do with saved payment methods."""

    payment_method_allow_redisplay_filters: list[Redisplay] | UnsetType = UNSET
    payment_method_redisplay: OnOff | UnsetType = UNSET
    payment_method_redisplay_limit: OptInteger = UNSET
    payment_method_remove: OnOff | UnsetType = UNSET
    payment_method_save: OnOff | UnsetType = UNSET
    payment_method_save_allow_redisplay_override: Redisplay | Unset | UnsetType = UNSET
    payment_method_save_usage: Literal["", "off_session", "on_session"] | UnsetType = UNSET


class Element(NestedParams):
    """A component that shows payment methods."""

    enabled: bool
    features: Features | Unset | UnsetType = UNSET


class Components(NestedParams):
    """The components that the secret is valid for."""

    active_entitlements: Switch | UnsetType = UNSET
    buy_button: Switch | UnsetType = UNSET
    customer_portal: Switch | UnsetType = UNSET
    customer_sheet: Element | UnsetType = UNSET
    mobile_payment_element: Element | UnsetType = UNSET
    payment_element: Element | UnsetType = UNSET
    pricing_table: Switch | UnsetType = UNSET


USUAL: dict[str, Fields] = {
    "customer_sheet": {"payment_method_allow_redisplay_filters": ["always"], "payment_method_remove": "disabled"},
    "mobile_payment_element": {
        "payment_method_allow_redisplay_filters": ["always"],
        "payment_method_redisplay": "disabled",
        "payment_method_remove": "disabled",
        "payment_method_save": "disabled",
        "payment_method_save_allow_redisplay_override": None,
    },
    "payment_element": {
        "payment_method_allow_redisplay_filters": ["always"],
        "payment_method_redisplay": "disabled",
        "payment_method_redisplay_limit": 3,
        "payment_method_remove": "disabled",
        "payment_method_save": "disabled",
        "payment_method_save_usage": None,
    },
}
"""Default features of each element."""


class CreateSession(Params, kw_only=True):
    """The parameters of a customer session."""

    components: Components
    customer: OptName = UNSET
    customer_account: OptText = UNSET


class CreateKey(Params, kw_only=True):
    """The parameters of an ephemeral key."""

    customer: OptName = UNSET
    nonce: OptText = UNSET


@api.post("/customer_sessions")
def create_customer_session(call: Call, params: Annotated[CreateSession, Body]) -> Fields:
    """Create a customer session, whose secret is valid for half an hour."""
    if not isinstance(params.customer, str) or not params.customer:
        raise StripeError("Missing required param: customer.", code="parameter_missing", param="customer")
    customer = refer(call, CUSTOMERS, params.customer, "customer")
    components = {name: _component(name, getattr(params.components, name)) for name in Components.__struct_fields__}
    if not any(each["enabled"] for each in components.values()):
        raise StripeError("At least one component must be enabled.", param="components")
    return {
        "object": "customer_session",
        "client_secret": new_id(call, "cuss_secret_", 48),
        "components": components,
        "created": now(call),
        "customer": customer.id,
        "customer_account": None,
        "expires_at": now(call) + SESSION_SECONDS,
        "livemode": False,
    }


def _component(name: str, wanted: Switch | Element | UnsetType) -> Fields:
    enabled = wanted is not UNSET and wanted.enabled
    if name not in USUAL:
        return {"enabled": enabled}
    features: Any = wanted.features if isinstance(wanted, Element) else UNSET
    said: Fields = value_of(features) if isinstance(features, Features) else {}
    return {"enabled": enabled, "features": {**USUAL[name], **said} if enabled else None}


@api.post("/ephemeral_keys")
def create_ephemeral_key(call: Call, params: Annotated[CreateKey, Body]) -> Fields:
    """Create an ephemeral key of a customer, which is valid for an hour."""
    if not isinstance(params.customer, str) or not params.customer:
        raise StripeError("Missing required param: customer.", code="parameter_missing", param="customer")
    customer = refer(call, CUSTOMERS, params.customer, "customer")
    made = new(
        call,
        EPHEMERAL_KEYS,
        associated_objects=[{"type": "customer", "id": customer.id}],
        expires=now(call) + KEY_SECONDS,
        secret=new_id(call, "ek_test_", 60),
    )
    return EPHEMERAL_KEYS.show(made)


@api.delete("/ephemeral_keys/{key}")
def delete_ephemeral_key(call: Call, key: str, params: Annotated[Params, Body]) -> Fields:
    """Delete an ephemeral key."""
    row = retrieve(call, EPHEMERAL_KEYS, key)
    call.db.remove(row)
    return EPHEMERAL_KEYS.show(row)
