"""Renders changes in twins: a line per row with its few most informative columns, the rest collapsed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple, cast

import msgspec

from twindiff.checks.findings import ValueDifference
from twindiff.checks.value_words import difference_words

ROWS_STYLE = """
.rows{list-style:none;padding:0;margin:0}.rows li{padding:.5rem 0;border-bottom:1px solid var(--line)}
.rows li.missed{border-left:3px solid var(--bad);padding-left:.6rem}.rows p{margin:.2rem 0}
.sign{font-family:ui-monospace,monospace;font-weight:bold}.field{margin-left:.8rem;overflow-wrap:anywhere}
.field b{font-weight:600}summary{cursor:pointer}.rows summary{font-size:.85rem;opacity:.7}
"""
"""The style of rendered rows, for pages with the colours `--line` and `--bad`."""
MAX_ROWS = 200
MAX_FIELDS = 5
MAX_CHARACTERS = 80
"""Maximum characters of a value in the line of a row."""
TELLING = (
    *("name", "title", "subject", "summary", "text", "amount", "total", "currency", "status", "state", "email"),
    *("quantity", "description", "priority", "channel", "start", "end", "url", "path"),
)
"""Words in names of informative columns, most informative first."""
UNTELLING = ("id", "ids", "created", "updated", "ts", "at", "hash", "token", "secret", "key", "seq", "livemode")
"""Words in names of uninformative columns."""
NO_CENTS = frozenset(
    ("bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf")
)
"""Currencies whose amounts have no smaller unit. https://docs.stripe.com/currencies#zero-decimal"""

_OPAQUE = re.compile(r"[a-z]+_(?:\w+_)?[A-Za-z0-9]{10,}|[0-9a-f-]{32,}")
"""Matches values that are ids."""

Row = Mapping[str, Any]


class Missed(NamedTuple):
    """A row that nearly matched a check, and descriptions of the differences."""

    table: str
    columns: Row
    differs: list[str]


class _Changed(NamedTuple):
    sign: str
    row: Row
    missed: list[str]


def render_diff(diff: Mapping[str, Any], checks: Mapping[str, Any] | None, twin: str, most: int = MAX_ROWS) -> str:
    """Render at most so many changed rows as HTML; near misses of checks come first, rows without telling columns last.
    `twin` is the twin of rows that name none.
    """
    missed = list(_list_missed(checks))
    changed = [
        _Changed(sign, row, _what_differs(row, missed))
        for sign, side in zip("+~-", ("inserts", "updates", "deletes"), strict=True)
        for row in diff[side]
    ]
    changed.sort(key=lambda each: (not each.missed, not _telling_fields(each.row)))
    absent = "".join(f"<li class='missed bad'>{escape(each)}</li>" for each in _list_absent(checks))
    body = absent + "".join(_render_row(each, twin) for each in changed[:most])
    more = f"<p>and {len(changed) - most} more rows</p>" if len(changed) > most else ""
    return f"<ul class=rows>{body}</ul>{more}" if body else "<p>Nothing.</p>"


# Failed checks


def _list_absent(checks: Mapping[str, Any] | None) -> Iterator[str]:
    """The texts of failed checks without a nearest row."""
    for why in (checks or {}).get("explanations") or ():
        if not why.get("nearest"):
            yield str(why.get("text", ""))


def _list_missed(checks: Mapping[str, Any] | None) -> Iterator[Missed]:
    for why in (checks or {}).get("explanations") or ():
        for near in why.get("nearest") or ():
            said = [difference_words(msgspec.convert(each, ValueDifference)) for each in near.get("differs") or ()]
            if said:
                yield Missed(near.get("entity") or why.get("entity", ""), near["row"], said)


def _what_differs(row: Row, missed: Sequence[Missed]) -> list[str]:
    columns = _columns(row)
    for each in missed:
        if each.table in ("", row.get("__table__")) and _is_same(each.columns, columns):
            return each.differs
    return []


