"""Variants and images of products, which stand in the details of their product.

https://shopify.dev/docs/api/admin-rest/latest/resources/product-variant, /product-image
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .admin import PRODUCT, find_object, find_variant, make_variants, next_id
from .wire_style import ShopifyError, read_object, show_time

api = Operations(prefix="/admin")
Shown = dict[str, Any]
_BODY = Annotated[dict[str, Any], Body]


def _find(call: Call, said: str, product_id: str = "") -> tuple[Any, Shown]:
    """Return the row of a product and its variant with an id. Raises ShopifyError."""
    pair = find_variant(call, said)
    if pair is None or (product_id and str(pair[0].id) != product_id):
        raise ShopifyError(404, "Not Found")
    return pair


def _store(call: Call, row: Any, name: str, parts: list[Shown]) -> None:
    call.db.change(row, details={**row.details, name: parts}, updated_at=call.clock.iso())


@api.get("/products/{product_id}/variants.json")
def list_variants(call: Call, product_id: str) -> Shown:
    """List the variants of a product."""
    return {"variants": find_object(call, PRODUCT, product_id).details.get("variants", [])}


@api.post("/products/{product_id}/variants.json", status=201)
def post_variant(call: Call, product_id: str, body: _BODY) -> Shown:
    """Add a variant to a product."""
    row, given = find_object(call, PRODUCT, product_id), read_object(body, "variant")
    known = row.details.get("variants", [])
    if any(each.get("option1") == given.get("option1") for each in known):
        title = given.get("option1") or "Default Title"
        raise ShopifyError(422, {"base": [f"The variant '{title}' already exists."]})
    [variant] = make_variants(call, row.id, [given], len(known) + 1)
    _store(call, row, "variants", [*known, variant])
    return {"variant": variant}


@api.get("/variants/{variant_id}.json")
def get_variant(call: Call, variant_id: str) -> Shown:
    """Return a variant."""
    return {"variant": _find(call, variant_id)[1]}


@api.get("/products/{product_id}/variants/{variant_id}.json")
def get_variant_of_product(call: Call, product_id: str, variant_id: str) -> Shown:
    """Return a variant of a product."""
    return {"variant": _find(call, variant_id, product_id)[1]}


def _change_variant(call: Call, pair: tuple[Any, Shown], body: dict[str, Any]) -> Shown:
    row, variant = pair
    given = {name: value for name, value in read_object(body, "variant").items() if name not in ("id", "product_id")}
    changed = {**variant, **given, "updated_at": show_time(call.clock.iso())}
    listed = row.details["variants"]
    _store(call, row, "variants", [changed if each["id"] == variant["id"] else each for each in listed])
    return {"variant": changed}


@api.put("/variants/{variant_id}.json")
def put_variant(call: Call, variant_id: str, body: _BODY) -> Shown:
    """Change a variant."""
    return _change_variant(call, _find(call, variant_id), body)


@api.put("/products/{product_id}/variants/{variant_id}.json")
def put_variant_of_product(call: Call, product_id: str, variant_id: str, body: _BODY) -> Shown:
    """Change a variant of a product."""
    return _change_variant(call, _find(call, variant_id, product_id), body)


@api.delete("/products/{product_id}/variants/{variant_id}.json")
def delete_variant(call: Call, product_id: str, variant_id: str) -> Shown:
    """Remove a variant from a product, which keeps at least one."""
    row, variant = _find(call, variant_id, product_id)
    others = [each for each in row.details["variants"] if each["id"] != variant["id"]]
    if not others:
        raise ShopifyError(422, {"base": ["Cannot delete the last variant of a product."]})
    _store(call, row, "variants", others)
    return {}


@api.get("/products/{product_id}/images.json")
def list_images(call: Call, product_id: str) -> Shown:
    """List the images of a product."""
    return {"images": find_object(call, PRODUCT, product_id).details.get("images", [])}


@api.post("/products/{product_id}/images.json")
def post_image(call: Call, product_id: str, body: _BODY) -> Shown:
    """Add an image to a product, by its address; nothing is fetched."""
    row, given = find_object(call, PRODUCT, product_id), read_object(body, "image")
    if "attachment" in given:
        raise ShopifyError(501, "This drafted twin keeps no bytes of images; give the address of one as src.")
    if not given.get("src"):
        raise ShopifyError(422, {"image": ["is missing a src or an attachment"]})
    images: list[Shown] = row.details.get("images", [])
    now = show_time(call.clock.iso())
    usual: Shown = {"position": len(images) + 1, "alt": None, "variant_ids": [], "created_at": now, "updated_at": now}
    image: Shown = {**usual, **given, "id": next_id(call), "product_id": row.id}
    details: Shown = {**row.details, "images": [*images, image], "image": row.details.get("image") or image}
    call.db.change(row, details=details, updated_at=call.clock.iso())
    return {"image": image}
