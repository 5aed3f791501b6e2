"""Masks what no title, page, log or artifact may show: passwords, tokens and card numbers."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote, quote_plus

MASK = "•••"
MIN_SECRET_LETTERS = 4
"""A shorter secret is masked only where it stands alone, since it occurs by chance in almost every text."""
MIN_CARD_DIGITS = 12
MIN_CUT_TEXT = 75
"""Characters of the shortest text that may have been cut within a secret."""
MIN_SECRET_LINE = 8
"""Characters of a line that is masked by itself, because a secret of several lines is printed line by line."""
STRUCTURAL = frozenset(("id", "run_id", "status", "action", "type", "method", "screenshot", "diff_type", "operator"))
"""Keys of JSON values that hold words of ours, which are never masked."""

_SECRET = re.compile(
    r"passw|passphrase|pass(?:code|wort)?\b|\bpwd\b|secret|token|api.?key|\bcc.?num|card|cvc|cvv|iban|account.?number"
    r"|\bpin\b|\botp\b|one.?time|(?:verification|security).?code",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(
    r"passw|passphrase|passcode|\bpass\b|\bpwd\b|secret|token|(?:api|access|private|signing|encryption).?key"
    r"|credential|\bauth\b",
    re.IGNORECASE,
)
_IDENTITY = re.compile(r"(?:user|login|e?mail|account)?[ _-]?(?:name|address|id)?|login|email|mail", re.IGNORECASE)
_NO_SECRET = re.compile(r"true|false|yes|no|none|null|undefined|nil|on|off|\d{1,3}|", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    rf"{MASK}.*|\*{{3,}}\w{{0,4}}|\{{\{{[^{{}}]*\}}\}}|\$\{{[^{{}}]*\}}|\$[A-Z0-9_]*|<[\w -]*>", re.DOTALL
)
"""Matches what stands for a secret: `•••`, `***4242`, `{{password}}`, `${TOKEN}`, `$TOKEN`, `<your token>`."""
_DIGITS = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]\d|\d)")
_CARD = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|62\d{14,17}"
)
"""Lengths and first digits of cards. https://en.wikipedia.org/wiki/Payment_card_number"""
_TOKEN = re.compile(
    r"\b(?:(?:sk|rk)_(?:live|test)_\w{8,}|whsec_\w{8,}|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}|gh[pousr]_\w{12,}"
    r"|github_pat_\w{12,}|lin_(?:api|oauth|wh)_\w{8,}|ntn_\w{16,}|glpat-[\w-]{12,}|SG\.[\w-]{10,}\.[\w-]{10,}"
    r"|AKIA[A-Z0-9]{16}|ya29\.[\w-]{8,}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
    r"|(?<=\bBearer )[\w.~+/=-]{8,}"
)
"""Tokens that their vendors make recognizable."""
_KEYS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]*PRIVATE KEY-----)?")
_USER_INFO = re.compile(r"(?<=://)([^\s/:@\"'?#]{0,200}:)[^\s/@\"'?#]{1,200}(?=@)")
_WORD = (
    r"(?:passw(?:or)?d|passwort|passphrase|passcode|pwd|secret|token|(?:api|access|private|signing)[-_. ]?key"
    r"|credentials?|authorization|cvc|cvv|otp)"
)
_ASSIGNED = re.compile(
    rf"({_WORD}(?:[_-]\w{{1,40}}|\d{{0,3}})(?:\]|%5D)?(?:\\*[\"'])?\s{{0,3}}(?:=>|[:=]|%3D)\s{{0,3}})"
    r"(?:(\\*[\"'])(.{1,2000}?)\2|((?:(?:Bearer|Basic|token) )?[^\s\"'\\&,;<>(){}\[\]|]{1,2000}))",
    re.IGNORECASE,
)
"""Matches `password=x`, `"password": "x"`, `SECRET_KEY: x` and `token%3Dx`."""
_QUOTED = r"[\"'\u201c\u201e\u2018]([^\"'\u201d\u201c\u2019\n]{1,200})[\"'\u201d\u2019]"
_AFTER = re.compile(
    rf"(\b{_WORD}\b[\"'\u201d\u2019]?(?:\s+(?:field|input|box))?\s+(?:(?:with|is|of|contains|equals|to be|to)\s+)?)"
    rf"(?:{_QUOTED}|(?=[^\s\"']*[\d!@#$%^&*_+~])([^\s\"'<>{{}}(),;]{{4,200}}))",
    re.IGNORECASE,
)
"""Matches `the password "x"`, `Fill "Password" with "x"` and `with the password x1`."""
_BEFORE = re.compile(
    rf"{_QUOTED}(?=\s+(?:as|into|in|for|to)\s+(?:(?:the|your|my|his|her|a)\s+)?[\"'\u201c]?(?:\w+\s+)?{_WORD}\b)",
    re.IGNORECASE,
)
"""Matches `"x" as the password`."""
_SEPARATOR = r"(?:[ \-.+\u00a0]|%20|&nbsp;)?"


def is_secret_name(name: str) -> bool:
    """Return whether a parameter of this name, or a field of this selector, holds a secret."""
    return _SECRET.search(name.replace("_", " ")) is not None


def is_credential_name(name: str) -> bool:
    """Return whether a variable of this name holds a password or a token."""
    return _CREDENTIAL.search(name.replace("_", " ")) is not None


def holds_credential(name: str, value: str) -> bool:
    """Return whether a value is a password or a token by its name, and no word such as `true` or count below 1,000."""
    return is_credential_name(name) and _NO_SECRET.fullmatch(value) is None