def _is_same(few: Row, columns: Row) -> bool:
    """Whether a row in an explanation, with few columns and truncated values, is this one."""
    simple = {name: value for name, value in few.items() if name in columns and not isinstance(value, dict | list)}
    return bool(simple) and all(
        value == columns[name] or (isinstance(value, str) and str(columns[name]).startswith(value.rstrip("…")))
        for name, value in simple.items()
    )


# Rows


def _render_row(changed: _Changed, twin: str) -> str:
    row = changed.row
    vendor = str(row.get("__twin__") or twin).replace("_", " ").title()
    fields = " ".join(
        f"<span class=field>{escape(name)} <b>{escape(text)}</b></span>" for name, text in _telling_fields(row)
    )
    missed = "".join(f"<p class=bad>{escape(each)}</p>" for each in changed.missed)
    return (
        f"<li{' class=missed' if changed.missed else ''}><span class=sign>{changed.sign}</span> "
        f"<b>{escape(vendor)}</b> {escape(_kind(str(row.get('__table__', ''))))} {fields}{missed}"
        f"<details><summary>all columns</summary>{_render_columns(row)}</details></li>"
    )


def _kind(table: str) -> str:
    """The singular of a table's name."""
    words = table.replace("_", " ")
    if words.endswith("ies"):
        return f"{words[:-3]}y"
    return words[:-2] if words.endswith(("sses", "xes", "ches")) else words.removesuffix("s")


def _columns(row: Row) -> dict[str, Any]:
    """The columns of a row after the change."""
    held = cast("Row", row.get("after") if isinstance(row.get("after"), dict) and "before" in row else row)
    return {name: value for name, value in held.items() if not name.startswith("__") and value is not None}


def _telling_fields(row: Row) -> list[tuple[str, str]]:
    """The most informative columns of a row; for an updated row the changed ones, before and after."""
    columns = _columns(row)
    if isinstance(row.get("changed"), list):
        before = cast("Row", row.get("before") or {})
        names = cast("list[str]", row["changed"])[:MAX_FIELDS]
        return [(name, f"{_format_column(name, before)} → {_format_column(name, columns)}") for name in names]
    best = sorted((name for name in columns if _is_telling(name, columns)), key=_rank)
    unique = {_format_column(name, columns): name for name in reversed(best)}
    return [(name, text) for text, name in reversed(unique.items())][:MAX_FIELDS]


def _is_telling(name: str, columns: Row) -> bool:
    """Whether a column is informative: no id, time or nested value, and no currency that an amount includes."""
    value = columns[name]
    if isinstance(value, dict | list) or value in ("", False) or _rank(name) > len(TELLING):
        return False
    has_amount = any(each.startswith("amount") for each in columns)
    return not (name == "currency" and has_amount) and not (isinstance(value, str) and _OPAQUE.fullmatch(value))


def _rank(name: str) -> int:
    """The rank of a column; the lowest is the most informative."""
    words = name.lower().split("_")
    telling = [number for number, word in enumerate(TELLING) if word in words]
    if any(word in UNTELLING for word in words):
        return len(TELLING) + 1
    return telling[0] if telling else len(TELLING)


def _format_column(name: str, columns: Row) -> str:
    value, currency = columns.get(name), columns.get("currency")
    if name.startswith("amount") and isinstance(value, int) and isinstance(currency, str):
        number = str(value) if currency.lower() in NO_CENTS else f"{value / 100:,.2f}"
        return f"{number} {currency.upper()}"
    text = _text(value)
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "nothing" if value is None else msgspec.json.encode(value).decode()


def _render_columns(row: Row) -> str:
    changed = isinstance(row.get("changed"), list)
    before = cast("Row", (row.get("before") or {}) if changed else {})
    cells = "".join(
        f"<tr><th>{escape(name)}<td><code>{escape(_text(value))}</code>"
        + (f"<td><code>{escape(_text(before.get(name)))}</code>" if changed and before.get(name) != value else "")
        for name, value in _columns(row).items()
    )
    return f"<table>{cells}</table>"
