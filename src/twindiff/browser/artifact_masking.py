"""Removes a run's credentials from traces and network recordings, in every encoding that a page may have used."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from twindiff.browser.masking import (
    MIN_SECRET_LETTERS,
    TextMask,
    compile_pattern,
    holds_credential,
    is_credential_name,
    mask_recognized,
    mask_tokens,
    secret_names,
)

MASK = "***"
MAX_TEXT_BYTES = 20_000_000
HEADERS = frozenset(("authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"))
"""Headers whose values are secrets; a recording has them as `{"name": …, "value": …}`, as it has queries and forms."""


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


def _mask_json(content: bytes, pattern: re.Pattern[str] | None) -> bytes:
    """Mask only the strings of a JSON value, so that it stays valid JSON."""
    if not content.strip():
        return content
    return msgspec.json.encode(_mask_value(msgspec.json.decode(content), pattern))


def _mask_value(value: Any, pattern: re.Pattern[str] | None) -> Any:
    if isinstance(value, str):
        return mask_recognized(_mask_known(value, pattern))
    if isinstance(value, list):
        return [_mask_value(each, pattern) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        masked = {_mask_known(name, pattern): _mask_member(name, each, pattern) for name, each in given.items()}
        name = str(given.get("name"))
        if (name.lower() in HEADERS or is_credential_name(name)) and isinstance(given.get("value"), str):
            masked["value"] = MASK
        return masked
    return value


def _mask_member(name: str, value: Any, pattern: re.Pattern[str] | None) -> Any:
    """Mask a value of an object, or the values of a list there, by its name."""
    if isinstance(value, list):
        return [_mask_member(name, each, pattern) for each in cast("list[Any]", value)]
    if isinstance(value, str) and value and (name.lower() in HEADERS or holds_credential(name, value)):
        return MASK
    return _mask_value(value, pattern)


def _mask_known(text: str, pattern: re.Pattern[str] | None) -> str:
    return pattern.sub(MASK, text) if pattern else text


def _mask_bytes(content: bytes, pattern: re.Pattern[str] | None) -> bytes:
    """Mask a file that a page has loaded or sent; files that are no UTF-8 keep all but the known secrets."""
    try:
        return mask_tokens(_mask_known(content.decode(), pattern)).encode()
    except UnicodeDecodeError:
        text = content.decode("utf-8", "surrogateescape")
        return _mask_known(text, pattern).encode("utf-8", "surrogateescape")


def mask_texts(files: Sequence[Path], mask: TextMask) -> None:
    """Mask the files that are texts in place; pictures, archives and other binary files stay as they are."""
    for file in files:
        if not file.is_file() or file.stat().st_size > MAX_TEXT_BYTES:
            continue
        try:
            text = file.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if (masked := mask.text(text)) != text:
            file.write_bytes(masked.encode())
