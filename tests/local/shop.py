"""A small REST twin with the paths of two vendors' SDKs, for tests of how SDKs reach a twin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.http import ValueResponse
from twindiff.kit.parameter_sources import Upload
from twindiff.kit.rows import Column, Row
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import Operations, Twin


class Customer(Row, table="customers", key=("id",)):
    id: Column[str]
    name: Column[str]


api = Operations()


@api.post("/v1/customers")
def create_customer(call: Call, name: str) -> dict[str, Any]:
    """Add a customer."""
    customer = call.db.add(Customer(id=call.ids.new("cus_"), name=name))
    return {"id": customer.id, "object": "customer", "name": customer.name}


@api.get("/2.0/users/me")
def me(call: Call) -> dict[str, Any]:
    """Say who asks."""
    return {"id": call.actor, "type": "user", "name": "Me"}


uploads = Operations(prefix="/upload")


@uploads.post("/api/2.0/files/content", status=201)
def upload(call: Call, file: Upload) -> ValueResponse:
    """Keep nothing of a file and say where it is."""
    return ValueResponse({"size": len(file.data)}, headers=(("Location", f"{call.base_url}/2.0/users/me"),))


twin = Twin(
    "shop",
    Style(),
    api,
    uploads,
    tables=[Customer],
    seeds=Path(__file__).parent / "seeds",
    hosts={"upload.shop.com": "/upload"},
)
