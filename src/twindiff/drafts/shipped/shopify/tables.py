"""The tables of a Shopify shop. `details` are the fields of an object as answers show them, beyond its columns."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class ShopifyShop(Row, table="shops", key=("id",)):
    """The shop."""

    id: Column[int]
    name: Column[str]
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ShopifyProduct(Row, table="products", key=("id",)):
    """A product; its variants and images are in `details`."""

    id: Column[int]
    title: Column[str]
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ShopifyCustomer(Row, table="customers", key=("id",), indexes=(("email",),)):
    """A customer."""

    id: Column[int]
    email: Column[str | None] = column(default=None)
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ShopifyOrder(Row, table="orders", key=("id",)):
    """An order; its lines and addresses are in `details`."""

    id: Column[int]
    email: Column[str | None] = column(default=None)
    financial_status: Column[str] = column(default="pending")
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ShopifyDraftOrder(Row, table="draft_orders", key=("id",)):
    """An order that is prepared for a customer; its lines and its status are in `details`."""

    id: Column[int]
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ShopifyCollection(Row, table="custom_collections", key=("id",)):
    """A collection to which products are added by hand."""

    id: Column[int]
    title: Column[str]
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ShopifyCollect(Row, table="collects", key=("id",)):
    """A place of a product in a collection."""

    id: Column[int]
    product_id: Column[int]
    collection_id: Column[int]
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ShopifyOrderPart(Row, table="order_parts", key=("id",)):
    """A transaction or a refund of an order, as `kind` says."""

    id: Column[int]
    kind: Column[str]
    order_id: Column[int]
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ShopifyFile(Row, table="files", key=("path",)):
    """A file of the CDN, such as a product's image: its type, and its size in bytes; its content is zeros."""

    path: Column[str]
    media_type: Column[str]
    size: Column[int]


TABLES = (
    ShopifyShop, ShopifyProduct, ShopifyCustomer, ShopifyOrder, ShopifyCollection, ShopifyCollect, ShopifyOrderPart,
    ShopifyDraftOrder, ShopifyFile,
)  # fmt: skip
