"""Errors at the address of a run's twin: an envelope with the phase of the failure and whether a retry can help."""

from __future__ import annotations

from typing import Any

from twindiff.catalog.stamps import new_environment_id
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer

HEADERS = (("x-arga-preview-proxy-failure", "1"),)


class RunFailure(ApiError):
    """The twin's address cannot be used."""

    phase = "routing"
    kind = "client"

    def answer(self) -> Response:
        """Render the envelope.
        Keys: `code`, `request_id`, `detail`, and `failure` with `code`, `phase`, `kind`, `retryable`.
        """
        failure: dict[str, Any] = {"code": self.code, "phase": self.phase, "kind": self.kind, "retryable": False}
        value = {"code": self.code, "request_id": new_environment_id(), "failure": failure, "detail": str(self)}
        return json_answer(value, self.status, HEADERS)


class AuthenticationRequired(RunFailure):
    """The run is private: bring its proxy_token as the cookie arga_env_proxy_token, as ?token= or as X-Proxy-Token."""

    status = 401
    phase = "authentication"


class InvalidProxyToken(RunFailure):
    """The proxy token is not that of this run."""

    code = "invalid_token"
    status = 401
    phase = "authentication"


class EnvironmentDestroyed(RunFailure):
    """The run has ended: it was torn down, or its time is over."""

    status = 410
    phase = "environment"
