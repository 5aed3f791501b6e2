"""Suppliers and products of carbon removal, which are the same for every account.

https://docs.stripe.com/api/climate/product, https://docs.stripe.com/api/climate/supplier
Prices and amounts are made up.
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import Body, Call, Operations
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import LOADS, Fields
from ..core.pagination import render_fixed_list
from ..core.params import ListParams, Params

products_api = Operations(prefix="/v1/climate/products")
suppliers_api = Operations(prefix="/v1/climate/suppliers")
CREATED = 1_656_633_600


def _supplier(id: str, name: str, url: str, pathway: str, city: str, country: str) -> Fields:
    place = {"city": city, "country": country, "latitude": None, "longitude": None, "region": None}
    return {
        "id": f"climsup_{id}",
        "object": "climate.supplier",
        "info_url": url,
        "livemode": False,
        "locations": [place],
        "name": name,
        "removal_pathway": pathway,
    }


SUPPLIERS = [
    _supplier(
        "charm_industrial",
        "Charm Industrial",
        "https://frontierclimate.com/portfolio/charm",
        "biomass_carbon_removal_and_storage",
        "San Francisco",
        "US",
    ),
    _supplier(
        "heirloom",
        "Heirloom",
        "https://frontierclimate.com/portfolio/heirloom",
        "direct_air_capture",
        "Tracy",
        "US",
    ),
    _supplier(
        "lithos", "Lithos", "https://frontierclimate.com/portfolio/lithos", "enhanced_weathering", "Seattle", "US"
    ),
]


def _product(id: str, name: str, year: int, subtotal: int, suppliers: list[Fields]) -> Fields:
    fees = subtotal * 3 // 100
    price = {"amount_fees": fees, "amount_subtotal": subtotal, "amount_total": subtotal + fees}
    return {
        "id": f"climsku_{id}",
        "object": "climate.product",
        "created": CREATED,
        "current_prices_per_metric_ton": {"usd": price},
        "delivery_year": year,
        "livemode": False,
        "metric_tons_available": "32000",
        "name": name,
        "suppliers": suppliers,
    }


PRODUCTS = [
    _product("frontier_offtake_portfolio_2027", "Frontier Offtake Portfolio 2027", 2027, 60_000, SUPPLIERS),
    _product("frontier_offtake_portfolio_2030", "Frontier Offtake Portfolio 2030", 2030, 40_000, SUPPLIERS[:2]),
]


def find_product(id: str, status: int) -> Fields:
    """Return a product; raises StripeError of this status for an unknown one."""
    product = next((each for each in PRODUCTS if each["id"] == id), None)
    if product is None:
        message = f"No such climate product: '{id[:500]}'"
        raise StripeError(message, status=status, code="resource_missing", param="product")
    return product


LOADS["climate.order.product"] = lambda call, ids: {each["id"]: each for each in PRODUCTS if each["id"] in ids}


@products_api.get("")
def list_products(call: Call, params: Annotated[ListParams, Body]) -> Fields:
    """List the products."""
    return render_fixed_list(PRODUCTS, params, "/v1/climate/products", "climate product")


@products_api.get("/{product}")
def retrieve_product(call: Call, product: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a product."""
    return find_product(product, 404)


@suppliers_api.get("")
def list_suppliers(call: Call, params: Annotated[ListParams, Body]) -> Fields:
    """List the suppliers."""
    return render_fixed_list(SUPPLIERS, params, "/v1/climate/suppliers", "climate supplier")


@suppliers_api.get("/{supplier}")
def retrieve_supplier(call: Call, supplier: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a supplier."""
    shown = next((each for each in SUPPLIERS if each["id"] == supplier), None)
    if shown is None:
        message = f"No such climate supplier: '{supplier[:500]}'"
        raise StripeError(message, status=404, code="resource_missing", param="supplier")
    return shown
