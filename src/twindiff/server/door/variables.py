"""Environment variables by which programs find the door and trust its certificates."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

PROXY = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
NO_PROXY = ("NO_PROXY", "no_proxy")
HERE = "localhost,127.0.0.1,::1"
BUNDLES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "HTTPLIB2_CA_CERTS",
    "GIT_SSL_CAINFO",
    "AWS_CA_BUNDLE",
    "PIP_CERT",
    "CARGO_HTTP_CAINFO",
    "DENO_CERT",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
)
"""Variables with a file of all certificates to trust."""
EXTRA = ("NODE_EXTRA_CA_CERTS",)
"""Variables with a file of certificates to trust besides others."""
SYSTEM_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
)
BUNDLE_FILE, CERTIFICATE_FILE = "bundle.pem", "ca.pem"


def write_certificates(folder: Path, certificate: str) -> None:
    """Write the door's certificate, and a bundle of it and of those that the machine trusts."""
    (folder / CERTIFICATE_FILE).write_text(certificate)
    (folder / BUNDLE_FILE).write_text(f"{_trusted_here()}\n{certificate}")


def _trusted_here() -> str:
    """The certificates that programs of this machine trust."""
    known = ssl.get_default_verify_paths()
    for path in (os.environ.get("SSL_CERT_FILE"), known.cafile, *SYSTEM_BUNDLES):
        if path:
            with suppress(OSError, UnicodeDecodeError):
                return Path(path).read_text()
    return ""


def door_variables(proxy_url: str, folder: Path, tokens: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of a program inside the door; `folder` holds the certificates, `tokens` are the vendors' own."""
    return {
        **dict.fromkeys(PROXY, proxy_url),
        **dict.fromkeys(NO_PROXY, HERE),
        **dict.fromkeys(BUNDLES, str(folder / BUNDLE_FILE)),
        **dict.fromkeys(EXTRA, str(folder / CERTIFICATE_FILE)),
        "NODE_USE_ENV_PROXY": "1",
        **(tokens or {}),
    }
