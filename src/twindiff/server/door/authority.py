"""A local certificate authority: certificates for the vendors' hosts, made when a connection needs them."""

from __future__ import annotations

import os
import shutil
import ssl
import tempfile
from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CERTIFICATE_FILE = "ca.pem"
KEY_FILE = "ca-key.pem"
COMMON_NAME = "Twindiff local CA"
DAYS_OF_AUTHORITY = 3650
DAYS_OF_HOST = 90
"""Some clients refuse certificates that are valid for more than 397 days."""
MIN_DAYS_LEFT = 1
MAX_CONTEXTS = 256
PROTOCOLS = ["h2", "http/1.1"]


class UnusableAuthority(OSError):
    """The files of the certificate authority cannot be read or are damaged."""


class CertificateAuthority:
    """The authority of one data directory; without a folder it is kept in memory."""

    def __init__(self, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
        self._certificate, self._key = certificate, key
        self._host_key = ec.generate_private_key(ec.SECP256R1())
        self._contexts: OrderedDict[str, tuple[datetime, ssl.SSLContext]] = OrderedDict()

    @classmethod
    def open(cls, folder: Path | None) -> CertificateAuthority:
        """Load the authority of a folder, or make a new one there; raises UnusableAuthority, OSError."""
        if folder is None:
            return cls(*_make_authority())
        loaded = _load(folder)
        if loaded is None:
            _store(folder, *_make_authority())
            loaded = _load(folder)
        assert loaded, "it was stored"
        return cls(*loaded)

    @property
    def pem(self) -> str:
        """The certificate that programs must trust."""
        return self._certificate.public_bytes(serialization.Encoding.PEM).decode()

    def context_of(self, host: str) -> ssl.SSLContext:
        """A server's TLS context with a certificate for a host; the most recent ones are kept."""
        now = datetime.now(UTC)
        kept = self._contexts.get(host)
        if kept is None or kept[0] < now:
            kept = now + timedelta(days=DAYS_OF_HOST - MIN_DAYS_LEFT), self._make_context(host, now)
            self._contexts[host] = kept
            if len(self._contexts) > MAX_CONTEXTS:
                self._contexts.popitem(last=False)
        self._contexts.move_to_end(host)
        return kept[1]

    def _make_context(self, host: str, now: datetime) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(PROTOCOLS)
        chain = self._sign(host, now).public_bytes(serialization.Encoding.PEM) + _key_pem(self._host_key)
        with tempfile.NamedTemporaryFile() as file:  # the ssl module reads certificates from files only
            file.write(chain)
            file.flush()
            context.load_cert_chain(file.name)
        return context

    def _sign(self, host: str, now: datetime) -> x509.Certificate:
        wanted = _builder(host[:64], self._certificate.subject, self._host_key.public_key(), now, DAYS_OF_HOST)
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        wanted = (
            wanted.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
            .add_extension(usage, critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(authority, critical=False)
        )
        return wanted.sign(self._key, hashes.SHA256())


def _make_authority() -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, COMMON_NAME)])
    wanted = _builder(COMMON_NAME, name, key.public_key(), datetime.now(UTC), DAYS_OF_AUTHORITY)
    usage = dict.fromkeys(
        (
            "digital_signature",
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    wanted = (
        wanted.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usage), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return wanted.sign(key, hashes.SHA256()), key


def _builder(
    name: str, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, days: int
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # clocks of containers may be late
        .not_valid_after(now + timedelta(days=days))
    )


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def _load(folder: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None:
    """The stored authority; None if there is none or it has expired."""
    try:
        certificate = x509.load_pem_x509_certificate((folder / CERTIFICATE_FILE).read_bytes())
        key = serialization.load_pem_private_key((folder / KEY_FILE).read_bytes(), password=None)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise UnusableAuthority(
            f"{folder} holds a damaged certificate authority ({error}); remove the folder"
        ) from None
    is_pair = isinstance(key, ec.EllipticCurvePrivateKey) and key.public_key() == certificate.public_key()
    if not is_pair or not isinstance(key, ec.EllipticCurvePrivateKey):
        raise UnusableAuthority(f"The key in {folder} does not belong to its certificate; remove the folder")
    is_valid = certificate.not_valid_after_utc > datetime.now(UTC) + timedelta(days=DAYS_OF_HOST)
    return (certificate, key) if is_valid else None


def _store(folder: Path, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
    """Write the key, readable by its owner only, and the certificate; of several processes the first one wins."""
    new = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True, mode=0o700)
    for name, content, mode in (
        (KEY_FILE, _key_pem(key), 0o600),
        (CERTIFICATE_FILE, certificate.public_bytes(serialization.Encoding.PEM), 0o644),
    ):
        with os.fdopen(os.open(new / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as opened:
            opened.write(content)
    try:
        new.rename(folder)  # fails if another process has put its own there meanwhile
    except OSError:
        if _load(folder) is None:
            shutil.rmtree(folder)
            new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
