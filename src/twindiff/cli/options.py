"""Options that several commands share."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_URL = "http://127.0.0.1:8000"

BaseUrl = Annotated[
    str,
    typer.Option("--base-url", envvar=["AGENT_DIFF_BASE_URL", "TWINDIFF_URL"], help="Where the server is."),
]
ApiKey = Annotated[
    str,
    typer.Option("--api-key", envvar="TWINDIFF_API_KEY", show_default=False, help="The server's platform key."),
]
DataDirectory = Annotated[
    str,
    typer.Option(
        "--data-dir",
        envvar="TWINDIFF_DATA_DIR",
        show_default="a folder of yours",
        help="Where everything is kept; `:memory:` keeps nothing.",
    ),
]
Storage = Annotated[
    str,
    typer.Option(
        envvar="TWINDIFF_STORAGE", show_default=False, help="A PostgreSQL to keep everything in: postgresql://…"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def data_directory(given: str) -> str:
    """The data directory that is meant; without one, the platform's folder for a program's data."""
    if given == ":memory:":
        return given
    return str(Path(given).expanduser() if given else _home_of_data() / "twindiff")


def _home_of_data() -> Path:
    if wanted := os.environ.get("XDG_DATA_HOME"):
        return Path(wanted)
    return Path.home() / ("Library/Application Support" if sys.platform == "darwin" else ".local/share")
