"""The current account, device logins, and version checks of command line clients."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from twindiff import __version__
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response
from twindiff.kit.twin import Operations
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext
from twindiff.server.apis.twin_runs.logins import SECONDS_TO_APPROVE
from twindiff.server.auth import same

api = Operations()

OPEN = {
    "GET /health",
    "POST /auth/device/start",
    "POST /auth/device/poll",
    "GET /auth/device",
    "POST /auth/device/approve",
    "GET /client-versions/{client}",
}
UNLIMITED = 1_000_000
NO_KEY = "arga_sk_local"
"""The key that a login returns if the server requires none."""


class AuthorizationPending(ApiError):
    """Nobody has approved this login yet; ask again in two seconds."""

    status = 428


class WrongServerKey(ApiError):
    """That is not the key of this server."""

    code = "wrong_key"
    status = 403


@api.get("/health")
def health(desk: TwinRunContext) -> dict[str, str]:
    """Whether the server responds."""
    return {"status": "ok", "service": "twindiff", "version": __version__}


@api.get("/auth/me")
def me(desk: TwinRunContext) -> dict[str, Any]:
    """The current account: every authorized client is the same local user, without limits."""
    return {
        "github_login": None,
        "workspace": "local",
        "email": "local@localhost",
        "email_verified": True,
        "billing_plan": "team",
        "plan_limits": {
            "validation_runs_remaining": UNLIMITED,
            "validation_runs_limit": UNLIMITED,
            "ci_checks_limit": UNLIMITED,
            "ci_checks_remaining": UNLIMITED,
            "max_twins_per_run": len(desk.runs.service.registry.names),
            "max_ttl_minutes": 480,
        },
    }


@api.post("/auth/device/start")
def start_device(desk: TwinRunContext, device_name: str | None = None) -> dict[str, Any]:
    """Start a device login of a client; approved at once if the server requires no key."""
    code = desk.logins.begin()
    if desk.runs.service.settings.api_key is None:
        desk.logins.approve(code, NO_KEY)
    return {
        "device_code": code,
        "verification_url": f"{desk.address}/auth/device?code={code}",
        "interval": 2,
        "expires_in": SECONDS_TO_APPROVE,
    }


@api.post("/auth/device/poll")
def poll_device(desk: TwinRunContext, device_code: str) -> dict[str, Any]:
    """Return the key of an approved login, once."""
    key = desk.logins.take(device_code)
    if key is None:
        raise AuthorizationPending
    return {"api_key": key, "cli_api_key_id": device_code, "device_name": "local"}


@api.get("/auth/device")
def device_page(desk: TwinRunContext, code: str = "") -> Response:
    """The page where a person approves a login with the server's key."""
    desk.logins.check(code)
    page = (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Sign in to Twindiff</title>"
        "<style>body{font:16px system-ui;max-width:28em;margin:4em auto;padding:0 1em}</style>"
        "<h1>Sign in</h1><p>A program on this or another machine asks for access.</p>"
        f'<form method=post action="/auth/device/approve?device_code={quote(code)}">'
        "<label>API key <input name=key type=password autocomplete=off required></label> "
        "<button>Approve</button></form>"
    )
    policy = (("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"),)
    return Response(page.encode(), content_type="text/html; charset=utf-8", headers=policy)


@api.post("/auth/device/approve")
def approve_device(desk: TwinRunContext, device_code: str, key: str = "") -> Response:
    """Approve a login with the server's key."""
    api_key = desk.runs.service.settings.api_key
    if api_key is not None and not same(key, api_key):
        raise WrongServerKey
    desk.logins.approve(device_code, api_key or NO_KEY)
    return Response(
        b"<!doctype html><title>Signed in</title><p>Approved. You can close this page.", content_type="text/html"
    )


@api.post("/auth/cli/devices/{key_id}/revoke")
def revoke_device(desk: TwinRunContext, key_id: str) -> dict[str, str]:
    """Accept the revocation of a login; the key itself is the server's and stays valid."""
    return {"status": "revoked", "cli_api_key_id": key_id}


@api.get("/client-versions/{client}")
def client_version(desk: TwinRunContext, client: str) -> dict[str, Any]:
    """Report every version of a client as supported."""
    return {"latest_version": "0.0.0", "minimum_version": "0.0.0", "upgrade_command": "", "message": ""}
