"""HTML pages that a vendor hosts, such as a checkout: a browser renders them and submits their forms, without scripts.

Any other HTML in a response is a user's file, which a browser saves instead of rendering it. The caller must escape
the texts in a page.
"""

from __future__ import annotations

from .http import Response

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
_SHOWN = (("Content-Disposition", "inline"), ("Content-Security-Policy", _POLICY))


def page_answer(html: str, status: int = 200) -> Response:
    """A response with a whole HTML page; a Content-Security-Policy allows only inline styles."""
    return Response(html.encode(), status, "text/html; charset=utf-8", headers=_SHOWN)
