"""Types of the fields that a collection declares, and the tables whose columns they are.

A declaration is a text such as `"title, body: text; position: integer; state: open|closed; labels: list"`: names, and
after the colon a type of `KINDS`, or the words that a value may be.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, NamedTuple

from twindiff.kit.rows import ColumnOptions, Json, Row

Shown = dict[str, Any]
KINDS = {
    "text": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list",
    "object": "an object",
    "time": "a time such as 2026-01-31T09:30:00Z",
    "date": "a date such as 2026-01-31",
    "url": "a URL",
}
"""The types of fields, and how refusals describe them."""
_TYPES: Mapping[str, Any] = {"integer": int, "boolean": bool, "list": list, "object": dict, "number": (int, float)}
_FLAGS = {"true": True, "false": False, "1": True, "0": False, 1: True, 0: False}
_DATE = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_PATTERNS = {
    "time": re.compile(rf"{_DATE}([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?"),
    "date": re.compile(_DATE),
    "url": re.compile(r"https?://\S+"),
}
_WHOLE, _NUMBER = re.compile(r"-?\d{1,18}"), re.compile(r"-?\d{1,18}(\.\d{1,18})?")
_MAX_WHOLE = 2**63
_RESERVED = frozenset(["scope", "key", "number", "fields", "further", "absent", "stamped"])


class FieldType(NamedTuple):
    """What values a field can have; `words` are all of them if the kind is empty."""

    kind: str
    words: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What a value must be, for refusals."""
        return KINDS[self.kind] if self.kind else f"one of: {', '.join(self.words)}"

    def convert(self, value: Any, *, is_lenient: bool) -> Any:
        """Return a value as it is stored; numbers and flags in texts become such if `is_lenient`.

        Raises ValueError if it is not of this type. None is a value of every type.
        """
        if value is None or self._holds(value):
            return value
        converted = self._read_text(value) if is_lenient else None
        if converted is None and not (is_lenient and value == ""):
            raise ValueError(self.description)
        return converted

    def _holds(self, value: Any) -> bool:
        if self.words:
            return value in self.words if isinstance(value, str) else False
        if self.kind in _TYPES:
            is_number = self.kind in ("integer", "number")
            is_held = isinstance(value, _TYPES[self.kind]) and not (is_number and isinstance(value, bool))
            return is_held and (not is_number or abs(value) < _MAX_WHOLE)
        pattern = _PATTERNS.get(self.kind)
        return isinstance(value, str) and (pattern is None or pattern.fullmatch(value) is not None)

    def _read_text(self, value: Any) -> Any:
        if self.kind == "boolean":
            return _FLAGS.get(value.lower() if isinstance(value, str) else value) if _is_scalar(value) else None
        if self.kind == "integer" and isinstance(value, str) and _WHOLE.fullmatch(value):
            return int(value)
        if self.kind == "number" and isinstance(value, str) and _NUMBER.fullmatch(value):
            return float(value) if "." in value else int(value)
        if self.kind == "text" and _is_scalar(value) and not isinstance(value, bool):
            return str(value)
        return None

    @property
    def hint(self) -> Any:
        """The type of its column."""
        if self.kind in ("list", "object", "number"):
            return Json
        return {"integer": int, "boolean": bool}.get(self.kind, str) | None

    def fits_column(self, value: Any) -> bool:
        """Return whether its column can hold a value."""
        if self.kind in ("integer", "boolean"):
            return value is None or self._holds(value)
        return self.kind in ("list", "object", "number") or value is None or isinstance(value, str)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (str, int, float))


@cache
def read_field_types(declared: str) -> Mapping[str, FieldType]:
    """Return the types of a declaration by the names of their fields. Raises ValueError for what is none."""
    types: dict[str, FieldType] = {}
    for group in filter(None, map(str.strip, declared.split(";"))):
        names, colon, said = group.partition(":")
        words = [each.strip() for each in said.split("|")]
        if not colon or (len(words) == 1 and words[0] not in KINDS):
            raise ValueError(f"'{group}' is no declaration of fields; types are {', '.join(KINDS)} or a|b")
        for name in names.split(","):
            if name.strip() in types:
                raise ValueError(f"The field '{name.strip()}' is declared twice")
            types[name.strip()] = FieldType("", tuple(words)) if len(words) > 1 else FieldType(words[0])
    return types


@cache
def list_columns(declared: str) -> tuple[str, ...]:
    """Return the fields of a declaration that are columns: those whose names no other column can have."""
    taken, names = set(_RESERVED), list[str]()
    for name in read_field_types(declared):
        is_name = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
        if is_name and name.lower() not in taken:
            taken.add(name.lower())
            names.append(name)
    return tuple(names)


@cache
def make_document_table(name: str, declared: str = "") -> type[Row]:
    """Return the table of that name, whose rows hold a document each.

    `scope` joins the keys of what stands above the document, and `number` is the place in the order of creation.
    Without a declaration of fields, the document is in the column `fields`. With one, declared fields are columns;
    `further` has the others, `stamped` the times, and `absent` names the columns that the document lacks. `fields` then
    is a property that joins them.
    """
    columns, types = list_columns(declared), read_field_types(declared)
    hints: dict[str, Any] = {"scope": str, "key": str}
    namespace: dict[str, Any] = {"__module__": __name__, "__doc__": f"A document of {name}."}
    if columns:
        hints |= {each: types[each].hint for each in columns}
        hints |= {"further": Json, "stamped": Json, "absent": Json}
        namespace |= {each: ColumnOptions(default=None) for each in columns}
        namespace |= {"further": ColumnOptions(default={}), "fields": property(_join_fields)}
        namespace |= {"stamped": ColumnOptions(default={}, derived=True)}
        namespace |= {"absent": ColumnOptions(default=[], derived=True)}
    else:
        hints["fields"] = Json
    namespace |= {"__annotations__": {**hints, "number": int}, "number": ColumnOptions(default=0, derived=True)}
    namespace["declared_columns"] = columns
    make: Any = type(Row)
    title = "".join(each.capitalize() for each in name.split("_"))
    return make(f"{title}Document", (Row,), namespace, table=name, key=("scope", "key"), indexes=(("number",),))


def _join_fields(row: Any) -> Shown:
    absent = row.absent
    columns = {name: getattr(row, name) for name in row.declared_columns if name not in absent}
    return {**row.further, **columns, **row.stamped}


def to_columns(declared: str, fields: Mapping[str, Any], stamps: Collection[str] = ()) -> Shown:
    """Return the columns that hold the fields of a document, of which `stamps` are its times."""
    columns = list_columns(declared)
    if not columns:
        return {"fields": dict(fields)}
    types = read_field_types(declared)
    own = [name for name in columns if name in fields and name not in stamps and types[name].fits_column(fields[name])]
    further = {name: value for name, value in fields.items() if name not in own and name not in stamps}
    return {
        **{name: fields[name] if name in own else None for name in columns},
        "further": further,
        "stamped": {name: fields[name] for name in stamps if name in fields},
        "absent": [name for name in columns if name not in own],
    }
