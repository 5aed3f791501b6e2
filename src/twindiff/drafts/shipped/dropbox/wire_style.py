"""Dropbox's errors. https://www.dropbox.com/developers/documentation/http/documentation#error-handling"""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError, InvalidParameter, MissingToken, UnknownToken
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

ARGUMENT_HEADER = "Dropbox-API-Arg"
"""The header that has the argument of a call whose body is content."""


class DropboxError(ApiError):
    """The call cannot be done; `path/not_found` are the tags of the error, from the outermost on."""

    status = 409

    user_message = ""
    """A text for people beside the tags."""

    def __init__(self, tags: str, **fields: Any) -> None:
        super().__init__(tags)
        self.tags, self.fields = tags.split("/"), fields

    def show(self) -> dict[str, Any]:
        """Return the error as Dropbox nests it."""
        return show_tags(self.tags, self.fields)


class UploadRefused(DropboxError):
    """An upload cannot be written; its error has the reason beside the outermost tag."""

    def show(self) -> dict[str, Any]:
        first, *rest = self.tags
        return {".tag": first, "reason": show_tags(rest), **self.fields}


class UnsupportedAccessLevel(DropboxError):
    """The access level is none that can be given yet."""

    def __init__(self, level: str) -> None:
        super().__init__("access_error/no_permission")
        self.user_message = f"{level} isn\u2019t yet supported."


def show_tags(tags: list[str], fields: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return tags as Dropbox nests them: `{".tag": "path", "path": {".tag": "not_found"}}`."""
    first, *rest = tags
    return {".tag": first, **({first: show_tags(rest, fields)} if rest else fields or {})}


class DropboxStyle(DraftStyle):
    """Errors of endpoints are unions with a summary, those of requests are texts."""

    def body(self, request: Request) -> Any:
        """The arguments of a call; a body of bytes is content, whose arguments stand in a header."""
        return {} if request.content_type == "application/octet-stream" else super().body(request)

    def result(self, value: Any, exchange: RequestContext) -> Response:
        """The answer as JSON; nothing is `null`."""
        return json_answer(None) if value is None else super().result(value, exchange)

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        headers = (*error.headers, (DRAFTED_HEADER, "refused"))
        if isinstance(error, DropboxError):
            return _show_union(error.tags, error.status, headers, error.show(), error.user_message)
        if isinstance(error, MissingToken | UnknownToken):
            return _show_union(["invalid_access_token"], 401, headers)
        if error.status in (404, 501):
            return _show_union(["not_implemented"], 501, headers)
        endpoint = exchange.operation.declared.path.removeprefix("/2/") if exchange and exchange.operation else ""
        problem = f"{error.name}: {error.problem}" if isinstance(error, InvalidParameter) else str(error)
        is_in_header = exchange is not None and ARGUMENT_HEADER.lower() in exchange.request.headers
        place = f'HTTP header "{ARGUMENT_HEADER}"' if is_in_header else "request body"
        text = f'Error in call to API function "{endpoint}": {place}: {problem.removeprefix(f"{ARGUMENT_HEADER}: ")}'
        return Response(text.encode(), error.status, "text/plain; charset=utf-8", headers)


def _show_union(
    tags: list[str],
    status: int,
    headers: tuple[tuple[str, str], ...],
    shown: dict[str, Any] | None = None,
    user_message: str = "",
) -> Response:
    body: dict[str, Any] = {"error_summary": "/".join([*tags, "..."]), "error": shown or show_tags(tags)}
    body |= {"user_message": {"locale": "en", "text": user_message}} if user_message else {}
    return json_answer(body, status, headers)
