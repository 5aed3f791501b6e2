"""Validation of URL parameters by form; the URLs are never requested."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from twindiff.twins.stripe.core.wire_style import StripeError


def check_url(url: Any, param: str) -> None:
    """Raise StripeError for a malformed URL; parameters that were not given, or are empty, pass."""
    if not isinstance(url, str) or not url:
        return
    if not url.lower().startswith(("http://", "https://")):
        message = "Invalid URL: An explicit scheme (such as https) must be provided."
        raise StripeError(message, code="url_invalid", param=param)
    if not _is_whole(url):
        raise StripeError("Not a valid URL", code="url_invalid", param=param)


def _is_whole(url: str) -> bool:
    try:
        return bool(urlsplit(url).hostname) and not any(each.isspace() for each in url)
    except ValueError:
        return False
