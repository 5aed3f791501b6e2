"""Payment method configurations: the payment methods that the account offers.

They are stored and shown, but the automatic payment methods of intents do not depend on them.

https://docs.stripe.com/api/payment_method_configurations
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column

from ..core.events import update
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, find, new, resource, retrieve
from ..core.pagination import equal, list_of
from ..core.params import ListParams, NestedParams, OptBool, OptText, Params, is_set, value_of

api = Operations(prefix="/v1/payment_method_configurations")

DEFAULT = "pmc_1TwindiffTestShop"
"""Id of the account's own configuration, which always exists."""
_ON = ("amazon_pay", "apple_pay", "card", "cashapp", "google_pay", "klarna", "link")


class Preference(NestedParams):
    """The display preference of a payment method."""

    preference: Literal["none", "off", "on"] | UnsetType = UNSET


class MethodPreferenceParams(NestedParams):
    """The settings of a payment method."""

    display_preference: Preference | UnsetType = UNSET


class ConfigurationParams(Params):
    """The settings of each payment method."""

    acss_debit: MethodPreferenceParams | UnsetType = UNSET
    affirm: MethodPreferenceParams | UnsetType = UNSET
    afterpay_clearpay: MethodPreferenceParams | UnsetType = UNSET
    alipay: MethodPreferenceParams | UnsetType = UNSET
    alma: MethodPreferenceParams | UnsetType = UNSET
    amazon_pay: MethodPreferenceParams | UnsetType = UNSET
    apple_pay: MethodPreferenceParams | UnsetType = UNSET
    au_becs_debit: MethodPreferenceParams | UnsetType = UNSET
    bacs_debit: MethodPreferenceParams | UnsetType = UNSET
    bancontact: MethodPreferenceParams | UnsetType = UNSET
    billie: MethodPreferenceParams | UnsetType = UNSET
    blik: MethodPreferenceParams | UnsetType = UNSET
    boleto: MethodPreferenceParams | UnsetType = UNSET
    card: MethodPreferenceParams | UnsetType = UNSET
    cartes_bancaires: MethodPreferenceParams | UnsetType = UNSET
    cashapp: MethodPreferenceParams | UnsetType = UNSET
    crypto: MethodPreferenceParams | UnsetType = UNSET
    customer_balance: MethodPreferenceParams | UnsetType = UNSET
    eps: MethodPreferenceParams | UnsetType = UNSET
    fpx: MethodPreferenceParams | UnsetType = UNSET
    giropay: MethodPreferenceParams | UnsetType = UNSET
    google_pay: MethodPreferenceParams | UnsetType = UNSET
    grabpay: MethodPreferenceParams | UnsetType = UNSET
    ideal: MethodPreferenceParams | UnsetType = UNSET
    jcb: MethodPreferenceParams | UnsetType = UNSET
    kakao_pay: MethodPreferenceParams | UnsetType = UNSET
    klarna: MethodPreferenceParams | UnsetType = UNSET
    konbini: MethodPreferenceParams | UnsetType = UNSET
    kr_card: MethodPreferenceParams | UnsetType = UNSET
    link: MethodPreferenceParams | UnsetType = UNSET
    mobilepay: MethodPreferenceParams | UnsetType = UNSET
    multibanco: MethodPreferenceParams | UnsetType = UNSET
    naver_pay: MethodPreferenceParams | UnsetType = UNSET
    nz_bank_account: MethodPreferenceParams | UnsetType = UNSET
    oxxo: MethodPreferenceParams | UnsetType = UNSET
    p24: MethodPreferenceParams | UnsetType = UNSET
    pay_by_bank: MethodPreferenceParams | UnsetType = UNSET
    payco: MethodPreferenceParams | UnsetType = UNSET
    paynow: MethodPreferenceParams | UnsetType = UNSET
    paypal: MethodPreferenceParams | UnsetType = UNSET
    pix: MethodPreferenceParams | UnsetType = UNSET
    promptpay: MethodPreferenceParams | UnsetType = UNSET
    revolut_pay: MethodPreferenceParams | UnsetType = UNSET
    samsung_pay: MethodPreferenceParams | UnsetType = UNSET
    satispay: MethodPreferenceParams | UnsetType = UNSET
    sepa_debit: MethodPreferenceParams | UnsetType = UNSET
    sofort: MethodPreferenceParams | UnsetType = UNSET
    swish: MethodPreferenceParams | UnsetType = UNSET
    twint: MethodPreferenceParams | UnsetType = UNSET
    us_bank_account: MethodPreferenceParams | UnsetType = UNSET
    wechat_pay: MethodPreferenceParams | UnsetType = UNSET
    zip: MethodPreferenceParams | UnsetType = UNSET


