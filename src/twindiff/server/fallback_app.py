"""The fallback app: pages, streams and sockets, served by Starlette. Requests to vendors' APIs never get here."""

from __future__ import annotations

from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response as StarletteResponse
from starlette.routing import Route, WebSocketRoute

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response
from twindiff.server import pages
from twindiff.server.apis.inspector import routes_of
from twindiff.server.apis.test_runs.ledger import Ledger
from twindiff.server.apis.test_runs.routes import PREFIXES
from twindiff.server.apis.test_runs.streams import frames
from twindiff.server.auth import refusal
from twindiff.server.service import Service
from twindiff.server.sockets import SocketPlane

MAX_LISTED_ENVIRONMENTS = 10
"""Number of environments on the front page."""


class PageNotFound(ApiError):
    """There is nothing here."""

    code = "not_found"
    status = 404


class PageIsReadOnly(ApiError):
    """This page is only for reading."""

    code = "method_not_allowed"
    status = 405


def build_fallback_app(service: Service, ledger: Ledger) -> Starlette:
    """Build the application that serves every path that belongs to no API."""

    async def look() -> pages.FrontPageFacts | None:
        """What the front page lists; None if a key is set, because the page itself needs no key."""
        if service.settings.api_key is not None:
            return None
        return pages.FrontPageFacts(
            service.templates.list(), service.environments.list(limit=MAX_LISTED_ENVIRONMENTS, status="ready")
        )

    async def index(request: Request) -> StarletteResponse:
        shown = await service.runtime.run_request(look)
        return response(await service.runtime.run_in_thread(lambda: pages.index(service, shown)))

    handlers = {ApiError: _render_refusal, HTTPException: _refused_by_framework}
    watch = partial(frames, service.settings.api_key, ledger)
    routes = [
        Route("/", index),
        *routes_of(service),
        *(WebSocketRoute(f"{runs}/{{run_id}}/stream", watch) for runs in PREFIXES),
        WebSocketRoute("/{path:path}", SocketPlane(service).serve),
    ]
    return Starlette(routes=routes, exception_handlers=handlers)


def response(answer: Response) -> StarletteResponse:
    """Convert a response to one of Starlette."""
    return StarletteResponse(answer.body, answer.status, dict(answer.headers), answer.content_type)


async def _render_refusal(request: Request, error: Exception) -> StarletteResponse:
    assert isinstance(error, ApiError)
    return response(refusal(error))


async def _refused_by_framework(request: Request, error: Exception) -> StarletteResponse:
    if isinstance(error, HTTPException) and error.status_code == PageIsReadOnly.status:
        return response(refusal(PageIsReadOnly()))
    return response(refusal(PageNotFound(f"There is nothing at {request.url.path}; see / for what there is")))
