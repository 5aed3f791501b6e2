"""The private key of the environment's app, and the keys that verify its JSON Web Tokens.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/managing-private-keys-for-github-apps
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import shake_256
from itertools import count

from twindiff.kit import Call
from twindiff.kit.throttling import yield_processor

from ..tables.user_tables import AppKey

KEY_BITS, EXPONENT = 2048, 65537
_SMALL_PRIMES = [number for number in range(3, 2000, 2) if all(number % each for each in range(3, number, 2))]
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19)


def _is_prime(number: int) -> bool:
    """Return whether a number is prime, by the test of Miller and Rabin; numbers are derived, not chosen against it."""
    if any(number % prime == 0 for prime in _SMALL_PRIMES):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_is_witnessed(number, odd, twos, witness) for witness in _WITNESSES)


def _is_witnessed(number: int, odd: int, twos: int, witness: int) -> bool:
    power = pow(witness, odd, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def _derive_prime(seed: str) -> int:
    """Return the first prime of half the key's bits in the numbers that a seed gives."""
    size = KEY_BITS // 16
    for attempt in count():
        yield_processor()
        drawn = int.from_bytes(shake_256(f"{seed} {attempt}".encode()).digest(size), "big")
        candidate = drawn | 1 | 3 << (KEY_BITS // 2 - 2)
        if (candidate - 1) % EXPONENT and _is_prime(candidate):
            return candidate
    raise AssertionError


@lru_cache(maxsize=64)
def derive_private_key(secret: str) -> str:
    """Return the PEM of the RSA key of an environment's app; an environment's secret always gives the same key."""
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    one, other = (_derive_prime(f"app key {half} {secret}") for half in (1, 2))
    private = pow(EXPONENT, -1, (one - 1) * (other - 1))
    numbers = rsa.RSAPrivateNumbers(
        p=one,
        q=other,
        d=private,
        dmp1=rsa.rsa_crt_dmp1(private, one),
        dmq1=rsa.rsa_crt_dmq1(private, other),
        iqmp=rsa.rsa_crt_iqmp(one, other),
        public_numbers=rsa.RSAPublicNumbers(EXPONENT, one * other),
    )
    form = PrivateFormat.TraditionalOpenSSL
    return numbers.private_key().private_bytes(Encoding.PEM, form, NoEncryption()).decode()


@lru_cache(maxsize=64)
def read_public_key(pem: str) -> str:
    """Return the PEM of the public key of a private or a public one; raise ValueError for any other text."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        PublicFormat,
        load_pem_private_key,
        load_pem_public_key,
    )

    text = pem.strip().encode()
    try:
        is_private = b"PRIVATE KEY" in text
        key = load_pem_private_key(text, None).public_key() if is_private else load_pem_public_key(text)
    except (TypeError, UnsupportedAlgorithm) as error:
        raise ValueError(str(error)) from None
    if not isinstance(key, RSAPublicKey):
        raise ValueError("keys of apps are RSA keys")  # noqa: TRY004 - one error for all texts that are no key
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def is_signed_by_app(call: Call, token: str) -> bool:
    """Return whether one of the app's keys has signed a JSON Web Token by RS256: one of a seed, or its own."""
    if any(_is_signed(token, row.public_key) for row in call.db.rows(AppKey, order=AppKey.id)):
        return True
    return _is_signed(token, derive_private_key(call.secret))


def _is_signed(token: str, pem: str) -> bool:
    from jwt import InvalidTokenError, PyJWS

    try:
        PyJWS().decode(token, read_public_key(pem), algorithms=["RS256"])
    except InvalidTokenError:
        return False
    return True
