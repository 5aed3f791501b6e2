"""The tools of a drafted twin have the names and schemas of its description."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import jsonschema
import pytest

from tests.drafts.bakery import BAKERY
from tests.drafts.conftest import make_twin

TOOLS = {tool.name: tool for tool in make_twin().operation_tools}


def test_tools_say_what_they_do_to_what():
    assert [*TOOLS][:6] == [
        "list_customers",
        "create_customer",
        "get_customer",
        "update_customer",
        "delete_customer",
        "archive_customer",
    ]
    assert TOOLS["create_customer"].description == "POST /v1/customers"


def test_the_vendors_own_name_of_an_operation_and_its_words_are_the_tools():
    document: dict[str, Any] = deepcopy(BAKERY)
    document["paths"]["/customers"]["post"] |= {"operationId": "addCustomer", "summary": "Add a customer."}
    tool = next(each for each in make_twin(document=document).operation_tools if each.operation == "POST /v1/customers")
    assert (tool.name, tool.description) == ("add_customer", "Add a customer. (POST /v1/customers)")


@pytest.mark.parametrize(
    ("tool", "arguments", "is_right"),
    [
        ("create_customer", {"body": {"name": "Ada"}}, True),
        ("create_customer", {}, False),
        ("create_customer", {"body": {}}, False),
        ("create_customer", {"body": {"name": "A" * 41}}, False),
        ("list_customers", {"limit": 100}, True),
        ("list_customers", {"limit": 101}, False),
    ],
)
def test_the_schema_of_a_tool_says_what_the_description_says(tool: str, arguments: dict[str, Any], is_right: bool):
    validator = jsonschema.Draft202012Validator(TOOLS[tool].schema)
    assert validator.is_valid(arguments) == is_right


def test_what_is_not_served_has_no_tool():
    assert [tool.operation for tool in TOOLS.values() if "praise" in tool.operation] == []


def test_every_schema_is_valid_and_stands_alone():
    for tool in TOOLS.values():
        jsonschema.Draft202012Validator.check_schema(tool.schema)
        assert "$ref" not in str(tool.schema)
