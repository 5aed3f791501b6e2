"""Tax settings and registrations: head office, product defaults and places where tax is collected.

https://docs.stripe.com/api/tax/settings, https://docs.stripe.com/api/tax/registrations
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record
from ..core.objects import (
    LEFT_OUT,
    Fields,
    StripeObject,
    build_view,
    find,
    new,
    now,
    resource,
    retrieve,
    show,
)
from ..core.pagination import list_of
from ..core.params import (
    Address,
    ListParams,
    NestedParams,
    OptText,
    Params,
    check_country,
    integer_or_word,
    value_of,
)
from .tax_codes import check_tax_code
from .tax_rules import EUROPEAN_UNION, Tax, standard

api = Operations(prefix="/v1/tax")

ONLY = "tax_settings"
ADDED_ON = ("cad", "usd")
"""Currencies whose prices exclude tax under `inferred_by_currency`."""


class TaxSettings(StripeObject, table="tax_settings", key=("id",), unique=(("seq",),)):
    defaults: Column[Json] = column(default={})
    head_office: Column[Json] = column(default=None)


def _defaults(row: TaxSettings) -> Fields:
    return {"provider": "stripe", "tax_behavior": None, "tax_code": None, **row.defaults}


def _status(row: TaxSettings) -> str:
    return "active" if row.head_office else "pending"


def _details(row: TaxSettings) -> Fields:
    return {"active": {}} if row.head_office else {"pending": {"missing_fields": ["head_office"]}}


SETTINGS = resource(
    TaxSettings,
    "tax.settings",
    "taxset_",
    build_view(
        TaxSettings,
        "tax.settings",
        id=LEFT_OUT,
        created=LEFT_OUT,
        defaults=_defaults,
        status=_status,
        status_details=_details,
    ),
)


class TaxRegistration(StripeObject, table="tax_registrations", key=("id",), unique=(("seq",),)):
    active_from: Column[int]
    country: Column[str]
    country_options: Column[Json]
    expires_at: Column[int | None] = column(default=None)


def state_at(active_from: int, expires_at: int | None, moment: int) -> str:
    """Return the status of a registration at a time."""
    if expires_at is not None and expires_at <= moment:
        return "expired"
    return "scheduled" if active_from > moment else "active"


def _fill(call: Call, objects: list[Fields]) -> None:
    for each in objects:
        each["status"] = state_at(each["active_from"], each["expires_at"], now(call))


REGISTRATIONS = resource(
    TaxRegistration,
    "tax.registration",
    "taxreg_",
    build_view(TaxRegistration, "tax.registration", status=None),
    spoken="tax registration",
    id_length=14,
    fill=_fill,
)


class Defaults(NestedParams):
    """Defaults for products and prices without tax settings."""

    tax_behavior: Literal["exclusive", "inclusive", "inferred_by_currency"] | UnsetType = UNSET
    tax_code: OptText = UNSET


class HeadOffice(NestedParams):
    """The address of the head office."""

    address: Address


class UpdateSettings(Params):
    """The parameters of an update."""

    defaults: Defaults | UnsetType = UNSET
    head_office: HeadOffice | UnsetType = UNSET


class CreateRegistration(Params, kw_only=True):
    """The parameters of a new registration."""

    active_from: str
    country: str
    country_options: dict[str, dict[str, Any]]
    expires_at: OptText = UNSET


class UpdateRegistration(Params):
    """The parameters of an update."""

    active_from: OptText = UNSET
    expires_at: OptText = UNSET


class ListRegistrations(ListParams):
    """The parameters of a list of registrations."""

    status: Literal["active", "all", "expired", "scheduled"] | UnsetType = UNSET


def settings_now(call: Call) -> TaxSettings:
    """Return the account's tax settings, with defaults if they were never set."""
    return find(call, SETTINGS, ONLY) or TaxSettings(id=ONLY, seq=0, created=now(call))


@api.get("/settings")
def retrieve_settings(call: Call, params: Annotated[Params, Body]) -> Fields:
    """Retrieve the tax settings."""
    return SETTINGS.show(settings_now(call))


@api.post("/settings")
def update_settings(call: Call, params: Annotated[UpdateSettings, Body]) -> Fields:
    """Update the tax settings."""
    row = find(call, SETTINGS, ONLY) or new(call, SETTINGS, id=ONLY)
    fields: Fields = {}
    if isinstance(params.defaults, Defaults):
        if params.defaults.tax_code:
            check_tax_code(str(params.defaults.tax_code), "defaults[tax_code]")
        fields["defaults"] = {**row.defaults, **value_of(params.defaults)}
    if isinstance(params.head_office, HeadOffice):
        fields["head_office"] = {"address": _office(params.head_office.address)}
    changed = call.db.change(row, **fields) if fields else row
    record(call, "tax.settings.updated", SETTINGS.show(changed))
    return SETTINGS.show(changed)


