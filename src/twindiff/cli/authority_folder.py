"""Where the certificate authority of a server's TLS door is kept."""

from __future__ import annotations

from pathlib import Path

from twindiff.cli.options import data_directory
from twindiff.cli.problem import CommandError

FOLDER = "ca"


def authority_folder(data_dir: str) -> Path:
    """Return the folder for a data directory; a server without stored data uses that of the default directory."""
    return Path(data_directory("") if data_dir == ":memory:" else data_dir) / FOLDER


def certificate_of(data_dir: str) -> Path:
    """Return the path of a data directory's certificate; raises CommandError if it cannot be made."""
    from twindiff.server.door.authority import CERTIFICATE_FILE, CertificateAuthority

    folder = authority_folder(data_directory(data_dir))
    try:
        CertificateAuthority.open(folder)
    except OSError as error:
        raise CommandError(f"The certificate authority cannot be used: {error}.") from None
    return folder / CERTIFICATE_FILE
