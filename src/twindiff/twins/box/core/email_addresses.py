"""The form of email addresses."""

from __future__ import annotations

import re

from twindiff.twins.box.wire_style import BadRequest

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|[^@\s]+@localhost")


def check_email(name: str, address: str) -> str:
    """Return an address; raise BadRequest that names a parameter unless it is one of email."""
    if not EMAIL.fullmatch(address):
        said = f"Invalid value '{address[:100]}'. It must be an email address."
        raise BadRequest.of("invalid_parameter", name, said)
    return address
