"""The description of an invented API: customers, their orders, and a menu that nobody can add to."""

from typing import Any


def answer(schema: dict[str, Any], status: str = "200") -> dict[str, Any]:
    return {
        status: {"content": {"application/json": {"schema": schema}}},
        "404": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}},
        "422": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}},
    }


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def body(name: str) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": ref(name)}}}


def query(name: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": {"type": "string", **schema}}


def path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def page(name: str) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["data", "has_more", "total"],
        "properties": {
            "data": {"type": "array", "items": ref(name)},
            "has_more": {"type": "boolean"},
            "total": {"type": "integer"},
            "next_cursor": {"type": "string", "nullable": True},
        },
    }


PAGING = [query("limit", type="integer", minimum=1, maximum=100, default=10), query("cursor")]
CUSTOMER = {
    "type": "object",
    "required": ["id", "name", "created_at", "loyalty", "pin"],
    "properties": {
        "id": {"type": "string", "example": "cus_8a7b"},
        "name": {"type": "string"},
        "email": {"type": "string", "format": "email", "nullable": True},
        "loyalty": {"type": "integer", "minimum": 0},
        "archived": {"type": "boolean", "default": False},
        "pin": {"type": "string", "writeOnly": True},
        "created_at": {"type": "string", "format": "date-time"},
        "updated_at": {"type": "string", "format": "date-time"},
    },
}
ORDER = {
    "type": "object",
    "required": ["id", "number", "status", "customer"],
    "properties": {
        "id": {"type": "integer"},
        "number": {"type": "integer"},
        "status": {"type": "string", "enum": ["pending", "paid", "canceled"]},
        "customer": ref("Customer"),
        "note": {"type": "string", "maxLength": 20},
        "items": {"type": "array", "items": {"type": "string"}},
        "created_at": {"type": "string", "format": "date-time"},
    },
}
BAKERY: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Bakery", "version": "1"},
    "servers": [{"url": "https://api.bakery.test/v1"}],
    "paths": {
        "/customers": {
            "get": {
                "parameters": [*PAGING, query("email"), query("created_after"), query("sort"), query("flavour")],
                "responses": answer(page("Customer")),
            },
            "post": {"requestBody": body("NewCustomer"), "responses": answer(ref("Customer"), "201")},
        },
        "/customers/{customer_id}": {
            "parameters": [path("customer_id")],
            "get": {"responses": answer(ref("Customer"))},
            "patch": {"requestBody": body("CustomerChange"), "responses": answer(ref("Customer"))},
            "delete": {"responses": {"204": {"description": "gone"}, **answer({}, "404")}},
        },
        "/customers/{customer_id}/archive": {
            "parameters": [path("customer_id")],
            "post": {"responses": answer(ref("Customer"))},
        },
        "/customers/{customer_id}/praise": {
            "parameters": [path("customer_id")],
            "post": {"responses": answer(ref("Customer"))},
        },
        "/customers/{customer_id}/orders": {
            "parameters": [path("customer_id")],
            "get": {"parameters": [*PAGING, query("status"), query("items")], "responses": answer(page("Order"))},
            "post": {"requestBody": body("NewOrder"), "responses": answer(ref("Order"), "201")},
        },
        "/orders/{order_number}": {"parameters": [path("order_number")], "get": {"responses": answer(ref("Order"))}},
        "/orders/{order_number}/pay": {
            "parameters": [path("order_number")],
            "post": {"responses": answer(ref("Order"))},
        },
        "/cakes": {"get": {"responses": answer({"type": "array", "items": ref("Cake")})}},
    },
    "components": {
        "schemas": {
            "Customer": CUSTOMER,
            "NewCustomer": {
                "type": "object",
                "required": ["name", "created_at"],
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 40},
                    "email": {"type": "string", "format": "email"},
                    "pin": {"type": "string", "writeOnly": True},
                    "created_at": {"type": "string", "readOnly": True},
                },
            },
            "CustomerChange": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "email": {"type": "string"}},
            },
            "Order": ORDER,
            "NewOrder": {
                "type": "object",
                "properties": {
                    "note": {"type": "string", "maxLength": 20},
                    "items": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
                },
            },
            "Cake": {
                "type": "object",
                "required": ["id", "name"],
                "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
            },
            "Problem": {
                "type": "object",
                "required": ["errors"],
                "properties": {
                    "errors": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "properties": {"message": {"type": "string"}, "field": {"type": "string"}},
                        },
                    }
                },
            },
        }
    },
}
