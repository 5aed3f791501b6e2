"""Products: goods and services, which prices are for.

https://docs.stripe.com/api/products
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record, update
from ..core.objects import Fields, find, refer
from ..core.pagination import equal, list_of, to_range_conditions
from ..core.params import (
    ListParams,
    NestedParams,
    OptBool,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    SearchParams,
    Unset,
    collect_params,
    merge_metadata,
)
from ..core.search import search_of
from ..core.urls import check_url
from . import prices
from .price_params import NewPrice
from .product_tables import PRODUCTS, Product, make_product, product_object

api = Operations(prefix="/v1/products")


class Dimensions(NestedParams):
    """Size and weight of a parcel."""

    height: float
    length: float
    weight: float
    width: float


class Feature(NestedParams):
    """A marketing feature shown in pricing tables."""

    name: str


class ProductParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    longest: ClassVar = {"description": 40000, "unit_label": 12}

    active: OptBool = UNSET
    description: OptText = UNSET
    images: list[str] | Unset | UnsetType = UNSET
    marketing_features: list[Feature] | Unset | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    package_dimensions: Dimensions | Unset | UnsetType = UNSET
    shippable: OptBool = UNSET
    statement_descriptor: OptText = UNSET
    tax_code: OptText = UNSET
    unit_label: OptText = UNSET
    url: OptText = UNSET


class CreateProduct(ProductParams):
    """The parameters of a new product."""

    name: str
    id: OptText = UNSET
    type: Literal["good", "service"] | UnsetType = UNSET
    default_price_data: NewPrice | UnsetType = UNSET


class UpdateProduct(ProductParams):
    """The parameters of an update."""

    name: OptName = UNSET
    default_price: OptText = UNSET


class ListProducts(ListParams):
    """The parameters of a list of products."""

    active: OptBool = UNSET
    created: OptRange = UNSET
    ids: list[str] | UnsetType = UNSET
    shippable: OptBool = UNSET
    type: Literal["good", "service"] | UnsetType = UNSET
    url: OptText = UNSET


@api.post("")
def create_product(call: Call, params: Annotated[CreateProduct, Body]) -> Fields:
    """Create a product, with a default price if one is described."""
    fields = _fields(params, "default_price_data")
    if not params.name.strip():
        raise StripeError("Product name cannot be empty", code="parameter_invalid_empty", param="name")
    _free(call, fields.get("id"))
    product = make_product(call, **fields, metadata=merge_metadata({}, params.metadata))
    if isinstance(params.default_price_data, NewPrice):
        price = prices.make_price(call, params.default_price_data, product.id, at="default_price_data")
        product = update(call, PRODUCTS, product, default_price=price.id)
    return product_object(product)


SEARCHABLE = {
    "active": Product.active,
    "description": Product.description,
    "metadata": Product.metadata,
    "name": Product.name,
    "shippable": Product.shippable,
    "url": Product.url,
}


@api.get("/search")
def search_products(call: Call, params: Annotated[SearchParams, Body]) -> Fields:
    """Search products."""
    return search_of(call, PRODUCTS, params, "/v1/products/search", SEARCHABLE, ~Product.deleted)


@api.get("/{id}")
def retrieve_product(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a product."""
    return product_object(refer(call, PRODUCTS, id, "id", status=404))


@api.post("/{id}")
def update_product(call: Call, id: str, params: Annotated[UpdateProduct, Body]) -> Fields:
    """Update the given fields of a product."""
    product = refer(call, PRODUCTS, id, "id", status=404)
    fields = _fields(params)
    if price := fields.get("default_price"):
        _check_default(call, product, price)
    metadata = merge_metadata(product.metadata, params.metadata)
    return product_object(update(call, PRODUCTS, product, **fields, metadata=metadata))


@api.delete("/{id}")
def delete_product(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a product that has no prices."""
    product = refer(call, PRODUCTS, id, "id", status=404)
    if call.db.find(prices.Price, prices.Price.product == id):
        raise StripeError("This product cannot be deleted because it has one or more user-created prices.")
    deleted = call.db.change(product, deleted=True, active=False)
    record(call, "product.deleted", product_object(deleted))
    return {"id": id, "object": "product", "deleted": True}


@api.get("")
def list_products(call: Call, params: Annotated[ListProducts, Body]) -> Fields:
    """List products."""
    where = to_range_conditions(Product.created, params.created)
    where += equal((Product.active, params.active), (Product.shippable, params.shippable))
    where += equal((Product.type, params.type), (Product.url, params.url))
    if isinstance(params.ids, list):
        where.append(Product.id.in_(params.ids))
    return list_of(call, PRODUCTS, params, "/v1/products", ~Product.deleted, *where)


def _fields(params: ProductParams, *skipped: str) -> Fields:
    fields = collect_params(params, *skipped)
    check_url(params.url, "url")
    for name in ("images", "marketing_features"):
        if name in fields:
            fields[name] = fields[name] or []
    return fields


def _free(call: Call, id: str | None) -> None:
    """Raise StripeError for an id in use; the row of a deleted product with this id is removed."""
    if id and (known := find(call, PRODUCTS, id)):
        if not known.deleted:
            raise StripeError(f"Product already exists with ID '{id}'", code="resource_already_exists", param="id")
        call.db.remove(known)


def _check_default(call: Call, product: Product, id: str) -> None:
    price = refer(call, prices.PRICES, id, "default_price")
    if price.product != product.id:
        message = f"The price specified, {id}, does not belong to the product {product.id}."
        raise StripeError(message, param="default_price")