def is_identity_name(name: str) -> bool:
    """Return whether a credential of this name says who somebody is, and not how they prove it."""
    return _IDENTITY.fullmatch(name) is not None


def secret_names(values: Mapping[str, str]) -> list[str]:
    """Return the parameters whose names or values mark them as secret."""
    return [name for name, value in values.items() if is_secret_name(name) or mask_cards(value) != value]


def find_passwords(url: str) -> list[str]:
    """Return the password of an address such as `postgres://user:password@host/`, if it has one."""
    return [match[0][len(match[1]) :] for match in _USER_INFO.finditer(url)]


def mask_cards(text: str) -> str:
    """Mask card numbers in a text except for their last four digits."""
    return _DIGITS.sub(_mask_card, text)


def _mask_card(match: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", match[0])
    return f"{MASK}{digits[-4:]}" if _is_card(digits) else match[0]


def _is_card(digits: str) -> bool:
    """Return whether digits have the check digit of a card. https://en.wikipedia.org/wiki/Luhn_algorithm"""
    doubled = [int(each) * (1 + at % 2) for at, each in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0 and _CARD.fullmatch(digits) is not None


def mask_recognized(text: str) -> str:
    """Mask what looks like a secret by itself: card numbers, vendors' tokens, private keys, and what is named one."""
    text = mask_tokens(text)
    text = _ASSIGNED.sub(_mask_assigned, text)
    text = _AFTER.sub(_mask_described, text)
    return _BEFORE.sub(lambda match: match[0].replace(match[1], MASK), text)


def mask_tokens(text: str) -> str:
    """Mask card numbers, vendors' tokens, private keys and passwords in addresses."""
    text = _USER_INFO.sub(rf"\1{MASK}", _KEYS.sub(MASK, text))
    return mask_cards(_TOKEN.sub(MASK, text))


def _mask_assigned(match: re.Match[str]) -> str:
    value = match[3] or match[4]
    is_folder = match[1].lower().startswith("pwd") and value.startswith("/")
    if is_folder or _is_placeholder(value):
        return match[0]
    quote_mark = match[2] or ""
    return f"{match[1]}{quote_mark}{MASK}{quote_mark}"


def _mask_described(match: re.Match[str]) -> str:
    value = match[2] or match[3]
    return match[0] if _is_placeholder(value) else match[0][: match.end(1) - match.start()] + f"'{MASK}'"


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.fullmatch(value) is not None or _NO_SECRET.fullmatch(value) is not None


class TextMask:
    """Masks known secrets in all their encodings, and what looks like a secret, in texts and JSON values."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self.secrets = _with_lines(secrets)
        self._known = compile_pattern(self.secrets)

    def text(self, text: str) -> str:
        """Mask a text."""
        return mask_recognized(self.mask_known(text))

    def mask_known(self, text: str) -> str:
        """Mask only the known secrets of a text, and the beginning of one where the text was cut."""
        if self._known:
            text = self._known.sub(MASK, text)
        if len(text) >= MIN_CUT_TEXT or text.endswith("…"):
            return self._mask_cut(text)
        return text

    def value(self, value: Any) -> Any:
        """Mask the strings of a JSON value; those of `STRUCTURAL` keys are kept."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.value(each) for each in cast("Sequence[Any]", value)]
        if isinstance(value, dict):
            return {name: self._member(name, each) for name, each in cast("dict[str, Any]", value).items()}
        return value

    def _member(self, name: str, value: Any) -> Any:
        if not isinstance(value, str):
            return self.value(value)
        if name in STRUCTURAL:
            return value
        if _CREDENTIAL.search(name.replace("_", " ")) and not _is_placeholder(value):
            return MASK
        return self.text(value)

    def _mask_cut(self, text: str) -> str:
        end = "…" if text.endswith("…") else ""
        whole = text.removesuffix("…")
        for secret in self.secrets:
            for length in range(len(secret) - 1, MIN_SECRET_LETTERS - 1, -1):
                if whole.endswith(secret[:length]):
                    return f"{whole[:-length]}{MASK}{end}"
        return text


def _with_lines(secrets: Iterable[str]) -> list[str]:
    """Secrets with the lines of those that have several, the longest first."""
    lines = {line for each in secrets for line in each.splitlines() if len(line) >= MIN_SECRET_LINE}
    return sorted({*secrets, *lines} - {""}, key=len, reverse=True)


def compile_pattern(secrets: Sequence[str]) -> re.Pattern[str] | None:
    """Compile a pattern for secrets as they are and as escaped in JSON, HTML or URLs; None if there are no secrets."""
    patterns = [f"(?<!\\w){re.escape(each)}(?!\\w)" for each in secrets if each and len(each) < MIN_SECRET_LETTERS]
    forms = {form for secret in secrets if len(secret) >= MIN_SECRET_LETTERS for form in _forms(secret)}
    patterns = [*map(re.escape, sorted(forms, key=len, reverse=True)), *patterns]
    numbers = (re.sub(r"[ -]", "", each) for each in secrets)
    patterns += [_SEPARATOR.join(each) for each in numbers if each.isdigit() and len(each) >= MIN_CARD_DIGITS]
    return re.compile("|".join(patterns), re.IGNORECASE) if patterns else None


def _forms(secret: str) -> set[str]:
    forms = {secret, quote(secret, safe=""), quote(secret), quote_plus(secret), html.escape(secret)}
    forms |= {html.escape(secret, quote=False), base64.b64encode(secret.encode()).decode().rstrip("=")}
    forms |= {base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="), secret.encode().hex()}
    for _ in range(2):  # JSON within a text of JSON
        forms |= {json.dumps(form, ensure_ascii=plain)[1:-1] for form in forms for plain in (True, False)}
    return forms
