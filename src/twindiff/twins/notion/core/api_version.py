"""The version of the API that a request asks for: `2022-06-28`, `2025-09-03` or `2026-03-11`, and those before.

https://developers.notion.com/reference/versioning
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from twindiff.kit import Call, RequestContext

from ..wire_style import LATEST_VERSION, MissingVersion, ValidationError

OLDEST, DATA_SOURCES, LATEST = "2022-06-28", "2025-09-03", LATEST_VERSION
EARLIER = ("2021-05-11", "2021-05-13", "2021-08-16", "2022-02-22")
VERSIONS = (*EARLIER, OLDEST, DATA_SOURCES, LATEST)


def select_version(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Refuse a request without a version that exists, and keep what the client accepts."""
    version = exchange.request.headers.get("notion-version")
    if exchange.operation.declared.open or exchange.operation.declared.path.startswith("/v1/oauth"):
        version = version or LATEST
    if not version:
        raise MissingVersion
    if version not in VERSIONS:
        known = ", ".join(f'`"{each}"`' for each in VERSIONS)
        is_date = re.fullmatch(r"\d{4}-\d\d-\d\d", version)
        wanted = known if is_date else f"a date in the format YYYY-MM-DD, one of {known}"
        raise MissingVersion(
            f"Notion-Version header failed validation: Notion-Version header should be {wanted}, "
            f'instead was `"{version[:40]}"`.'
        )
    call.memo["accept"] = exchange.request.headers.get("accept", "")
    call.memo["version"] = max(version, OLDEST)
    return proceed()


def version_of(call: Call) -> str:
    """Return the version of the request."""
    return call.memo.get("version", LATEST)


def has_data_sources(call: Call) -> bool:
    """Return whether databases and data sources are told apart."""
    return version_of(call) >= DATA_SOURCES


def trash_fields(call: Call, in_trash: bool) -> dict[str, bool]:
    """Return `in_trash`, and `archived` in versions that have it."""
    return {"in_trash": in_trash} if version_of(call) >= LATEST else {"in_trash": in_trash, "archived": in_trash}


def is_to_trash(call: Call, body: dict[str, Any]) -> bool | None:
    """Return whether a body speaks of the trash or of what is not in it; None if of neither.

    Raise ValidationError for `archived` in a version that has only `in_trash`.
    https://developers.notion.com/reference/trash-page
    """
    if "archived" in body and version_of(call) >= LATEST:
        raise ValidationError("body failed validation: body.archived should be not present, use body.in_trash instead.")
    return body.get("in_trash", body.get("archived"))


def web_url(call: Call, page_id: str, title: str = "") -> str:
    """Return the address of a page for browsers, which begins with its title."""
    host = "https://app.notion.com/p/" if version_of(call) == DATA_SOURCES else "https://www.notion.so/"
    words = re.sub(r"[^A-Za-z0-9_]+", "-", title).strip("-")
    return host + (f"{words}-" if words else "") + page_id.replace("-", "")
