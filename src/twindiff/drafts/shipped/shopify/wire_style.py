"""Shopify's errors and times. https://shopify.dev/docs/api/usage/response-codes"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle


class ShopifyError(ApiError):
    """The request is refused; `errors` is a sentence, or what is wrong by field."""

    def __init__(self, status: int, errors: str | Mapping[str, list[str]]) -> None:
        super().__init__(str(errors))
        self.status = status  # pyright: ignore[reportAttributeAccessIssue] - one class for all statuses
        self.errors = errors


class ShopifyStyle(DraftStyle):
    """Errors are `{"errors": …}`."""

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        usual = "Not Found" if error.status == 404 else str(error)
        body: dict[str, Any] = {"errors": getattr(error, "errors", usual)}
        return json_answer(body, error.status, (*error.headers, (DRAFTED_HEADER, "refused")))


def read_object(body: Any, name: str) -> dict[str, Any]:
    """Return the object that a body has as `name`. Raises ShopifyError without one."""
    given = cast(Mapping[str, Any], body).get(name) if isinstance(body, dict) else None
    if not isinstance(given, dict):
        raise ShopifyError(400, {name: ["Required parameter missing or invalid"]})
    return dict(cast(dict[str, Any], given))


def read_number(value: Any, errors: Mapping[str, list[str]]) -> float:
    """Return a number, which may be a text. Raises ShopifyError with `errors` for another value."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ShopifyError(422, errors)
    return number


def show_time(timestamp: str) -> str:
    """Return a Timestamp as Shopify shows it: `2026-01-31T09:30:00+00:00`."""
    return f"{timestamp[:19]}+00:00"