TYPES = tuple(name for name in ConfigurationParams.__struct_fields__ if name != "expand")


class CreateConfiguration(ConfigurationParams):
    """The parameters of a new configuration."""

    name: OptText = UNSET
    parent: OptText = UNSET


class UpdateConfiguration(ConfigurationParams):
    """The parameters of an update."""

    active: OptBool = UNSET
    name: OptText = UNSET


class ListConfigurations(ListParams):
    """The parameters of a list of configurations."""

    active: OptBool = UNSET
    application: OptText = UNSET


class MethodConfiguration(
    StripeObject, table="payment_method_configurations", key=("id",), unique=(("seq",),), indexes=(("active", "seq"),)
):
    active: Column[bool] = column(default=True)
    is_default: Column[bool] = column(default=False)
    name: Column[str]
    parent: Column[str | None] = column(default=None)
    preferences: Column[Json] = column(default={})
    """Preferences by type: `on`, `off` or `none`."""


_shared = build_view(
    MethodConfiguration, "payment_method_configuration", "preferences", created=LEFT_OUT, application=None
)


def configuration_object(row: MethodConfiguration) -> Fields:
    """Render a configuration with all types."""
    return {**_shared(row), **{type: _render_method(type, row.preferences.get(type, "none")) for type in TYPES}}


def _render_method(type: str, preference: str) -> Fields:
    value = ("on" if type in _ON else "off") if preference == "none" else preference
    said = {"overridable": None, "preference": preference, "value": value}
    return {"available": value == "on", "display_preference": said}


CONFIGURATIONS = resource(
    MethodConfiguration,
    "payment_method_configuration",
    "pmc_",
    configuration_object,
    spoken="payment method configuration",
    param="configuration",
)


@api.post("")
def create_configuration(call: Call, params: Annotated[CreateConfiguration, Body]) -> Fields:
    """Create a payment method configuration."""
    made = new(
        call,
        CONFIGURATIONS,
        name=params.name or "Untitled",
        parent=params.parent or None,
        preferences=_preferences(params),
    )
    return configuration_object(made)


@api.get("/{configuration}")
def retrieve_configuration(call: Call, configuration: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a configuration."""
    return configuration_object(_retrieve_configuration(call, configuration))


@api.post("/{configuration}")
def update_configuration(call: Call, configuration: str, params: Annotated[UpdateConfiguration, Body]) -> Fields:
    """Update a payment method configuration."""
    row = _retrieve_configuration(call, configuration)
    if find(call, CONFIGURATIONS, row.id) is None:
        row = new(call, CONFIGURATIONS, id=row.id, name=row.name, is_default=True, created=0)
    preferences = {**row.preferences, **_preferences(params)}
    named = {"active": params.active, "name": params.name or UNSET}
    return configuration_object(update(call, CONFIGURATIONS, row, False, **named, preferences=preferences))


@api.get("")
def list_configurations(call: Call, params: Annotated[ListConfigurations, Body]) -> Fields:
    """List configurations; the account's own is last."""
    where = equal((MethodConfiguration.active, params.active))
    listed = list_of(call, CONFIGURATIONS, params, "/v1/payment_method_configurations", *where)
    is_stored = find(call, CONFIGURATIONS, DEFAULT) is not None
    if is_stored or listed["has_more"] or params.starting_after == DEFAULT or params.active is False:
        return listed
    return {**listed, "data": [*listed["data"], configuration_object(_own())]}


def _own() -> MethodConfiguration:
    return MethodConfiguration(id=DEFAULT, seq=0, created=0, name="Default", is_default=True)


def _retrieve_configuration(call: Call, id: str) -> MethodConfiguration:
    """Return a configuration; the account's own has its initial state until it is updated."""
    known = find(call, CONFIGURATIONS, id)
    return known or (_own() if id == DEFAULT else retrieve(call, CONFIGURATIONS, id))


def _preferences(params: ConfigurationParams) -> dict[str, str]:
    said = {type: getattr(params, type) for type in TYPES}
    shown_as = {type: value_of(each.display_preference) for type, each in said.items() if is_set(each)}
    return {type: each["preference"] for type, each in shown_as.items() if each and each.get("preference")}
