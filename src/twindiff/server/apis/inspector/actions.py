"""Actions on an environment from its pages: checkpoint, fork, rewind, advance the clock."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from twindiff.kit.errors import ApiError
from twindiff.server.apis.inspector.page_context import living, look
from twindiff.server.apis.inspector.rendering import page
from twindiff.server.service import Service
from twindiff.server.use_cases import clocks, points

MAX_FORM_BYTES = 64_000

Form = Mapping[str, str]


class FormTooLarge(ApiError):
    """The form is larger than any of the inspector's."""

    status = 413


class InvalidForm(ApiError):
    """A field of the form has a value that it cannot have."""


async def read_form(request: Request) -> Form:
    """Read the fields of a form; raises FormTooLarge."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            raise FormTooLarge
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def back(looking_base: str) -> Response:
    """Redirect back to the page, which shows the result."""
    return RedirectResponse(looking_base, 303)


async def checkpoint(service: Service, request: Request, form: Form) -> Response:
    """Name a point."""
    looking = await look(service, request.path_params["id"])
    await points.create_checkpoint(service, looking.id, form.get("name", ""), form.get("at") or None)
    return back(looking.base)


async def fork(service: Service, request: Request, form: Form) -> Response:
    """Fork an environment at a point; its token is shown only on the resulting page."""
    looking = await look(service, request.path_params["id"])
    [made] = await points.fork(service, looking.id, form.get("at") or None, 1, form.get("name") or None)
    return page("forked.html", 201, fork=made, looking=looking)


async def rewind(service: Service, request: Request, form: Form) -> Response:
    """Rewind to a point."""
    looking = await look(service, request.path_params["id"])
    await points.rewind(service, looking.id, form.get("to", ""))
    return back(looking.base)


async def advance(service: Service, request: Request, form: Form) -> Response:
    """Set the clock forward, by seconds or until jobs fall due."""
    looking = await look(service, request.path_params["id"])
    living(looking, service)
    if form.get("until") in ("next", "idle"):
        await clocks.set_clock(service, looking.id, until="next" if form["until"] == "next" else "idle")
    else:
        await clocks.set_clock(service, looking.id, advance=_seconds(form.get("seconds", "")))
    return back(looking.base)


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidForm(f"'{text[:100]}' is no number of seconds") from None
