"""Rendering of the inspector's pages: auto-escaping templates, and headers that block scripts of other origins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response

from twindiff.browser.masking import TextMask, mask_recognized

if TYPE_CHECKING:
    from jinja2 import Environment

    from twindiff.catalog import TrialSetRecord

LETTERS_SHOWN = 300
"""Maximum characters of a value in a table; the page of its row shows all of it."""
MAX_MASKED = 20_000
"""Characters of a text whose secrets are looked for, before it is truncated."""
_MASK = TextMask(())
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
"""Cache-Control of a file whose URL contains its version."""
STATIC = {
    "inspector.css": "text/css; charset=utf-8",
    "inspector.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@cache
def environment() -> Environment:
    """The Jinja environment, loaded on first use."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # not needed to start a server

    made = Environment(
        loader=PackageLoader("twindiff.server.apis.inspector", "html"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    untyped = cast(Any, made)  # Jinja does not type its filters and globals
    untyped.filters.update(
        {
            "cell": cell,
            "masked": mask_named,
            "pretty": pretty,
            "time": time_of_day,
            "day": day_and_time,
            "of": of,
            "indented": indent_json,
            "percent": percent,
            "labels": describe_set,
        }
    )
    untyped.globals.update({"query": query, "key_of": key_of, "static": static_address})
    return made


def render(template: str, /, **values: Any) -> str:
    """Render a template."""
    return environment().get_template(template).render(values)


def page(template: str, code: int = 200, /, **values: Any) -> Response:
    """Render a template as a response."""
    return HTMLResponse(render(template, **values), code, HEADERS)


@cache
def static(name: str) -> bytes:
    """The content of a static file."""
    return files("twindiff.server.apis.inspector").joinpath("html", name).read_bytes()


@cache
def version(name: str) -> str:
    """The version of a static file: a hash of its content."""
    return sha256(static(name)).hexdigest()[:12]


def static_address(name: str) -> str:
    """The URL of a static file, with its version so that browsers can cache it."""
    return f"/inspect/static/{name}?v={version(name)}"


def mask_named(value: Any, name: str = "") -> Any:
    """Mask the secrets of a value: what looks like one, and the whole of a text whose name says that it is one."""
    return _MASK.value({name: value})[name]


def cell(value: Any, name: str = "") -> str:
    """Format a value of this name for a table cell: masked and truncated, text without quotes, else JSON."""
    masked = mask_named(value[:MAX_MASKED] if isinstance(value, str) else value, name)
    text = masked if isinstance(masked, str) else "" if masked is None else json.dumps(masked, ensure_ascii=False)
    return text if len(text) <= LETTERS_SHOWN else f"{text[:LETTERS_SHOWN]}…"


def pretty(text: str) -> str:
    """Indent JSON and mask its secrets; in any other text only the secrets are masked."""
    try:
        return indent_json(json.loads(text))
    except (ValueError, RecursionError):
        return mask_recognized(text)


def indent_json(value: Any) -> str:
    """Format a value as indented JSON, with secrets masked."""
    return json.dumps(TextMask(()).value(value), indent=2, ensure_ascii=False)


def time_of_day(instant: str) -> str:
    """The time of an ISO 8601 instant, to the millisecond."""
    return instant[11:23]


def day_and_time(instant: str | None) -> str:
    """The date and time of an ISO 8601 instant, to the second."""
    return (instant or "")[:19].replace("T", " ")


def percent(share: float, *, signed: bool = False) -> str:
    """Format a share from 0 to 1, or a signed difference, in percent."""
    return f"{share:+.0%}".replace("%", " %") if signed else f"{share:.0%}".replace("%", " %")


def describe_set(record: TrialSetRecord) -> str:
    """What tells a trial set apart, and what it used: label, model, parameters, revision, tokens, cost, duration."""
    parameters = cast("dict[str, Any]", record.parameters or {})
    tokens = ((record.input_tokens, "input"), (record.output_tokens, "output"))
    parts = [
        record.label or "",
        f"model {record.model}" if record.model else "",
        *(f"{name}={value}" for name, value in parameters.items()),
        f"revision {record.revision}" if record.revision else "",
        *(f"{count:,} {what} tokens" for count, what in tokens if count is not None),
        f"${record.cost:.4f}" if record.cost is not None else "",
        f"{record.seconds:.1f} s" if record.seconds else "",
    ]
    return " · ".join(part for part in parts if part)


def of(name: str, row: Mapping[str, Any]) -> Any:
    """Return a column of a row; a template filter."""
    return row[name]


def query(**values: Any) -> str:
    """The query string of the values that are not empty; lists repeat their name."""
    known = {name: value for name, value in values.items() if value not in (None, "", [])}
    return f"?{urlencode(known, doseq=True)}" if known else ""


def key_of(values: list[Any] | tuple[Any, ...]) -> str:
    """The key of a row as JSON for a URL."""
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))
