"""Signatures of webhooks: HMACs with the secret, and signatures by a key pair that is derived from it.

Discord signs with Ed25519, SendGrid with ECDSA over P-256:
https://discord.com/developers/docs/events/webhook-events#setting-up-an-endpoint,
https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from hashlib import sha256
from typing import Literal

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

Scheme = Literal["hmac-sha256", "hmac-sha1", "hmac-sha512", "ed25519", "ecdsa-p256", "token"]
KEY_PAIRS = ("ed25519", "ecdsa-p256")
"""The schemes whose signatures are verified with a public key."""
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The number of points of P-256."""


def sign_message(scheme: Scheme, secret: str, message: bytes) -> bytes:
    """Return the signature of a message; the same secret and message give the same one."""
    if scheme == "ed25519":
        return _ed25519_key(secret).sign(message)
    if scheme == "ecdsa-p256":
        return _ecdsa_key(secret).sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    return hmac.new(secret.encode(), message, scheme.removeprefix("hmac-")).digest()


def show_public_key(scheme: Scheme, secret: str) -> str:
    """Return the key that verifies signatures: 64 hexadecimal digits of Ed25519, base64 of DER of ECDSA."""
    if scheme == "ed25519":
        return _ed25519_key(secret).public_key().public_bytes_raw().hex()
    form = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return b64encode(_ecdsa_key(secret).public_key().public_bytes(*form)).decode()


def _ed25519_key(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(sha256(secret.encode()).digest())


def _ecdsa_key(secret: str) -> ec.EllipticCurvePrivateKey:
    number = int.from_bytes(sha256(secret.encode()).digest()) % (_ORDER - 1) + 1
    return ec.derive_private_key(number, ec.SECP256R1())
