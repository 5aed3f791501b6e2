"""Why the door refuses a request."""

from __future__ import annotations

from twindiff.kit.errors import ApiError


class UnknownHost(ApiError):
    """No twin answers for this host."""

    status = 403


class WrongCredentials(ApiError):
    """The proxy's user name and password open no environment."""

    status = 407


class AmbiguousEnvironment(ApiError):
    """Nothing says to which environment the request goes."""

    status = 403


class NoControlPlane(ApiError):
    """Through the door there are twins only."""

    status = 403
