"""The template box_default: the files of a bike shop, small real documents of ten types."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "sample"


def bike_shop() -> dict[str, list[dict[str, Any]]]:
    """Return the template's rows by table, with each document's bytes as Base64 text in `content`."""
    rows: dict[str, list[dict[str, Any]]] = json.loads((FOLDER / "box_default.json").read_text("utf-8"))
    for version in rows["box_file_versions"]:
        data = (FOLDER / "documents" / version.pop("local_path")).read_bytes()
        version["content"] = b64encode(data).decode()
    return rows
