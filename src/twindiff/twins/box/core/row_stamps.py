"""Values that all rows need: ids, instants, etags, case-folded names."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from twindiff.kit import Call
from twindiff.twins.box.wire_style import BadRequest

DIGITS = "0123456789"


def ticket(call: Call, about: str) -> str:
    """Return the secret part of a URL, which makes the URL unguessable."""
    return hmac.new(call.secret.encode(), about.encode(), sha256).hexdigest()[:32]


def new_id(call: Call, length: int = 12) -> str:
    """Return a new id of decimal digits, the form of all ids in Box."""
    return call.ids.new("123456789"[call.db.next("box_id") % 9], length - 1, DIGITS)


def format_instant(stamp: str | None) -> str | None:
    """Render an instant as Box does: with an offset, in whole seconds."""
    return f"{stamp[:19]}+00:00" if stamp else None


def read_instant(text: str, name: str) -> str:
    """Parse an RFC 3339 instant into the form of columns; raise BadRequest if it is invalid."""
    try:
        return naive(text)
    except (ValueError, OverflowError):
        raise BadRequest.of("invalid_parameter", name, f"Invalid value '{text}'. It is no date and time.") from None


def naive(text: str) -> str:
    """Convert an instant to UTC without an offset, in whole seconds; raise ValueError if it is invalid.

    An instant without an offset is taken as UTC.
    """
    read = datetime.fromisoformat(text)
    aware = read if read.tzinfo else read.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat()


def next_number(number: str | None) -> str:
    """Return the etag or sequence id that follows `number`."""
    return str(int(number) + 1) if number and number.isdecimal() else "1"


def build_change_stamp(call: Call, row: Any) -> dict[str, Any]:
    """Return the columns that every change of an item sets: etag, modification time and user."""
    return {
        "etag": next_number(row.etag),
        "sequence_id": next_number(row.sequence_id),
        "modified_at": call.clock.iso(),
        "modified_by_id": call.actor,
    }


def build_move_stamp(call: Call, item: Any, target: Any) -> dict[str, Any]:
    """Return the columns that a move to `target` sets; none if there is no target."""
    return {"placed_at": call.clock.iso()} if target is not None and item.type != "web_link" else {}


def fold_name(name: str) -> str:
    """Return a name in the form that ignores case."""
    return name.casefold()


def search_text(name: str | None, description: str | None, tags: list[str] | None) -> str:
    """Return the text of an item itself that searches look in: name, description and tags."""
    return "\n".join(filter(None, (name, description, *(tags or ()))))


def extension_of(name: str) -> str:
    """Return the extension of a file's name, "" without one."""
    stem, dot, extension = name.rpartition(".")
    return extension if dot and stem else ""
