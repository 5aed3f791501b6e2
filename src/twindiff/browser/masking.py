"""Masks values that must not appear in titles, pages and artifacts: passwords and card numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

MASK = "•••"
_SECRET = re.compile(
    r"passw|passphrase|pass(?:code|wort)?\b|secret|token|api.?key|\bcc.?num|card|cvc|cvv|iban|account.?number|\bpin\b|\botp\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)")


def is_secret_name(name: str) -> bool:
    """Return whether a parameter of this name, or a field of this selector, holds a secret."""
    return _SECRET.search(name.replace("_", " ")) is not None


def secret_names(values: Mapping[str, str]) -> list[str]:
    """Return the parameters whose names or values mark them as secret."""
    return [name for name, value in values.items() if is_secret_name(name) or mask_cards(value) != value]


def mask_cards(text: str) -> str:
    """Mask card numbers in a text except for their last four digits."""
    return _DIGITS.sub(_mask_card, text)


def _mask_card(match: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", match[0])
    return f"{MASK}{digits[-4:]}" if _is_card(digits) else match[0]


def _is_card(digits: str) -> bool:
    """Return whether digits have the check digit of a card. https://en.wikipedia.org/wiki/Luhn_algorithm"""
    doubled = [int(each) * (1 + at % 2) for at, each in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0 and len(set(digits)) > 1
