"""Entitlements: features of products, and the features customers have through their subscriptions.

https://docs.stripe.com/billing/entitlements
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.prices import Price
from ...catalog.product_tables import PRODUCTS, Product
from ...core.events import record, update
from ...core.objects import LEFT_OUT, Fields, StripeObject, build_view, new, refer, resource, retrieve, show
from ...core.pagination import equal, list_object, list_of
from ...core.params import ListParams, OptBool, OptMetadata, OptName, OptText, Params, collect_params, merge_metadata
from ...tables.customer_tables import CUSTOMERS
from ..tables.subscription_tables import CHANGED, Subscription, SubscriptionItem

api = Operations(prefix="/v1")

ENTITLED = ("active", "trialing", "past_due")
"""Statuses of subscriptions that grant features."""


class Feature(StripeObject, table="entitlements_features", key=("id",), unique=(("seq",), ("lookup_key",))):
    active: Column[bool] = column(default=True)
    lookup_key: Column[str]
    metadata: Column[Json] = column(default={})
    name: Column[str]


FEATURES = resource(
    Feature,
    "entitlements.feature",
    "feat_",
    build_view(Feature, "entitlements.feature", created=LEFT_OUT),
    spoken="entitlements feature",
)


class ProductFeature(
    StripeObject, table="product_features", key=("id",), unique=(("seq",),), indexes=(("product", "seq"),)
):
    entitlement_feature: Column[str]
    product: Column[str]


def _fill(call: Call, objects: list[Fields]) -> None:
    """Replace the feature id in each object by the feature itself."""
    ids = {each["entitlement_feature"] for each in objects}
    features = {row.id: FEATURES.show(row) for row in call.db.rows(Feature, Feature.id.in_(ids))}
    for each in objects:
        each["entitlement_feature"] = features[each["entitlement_feature"]]


PRODUCT_FEATURES = resource(
    ProductFeature,
    "product_feature",
    "prodft_",
    build_view(ProductFeature, "product_feature", "product", created=LEFT_OUT),
    spoken="product feature",
    fill=_fill,
)


class ActiveEntitlement(
    StripeObject,
    table="active_entitlements",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"),),
    visibility="derived",
):
    customer: Column[str]
    feature: Column[str]
    lookup_key: Column[str]


ENTITLEMENTS = resource(
    ActiveEntitlement,
    "entitlements.active_entitlement",
    "ent_",
    build_view(ActiveEntitlement, "entitlements.active_entitlement", "customer", created=LEFT_OUT),
    spoken="active entitlement",
    expandable=("feature",),
)


class CreateFeature(Params, kw_only=True):
    """The parameters of a new feature."""

    longest: ClassVar = {"name": 80, "lookup_key": 80}

    lookup_key: str
    name: str
    metadata: OptMetadata = UNSET


class UpdateFeature(Params):
    """The parameters of an update."""

    longest: ClassVar = {"name": 80}

    active: OptBool = UNSET
    metadata: OptMetadata = UNSET
    name: OptName = UNSET


class ListFeatures(ListParams):
    """The parameters of a list of features."""

    archived: OptBool = UNSET
    lookup_key: OptText = UNSET


class AttachFeature(Params, kw_only=True):
    """The feature to attach."""

    entitlement_feature: str


class ListEntitlements(ListParams, kw_only=True):
    """The customer whose entitlements are listed."""

    customer: str


@api.post("/entitlements/features")
def create_feature(call: Call, params: Annotated[CreateFeature, Body]) -> Fields:
    """Create a feature."""
    if call.db.find(Feature, Feature.lookup_key == params.lookup_key):
        message = f"A feature with the lookup key '{params.lookup_key[:100]}' already exists."
        raise StripeError(message, code="resource_already_exists", param="lookup_key")
    made = new(call, FEATURES, **collect_params(params), metadata=merge_metadata({}, params.metadata))
    return FEATURES.show(made)


@api.get("/entitlements/features/{id}")
def retrieve_feature(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a feature."""
    return FEATURES.show(retrieve(call, FEATURES, id))


@api.post("/entitlements/features/{id}")
def update_feature(call: Call, id: str, params: Annotated[UpdateFeature, Body]) -> Fields:
    """Update a feature; `active=false` archives it."""
    row = retrieve(call, FEATURES, id)
    metadata = merge_metadata(row.metadata, params.metadata)
    return FEATURES.show(update(call, FEATURES, row, False, **collect_params(params), metadata=metadata))


