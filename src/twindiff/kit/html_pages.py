"""Pages of a twin's own, for what its vendor hosts: a browser shows them and sends their forms, and runs no script.

Other HTML that a twin answers is a file of somebody's, which a browser keeps in place of showing it. Whoever writes a
page escapes the texts in it.
"""

from __future__ import annotations

from .http import Response

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
_SHOWN = (("Content-Disposition", "inline"), ("Content-Security-Policy", _POLICY))


def page_answer(html: str, status: int = 200) -> Response:
    """A whole page of HTML, with styles inside."""
    return Response(html.encode(), status, "text/html; charset=utf-8", headers=_SHOWN)
