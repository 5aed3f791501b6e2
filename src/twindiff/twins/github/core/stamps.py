"""New ids, instants and colours as rows and answers hold them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from twindiff.kit import Call

from ..wire_style import invalid

FIRST_ID = 1_000_001
_SLUG = re.compile(r"[^a-z0-9_-]+")


def new_id(call: Call) -> int:
    """Return a new id; all kinds of objects share one sequence, so that no two are mistaken for each other."""
    return call.db.next("id", at_least=FIRST_ID)


def show_instant(stamp: str | None) -> str | None:
    """Render an instant of a row: `2026-01-31T09:30:00Z`."""
    return f"{stamp[:19]}Z" if stamp else None


def read_instant(text: str, resource: str, field: str) -> str:
    """Return an ISO 8601 instant as a row holds it; raise GitHub's 422 for anything else."""
    instant = parse_instant(text)
    if instant is None:
        raise invalid(resource, field)
    return instant


def parse_instant(text: str) -> str | None:
    """Return an ISO 8601 instant or date as naive text in UTC; None for anything else."""
    try:
        instant = datetime.fromisoformat(text.strip().replace(" ", "+") if "T" in text else text.strip())
    except ValueError:
        return None
    if instant.tzinfo:
        instant = instant.astimezone(UTC).replace(tzinfo=None)
    return instant.replace(microsecond=0).isoformat()


def unix_of(stamp: str) -> int:
    """Return seconds since 1970 of an instant of a row."""
    return int(datetime.fromisoformat(stamp).replace(tzinfo=UTC).timestamp())


def stamp_of(unix: int) -> str:
    """Return seconds since 1970 as an instant of a row; times outside 1970 to 9999 are clamped."""
    return datetime.fromtimestamp(min(max(unix, 0), 253402300799), UTC).replace(tzinfo=None).isoformat()


def slug_of(name: str) -> str:
    """Return the slug of a name: lower case, other characters as hyphens."""
    return _SLUG.sub("-", name.lower()).strip("-")


def times_of(row: Any) -> dict[str, Any]:
    """Return `created_at` and `updated_at` of a row as answers have them."""
    return {"created_at": show_instant(row.created_at), "updated_at": show_instant(row.updated_at)}
