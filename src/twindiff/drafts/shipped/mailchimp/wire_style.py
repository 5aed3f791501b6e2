"""Mailchimp's errors, times and links. https://mailchimp.com/developer/marketing/docs/errors/"""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

BASE = "https://us1.api.mailchimp.com/3.0"
_SCHEMAS = "https://us1.api.mailchimp.com/schema/3.0"
_INSTANCE = "31f25fa4-6937-4d8a-8f81-18f76c4a4cbc"
_TITLES = {
    400: "Invalid Resource",
    401: "API Key Invalid",
    404: "Resource Not Found",
    405: "Method Not Allowed",
    501: "Not Implemented",
}
Link = dict[str, str]


class MailchimpError(ApiError):
    """The request is not valid."""

    def __init__(self, status: int, detail: str, title: str = "") -> None:
        super().__init__(detail)
        self.status = status  # pyright: ignore[reportAttributeAccessIssue] - one class for all statuses
        self.title = title


class ResourceNotFound(MailchimpError):
    """The requested resource could not be found."""

    def __init__(self) -> None:
        super().__init__(404, "The requested resource could not be found.")


class MailchimpStyle(DraftStyle):
    """Errors are problems of RFC 7807: `{"type", "title", "status", "detail", "instance"}`."""

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        title = getattr(error, "title", "") or _TITLES.get(error.status, "Invalid Resource")
        body = {
            "type": "https://mailchimp.com/developer/marketing/docs/errors/",
            "title": title,
            "status": error.status,
            "detail": str(error),
            "instance": _INSTANCE,
        }
        headers = (*error.headers, (DRAFTED_HEADER, "refused"))
        return json_answer(body, error.status, headers)._replace(content_type="application/problem+json")


def show_time(timestamp: str | None) -> str:
    """Return a Timestamp as Mailchimp shows it: `2026-01-31T09:30:00+00:00`; an empty text for none."""
    return f"{timestamp[:19]}+00:00" if timestamp else ""


def link(rel: str, path: str, method: str = "GET", target: str = "", schema: str = "") -> Link:
    """Return a link to a path, with the places of the schemas of its answer and its body."""
    made = {"rel": rel, "href": BASE + path, "method": method}
    if target:
        made["targetSchema"] = f"{_SCHEMAS}/Definitions/Lists/{target}.json"
    if schema:
        made["schema"] = f"{_SCHEMAS}/{schema}.json"
    return made


def links_of(path: str, kind: str) -> list[Link]:
    """Return the links of an object of a list to itself, what stands above it, and how it is written."""
    above = path.rpartition("/")[0]
    collection = (f"{kind}CollectionResponse", f"Paths/Lists/{kind}Collection")
    return [
        link("self", path, target=f"{kind}Response"),
        link("parent", above, "GET", *collection),
        link("update", path, "PATCH", f"{kind}Response", f"Definitions/Lists/{kind}PATCH"),
    ]


def links_of_collection(path: str, kind: str, parent: str) -> list[Link]:
    """Return the links of a collection of a list; `parent` is the kind of what stands above it."""
    above = path.rpartition("/")[0]
    return [
        link("self", path, "GET", f"{kind}CollectionResponse", f"Paths/Lists/{kind}Collection"),
        link("parent", above, target=f"{parent}Response"),
        link("create", path, "POST", f"{kind}Response", f"Definitions/Lists/{kind}POST"),
    ]


def page_rows(rows: list[Any], count: int, offset: int) -> list[Any]:
    """Return the rows of a page; raises MailchimpError for a size that there is not."""
    if not 0 <= count <= 1000:
        raise MailchimpError(400, "The count must be between 0 and 1000")
    return rows[max(offset, 0) : max(offset, 0) + count]
