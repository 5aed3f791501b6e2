"""Links to other pages of a list, in the header Link (RFC 8288)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit


def link_header(url: str, **pages: Mapping[str, Any] | None) -> tuple[str, str]:
    """The header that leads from a list to other pages of it, each given by its query; None is a page there is not.

    `link_header(f"{call.base_url}/items", next={"page": 3}, prev=None)`. A list in a query repeats its name.
    """
    there = {relation: query for relation, query in pages.items() if query is not None}
    return "Link", ", ".join(f'<{address(url, query)}>; rel="{relation}"' for relation, query in there.items())


def split_url(url: str) -> SplitResult:
    """The parts of a URL; all of them are empty for what is none, such as `http://[`."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def address(url: str, query: Mapping[str, Any]) -> str:
    """A URL with a query; what is None or empty in it is left out."""
    given = {name: value for name, value in query.items() if value is not None and value != ""}
    return f"{url}?{urlencode(given, doseq=True)}" if given else url
