"""What stands on every row: ids, instants, versions, names without case."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from twindiff.kit import Call
from twindiff.twins.box.wire_style import BadRequest

DIGITS = "0123456789"


def ticket(call: Call, about: str) -> str:
    """What is in an address so that only those know it who were given it."""
    return hmac.new(call.secret.encode(), about.encode(), sha256).hexdigest()[:32]


def new_id(call: Call, length: int = 12) -> str:
    """An id of digits, as all of Box's are."""
    return call.ids.new("123456789"[call.db.next("box_id") % 9], length - 1, DIGITS)


def format_instant(stamp: str | None) -> str | None:
    """An instant as Box writes it: with an offset, in whole seconds."""
    return f"{stamp[:19]}+00:00" if stamp else None


def read_instant(text: str, name: str) -> str:
    """An instant in RFC 3339 as a column holds it; raises BadRequest."""
    try:
        return naive(text)
    except (ValueError, OverflowError):
        raise BadRequest.of("invalid_parameter", name, f"Invalid value '{text}'. It is no date and time.") from None


def naive(text: str) -> str:
    """An instant, of UTC if it has no offset, in UTC without one and in whole seconds; raises ValueError."""
    read = datetime.fromisoformat(text)
    aware = read if read.tzinfo else read.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat()


def next_number(number: str | None) -> str:
    """The etag or sequence id after another."""
    return str(int(number) + 1) if number and number.isdecimal() else "1"


def build_change_stamp(call: Call, row: Any) -> dict[str, Any]:
    """What every change of an item changes besides."""
    return {
        "etag": next_number(row.etag),
        "sequence_id": next_number(row.sequence_id),
        "modified_at": call.clock.iso(),
        "modified_by_id": call.actor,
    }


def build_move_stamp(call: Call, item: Any, target: Any) -> dict[str, Any]:
    """What a file or folder says of a move to another folder, if there is one."""
    return {"placed_at": call.clock.iso()} if target is not None and item.type != "web_link" else {}


def fold_name(name: str) -> str:
    """A name without regard to case."""
    return name.casefold()


def search_text(name: str | None, description: str | None, tags: list[str] | None) -> str:
    """All that a search for words looks at in an item itself."""
    return "\n".join(filter(None, (name, description, *(tags or ()))))


def extension_of(name: str) -> str:
    """The extension of a file's name, "" without one."""
    stem, dot, extension = name.rpartition(".")
    return extension if dot and stem else ""
