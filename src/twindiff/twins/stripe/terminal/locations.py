"""Locations: places of business to which readers belong.

https://docs.stripe.com/api/terminal/locations
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import update
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, new, refer, resource, retrieve
from ..core.pagination import list_of
from ..core.params import (
    Address,
    ListParams,
    NestedParams,
    OptMetadata,
    OptText,
    Params,
    UnsetType,
    collect_params,
    merge_metadata,
)
from .configurations import CONFIGURATIONS

api = Operations(prefix="/v1/terminal/locations")


class Location(StripeObject, table="terminal_locations", key=("id",), unique=(("seq",),)):
    address: Column[Json]
    address_kana: Column[Json] = column(default=None)
    address_kanji: Column[Json] = column(default=None)
    configuration_overrides: Column[str | None] = column(default=None)
    deleted: Column[bool] = column(default=False)
    display_name: Column[str]
    display_name_kana: Column[str | None] = column(default=None)
    display_name_kanji: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    phone: Column[str | None] = column(default=None)


_OPTIONAL = (
    "configuration_overrides",
    "phone",
    "address_kana",
    "address_kanji",
    "display_name_kana",
    "display_name_kanji",
)
_existing = build_view(Location, "terminal.location", "deleted", *_OPTIONAL, created=LEFT_OUT)


def location_object(row: Location) -> Fields:
    """Render a location; a deleted one has only its id and `deleted`, others no fields that were never given."""
    if row.deleted:
        return {"id": row.id, "object": "terminal.location", "deleted": True}
    return {**_existing(row), **{name: value for name in _OPTIONAL if (value := getattr(row, name)) is not None}}


LOCATIONS = resource(Location, "terminal.location", "tml_", location_object, spoken="location", param="location")


class JapaneseAddress(NestedParams):
    """An address of Japan, in Kana or Kanji."""

    city: OptText = UNSET
    country: OptText = UNSET
    line1: OptText = UNSET
    line2: OptText = UNSET
    postal_code: OptText = UNSET
    state: OptText = UNSET
    town: OptText = UNSET


class LocationParams(Params):
    """The parameters of a location."""

    longest: ClassVar = {"configuration_overrides": 1000, "display_name": 1000}

    address: Address | UnsetType = UNSET
    address_kana: JapaneseAddress | UnsetType = UNSET
    address_kanji: JapaneseAddress | UnsetType = UNSET
    configuration_overrides: OptText = UNSET
    display_name: OptText = UNSET
    display_name_kana: OptText = UNSET
    display_name_kanji: OptText = UNSET
    metadata: OptMetadata = UNSET
    phone: OptText = UNSET


def _collect(call: Call, params: LocationParams) -> Fields:
    if params.configuration_overrides:
        refer(call, CONFIGURATIONS, params.configuration_overrides, "configuration_overrides")
    return collect_params(params)


def _missing(name: str) -> StripeError:
    return StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)


@api.post("")
def create_location(call: Call, params: Annotated[LocationParams, Body]) -> Fields:
    """Create a location; it needs a name and an address with a country, in Latin letters or as Japan writes them."""
    fields = _collect(call, params)
    fields["address"] = fields.get("address") or fields.get("address_kanji") or fields.get("address_kana")
    names = ("display_name", "display_name_kanji", "display_name_kana")
    fields["display_name"] = next((fields[name] for name in names if fields.get(name)), "")
    if not fields["display_name"]:
        raise _missing("display_name")
    if not fields["address"]:
        raise _missing("address")
    if not fields["address"].get("country"):
        raise _missing("address[country]")
    return location_object(new(call, LOCATIONS, **fields, metadata=merge_metadata({}, params.metadata)))


def existing_location(call: Call, id: str) -> Location:
    """Return a location that is not deleted."""
    return refer(call, LOCATIONS, id, "location", 404)


@api.get("/{location}")
def retrieve_location(call: Call, location: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a location, or what is left of a deleted one."""
    return location_object(retrieve(call, LOCATIONS, location))


@api.get("")
def list_locations(call: Call, params: Annotated[ListParams, Body]) -> Fields:
    """List locations."""
    return list_of(call, LOCATIONS, params, "/v1/terminal/locations", Location.deleted == False)  # noqa: E712


def _merge_address(known: Fields, given: Fields, param: str) -> Fields:
    """Return an address with the lines that were given; raises StripeError for another country."""
    country = given.get("country")
    if country and known.get("country") and country != known["country"]:
        message = "The country of a location cannot be changed. Create a new location in its place."
        raise StripeError(message, param=f"{param}[country]")
    return {**known, **{name: value for name, value in given.items() if value is not None}}


@api.post("/{location}")
def update_location(call: Call, location: str, params: Annotated[LocationParams, Body]) -> Fields:
    """Update a location, whose country stays: another one needs a location of its own."""
    row = existing_location(call, location)
    fields: dict[str, Any] = _collect(call, params)
    for name in ("address", "address_kana", "address_kanji"):
        if fields.get(name):
            fields[name] = _merge_address(getattr(row, name) or {}, fields[name], name)
    metadata = merge_metadata(row.metadata, params.metadata)
    return location_object(update(call, LOCATIONS, row, False, **fields, metadata=metadata))


@api.delete("/{location}")
def delete_location(call: Call, location: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a location."""
    return location_object(call.db.change(existing_location(call, location), deleted=True))
