"""Country specs: currencies, payment methods and verification fields of the countries of accounts.

https://docs.stripe.com/api/country_specs
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import Body, Call, Operations
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.countries import SETTLES_IN
from ..core.currencies import SUPPORTED
from ..core.objects import Fields
from ..core.pagination import render_fixed_list
from ..core.params import ListParams, Params, check_country

api = Operations(prefix="/v1/country_specs")

_ASKED = ("business_profile.mcc", "business_profile.url", "business_type", "external_account")
_OF_A_PERSON = ("individual.dob.day", "individual.dob.month", "individual.dob.year", "individual.first_name")
_OF_A_COMPANY = ("company.address.city", "company.address.line1", "company.name", "company.tax_id")


def spec(country: str) -> Fields:
    """Return the `country_spec` object of an upper-case country code."""
    currency = SETTLES_IN[country]
    asked = {"individual": _OF_A_PERSON, "company": _OF_A_COMPANY}
    return {
        "id": country,
        "object": "country_spec",
        "default_currency": currency,
        "supported_bank_account_currencies": {currency: [country]},
        "supported_payment_currencies": [currency, *(each for each in SUPPORTED if each != currency)],
        "supported_payment_methods": ["ach", "card", "stripe"] if country == "US" else ["card", "stripe"],
        "supported_transfer_countries": sorted(SETTLES_IN),
        "verification_fields": {
            kind: {"additional": [], "minimum": sorted((*_ASKED, *names))} for kind, names in asked.items()
        },
    }


@api.get("")
def list_country_specs(call: Call, params: Annotated[ListParams, Body]) -> Fields:
    """List the supported countries."""
    return render_fixed_list([spec(each) for each in sorted(SETTLES_IN)], params, "/v1/country_specs", "country spec")


@api.get("/{country}")
def retrieve_country_spec(call: Call, country: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve the country spec of a country code."""
    check_country(country, "country")
    if country.upper() not in SETTLES_IN:
        raise StripeError(f"Country '{country}' is not currently supported by Stripe.", status=404, param="country")
    return spec(country.upper())
