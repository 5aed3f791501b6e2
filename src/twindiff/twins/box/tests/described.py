"""Whether answers are as Box describes them; its descriptions stand in a folder `shared` beside the checkout."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))
DESCRIPTIONS = [SHARED / "specs" / "box" / f"{name}.json" for name in ("openapi", "openapi-v2025.0", "openapi-v2026.0")]


@cache
def read_descriptions() -> list[Any]:
    """Box's three descriptions of its API; skips the test if they are not there."""
    if not DESCRIPTIONS[0].exists():
        pytest.skip(f"there is no description of Box's API at {DESCRIPTIONS[0]}; set TWINDIFF_SHARED")
    return [json.loads(path.read_text()) for path in DESCRIPTIONS]


def problems(operation: str, status: int, answer: Any) -> list[str]:
    """How an answer differs from what is described of an operation, such as `GET /users/{user_id}`."""
    verb, path = operation.split()
    for description in read_descriptions():
        of_path = next((item for each, item in description["paths"].items() if each.split("#")[0] == path), {})
        if verb.lower() in of_path:
            content = of_path[verb.lower()]["responses"][str(status)]["content"]
            schema = next(iter(content.values()))["schema"]
            checks = jsonschema.Draft202012Validator(_plain(schema, description["components"]["schemas"]))
            return [f"{error.json_path}: {error.message}" for error in checks.iter_errors(answer)]
    raise LookupError(operation)


def _plain(schema: Any, named: dict[str, Any], depth: int = 0) -> Any:
    """A schema with what it refers to in its place, and nullable things as JSON Schema says it."""
    if depth > 40:
        return {}
    if isinstance(schema, list):
        return [_plain(each, named, depth + 1) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _plain(named[schema["$ref"].split("/")[-1]], named, depth + 1)
    plain = {key: _plain(value, named, depth + 1) for key, value in schema.items() if key not in ("example", "default")}
    if schema.get("nullable") is True:
        return {"anyOf": [{key: value for key, value in plain.items() if key != "nullable"}, {"type": "null"}]}
    return plain
