"""The rules that Box's descriptions of its API state of parameters: lengths, bounds, enumerations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .described import read_descriptions

KEYWORDS = ("maxLength", "minLength", "enum", "minimum", "maximum", "maxItems", "minItems")
VERBS = ("get", "post", "put", "patch", "delete")
MAX_DEPTH = 8


class Rule(NamedTuple):
    """A rule of one parameter: `place` is `query.limit` or `body.fields[].key`, `value` what the keyword says."""

    operation: str
    place: str
    keyword: str
    value: Any

    def __str__(self) -> str:
        return f"{self.operation} {self.place} {self.keyword}"

    @property
    def name(self) -> str:
        """The parameter's own name, which a refusal mentions."""
        return self.place.rpartition(".")[2].removesuffix("[]")

    def inside(self) -> Any:
        """A value that keeps the rule, at its edge."""
        return self.value[0] if self.keyword == "enum" else _value_of(self.keyword, self.value)

    def outside(self) -> Any:
        """The nearest value that breaks the rule."""
        step = -1 if self.keyword.startswith("min") else 1
        return "none-of-these" if self.keyword == "enum" else _value_of(self.keyword, self.value + step)


def _value_of(keyword: str, size: int) -> Any:
    """A text or a list of that size, or the number itself."""
    if keyword.endswith("Length"):
        return "x" * size
    return [f"{number}" for number in range(size)] if keyword.endswith("Items") else size


def rules() -> Iterator[Rule]:
    """Yield the rules of all operations, each once; variants of one operation, as of files with links, are one."""
    seen: set[tuple[str, str, str]] = set()
    for description in read_descriptions():
        for path, item in description["paths"].items():
            for verb in VERBS:
                for rule in _rules_of(description, f"{verb.upper()} {path.split('#')[0]}", item.get(verb) or {}):
                    if (key := rule[:3]) not in seen:
                        seen.add(key)
                        yield rule


def _rules_of(description: Any, operation: str, item: Any) -> Iterator[Rule]:
    for parameter in item.get("parameters", ()):
        given = _resolve(description, parameter)
        if given["in"] == "query":
            yield from _walk(description, operation, f"query.{given['name']}", given.get("schema", {}))
    body = _resolve(description, item.get("requestBody") or {})
    for name, content in body.get("content", {}).items():
        if "json" in name:
            yield from _walk(description, operation, "body", content.get("schema", {}))


def _walk(description: Any, operation: str, place: str, schema: Any, depth: int = 0) -> Iterator[Rule]:
    schema = _resolve(description, schema)
    if depth > MAX_DEPTH or not isinstance(schema, dict):
        return
    for keyword in KEYWORDS:
        if keyword in schema and schema[keyword] not in (0, [""]) and not _is_narrowed(schema, keyword):
            yield Rule(operation, place, keyword, schema[keyword])
    for part in schema.get("allOf", ()):
        yield from _walk(description, operation, place, part, depth + 1)
    for name, part in schema.get("properties", {}).items():
        yield from _walk(description, operation, f"{place}.{name}", part, depth + 1)
    if "items" in schema:
        yield from _walk(description, operation, f"{place}[]", schema["items"], depth + 1)


def _is_narrowed(schema: Any, keyword: str) -> bool:
    """Whether an enumeration is of one value, which names the object it stands in."""
    return keyword == "enum" and len(schema["enum"]) == 1


def _resolve(description: Any, schema: Any) -> Any:
    while isinstance(schema, dict) and "$ref" in schema:
        found = description
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema
