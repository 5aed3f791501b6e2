"""Pages of the inspector: templates that escape whatever they are given, and headers that let nothing of others run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response

if TYPE_CHECKING:
    from jinja2 import Environment

LETTERS_SHOWN = 300
"""Of a value in a table; the page of its row has all of it."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
FOR_GOOD = "public, max-age=31536000, immutable"
"""How long browsers keep a file whose address has its version."""
STATIC = {
    "inspector.css": "text/css; charset=utf-8",
    "inspector.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@cache
def environment() -> Environment:
    """The templates."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # a server begins without its pages

    made = Environment(
        loader=PackageLoader("twindiff.server.apis.inspector", "html"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    untyped = cast(Any, made)  # Jinja says not what its filters and globals are
    untyped.filters.update(
        {
            "cell": cell,
            "pretty": pretty,
            "time": time_of_day,
            "day": day_and_time,
            "of": of,
            "indented": indent_json,
            "percent": percent,
        }
    )
    untyped.globals.update({"query": query, "key_of": key_of, "static": static_address})
    return made


def render(template: str, /, **values: Any) -> str:
    """A template with its values."""
    return environment().get_template(template).render(values)


def page(template: str, code: int = 200, /, **values: Any) -> Response:
    """A page as it is sent."""
    return HTMLResponse(render(template, **values), code, HEADERS)


@cache
def static(name: str) -> bytes:
    """A file that pages need."""
    return files("twindiff.server.apis.inspector").joinpath("html", name).read_bytes()


@cache
def version(name: str) -> str:
    """What differs in the address of a file when the file does."""
    return sha256(static(name)).hexdigest()[:12]


def static_address(name: str) -> str:
    """Where pages have a file from, so that a browser asks for it once."""
    return f"/inspect/static/{name}?v={version(name)}"


def cell(value: Any) -> str:
    """A value in a table: short, and without quotes where it is a text."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LETTERS_SHOWN else f"{text[:LETTERS_SHOWN]}…"


def pretty(text: str) -> str:
    """JSON with its lines indented; any other text as it is."""
    try:
        return indent_json(json.loads(text))
    except (ValueError, RecursionError):
        return text


def indent_json(value: Any) -> str:
    """A value as JSON with its lines indented."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def time_of_day(instant: str) -> str:
    """An instant without its day, to the millisecond."""
    return instant[11:23]


def day_and_time(instant: str | None) -> str:
    """An instant to the second."""
    return (instant or "")[:19].replace("T", " ")


def percent(share: float, *, signed: bool = False) -> str:
    """A share from 0 to 1 in percent, or a difference of two with its sign."""
    return f"{share:+.0%}".replace("%", " %") if signed else f"{share:.0%}".replace("%", " %")


def of(name: str, row: Mapping[str, Any]) -> Any:
    """A column of a row."""
    return row[name]


def query(**values: Any) -> str:
    """The query of an address, of those values that are there; lists give a name several times."""
    known = {name: value for name, value in values.items() if value not in (None, "", [])}
    return f"?{urlencode(known, doseq=True)}" if known else ""


def key_of(values: list[Any] | tuple[Any, ...]) -> str:
    """A row's key as it stands in an address."""
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))
