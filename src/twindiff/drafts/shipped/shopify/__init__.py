"""Shopify: products, customers, orders, collections and the shop of the REST admin API by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables
from twindiff.kit.twin import Operations

from .. import ShippedDraft
from . import admin, collections, draft_orders, files, fulfillments, variants
from .recorded_shop import find_shop
from .seeding import seeding
from .tables import TABLES
from .wire_style import ShopifyStyle

VERSIONS = (*(f"{year}-{month}" for year in (2024, 2025) for month in ("01", "04", "07", "10")), "2026-01")


def _in_version(version: str) -> Operations:
    """Return the operations at the paths of a version of the API."""
    again = Operations()
    pages = (collections.api, draft_orders.api, admin.api, variants.api, fulfillments.api)
    listed = [each for page in pages for each in page.listed]
    again.listed = [each._replace(path=each.path.replace("/admin/", f"/admin/api/{version}/", 1)) for each in listed]
    return again


draft = ShippedDraft(
    "shopify",
    "Shopify",
    stands_alone=True,
    pages=(collections.api, draft_orders.api, admin.api, variants.api, fulfillments.api, files.api),
    again=tuple(map(_in_version, VERSIONS)),
    tables=(*TABLES, *collections.TABLES),
    rows=admin.shop_rows,
    samples=("shops",),
    recorded_rows=find_shop,
    style=ShopifyStyle,
    options={
        "seeding": seeding,
        "hosts": {"*.myshopify.com": "", "cdn.shopify.com": ""},
        "variables": Variables(tokens={"SHOPIFY_ACCESS_TOKEN": "{secret}"}, urls={"SHOPIFY_URL": ""}),
    },
    unproven=(
        "the texts of refusals of discounts, pages, themes, gift cards, metafields, stock, variants and fulfilments",
        "the texts of refusals of draft orders",
        "that a completed draft order can be deleted",
    ),
)
