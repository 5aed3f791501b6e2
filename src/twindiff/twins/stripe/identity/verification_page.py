"""The page on which a person is verified: in test mode, it asks for the result.

https://docs.stripe.com/identity/verify-identity-documents
"""

from __future__ import annotations

from html import escape
from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Operations, Response, UnsetType, page_answer
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import find
from ..core.params import Params
from .verification_sessions import ERRORS, SESSIONS, VerificationSession, conclude_session

api = Operations(prefix="/start")

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Verify your identity</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ font: 16px system-ui; max-width: 26rem; margin: 4rem auto; padding: 0 1rem }}
button {{ font: inherit; padding: .5rem 1rem; margin: 0 .5rem .5rem 0 }}</style></head>
<body><h1>Verify your identity</h1><p>{what}</p>{form}</body></html>"""


class PageParams(Params):
    """The client secret, which opens the page."""

    client_secret: str


class SubmitPage(PageParams, kw_only=True):
    """The result of a verification, and the error of one that fails."""

    outcome: Literal["success", "failure"]
    error: Literal[
        "consent_declined", "document_expired", "document_unverified_other", "id_number_mismatch",
        "selfie_face_mismatch",
    ] | UnsetType = UNSET  # fmt: skip


def _find_session(call: Call, id: str, secret: str) -> VerificationSession:
    row = find(call, SESSIONS, id)
    if row is None or row.client_secret != secret:
        raise StripeError("This verification link is not valid.", status=404)
    return row


@api.get("/{id}", open=True, scope="publishable")
def show_page(call: Call, id: str, params: Annotated[PageParams, Body]) -> Response:
    """Show the page, with a button for each result."""
    _find_session(call, id, params.client_secret)
    buttons = "".join(
        f'<form method="post"><input type="hidden" name="outcome" value="failure">'
        f'<button name="error" value="{code}">{escape(reason)}</button></form>'
        for code, reason in ERRORS.items()
    )
    passing = '<form method="post"><button name="outcome" value="success">Verification success</button></form>'
    return page_answer(_PAGE.format(what="Select the result of this test.", form=passing + buttons))


@api.post("/{id}", open=True, scope="publishable")
def submit_page(call: Call, id: str, params: Annotated[SubmitPage, Body]) -> Response:
    """Conclude the verification, and lead back to the `return_url`."""
    row = _find_session(call, id, params.client_secret)
    error = (params.error or "document_unverified_other") if params.outcome == "failure" else ""
    done = conclude_session(call, row, error)
    if done.return_url:
        return Response(b"", 303, headers=(("Location", done.return_url),))
    return page_answer(_PAGE.format(what="You can close this page.", form=""))
