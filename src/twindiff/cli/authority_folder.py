"""Where the certificate authority of a server's TLS door is kept."""

from __future__ import annotations

from pathlib import Path

from twindiff.cli.options import data_directory

FOLDER = "ca"


def authority_folder(data_dir: str) -> Path:
    """Return the folder for a data directory; a server without stored data uses that of the default directory."""
    return Path(data_directory("") if data_dir == ":memory:" else data_dir) / FOLDER
