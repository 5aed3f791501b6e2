"""Configurations of readers: tips, splash screens and networks.

https://docs.stripe.com/api/terminal/configuration
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import update
from ..core.file_tables import FILES
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, new, refer, resource, retrieve
from ..core.pagination import equal, list_of
from ..core.params import Integer, ListParams, NestedParams, OptBool, OptText, Params, Unset, UnsetType, collect_params

api = Operations(prefix="/v1/terminal/configurations")

MAX_HOUR = 23


class Configuration(StripeObject, table="terminal_configurations", key=("id",), unique=(("seq",),)):
    deleted: Column[bool] = column(default=False)
    is_account_default: Column[bool] = column(default=False)
    name: Column[str | None] = column(default=None)
    settings: Column[Json] = column(default={})
    """Tips, offline mode, networks and the like, and the splash screen by type of reader."""


_shared = build_view(Configuration, "terminal.configuration", "deleted", "settings", created=LEFT_OUT)


def configuration_object(row: Configuration) -> Fields:
    """Render a configuration; a deleted one has only its id and `deleted`."""
    if row.deleted:
        return {"id": row.id, "object": "terminal.configuration", "deleted": True}
    return {**_shared(row), **row.settings}


CONFIGURATIONS = resource(
    Configuration, "terminal.configuration", "tmc_", configuration_object, spoken="configuration", param="configuration"
)


class Splash(NestedParams):
    """The image that a type of reader shows."""

    splashscreen: OptText = UNSET


class Enabled(NestedParams):
    """Whether something is on."""

    enabled: bool


class RebootWindow(NestedParams):
    """Hours of the day between which readers restart for updates."""

    start_hour: Integer
    end_hour: Integer


class Network(NestedParams):
    """A wireless network, by the type of its security."""

    type: Literal["enterprise_eap_peap", "enterprise_eap_tls", "personal_psk"]
    enterprise_eap_peap: dict[str, str] | UnsetType = UNSET
    enterprise_eap_tls: dict[str, str] | UnsetType = UNSET
    personal_psk: dict[str, str] | UnsetType = UNSET


OptSplash = Splash | Unset | UnsetType


class ConfigurationParams(Params):
    """The parameters of a configuration; `tipping` has fixed amounts, percentages and a threshold by currency."""

    bbpos_wisepad3: OptSplash = UNSET
    bbpos_wisepos_e: OptSplash = UNSET
    cellular: Enabled | Unset | UnsetType = UNSET
    name: OptText = UNSET
    offline: Enabled | Unset | UnsetType = UNSET
    reboot_window: RebootWindow | Unset | UnsetType = UNSET
    stripe_s700: OptSplash = UNSET
    stripe_s710: OptSplash = UNSET
    tipping: dict[str, Any] | Unset | UnsetType = UNSET
    verifone_m425: OptSplash = UNSET
    verifone_p400: OptSplash = UNSET
    verifone_p630: OptSplash = UNSET
    verifone_ux700: OptSplash = UNSET
    verifone_v660p: OptSplash = UNSET
    wifi: Network | Unset | UnsetType = UNSET


class ListConfigurations(ListParams):
    """The parameters of a list of configurations."""

    is_account_default: OptBool = UNSET


def _check(call: Call, params: ConfigurationParams) -> None:
    """Raise StripeError for an hour that no day has, a splash screen that is no file, or another currency's name."""
    if isinstance(params.reboot_window, RebootWindow):
        for name in ("start_hour", "end_hour"):
            if not 0 <= getattr(params.reboot_window, name) <= MAX_HOUR:
                message = f"Invalid integer: must be from 0 to {MAX_HOUR}."
                raise StripeError(message, code="parameter_invalid_integer", param=f"reboot_window[{name}]")
    for name in params.__struct_fields__:
        splash = getattr(params, name)
        if isinstance(splash, Splash) and splash.splashscreen:
            refer(call, FILES, splash.splashscreen, f"{name}[splashscreen]")
    for currency in params.tipping or ():
        parse_currency(currency, f"tipping[{currency}]")
    if isinstance(params.wifi, Network) and not getattr(params.wifi, params.wifi.type):
        name = f"wifi[{params.wifi.type}]"
        raise StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)


def _merge(known: Fields, params: ConfigurationParams) -> Fields:
    """Return the settings with those that were given; numbers of tips become integers, empty ones leave."""
    given = {**known, **collect_params(params, "name")}
    if given.get("tipping"):
        given["tipping"] = {currency: _parse_tips(tips) for currency, tips in given["tipping"].items()}
    return {name: value for name, value in given.items() if value is not None}


def _parse_tips(tips: dict[str, str | list[str]]) -> Fields:
    """Return the tips of a currency, whose numbers come as texts; raises StripeError for other values."""
    try:
        return {
            name: [int(each) for each in value] if isinstance(value, list) else int(value)
            for name, value in tips.items()
        }
    except (TypeError, ValueError, AttributeError):
        raise StripeError("Invalid tipping: amounts and percentages are integers.", param="tipping") from None


@api.post("")
def create_configuration(call: Call, params: Annotated[ConfigurationParams, Body]) -> Fields:
    """Create a configuration."""
    _check(call, params)
    return configuration_object(new(call, CONFIGURATIONS, name=params.name or None, settings=_merge({}, params)))


@api.get("/{configuration}")
def retrieve_configuration(call: Call, configuration: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a configuration, or what is left of a deleted one."""
    return configuration_object(retrieve(call, CONFIGURATIONS, configuration))


@api.get("")
def list_configurations(call: Call, params: Annotated[ListConfigurations, Body]) -> Fields:
    """List configurations."""
    where = equal((Configuration.deleted, False), (Configuration.is_account_default, params.is_account_default))
    return list_of(call, CONFIGURATIONS, params, "/v1/terminal/configurations", *where)


@api.post("/{configuration}")
def update_configuration(call: Call, configuration: str, params: Annotated[ConfigurationParams, Body]) -> Fields:
    """Update a configuration; what is given replaces what there was under its name."""
    row = refer(call, CONFIGURATIONS, configuration, "configuration", 404)
    _check(call, params)
    name = row.name if params.name is UNSET else params.name or None
    return configuration_object(
        update(call, CONFIGURATIONS, row, False, name=name, settings=_merge(row.settings, params))
    )


@api.delete("/{configuration}")
def delete_configuration(call: Call, configuration: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a configuration."""
    row = refer(call, CONFIGURATIONS, configuration, "configuration", 404)
    return configuration_object(call.db.change(row, deleted=True))
