"""JSON with snake_case names; an error is `{"error": code, "message": text}`."""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext
from twindiff.server.auth import Unauthorized
from twindiff.server.style import PlatformStyle


class SandboxStyle(PlatformStyle):
    """Reads requests as strictly as the platform API does."""

    naming = None

    def result(self, value: Any, exchange: RequestContext) -> Response:
        status = exchange.operation.declared.status
        return json_answer(value, status) if value is not None else Response(b"", status)

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        # The contract has a single response, 401, to unauthorized clients; an agent token counts as no key here.
        status = 401 if isinstance(error, Unauthorized) else error.status
        headers = tuple(error.details.get("headers", ()))
        return json_answer({"error": error.code, "message": str(error)}, status, headers)
