"""Reads descriptions in YAML: version 1.2's core schema, whose values are those of JSON."""

from __future__ import annotations

import re
from typing import Any, cast

import yaml

MAX_EXPANDED_NODES = 4_000_000
"""The most values of a document in which each alias counts as what it stands for."""


_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _JsonLoader(_SafeLoader):
    """Keeps dates, `no`, `on` and numbers that begin with 0 as texts, and names of properties as they are written."""

    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012 - the base class declares it so

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
        """Return an object; raises YAMLError for one whose names are no texts."""
        loader = cast(Any, self)
        loader.flatten_mapping(node)
        return {_name_of(key): loader.construct_object(value, deep=deep) for key, value in node.value}


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+", [*"-+0123456789"]),
    ("float", r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", [*"-+.0123456789"]),
    ("merge", r"<<", ["<"]),
):
    cast(Any, _JsonLoader).add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first)


def read_yaml(text: bytes) -> Any:
    """Return the value of a document.

    Raises YAMLError, also for one that is too large or endless where its aliases are written out.
    """
    document: Any = yaml.load(text, _JsonLoader)
    if _count_expanded(document, {}) > MAX_EXPANDED_NODES:
        raise yaml.YAMLError(f"it has more than {MAX_EXPANDED_NODES:,} values where its aliases are written out")
    return document


def _name_of(key: Any) -> str:
    if not isinstance(key, yaml.ScalarNode):
        raise yaml.YAMLError(f"line {key.start_mark.line + 1} has a name that is no text")
    return str(key.value)


def _count_expanded(node: Any, known: dict[int, int]) -> int:
    """Return how many values a value holds; `known` are the numbers of those counted, 0 for those under way."""
    if not isinstance(node, (dict, list)):
        return 1
    counted = known.get(id(cast(Any, node)))
    if counted == 0:
        raise yaml.YAMLError("it holds an alias that stands for what holds it")
    if counted is None:
        known[id(cast(Any, node))] = 0
        held = cast(dict[str, Any], node).values() if isinstance(node, dict) else cast(list[Any], node)
        counted = known[id(cast(Any, node))] = 1 + sum(_count_expanded(each, known) for each in held)
    return counted
