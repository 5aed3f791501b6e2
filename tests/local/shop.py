"""A small REST twin with the paths of two vendors' SDKs, for tests of how SDKs reach a twin."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from twindiff.kit.call import Call
from twindiff.kit.http import Request
from twindiff.kit.rows import Column, Row
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import Operations, Twin


class Customer(Row, table="customers", key=("id",)):
    id: Column[str]
    name: Column[str]


class FormStyle(Style):
    """JSON, or a form."""

    def body(self, request: Request) -> dict[str, Any]:
        if request.content_type == "application/x-www-form-urlencoded":
            return dict(parse_qsl(request.body.decode()))
        return super().body(request)


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


twin = Twin("shop", FormStyle(), api, tables=[Customer], seeds=Path(__file__).parent / "seeds")
