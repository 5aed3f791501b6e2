"""Parses the word lists of an entity: its filters, inputs, sorts and root fields."""

from __future__ import annotations

import re
from typing import NamedTuple

from .entity import EntitySpec
from .names import singular, upper_first

VERBS = ("list", "get", "create", "update", "delete", "archive", "unarchive")
_WORD = re.compile(r"([+-]?)(\w+)(!?)(~?)(?::(\S+))?")
_ROOT = re.compile(r"(\w+)(?:\(([^)]*)\))?(?:->(\S+))?")


class SurfaceWord(NamedTuple):
    """A word of `filters`, `create`, `update` or `sort`: `+labels!~:[String!]` (sign, name, `!`, `~`, type)."""

    name: str
    sign: str
    required: bool
    plain: bool
    """Whether it is marked `~`: the field has the comparator or filter that is not nullable."""
    type: str


class RootWord(NamedTuple):
    """A word of `roots`: `get(key:String!)->Issue` (verb, arguments, result)."""

    verb: str
    mode: str
    """`+` adds arguments to the default ones, `-` removes, `=` replaces."""
    arguments: dict[str, str] | None
    result: str


class Surface(NamedTuple):
    """The parsed word lists of an entity."""

    filters: tuple[SurfaceWord, ...]
    variants: dict[str, str]
    create: tuple[SurfaceWord, ...]
    update: tuple[SurfaceWord, ...]
    sort: tuple[SurfaceWord, ...]
    roots: dict[str, RootWord]

    @property
    def has_filter(self) -> bool:
        return bool(self.filters) and "no_base" not in self.variants


def surface_of(spec: EntitySpec) -> Surface:
    """Parse the word lists of an entity; raises ValueError for a malformed word."""
    variants = dict(_variant(word) for word in spec.word("filter_variants").split())
    roots = [_root(spec, word) for word in spec.word("roots").split()]
    return Surface(
        _words(spec, "filters"),
        variants,
        _words(spec, "create"),
        _words(spec, "update"),
        _words(spec, "sort"),
        {root.verb: root for root in roots},
    )


def _variant(word: str) -> tuple[str, str]:
    name, _, value = word.partition("=")
    return name, value


def _words(spec: EntitySpec, surface: str) -> tuple[SurfaceWord, ...]:
    return tuple(_word(spec, surface, text) for text in spec.word(surface).split())


def _word(spec: EntitySpec, surface: str, text: str) -> SurfaceWord:
    read = _WORD.fullmatch(text)
    if not read:
        raise ValueError(f"{spec.name}.{surface}: cannot read '{text}'")
    return SurfaceWord(read[2], read[1], bool(read[3]), bool(read[4]), read[5] or "")


def _root(spec: EntitySpec, text: str) -> RootWord:
    read = _ROOT.fullmatch(text)
    if not read or read[1] not in VERBS:
        raise ValueError(f"{spec.name}.roots: '{text}' begins with none of {', '.join(VERBS)}")
    if read[2] is None:
        return RootWord(read[1], "+", None, read[3] or "")
    mode = read[2][:1] if read[2][:1] in ("-", "=") else "+"
    return RootWord(read[1], mode, _arguments(read[2].lstrip("-=")), read[3] or "")


def _arguments(text: str) -> dict[str, str]:
    arguments: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        name, _, kind = part.partition(":")
        arguments[name] = kind
    return arguments


_SIGNS = {"+": "added", "-": "removed"}


def input_field(spec: EntitySpec, word: SurfaceWord) -> tuple[str, str]:
    """The name and type text of a word's input field: `labels` becomes `labelIds`, `[String!]`."""
    field = spec.fields.get(word.name)
    if field is None or (word.type and field.kind == "column"):
        return word.name, word.type
    if word.name == "id":
        return "id", word.type or "String"
    if field.shape.kind == "many" or (field.kind == "list"):
        ids = f"{singular(word.name)}Ids"
        return (_SIGNS[word.sign] + upper_first(ids) if word.sign else ids), word.type or "[String!]"
    if field.shape.kind == "one" or field.kind == "one":
        return f"{word.name}Id", word.type or "String"
    return word.name, word.type or field.shape._replace(null=True).text
