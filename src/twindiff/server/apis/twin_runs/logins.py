"""Device logins that a person approves. They are kept in memory and lost with the process."""

from __future__ import annotations

import secrets
import time

from twindiff.kit.errors import ApiError

SECONDS_TO_APPROVE = 600
MAX_PENDING_LOGINS = 100


class UnknownDevice(ApiError):
    """There is no such login, or its time is over; begin again."""

    status = 404


class Logins:
    """Pending logins by device code, with their start time and, once approved, their key."""

    def __init__(self) -> None:
        self._begun: dict[str, float] = {}
        self._keys: dict[str, str] = {}

    def begin(self) -> str:
        """Start a login and return its device code; drops the oldest one beyond `MAX_PENDING_LOGINS`."""
        now = time.monotonic()
        self._begun = {code: at for code, at in self._begun.items() if now - at < SECONDS_TO_APPROVE}
        if len(self._begun) >= MAX_PENDING_LOGINS:
            self._begun.pop(next(iter(self._begun)))
        code = secrets.token_urlsafe(16)
        self._begun[code] = now
        self._keys = {each: key for each, key in self._keys.items() if each in self._begun}
        return code

    def check(self, code: str) -> None:
        """Raise UnknownDevice for a code that is unknown or expired."""
        if time.monotonic() - self._begun.get(code, -float("inf")) > SECONDS_TO_APPROVE:
            raise UnknownDevice

    def approve(self, code: str, key: str) -> None:
        """Approve a login by assigning a key."""
        self.check(code)
        self._keys[code] = key

    def take(self, code: str) -> str | None:
        """Return the key of an approved login, once; None while it is not approved."""
        self.check(code)
        key = self._keys.pop(code, None)
        if key is not None:
            del self._begun[code]
        return key
