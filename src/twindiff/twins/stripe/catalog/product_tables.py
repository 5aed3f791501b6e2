"""The table of products, how they are rendered, and how prices create them.

https://docs.stripe.com/api/products/object
"""

from __future__ import annotations

from twindiff.kit import Call, Column, Json, column

from ..core.events import record
from ..core.objects import Fields, StripeObject, build_view, new, now, resource


class Product(
    StripeObject,
    table="products",
    key=("id",),
    unique=(("seq",),),
    indexes=(("active", "seq"),),
    folded=("name",),
    entries=("metadata",),
):
    active: Column[bool] = column(default=True)
    default_price: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    images: Column[Json] = column(default=[])
    marketing_features: Column[Json] = column(default=[])
    metadata: Column[Json] = column(default={})
    name: Column[str]
    package_dimensions: Column[Json] = column(default=None)
    shippable: Column[bool | None] = column(default=None)
    statement_descriptor: Column[str | None] = column(default=None)
    tax_code: Column[str | None] = column(default=None)
    type: Column[str] = column(default="service")
    unit_label: Column[str | None] = column(default=None)
    updated: Column[int]
    url: Column[str | None] = column(default=None)
    deleted: Column[bool] = column(default=False)


def _no_attributes(row: Product) -> list[str]:
    return []


def _tax_details(row: Product) -> Fields | None:
    return {"performance_location": None, "tax_code": row.tax_code} if row.tax_code else None


product_object = build_view(Product, "product", "deleted", attributes=_no_attributes, tax_details=_tax_details)

PRODUCTS = resource(Product, "product", "prod_", product_object, id_length=14, expandable=("default_price", "tax_code"))


def make_product(call: Call, **fields: object) -> Product:
    """Create a product and record its event."""
    made = new(call, PRODUCTS, **fields, updated=now(call))
    record(call, "product.created", product_object(made))
    return made
