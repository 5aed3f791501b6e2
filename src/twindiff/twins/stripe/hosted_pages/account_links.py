"""Onboarding and login links of connected accounts; onboarding asks for nothing and redirects at once.

https://docs.stripe.com/api/account_links, https://docs.stripe.com/api/accounts/login_link
"""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from twindiff.kit import UNSET, Body, Call, Operations, Response, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.accounts import ACCOUNTS
from ..core.objects import Fields, new_id, now, retrieve
from ..core.params import OptName, OptText, Params
from .html_pages import page, redirect

api = Operations()

LIFE = 300


class CreateAccountLink(Params, kw_only=True):
    """The parameters of an account link."""

    account: str
    type: Literal["account_onboarding", "account_update"]
    collect: Literal["currently_due", "eventually_due"] | UnsetType = UNSET
    collection_options: dict[str, Any] | UnsetType = UNSET
    refresh_url: OptText = UNSET
    return_url: OptName = UNSET


class Onboarding(Params):
    """The URL to return to."""

    return_url: OptName = UNSET


@api.post("/v1/account_links")
def create_account_link(call: Call, params: Annotated[CreateAccountLink, Body]) -> Fields:
    """Create an onboarding link of an account."""
    account = retrieve(call, ACCOUNTS, params.account, param="account", status=400)
    for name in ("refresh_url", "return_url"):
        url = getattr(params, name)
        if not url:
            raise StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)
        if not url.startswith(("http://", "https://")):
            raise StripeError("Not a valid URL", code="url_invalid", param=name)
    query = urlencode({"return_url": params.return_url})
    url = f"{call.base_url}/setup/{account.id}/{new_id(call, '', 12)}?{query}"
    return {"object": "account_link", "created": now(call), "expires_at": now(call) + LIFE, "url": url}


@api.post("/v1/accounts/{account}/login_links")
def create_login_link(call: Call, account: str, params: Annotated[Params, Body]) -> Fields:
    """Create a dashboard login link of an Express account."""
    row = retrieve(call, ACCOUNTS, account)
    if row.type != "express":
        message = f"Cannot create a login link for {account}, which is no Express account."
        raise StripeError(message)
    return {"object": "login_link", "created": now(call), "url": f"{call.base_url}/setup/{row.id}/dashboard"}


@api.get("/setup/{account}/{secret}", open=True, scope="publishable")
def show_onboarding(call: Call, account: str, secret: str, params: Annotated[Onboarding, Body]) -> Response:
    """Redirect to the return URL, since onboarding is complete already."""
    retrieve(call, ACCOUNTS, account)
    return redirect(params.return_url) if params.return_url else page("Account", "<p>Nothing is to be done.</p>")
