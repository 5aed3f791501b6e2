"""The control key of `serve --api-key auto`: a file in the data directory that only its owner can read."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from twindiff.cli.options import data_directory

AUTO = "auto"
FILE_NAME = "control-key.json"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def key_file(data_dir: str) -> Path:
    """Return the path of a server's key file; a server without stored data uses the default folder."""
    folder = data_directory("") if data_dir == ":memory:" else data_dir
    return Path(folder) / FILE_NAME


def make_key(file: Path) -> str:
    """Return the key in the file, so that it survives a restart, or a new random one."""
    return _read(file).get("key") or secrets.token_urlsafe(32)


def store_key(file: Path, key: str, url: str) -> None:
    """Write the key and the address of its server, readable only by the owner; raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(f".{os.getpid()}")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        json.dump({"key": key, "url": url}, opened)
    new.replace(file)


def find_key(url: str) -> str:
    """Return the stored key of the server at an address of this machine, or ""."""
    stored = _read(key_file(data_directory(os.environ.get("TWINDIFF_DATA_DIR", ""))))
    return stored["key"] if stored and _place(url) == _place(stored["url"]) else ""


def _place(url: str) -> tuple[str, int | None]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    return ("localhost" if host in _LOOPBACK else host), parts.port


def _read(file: Path) -> dict[str, str]:
    try:
        stored: object = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    held = cast(dict[str, object], stored) if isinstance(stored, dict) else {}
    return {"key": str(held["key"]), "url": str(held["url"])} if held.keys() >= {"key", "url"} else {}