def _office(address: Address) -> Fields:
    at = "head_office[address]"
    needed = ("country", "state") if address.country == "US" else ("country",)
    for name in needed:
        if not getattr(address, name):
            raise StripeError(f"Missing required param: {at}[{name}].", code="parameter_missing", param=f"{at}[{name}]")
    check_country(str(address.country), f"{at}[country]")
    return value_of(address)


@api.post("/registrations")
def create_registration(call: Call, params: Annotated[CreateRegistration, Body]) -> Fields:
    """Create a tax registration in a country."""
    check_country(params.country, "country")
    options = params.country_options.get(params.country.lower())
    if not options or "type" not in options:
        name = f"country_options[{params.country.lower()}]" + ("[type]" if options else "")
        raise StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)
    begins = _moment(call, params.active_from, "active_from")
    ends = _moment(call, params.expires_at, "expires_at") if params.expires_at else None
    fields = {"country": params.country.upper(), "country_options": params.country_options}
    made = new(call, REGISTRATIONS, **fields, active_from=begins, expires_at=ends)
    return show(call, REGISTRATIONS, made)


def _moment(call: Call, text: Any, param: str) -> int:
    value = integer_or_word(str(text), param, "now")
    return now(call) if value == "now" else int(value)


@api.get("/registrations/{id}")
def retrieve_registration(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a registration."""
    return show(call, REGISTRATIONS, retrieve(call, REGISTRATIONS, id))


@api.post("/registrations/{id}")
def update_registration(call: Call, id: str, params: Annotated[UpdateRegistration, Body]) -> Fields:
    """Update the start or the end of a registration."""
    row = retrieve(call, REGISTRATIONS, id)
    fields: Fields = {}
    if params.active_from:
        fields["active_from"] = _moment(call, params.active_from, "active_from")
    if params.expires_at is not UNSET:
        fields["expires_at"] = _moment(call, params.expires_at, "expires_at") if params.expires_at else None
    return show(call, REGISTRATIONS, call.db.change(row, **fields) if fields else row)


@api.get("/registrations")
def list_registrations(call: Call, params: Annotated[ListRegistrations, Body]) -> Fields:
    """List registrations, of any status or of one."""
    if params.status in (UNSET, "all"):
        return list_of(call, REGISTRATIONS, params, "/v1/tax/registrations")
    ids = [row.id for row in call.db.rows(TaxRegistration) if _state(call, row) == params.status]
    return list_of(call, REGISTRATIONS, params, "/v1/tax/registrations", TaxRegistration.id.in_(ids))


def _state(call: Call, row: TaxRegistration) -> str:
    return state_at(row.active_from, row.expires_at, now(call))


def list_active_registrations(call: Call) -> list[TaxRegistration]:
    """Return the registrations that are active now."""
    return [row for row in call.db.rows(TaxRegistration) if _state(call, row) == "active"]


def rule_for(call: Call, address: Fields, override: str, numbers: Sequence[str]) -> Tax:
    """Return the tax due at a place, given the account's registrations.

    `override` is the customer's taxability override, or "none"; `numbers` are the types of the customer's tax ids.
    """
    country, state = address["country"], address.get("state")
    rule = standard(country, state)
    if override != "none":
        return Tax(rule.kind, "0", override)
    collects = any(
        _covers(each.country, each.country_options, country, state) for each in list_active_registrations(call)
    )
    if not collects and rule.reason == "standard_rated":
        return Tax(rule.kind, "0", "not_collecting")
    office = settings_now(call).head_office or {"address": {"country": None}}
    if "eu_vat" in numbers and country in EUROPEAN_UNION and office["address"]["country"] != country:
        return Tax(rule.kind, "0", "reverse_charge")
    return rule


def _covers(registered_in: str, options: Fields, country: str, state: str | None) -> bool:
    option: Fields = options[registered_in.lower()]
    if option["type"].startswith(("oss", "ioss")):
        return country in EUROPEAN_UNION
    return registered_in == country and (country != "US" or option.get("state") == state)


def is_inclusive(settings: TaxSettings, behavior: str | None, currency: str) -> bool:
    """Return whether an amount includes tax, by its own tax `behavior` or the account's default."""
    said = behavior if behavior in ("inclusive", "exclusive") else settings.defaults.get("tax_behavior")
    return currency not in ADDED_ON if said == "inferred_by_currency" else said == "inclusive"
