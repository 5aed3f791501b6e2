"""Removes a run's credentials from traces and network recordings, in every encoding that a page may have used."""

from __future__ import annotations

import base64
import html
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, quote_plus

import msgspec

from twindiff.browser.masking import secret_names

MASK = "***"
MIN_SECRET_LETTERS = 4
"""A shorter secret occurs by chance in almost every file, so masking it would destroy the file."""
MIN_CARD_DIGITS = 12
_SEPARATOR = r"(?:[ \-.+\u00a0]|%20|&nbsp;)?"


class CannotMask(Exception):
    """A file cannot be freed of the secrets; the message says why."""


def find_secrets(values: Mapping[str, str], names: Sequence[str]) -> list[str]:
    """Return the values that no artifact may show: those of `names`, of names like `password`, and card numbers."""
    secrets = {values[name] for name in (*names, *secret_names(values)) if name in values}
    return sorted(secrets - {""}, key=len, reverse=True)


def copy_masked(source: Path, target: Path, secrets: Sequence[str]) -> None:
    """Copy a HAR or a trace archive without secrets; raises CannotMask, and then leaves no file."""
    if short := [each for each in secrets if len(each) < MIN_SECRET_LETTERS]:
        raise CannotMask(f"a credential of {len(short[0])} letters cannot be told from other text")
    pattern = compile_pattern(secrets)
    try:
        if source.suffix == ".zip":
            _copy_archive(source, target, pattern)
        else:
            target.write_bytes(_mask_json(source.read_bytes(), pattern))
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        target.unlink(missing_ok=True)
        raise CannotMask(f"it is not complete ({type(error).__name__})") from None


def _copy_archive(source: Path, target: Path, pattern: re.Pattern[str] | None) -> None:
    with zipfile.ZipFile(source) as given, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as kept:
        for name in given.namelist():
            content = given.read(name)
            is_lines = not name.startswith("resources/")
            masked = b"\n".join(_mask_json(line, pattern) for line in content.split(b"\n")) if is_lines else None
            kept.writestr(name, _mask_bytes(content, pattern) if masked is None else masked)


def compile_pattern(secrets: Sequence[str]) -> re.Pattern[str] | None:
    """Compile a pattern for secrets as they are and as escaped in JSON, HTML or URLs; None if there are no secrets."""
    forms = {form for secret in secrets for form in _forms(secret)}
    patterns = [re.escape(form) for form in sorted(forms, key=len, reverse=True)]
    numbers = (re.sub(r"[ -]", "", each) for each in secrets)
    patterns += [_SEPARATOR.join(each) for each in numbers if each.isdigit() and len(each) >= MIN_CARD_DIGITS]
    return re.compile("|".join(patterns), re.IGNORECASE) if patterns else None


def _forms(secret: str) -> set[str]:
    forms = {secret, quote(secret, safe=""), quote(secret), quote_plus(secret), html.escape(secret)}
    forms |= {html.escape(secret, quote=False), base64.b64encode(secret.encode()).decode()}
    for _ in range(2):  # JSON within a text of JSON
        forms |= {json.dumps(form, ensure_ascii=plain)[1:-1] for form in forms for plain in (True, False)}
    return forms


def _mask_json(content: bytes, pattern: re.Pattern[str] | None) -> bytes:
    """Mask only the strings of a JSON value, so that it stays valid JSON."""
    if pattern is None or not content.strip():
        return content
    return msgspec.json.encode(_mask_value(msgspec.json.decode(content), pattern))


def _mask_value(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(MASK, value)
    if isinstance(value, list):
        return [_mask_value(each, pattern) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        return {pattern.sub(MASK, name): _mask_value(each, pattern) for name, each in given.items()}
    return value


def _mask_bytes(content: bytes, pattern: re.Pattern[str] | None) -> bytes:
    """Mask a file that a page has loaded or sent; bytes that are not UTF-8 are preserved."""
    if pattern is None:
        return content
    return pattern.sub(MASK, content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
