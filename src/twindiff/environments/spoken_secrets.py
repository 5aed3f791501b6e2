"""Secrets in what calls said: tokens, client secrets and passwords, found by the names that they are given with."""

from __future__ import annotations

import re

LEFT_OUT = "(left out)"
"""What is kept in the place of a secret."""

_NAMES = (
    r"[\w\-.]*(?:secret|password|access_?token|refresh_?token)|token|id_?token|subject_?token|actor_?token"
    r"|(?:client_?)?assertion|code_?verifier|private_?key|primary_?key|secondary_?key"
)
_HINT = re.compile("secret|password|token|assertion|verifier|key|code=|ticket=", re.IGNORECASE)
"""What a text with a secret has in it: most have none, and cost one look."""

_JSON = re.compile(
    rf'((?<![\w\-.])(?:{_NAMES})\\*"?\s*:\s*((?:\\*"){{3}}|\\*"))(.*?)((?<!\\)\2|\Z)', re.IGNORECASE | re.DOTALL
)
"""`"client_secret": "…"`, also within a text of JSON, and `secret: "…"` of GraphQL, with three quotes too.

The end may be cut off."""
_FORM = re.compile(
    rf"((?:^|[?&\s])(?:[\w\-.]+(?:\[|%5B))?(?:{_NAMES}|code|ticket)(?:\]|%5D)?=)(\(left out\)|[^&\s\"'<>#]+)",
    re.IGNORECASE,
)
"""`client_secret=…` of forms and addresses. A `code` is left out where it may be one of OAuth: see `_GRANT`."""
_GRANT = re.compile(r"grant_type=|[?&]state=|client_id=|[?&]code=[^&]{16,}|oauth", re.IGNORECASE)
_PARTS = re.compile(
    rf'(name="(?:{_NAMES})"\r?\n(?:[\w\-]+:[^\n]*\n)*\r?\n)(.*?)(?=\r?\n--|\Z)', re.IGNORECASE | re.DOTALL
)
"""A part of a form of several."""


def leave_out_secrets(text: str) -> str:
    """A text with `(left out)` in the place of each secret that it names."""
    if not _HINT.search(text):
        return text
    text = _JSON.sub(lambda match: f"{match[1]}{LEFT_OUT}{match[4]}", text)
    text = _PARTS.sub(lambda match: f"{match[1]}{LEFT_OUT}", text)
    takes_codes = bool(_GRANT.search(text))
    return _FORM.sub(lambda match: match[0] if _is_other_code(match[1], takes_codes) else match[1] + LEFT_OUT, text)


def _is_other_code(name: str, takes_codes: bool) -> bool:
    return not takes_codes and name.lower().endswith("code=")
