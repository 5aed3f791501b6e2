"""Derives filter fields, inputs, payloads and root fields from word lists, as GraphQL type texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .comparators import comparator_of
from .entity import EntitySpec, Field
from .model import EntityModel
from .names import lower_first, plural, upper_first
from .surface import RootWord, SurfaceWord, input_field

_RESULTS = {
    "list": "{}Connection!",
    "get": "{}!",
    "create": "{}Payload!",
    "update": "{}Payload!",
    "delete": "DeletePayload!",
}
_DEFAULT_ARGUMENTS = {
    "get": {"id": "String!"},
    "create": {"input": "{}CreateInput!"},
    "update": {"id": "String!", "input": "{}UpdateInput!"},
    "delete": {"id": "String!"},
    "archive": {"id": "String!"},
    "unarchive": {"id": "String!"},
}


class GeneratedRoot(NamedTuple):
    """A root field that is generated from a word of `roots`."""

    name: str
    verb: str
    spec: EntitySpec
    result: str
    arguments: dict[str, str]
    without: frozenset[str]
    flags: dict[str, Any]
    writes: bool


def filter_fields(model: EntityModel, spec: EntitySpec, name: str) -> dict[str, str]:
    """The fields, by name, of XFilter, NullableXFilter or XCollectionFilter, as type texts."""
    surface = model.surfaces[spec.name]
    collection = name == f"{spec.name}CollectionFilter"
    texts = {"createdAt": "DateComparator", "id": "IDComparator", "updatedAt": "DateComparator"}
    texts = {known: text for known, text in texts.items() if known in spec.fields}
    for word in surface.filters:
        texts[word.name] = word.type or _filter_type(model, spec.fields[word.name], word)
    only = surface.variants.get("collection_only")
    if collection and only:
        texts = {kept: texts[kept] for kept in only.split(",")}
    texts |= {"and": f"[{name}!]", "or": f"[{name}!]"}
    if collection:
        base = f"{spec.name}Filter"
        texts |= {"some": base, "every": base, "length": "NumberComparator"}
    if name.startswith("Nullable") or (collection and "collection_null" in surface.variants):
        texts["null"] = "Boolean"
    return texts


def _filter_type(model: EntityModel, field: Field, word: SurfaceWord) -> str:
    shape = field.shape
    if field.target in model.entities:
        if shape.kind == "many" or shape.is_list:
            return f"{field.target}CollectionFilter"
        nullable = shape.null and not word.plain
        return f"{'Nullable' if nullable else ''}{field.target}Filter"
    return comparator_of(shape.name, null=shape.null and not word.plain, is_list=shape.is_list)


def input_fields(model: EntityModel, spec: EntitySpec, surface: str) -> dict[str, str]:
    """The fields, by name, of XCreateInput or XUpdateInput, as type texts."""
    words: tuple[SurfaceWord, ...] = getattr(model.surfaces[spec.name], surface)
    texts: dict[str, str] = {}
    for word in words:
        name, kind = input_field(spec, word)
        texts[name] = kind + ("!" if word.required and not kind.endswith("!") else "")
    return texts


def payload_fields(model: EntityModel) -> dict[str, str]:
    """The fields, by name, of every payload, as type texts."""
    return dict(part.split(":") for part in model.payload.split())


def sort_leaf(word: str) -> str:
    """The input type of a word of `sort`."""
    return f"{upper_first(word)}Sort"


def generated_roots(model: EntityModel) -> Iterator[GeneratedRoot]:
    """All root fields that are generated from word lists."""
    for spec in model.entities.values():
        for word in model.surfaces[spec.name].roots.values():
            yield _root(spec, word)


def _root(spec: EntitySpec, word: RootWord) -> GeneratedRoot:
    verb = word.verb
    arguments, without = _arguments(spec, word)
    flags: dict[str, Any] = {"sort": bool(spec.word("sort"))} if verb == "list" else {}
    result = word.result or _RESULTS.get(verb, "{}ArchivePayload!").format(spec.name)
    name = lower_first(spec.name)
    named = {"list": plural(name), "get": name}.get(verb, name + upper_first(verb))
    result = result if result.endswith("!") else f"{result}!"
    return GeneratedRoot(named, verb, spec, result, arguments, without, flags, verb not in ("list", "get"))


def _arguments(spec: EntitySpec, word: RootWord) -> tuple[dict[str, str], frozenset[str]]:
    """The arguments besides paging, and the names of the paging arguments to omit."""
    usual = {name: text.format(spec.name) for name, text in _DEFAULT_ARGUMENTS.get(word.verb, {}).items()}
    given = word.arguments
    if given is None:
        return usual, frozenset()
    if word.mode == "-":
        return {name: text for name, text in usual.items() if name not in given}, frozenset(given)
    if word.mode == "=":
        return given, _PAGED
    says_all = word.verb == "get" and (not given or "id" in given)
    return (given if says_all else {**usual, **given}), frozenset()


_PAGED = frozenset({"after", "before", "first", "last", "filter", "includeArchived", "orderBy", "sort"})
