"""JSON with snake_case names; an error is `{"detail": text, "error": code}`."""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError, InvalidParameter
from twindiff.kit.forms import URLENCODED, read_form
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext
from twindiff.kit.styles.base import add_headers
from twindiff.server.auth import Unauthorized
from twindiff.server.style import PlatformStyle, fields_of
from twindiff.server.unknown_fields import refuse_unknown_fields


class RunStyle(PlatformStyle):
    """Reads requests as strictly as the platform API does."""

    naming = None

    def parameters(self, exchange: RequestContext) -> dict[str, Any]:
        request, bound = exchange.request, exchange.operation.bound
        if request.content_type == URLENCODED:
            given = {**request.query_parameters(), **read_form(request, bound.lists, bound.objects)}
            refuse_unknown_fields(given, fields_of(exchange.operation))
            return {**given, **exchange.path_parameters}
        given = super().parameters(exchange)
        add_headers(given, request, bound)
        return given

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        status = (
            422 if isinstance(error, InvalidParameter) else 401 if isinstance(error, Unauthorized) else error.status
        )
        body: dict[str, Any] = {"detail": str(error), "error": error.code}
        return json_answer(body, status, tuple(error.details.get("headers", ())))
