"""Options that several commands share."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from twindiff.cli.problem import CommandError

DEFAULT_URL = "http://127.0.0.1:8000"

BaseUrl = Annotated[
    str,
    typer.Option("--base-url", envvar=["AGENT_DIFF_BASE_URL", "TWINDIFF_URL"], help="Where the server is."),
]


def sendable_key(given: str) -> str:
    """Strip an API key; raises CommandError if no HTTP header can carry it."""
    key = given.strip()
    if given and not key:
        raise CommandError("The API key is blank. Give one with --api-key or TWINDIFF_API_KEY, or none.", exit_code=2)
    strange = next((letter for letter in key if not " " <= letter <= "~"), "")
    if strange:
        raise CommandError(
            f"The API key has a character that no HTTP header can carry: {strange!a}. "
            "Choose one of ASCII letters, digits and signs.",
            exit_code=2,
        )
    return key


def check_allowed_hosts(hosts: list[str] | None) -> list[str] | None:
    """Check the hosts that connections may be passed on to; raises CommandError."""
    if not hosts:
        return hosts
    from twindiff.server.door.hosts import MalformedAddress, parse_address

    for host in hosts:
        try:
            parse_address(host.removeprefix("*."), 443)
        except MalformedAddress:
            raise CommandError(
                f"--allow-host {host}: give a host, such as pypi.org, pypi.org:443, [::1]:443 or *.npmjs.org.",
                exit_code=2,
            ) from None
    return hosts


ApiKey = Annotated[
    str,
    typer.Option(
        "--api-key",
        envvar="TWINDIFF_API_KEY",
        show_default=False,
        callback=sendable_key,
        help="The server's platform key.",
    ),
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
    """Return the data directory; by default the platform's folder for application data."""
    if given == ":memory:":
        return given
    return str(Path(given).expanduser() if given else _home_of_data() / "twindiff")


def _home_of_data() -> Path:
    if wanted := os.environ.get("XDG_DATA_HOME"):
        return Path(wanted)
    return Path.home() / ("Library/Application Support" if sys.platform == "darwin" else ".local/share")


Files = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Import this folder into this process and ask no server.", show_default=False),
]
