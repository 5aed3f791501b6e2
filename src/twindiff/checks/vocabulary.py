"""The words of the language and their meaning, used by the parser and the reference page."""

from collections.abc import Collection, Mapping
from itertools import islice
from typing import NamedTuple

from twindiff.kit.suggestions import nearest

PUBLIC, EXTENDED = "0.1", "1"
"""The versions of the language."""

WORDS_SHOWN = 40
"""Words that an error message lists; there may be thousands of ids."""


class SpecWord(NamedTuple):
    """The meaning of a word; an `extended` one exists from version 1 on."""

    meaning: str
    extended: bool = False


Words = Mapping[str, SpecWord]

SPEC: Words = {
    "assertions": SpecWord("required: a list of at least one assertion"),
    "strict": SpecWord("`true` unless you say `false`: a changed row may change in the expected columns only"),
    "ignore_fields": SpecWord(
        'columns that do not count as changed: `{"global": [...], "<entity>": [...]}`, each name once'
    ),
    "version": SpecWord('`"0.1"`, which is the public language and the default, or `"1"`, the extended one'),
    "scenario": SpecWord("a text for the reader"),
    "task": SpecWord("a text for the reader"),
    "aggregates": SpecWord("accepted for the sake of public specs, never evaluated"),
    "closed_world": SpecWord(
        '`true`: nothing may change that is not asserted or ignored; `{"except": [...]}` names rows that may',
        extended=True,
    ),
}

ASSERTION: Words = {
    "diff_type": SpecWord("required: `added`, `removed` or `changed`; `unchanged` in the extended language"),
    "entity": SpecWord("required: the table, its case included; with several twins also `twin.table`"),
    "where": SpecWord("`{path: predicate}`, all of which must hold; without it every row of the table qualifies"),
    "expected_count": SpecWord(
        'a number, or `{"min": n, "max": m}` with at least one of them; without it at least one row'
    ),
    "expected_changes": SpecWord(
        'for `changed`: `{column: {"from": predicate, "to": predicate}}`; `from` and `to` may each be left out'
    ),
    "ignore": SpecWord("columns that do not count as changed in this assertion"),
    "description": SpecWord("a text for the reader"),
    "id": SpecWord("a name for `after` and `ref` to refer to", extended=True),
    "after": SpecWord("ids of assertions whose rows or calls must all come before those of this one", extended=True),
    "by": SpecWord(
        "who alone may have touched the rows that count: `{path: predicate}` over the operation", extended=True
    ),
    "response": SpecWord("in place of `diff_type` and `entity`: `{path: predicate}` over the calls", extended=True),
}

HAPPENED: Words = {
    "added": SpecWord("rows that were inserted"),
    "removed": SpecWord("rows that were deleted"),
    "changed": SpecWord("rows that were updated"),
}

DIFF_TYPES: Words = {
    **HAPPENED,
    "unchanged": SpecWord("no row was inserted, deleted or updated", extended=True),
}

RANGE: Words = {"min": SpecWord("the least number"), "max": SpecWord("the greatest number")}

CHANGE: Words = {"from": SpecWord("a predicate on the value before"), "to": SpecWord("a predicate on the value after")}

AGGREGATE: Words = dict.fromkeys(("fn", "field", "op", "value"), SpecWord("never evaluated"))
AGGREGATE_FUNCTIONS: Words = dict.fromkeys(("sum", "avg", "min", "max", "count"), SpecWord("never evaluated"))
AGGREGATE_OPERATORS: Words = dict.fromkeys(
    ("eq", "ne", "gt", "gte", "lt", "lte", "between"), SpecWord("never evaluated")
)

CLOSED_WORLD_KEYS: Words = {"except": SpecWord("a list of what may change all the same")}

EXCEPTION: Words = {
    "entity": SpecWord("required: a table whose changes may be anything"),
    "diff_type": SpecWord("only rows that were `added`, `removed` or `changed`"),
    "where": SpecWord("only rows that satisfy it, before or after"),
}

CALL: Words = {
    "operation": SpecWord("the operation as its twin names it, such as `chat.postMessage`"),
    "twin": SpecWord("the twin that was called"),
    "actor": SpecWord("the user that the caller acted as"),
    "status": SpecWord("the HTTP status of the answer"),
    "error": SpecWord("the error's code, null where the call went well"),
    "seq": SpecWord("the number of what it wrote, null where it wrote nothing"),
    "number": SpecWord("the number of the call in its environment"),
}

REFERENCE: Words = {"ref": SpecWord("`<id>.<path>` of the rows that count for another assertion")}

NUMBERS = frozenset({"status", "seq", "number"})
"""The fields of a call that are numbers; all others are texts."""

MAKER: Words = {name: CALL[name] for name in ("operation", "actor", "twin")}

# Words of older documentation and of other tools, with their equivalent here.
OTHER_WORDS = {
    "inserted": "added",
    "created": "added",
    "deleted": "removed",
    "updated": "changed",
    "neq": "ne",
    "equals": "eq",
    "nin": "not_in",
    "like": "contains",
    "matches": "regex",
    "is_null": "exists",
    "count": "expected_count",
    "changes": "expected_changes",
    "table": "entity",
    "filter": "where",
}


def list_words(words: Words, *, extended: bool) -> list[str]:
    """Return the words that this version of the language has."""
    return [name for name, word in words.items() if extended or not word.extended]


def advice(given: object, words: Collection[str], later: Collection[str] = ()) -> str:
    """Suggest a word for an unknown one and list the known ones; `later` are the words of the extended language."""
    text = given if isinstance(given, str) else ""
    other = OTHER_WORDS.get(text)
    near = other if other in words else nearest(text.lower(), words)
    question = f"Did you mean '{near}'? " if near else ""
    version = f'\'{text}\' is of the extended language; for that, write "version": "{EXTENDED}". '
    more = f" and {len(words) - WORDS_SHOWN} more" if len(words) > WORDS_SHOWN else ""
    return f"{question}{version if text in later else ''}Known: {', '.join(islice(words, WORDS_SHOWN))}{more}."
