"""Answers against the shapes of an OpenAPI description: types, required fields, known values, what may be null."""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]

KINDS = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


class Shapes:
    """The answers that a description allows."""

    def __init__(self, description: Json) -> None:
        self.schemas: Json = description["components"]["schemas"]
        self.operations: list[tuple[re.Pattern[str], Json]] = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), item)
            for path, item in sorted(description["paths"].items(), key=lambda each: each[0].count("{"))
        ]

    def check(self, verb: str, path: str, status: int, body: Json) -> None:
        """Raise AssertionError with everything in an answer that the description does not allow."""
        if status >= 400:
            assert {"message", "type"} <= body["error"].keys(), body
            return
        schema = self._answer(verb, path)
        problems = self._problems(body, schema, "$") if schema else []
        assert not problems, f"{verb} {path}: {problems[:10]}"

    def _answer(self, verb: str, path: str) -> Json | None:
        for pattern, item in self.operations:
            if pattern.fullmatch(path) and verb.lower() in item:
                content = item[verb.lower()]["responses"]["200"]["content"]
                return next(iter(content.values()))["schema"]
        return None

    def _problems(self, value: Any, schema: Json, at: str) -> list[str]:
        if "$ref" in schema:
            schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
        if value is None:
            return [] if schema.get("nullable") or not schema.keys() & {"type", "anyOf"} else [f"{at} is null"]
        if "anyOf" in schema:
            return self._any(value, schema["anyOf"], at)
        kind = schema.get("type")
        if kind and (not isinstance(value, KINDS[kind]) or (kind != "boolean" and isinstance(value, bool))):
            return [f"{at} is {value!r}, not {kind}"]
        if "enum" in schema and value not in schema["enum"]:
            return [f"{at} is {value!r}, not one of {schema['enum']}"]
        if isinstance(value, list):
            items = schema.get("items", {})
            return [each for n, item in enumerate(value) for each in self._problems(item, items, f"{at}[{n}]")]
        return self._fields(value, schema, at) if isinstance(value, dict) else []

    def _any(self, value: Any, choices: list[Json], at: str) -> list[str]:
        problems = [self._problems(value, each, at) for each in choices]
        return [] if not all(problems) else min(problems, key=len)

    def _fields(self, value: Json, schema: Json, at: str) -> list[str]:
        problems = [f"{at}.{name} is missing" for name in schema.get("required", []) if name not in value]
        inner: Json = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        for name, each in value.items():
            known = inner.get(name) or (rest if isinstance(rest, dict) else {})
            problems += self._problems(each, known, f"{at}.{name}")
        return problems