@api.get("/entitlements/features")
def list_features(call: Call, params: Annotated[ListFeatures, Body]) -> Fields:
    """List active features, or archived ones if `archived` is true."""
    where = equal((Feature.lookup_key, params.lookup_key))
    where.append(Feature.active == (params.archived is not True))
    return list_of(call, FEATURES, params, "/v1/entitlements/features", *where)


@api.post("/products/{product}/features")
def attach_feature(call: Call, product: str, params: Annotated[AttachFeature, Body]) -> Fields:
    """Attach a feature to a product, for subscriptions that start or change from now on."""
    row = refer(call, PRODUCTS, product, "id", 404)
    feature = retrieve(call, FEATURES, params.entitlement_feature, param="entitlement_feature", status=400)
    mine = (ProductFeature.product == row.id, ProductFeature.entitlement_feature == feature.id)
    if not feature.active or call.db.find(ProductFeature, *mine):
        why = "is attached to the product already" if feature.active else "is archived"
        raise StripeError(f"The feature {feature.id} {why}.", param="entitlement_feature")
    return show(call, PRODUCT_FEATURES, new(call, PRODUCT_FEATURES, product=row.id, entitlement_feature=feature.id))


@api.get("/products/{product}/features")
def list_product_features(call: Call, product: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the features of a product."""
    mine = ProductFeature.product == refer(call, PRODUCTS, product, "id", 404).id
    return list_of(call, PRODUCT_FEATURES, params, f"/v1/products/{product}/features", mine)


@api.get("/products/{product}/features/{id}")
def retrieve_product_feature(call: Call, product: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a feature of a product."""
    return show(call, PRODUCT_FEATURES, _of(call, product, id))


@api.delete("/products/{product}/features/{id}")
def detach_feature(call: Call, product: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Detach a feature from a product."""
    call.db.remove(_of(call, product, id))
    return {"id": id, "object": "product_feature", "deleted": True, "livemode": False}


def _of(call: Call, product: str, id: str) -> ProductFeature:
    row = retrieve(call, PRODUCT_FEATURES, id)
    if row.product != product:
        raise PRODUCT_FEATURES.missing(id)
    return row


@api.get("/entitlements/active_entitlements")
def list_active_entitlements(call: Call, params: Annotated[ListEntitlements, Body]) -> Fields:
    """List the active entitlements of a customer."""
    mine = ActiveEntitlement.customer == refer(call, CUSTOMERS, params.customer, "customer").id
    return list_of(call, ENTITLEMENTS, params, "/v1/entitlements/active_entitlements", mine)


@api.get("/entitlements/active_entitlements/{id}")
def retrieve_active_entitlement(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an active entitlement."""
    return ENTITLEMENTS.show(retrieve(call, ENTITLEMENTS, id))


def _entitle(call: Call, customer: str) -> None:
    """Recompute a customer's entitlements from their subscriptions, and record an event if they differ."""
    if not call.db.rows(Feature, limit=1):
        return
    known = {row.feature: row for row in call.db.rows(ActiveEntitlement, ActiveEntitlement.customer == customer)}
    wanted = _load_entitled_features(call, customer)
    if known.keys() == wanted.keys():
        return
    for id in known.keys() - wanted.keys():
        call.db.remove(known[id])
    for id in sorted(wanted.keys() - known.keys()):
        new(call, ENTITLEMENTS, customer=customer, feature=id, lookup_key=wanted[id].lookup_key)
    rows = call.db.rows(ActiveEntitlement, ActiveEntitlement.customer == customer, order=-ActiveEntitlement.seq)
    url = f"/v1/customer/{customer}/entitlements"
    summary = {
        "object": "entitlements.active_entitlement_summary",
        "customer": customer,
        "entitlements": list_object([ENTITLEMENTS.show(row) for row in rows[:10]], url, has_more=len(rows) > 10),
        "livemode": False,
    }
    record(call, "entitlements.active_entitlement_summary.updated", summary)


def _load_entitled_features(call: Call, customer: str) -> dict[str, Feature]:
    """Return the features of the products a customer is subscribed to, by id."""
    subscriptions = call.db.rows(Subscription, Subscription.customer == customer, Subscription.status.in_(ENTITLED))
    items = call.db.rows(SubscriptionItem, SubscriptionItem.subscription.in_([row.id for row in subscriptions]))
    prices = call.db.rows(Price, Price.id.in_({item.price for item in items}))
    products = call.db.rows(Product, Product.id.in_({price.product for price in prices}))
    mine = ProductFeature.product.in_([product.id for product in products])
    ids = {row.entitlement_feature for row in call.db.rows(ProductFeature, mine)}
    return {row.id: row for row in call.db.rows(Feature, Feature.id.in_(ids))}


CHANGED.append(_entitle)
