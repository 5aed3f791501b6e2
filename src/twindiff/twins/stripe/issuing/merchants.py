"""Merchants of simulated purchases.  https://docs.stripe.com/issuing/categories"""

from __future__ import annotations

import re

from twindiff.kit import UNSET

from ..core.objects import Fields
from ..core.params import NestedParams, OptText, UnsetType, check_country, value_of
from .merchant_categories import MerchantCategory

_CODES = """
airlines_air_carriers 4511, automated_cash_disburse 6011, automated_fuel_dispensers 5542, bakeries 5462,
book_stores 5942, car_rental_agencies 7512, computer_network_services 4816, computer_programming 7372,
computer_software_stores 5734, department_stores 5311, digital_goods_applications 5817, digital_goods_games 5816,
digital_goods_media 5815, drinking_places 5813, drug_stores_and_pharmacies 5912, eating_places_restaurants 5812,
electronics_stores 5732, fast_food_restaurants 5814, florists 5992, grocery_stores_supermarkets 5411,
hardware_stores 5251, hotels_motels_and_resorts 7011, office_and_commercial_furniture 5021,
parking_lots_garages 7523, service_stations 5541, taxicabs_limousines 4121, telecommunication_services 4814,
travel_agencies_tour_operators 4722, utilities 4900, variety_stores 5331, wholesale_clubs 5300
"""
CODES: dict[str, str] = dict(re.findall(r"(\w+) (\d{4})", _CODES))
"""Merchant category codes of the categories that are used most."""
OTHER_CODE = "7299"
"""The code of all other categories: miscellaneous services."""

DEFAULT_MERCHANT: Fields = {
    "category": "computer_software_stores",
    "city": "San Francisco",
    "country": "US",
    "name": "WWWW.BROWSEBUG.BIZ",
    "network_id": "1234567890",
    "postal_code": "94103",
    "state": "CA",
    "tax_id": None,
    "terminal_id": None,
    "url": None,
}


class MerchantData(NestedParams):
    """The merchant with whom a card is used."""

    category: MerchantCategory | UnsetType = UNSET
    city: OptText = UNSET
    country: OptText = UNSET
    name: OptText = UNSET
    network_id: OptText = UNSET
    postal_code: OptText = UNSET
    state: OptText = UNSET
    terminal_id: OptText = UNSET
    url: OptText = UNSET


def build_merchant(given: MerchantData | UnsetType) -> Fields:
    """Return a merchant; raises StripeError for an unknown country."""
    merchant: Fields = {**DEFAULT_MERCHANT, **(value_of(given) if isinstance(given, MerchantData) else {})}
    category: str = merchant["category"] or DEFAULT_MERCHANT["category"]
    merchant["category"] = category
    if merchant["country"]:
        check_country(merchant["country"], "merchant_data[country]")
    return {**merchant, "category_code": CODES.get(category, OTHER_CODE)}
