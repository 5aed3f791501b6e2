"""The search of leads by text: `name:"Acme Inc" status:Qualified email:ada@example.com`.

https://help.close.com/docs/search-in-close
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from .wire_style import CloseError

_TERM = re.compile(r'(not\s+|-)?(?:([\w.]+):)?("[^"]*"|\S+)', re.IGNORECASE)
_FIELD = re.compile(r"(?:^|\s)(?:not\s+|-)?[\w.]+:", re.IGNORECASE)
_NAMES = {
    "name": ("display_name",), "lead_name": ("display_name",), "company": ("display_name",), "id": ("id",),
    "lead_id": ("id",), "status": ("status_label",), "lead_status": ("status_label",), "status_id": ("status_id",),
    "description": ("description",), "url": ("url",),
}  # fmt: skip
_CONTACT_NAMES = {"email": "emails", "email_address": "emails", "phone": "phones", "contact_name": "name",
                  "title": "title", "contact_title": "title"}  # fmt: skip


def meets_query(lead: Mapping[str, Any], query: str) -> bool:
    """Return whether a lead has all words of a query. Raises CloseError for a field that is not known."""
    for match in _TERM.finditer(_quote_names(query)):
        negated, field, said = match.groups()
        words = said.strip('"').lower()
        if not words or words == "and":
            continue
        texts = [text.lower() for text in _texts_of(lead, (field or "").lower())]
        if any(_has_words(text, words) for text in texts) == bool(negated):
            return False
    return True


def _quote_names(query: str) -> str:
    """Return a query whose values that have spaces are quoted: a value goes on until the next field."""
    starts = [match.start() for match in _FIELD.finditer(query)]
    parts = [query[start:end] for start, end in zip([0, *starts], [*starts, len(query)], strict=True)]
    return " ".join(re.sub(r'^(\s*(?:not\s+|-)?[\w.]+:)([^"\s][^"]*?\s[^"]*?)\s*$', r'\1"\2"', part) for part in parts)


def _has_words(text: str, words: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text))


def _texts_of(lead: Mapping[str, Any], field: str) -> Iterator[str]:
    contacts = cast(list[Mapping[str, Any]], lead["contacts"])
    if not field:
        yield from _all_texts([lead["display_name"], lead["description"], lead["url"], contacts])
    elif field in _NAMES:
        yield from _all_texts([lead.get(name) for name in _NAMES[field]])
    elif field in _CONTACT_NAMES:
        yield from _all_texts([each.get(_CONTACT_NAMES[field]) for each in contacts])
    elif field.startswith("custom."):
        known = cast(Mapping[str, Any], lead["custom"])
        by_name = {name.lower(): value for name, value in known.items()}
        yield from _all_texts([lead.get(field), by_name.get(field.removeprefix("custom."))])
    else:
        raise CloseError(f"The field '{field}' of the query is not known.")


def _all_texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _all_texts([*cast(Mapping[str, Any], value).values()])
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _all_texts(each)
    elif value is not None:
        yield str(value)
