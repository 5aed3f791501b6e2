"""The inspector: web pages for environments and runs, and for the twins, templates and suites they are made of."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from twindiff.kit.errors import ApiError
from twindiff.server.apis.errors import NotSignedIn
from twindiff.server.apis.event_streams import EVENT_STREAM, EVENT_STREAM_HEADERS
from twindiff.server.apis.inspector import (
    access,
    actions,
    application_runs,
    environments,
    library,
    live,
    rendering,
    runs,
    tables,
    trials,
)
from twindiff.server.apis.inspector.access import PREFIX
from twindiff.server.apis.inspector.guesses import Guesses
from twindiff.server.apis.inspector.timelines import TimelineCursor
from twindiff.server.service import Service


class NothingHere(ApiError):
    """There is nothing at this address."""

    status = 404


Work = Callable[[], Coroutine[Any, Any, Response]]
Handler = Callable[[Service, Request], Coroutine[Any, Any, Response]]
Deed = Callable[[Service, Request, actions.Form], Coroutine[Any, Any, Response]]

ENVIRONMENT = "/environments/{id}"
PAGES: dict[str, Handler] = {
    "/environments": environments.environments,
    ENVIRONMENT: environments.environment,
    f"{ENVIRONMENT}/calls/{{number:int}}": environments.call,
    f"{ENVIRONMENT}/difference": environments.difference,
    f"{ENVIRONMENT}/tables": tables.tables,
    f"{ENVIRONMENT}/tables/{{twin}}/{{table}}": tables.table,
    f"{ENVIRONMENT}/tables/{{twin}}/{{table}}/row": tables.row,
    f"{ENVIRONMENT}/screens/{{twin}}": tables.screen,
    f"{ENVIRONMENT}/screens/{{twin}}/{{path:path}}": tables.screen,
    "/application-runs": application_runs.application_runs,
    "/runs": runs.runs,
    "/runs/{id}": runs.run,
    "/twins": library.twins,
    "/twins/{twin}": library.twin,
    "/templates": library.templates,
    "/templates/{id}": library.template,
    "/templates/{id}/tables/{table}": library.template_table,
    "/suites": library.suites,
    "/suites/{id}": library.suite,
    "/trial-sets": trials.trial_sets,
    "/trial-sets/{id}": trials.trial_set,
    "/trial-sets/{id}/trials": trials.trials,
    "/trial-sets/{id}/compare": trials.compare,
    "/trial-sets/{id}/compare/{other}": trials.comparison,
}
DEEDS: dict[str, Deed] = {
    f"{ENVIRONMENT}/checkpoint": actions.checkpoint,
    f"{ENVIRONMENT}/fork": actions.fork,
    f"{ENVIRONMENT}/rewind": actions.rewind,
    f"{ENVIRONMENT}/advance": actions.advance,
}


def routes_of(service: Service) -> list[BaseRoute]:
    """Build the routes of the inspector."""
    lives = live.LiveTimelines(service)
    routes: list[BaseRoute] = [Route(PREFIX, _home), Route(f"{PREFIX}/static/{{name}}", _static)]
    routes += [Route(PREFIX + path, partial(_page, service, handler)) for path, handler in PAGES.items()]
    routes += [
        Route(PREFIX + path, partial(_perform_action, service, deed), methods=["POST"]) for path, deed in DEEDS.items()
    ]
    routes.append(Route(f"{PREFIX}{ENVIRONMENT}/events", partial(_stream, service, lives)))
    routes.append(Route(f"{PREFIX}/events", partial(_overview, service, lives)))
    routes.append(Route(f"{PREFIX}/sign-in", partial(_sign_in, service, Guesses()), methods=["GET", "POST"]))
    routes.append(Route(f"{PREFIX}/sign-out", partial(_sign_out, service), methods=["POST"]))
    routes.append(Route(f"{PREFIX}/{{path:path}}", partial(_page, service, _nothing)))
    return routes


async def _home(request: Request) -> Response:
    return RedirectResponse(f"{PREFIX}/environments", 307)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in rendering.STATIC:
        return rendering.page("error.html", 404, title="Not found", said="There is nothing here.")
    is_versioned = request.query_params.get("v") == rendering.version(name)
    lasts = rendering.FOR_GOOD if is_versioned else "no-cache"
    headers = {**rendering.HEADERS, "Cache-Control": lasts, "Content-Type": rendering.STATIC[name]}
    return Response(rendering.static(name), headers=headers)


async def _page(service: Service, handler: Handler, request: Request) -> Response:
    return await _respond(service, request, lambda: handler(service, request))


async def _nothing(service: Service, request: Request) -> Response:
    path = request.url.path
    if path.endswith("/"):
        return RedirectResponse(path.rstrip("/"), 307)
    raise NothingHere(f"There is nothing at {path}; the links above lead to what there is")


async def _perform_action(service: Service, deed: Deed, request: Request) -> Response:
    async def do() -> Response:
        form = await actions.read_form(request)
        return await service.runtime.run_request(lambda: deed(service, request, form))

    return await _respond(service, request, do, apart=False)


async def _respond(service: Service, request: Request, work: Work, *, apart: bool = True) -> Response:
    """Run a page handler for an authorized client; renders errors as pages."""
    try:
        access.check(service.settings.api_key, request)
        await service.runtime.wait_for_turn()
        return await (service.runtime.run_request(work) if apart else work())
    except NotSignedIn as error:
        if request.method != "GET":
            return _wrong(error)
        where = quote(f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path, safe="")
        return RedirectResponse(f"{PREFIX}/sign-in?to={where}", 303, rendering.HEADERS)
    except ApiError as error:
        return _wrong(error)


def _wrong(error: ApiError) -> Response:
    return rendering.page("error.html", error.status, title="That did not work", said=str(error))


async def _stream(service: Service, lives: live.LiveTimelines, request: Request) -> Response:
    async def begin() -> Response:
        lives.admit()
        given = request.headers.get("last-event-id") or request.query_params.get("after", "")
        environment = service.environments.get(request.path_params["id"])
        cursor = TimelineCursor.read(given) or TimelineCursor(
            service.calls.log.last(environment.id), service.engine.seq(environment.id)
        )
        return _events(lives.stream(environment.id, cursor))

    return await _respond(service, request, begin)


async def _overview(service: Service, lives: live.LiveTimelines, request: Request) -> Response:
    async def begin() -> Response:
        lives.admit()
        return _events(lives.overview())

    return await _respond(service, request, begin)


def _events(stream: AsyncGenerator[bytes]) -> Response:
    return StreamingResponse(stream, 200, {**rendering.HEADERS, **dict(EVENT_STREAM_HEADERS)}, EVENT_STREAM)


async def _sign_in(service: Service, guesses: Guesses, request: Request) -> Response:
    """The sign-in page, and the handler of its form."""
    to = request.query_params.get("to", "")
    target = to if to.startswith(f"{PREFIX}/") and "\\" not in to else f"{PREFIX}/environments"
    key = service.settings.api_key
    if key is None:
        return RedirectResponse(target, 303)
    if request.method == "GET":
        return rendering.page("sign_in.html", to=target, said="", key_file=service.settings.key_file)
    try:
        access.check_form(request)
        answer = RedirectResponse(target, 303, rendering.HEADERS)
        form = await actions.read_form(request)
        address = request.client.host if request.client else ""
        guesses.check(address)
        try:
            access.sign_in(key, form.get("key", ""), answer, is_secure=request.url.scheme == "https")
        except access.WrongKey:
            guesses.note_wrong(address)
            raise
        guesses.note_right(address)
    except ApiError as error:
        where = service.settings.key_file
        return rendering.page("sign_in.html", error.status, to=target, said=str(error), key_file=where)
    return answer


async def _sign_out(service: Service, request: Request) -> Response:
    try:
        access.check_form(request)
    except ApiError as error:
        return _wrong(error)
    answer = RedirectResponse(f"{PREFIX}/sign-in", 303, rendering.HEADERS)
    access.sign_out(answer)
    return answer
