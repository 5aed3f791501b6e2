"""The header Link with the URLs of other pages of a list (RFC 8288), and helpers for URLs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit


def link_header(url: str, **pages: Mapping[str, Any] | None) -> tuple[str, str]:
    """The name and value of the header Link for the pages of a list, by relation, each given by its query.

    `link_header(f"{call.base_url}/items", next={"page": 3}, prev=None)`. None means that there is no such page. A list
    in a query repeats its name.
    """
    there = {relation: query for relation, query in pages.items() if query is not None}
    return "Link", ", ".join(f'<{address(url, query)}>; rel="{relation}"' for relation, query in there.items())


def split_url(url: str) -> SplitResult:
    """The parts of a URL; all are empty for a malformed one, such as `http://[`."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def address(url: str, query: Mapping[str, Any]) -> str:
    """The URL with a query; values that are None or empty are left out."""
    given = {name: value for name, value in query.items() if value is not None and value != ""}
    return f"{url}?{urlencode(given, doseq=True)}" if given else url
