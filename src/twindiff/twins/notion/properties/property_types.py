"""The types of properties: what a request may say of each in a schema and in a page.

https://developers.notion.com/reference/property-object · https://developers.notion.com/reference/page-property-values
"""

from __future__ import annotations

from typing import Any

from ..core.body_rules import (
    MAX_ITEMS,
    Problems,
    Rule,
    anything,
    array,
    boolean,
    choice,
    empty,
    invalid_at,
    is_object,
    mapping,
    need_one,
    nullable,
    number,
    obj,
    text,
    typed_object,
    uuid,
)
from ..core.file_values import external_file
from ..formulas.syntax import MAX_LENGTH
from ..rich_text.rich_text_rules import HUES, date, id_object, rich_text

OPTION_COLORS = ("default", *HUES)
MAX_OPTION_LENGTH = 100
MAX_OPTIONS = 100
MAX_SHORT_TEXT_LENGTH = 200
NUMBER_FORMATS = (
    "number", "number_with_commas", "percent", "dollar", "australian_dollar", "canadian_dollar", "singapore_dollar",
    "euro", "pound", "yen", "ruble", "rupee", "won", "yuan", "real", "lira", "rupiah", "franc", "hong_kong_dollar",
    "new_zealand_dollar", "krona", "norwegian_krone", "mexican_peso", "rand", "new_taiwan_dollar", "danish_krone",
    "zloty", "baht", "forint", "koruna", "shekel", "chilean_peso", "philippine_peso", "dirham", "colombian_peso",
    "riyal", "ringgit", "leu", "argentine_peso", "uruguayan_peso", "peruvian_sol",
)  # fmt: skip
FUNCTIONS = (
    "count", "count_values", "empty", "not_empty", "unique", "show_unique", "percent_empty", "percent_not_empty", "sum",
    "average", "median", "min", "max", "range", "earliest_date", "latest_date", "date_range", "checked", "unchecked",
    "percent_checked", "percent_unchecked", "count_per_group", "percent_per_group", "show_original",
)  # fmt: skip
COMPUTED = (
    "formula", "rollup", "unique_id", "created_time", "created_by", "last_edited_time", "last_edited_by", "button",
)  # fmt: skip
"""The types whose values follow from others."""
PLAIN = (
    "title", "rich_text", "url", "people", "files", "email", "phone_number", "date", "checkbox", "created_by",
    "created_time", "last_edited_by", "last_edited_time", "button", "verification", "place", "location",
)  # fmt: skip
"""The types that have nothing to configure."""
SELECTS = ("select", "multi_select", "status")

_about_option: dict[str, Rule] = {"id": text(), "color": choice(*OPTION_COLORS), "description": nullable(text())}
_option = need_one(("name", "id"), obj(None, name=text(MAX_OPTION_LENGTH, 1), **_about_option))
_options = obj(None, options=array(_option, most=MAX_OPTIONS), groups=anything)
_relation = need_one(
    ("data_source_id", "database_id"),
    need_one(
        ("single_property", "dual_property"),
        obj(
            None,
            data_source_id=uuid,
            database_id=uuid,
            type=choice("single_property", "dual_property"),
            single_property=empty,
            dual_property=mapping(nullable(text())),
        ),
    ),
)
_rollup = obj(
    {"function": choice(*FUNCTIONS)},
    relation_property_name=text(),
    relation_property_id=text(),
    rollup_property_name=text(),
    rollup_property_id=text(),
)
CONFIGS: dict[str, Rule] = {
    **dict.fromkeys(PLAIN, empty),
    **dict.fromkeys(SELECTS, _options),
    "number": obj(None, format=choice(*NUMBER_FORMATS)),
    "formula": obj(None, expression=text(MAX_LENGTH)),
    "relation": _relation,
    "rollup": _rollup,
    "unique_id": obj(None, prefix=nullable(text())),
}
_about: dict[str, Rule] = {"name": text(), "description": nullable(text()), "id": text()}
new_property = typed_object(CONFIGS, **_about)


def changed_property(value: Any, path: str) -> Problems:
    """A rule of what an update says of a property: its new name, its configuration, or null to remove it."""
    if value is not None:
        has_type = is_object(value) and any(name in CONFIGS for name in value)
        yield from (new_property if has_type else obj(None, type=anything, **_about))(value, path)


def _file(value: Any, path: str) -> Problems:
    if not is_object(value):
        yield invalid_at(path, "an object", value)
        return
    sources: dict[str, Rule] = {
        "external": external_file("Invalid file url."),
        "file_upload": obj({"id": uuid}),
        "file": mapping(anything),
    }
    name: dict[str, Rule] = {"name": text(MAX_OPTION_LENGTH)}
    required = {} if "file_upload" in value else name
    yield from need_one(tuple(sources), obj(required, type=anything, **sources, **name))(value, path)


def _url(value: Any, path: str) -> Problems:
    yield from text()(value, path)
    if value == "":
        yield invalid_at(path, "populated", value)


VALUES: dict[str, Rule] = {
    "title": rich_text,
    "rich_text": rich_text,
    "number": nullable(number),
    "select": nullable(_option),
    "status": nullable(_option),
    "multi_select": array(_option, most=MAX_OPTIONS),
    "date": nullable(date),
    "people": array(id_object),
    "files": array(_file),
    "checkbox": boolean,
    "url": nullable(_url),
    "email": nullable(text(MAX_SHORT_TEXT_LENGTH)),
    "phone_number": nullable(text(MAX_SHORT_TEXT_LENGTH)),
    "relation": array(obj({"id": uuid}), most=MAX_ITEMS),
    "place": nullable(mapping(anything)),
    "verification": nullable(
        obj({"state": choice("verified", "unverified")}, date=nullable(date), verified_by=anything)
    ),
}
"""The rules of values in pages, by type; types without one are computed."""
EMPTY: dict[str, Any] = {
    **dict.fromkeys(VALUES),
    "title": [],
    "rich_text": [],
    "multi_select": [],
    "people": [],
    "files": [],
    "relation": [],
    "checkbox": False,
}
"""What an answer has for an empty value."""
