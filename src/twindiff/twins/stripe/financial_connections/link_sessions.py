"""Sessions in which a person links accounts, and the page that stands for Stripe's dialog in test mode.

https://docs.stripe.com/api/financial_connections/sessions, https://docs.stripe.com/financial-connections/testing
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, Response, UnsetType, column, page_answer
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row
from ..core.objects import (
    Fields,
    StripeObject,
    build_view,
    find,
    new,
    new_id,
    object_id,
    refer,
    resource,
    retrieve,
    show,
)
from ..core.pagination import list_object
from ..core.params import NestedParams, OptName, Params, Unset, value_of
from ..tables.customer_tables import CUSTOMERS
from .linked_accounts import ACCOUNTS, PERMISSIONS, LinkedAccount, begin_refresh

api = Operations(prefix="/v1/financial_connections/sessions")
page_api = Operations(prefix="/link")

Subcategory = Literal["checking", "credit_card", "line_of_credit", "mortgage", "savings"]
KINDS = {
    "checking": ("Success", "cash", "6789"),
    "savings": ("High Balance", "cash", "4321"),
    "credit_card": ("Credit", "credit", "1111"),
}
"""The accounts of the test bank by subcategory: name, category and last digits."""


class LinkSession(StripeObject, table="financial_connections_sessions", key=("id",), unique=(("seq",),)):
    account_holder: Column[Json]
    client_secret: Column[str]
    filters: Column[Json] = column(default=None)
    is_done: Column[bool] = column(default=False)
    limits: Column[Json] = column(default=None)
    manual_entry: Column[Json] = column(default=None)
    permissions: Column[Json] = column(default=[])
    prefetch: Column[Json] = column(default=[])
    return_url: Column[str | None] = column(default=None)


def _fill_accounts(call: Call, sessions: list[Fields]) -> None:
    """Set the accounts that were linked in each rendered session."""
    ids = [each["id"] for each in sessions]
    rows = call.db.rows(LinkedAccount, LinkedAccount.session.in_(ids), order=LinkedAccount.seq)
    for each in sessions:
        own = [ACCOUNTS.show(row) for row in rows if row.session == each["id"]]
        each["accounts"] = list_object(own, "/v1/financial_connections/accounts")


SESSIONS = resource(
    LinkSession,
    "financial_connections.session",
    "fcsess_",
    build_view(LinkSession, "financial_connections.session", "created", "is_done"),
    spoken="financial connections session",
    param="session",
    fill=_fill_accounts,
)


class Holder(NestedParams):
    """Who links accounts."""

    type: Literal["account", "customer"]
    account: OptName = UNSET
    customer: OptName = UNSET
    customer_account: OptName = UNSET


class SessionFilters(NestedParams):
    """Which accounts can be linked."""

    account_subcategories: list[Subcategory] | UnsetType = UNSET
    countries: list[str] | UnsetType = UNSET
    require_payment_method_support: Literal["all", "at_least_one", "none"] | UnsetType = UNSET


class SessionLimits(NestedParams):
    """How many accounts can be linked."""

    accounts: int | Unset


class ManualEntry(NestedParams):
    """Whether account numbers may be typed."""

    mode: Literal["automatic", "disabled"] | UnsetType = UNSET


class CreateSession(Params, kw_only=True):
    """The parameters of a new session."""

    account_holder: Holder
    permissions: list[Literal["balances", "ownership", "payment_method", "transactions"]]
    filters: SessionFilters | UnsetType = UNSET
    limits: SessionLimits | UnsetType = UNSET
    manual_entry: ManualEntry | UnsetType = UNSET
    prefetch: list[Literal["balances", "ownership", "transactions"]] | UnsetType = UNSET
    return_url: OptName = UNSET


@api.post("")
def create_session(call: Call, params: Annotated[CreateSession, Body]) -> Fields:
    """Create a session; its client secret opens the dialog.

    https://docs.stripe.com/api/financial_connections/sessions/create
    """
    holder = params.account_holder
    named = getattr(holder, holder.type)
    if not named:
        param = f"account_holder[{holder.type}]"
        raise StripeError(f"Missing required param: {param}.", code="parameter_missing", param=param)
    if holder.type == "customer":
        refer(call, CUSTOMERS, named, "account_holder[customer]")
    for each in params.prefetch or ():
        if each not in params.permissions:
            message = f"You cannot prefetch `{each}` without the permission `{each}`."
            raise StripeError(message, param="prefetch")
    id = object_id(call, "fcsess_")
    made = new(
        call,
        SESSIONS,
        id=id,
        account_holder={"type": holder.type, holder.type: named},
        client_secret=new_id(call, f"{id}_secret_", 24),
        filters=_render_part(params.filters),
        limits=_render_part(params.limits),
        manual_entry=_render_part(params.manual_entry),
        permissions=[*params.permissions],
        prefetch=[*(params.prefetch or ())],
        return_url=params.return_url or None,
    )
    return show(call, SESSIONS, made)


def _render_part(part: Any) -> Fields | None:
    return value_of(part) if part else None


@api.get("/{session}")
def retrieve_session(call: Call, session: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a session with the accounts that were linked in it."""
    return show(call, SESSIONS, retrieve(call, SESSIONS, session))


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Link your accounts</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ font: 16px system-ui; max-width: 26rem; margin: 4rem auto; padding: 0 1rem }}
button {{ font: inherit; padding: .5rem 1rem }} label {{ display: block; margin: .5rem 0 }}</style></head>
<body><h1>Link your accounts</h1>{body}</body></html>"""


class PageParams(Params):
    """The client secret, which opens the page."""

    client_secret: str


class SubmitPage(PageParams, kw_only=True):
    """The accounts of the test bank that are linked, by subcategory."""

    accounts: list[Literal["checking", "savings", "credit_card"]] | UnsetType = UNSET


def _open_session(call: Call, id: str, secret: str) -> LinkSession:
    row = find(call, SESSIONS, id)
    if row is None or row.client_secret != secret or row.is_done:
        raise StripeError("This link is not valid.", status=404)
    return row


def _kinds(row: LinkSession) -> list[str]:
    """Return the subcategories of accounts that a session lets a person choose."""
    filters: Fields = row.filters or {}
    wanted: list[str] = filters.get("account_subcategories") or ["checking", "savings"]
    return [each for each in KINDS if each in wanted]


@page_api.get("/{session}", open=True, scope="publishable")
def show_page(call: Call, session: str, params: Annotated[PageParams, Body]) -> Response:
    """Show the accounts of the test bank, to choose from."""
    row = _open_session(call, session, params.client_secret)
    boxes = "".join(
        f'<label><input type="checkbox" name="accounts[]" value="{each}"> {KINDS[each][0]} ····{KINDS[each][2]}</label>'
        for each in _kinds(row)
    )
    return page_answer(_PAGE.format(body=f'<form method="post">{boxes}<button>Link accounts</button></form>'))


@page_api.post("/{session}", open=True, scope="publishable")
def submit_page(call: Call, session: str, params: Annotated[SubmitPage, Body]) -> Response:
    """Link the chosen accounts, and lead back to the `return_url`."""
    row = _open_session(call, session, params.client_secret)
    chosen = [each for each in _kinds(row) if each in (params.accounts or ())]
    limits: Fields = row.limits or {}
    most: int = limits.get("accounts") or len(KINDS)
    if len(chosen) > most:
        raise StripeError(f"At most {most} accounts can be linked.", param="accounts")
    for each in chosen:
        _link(call, row, each)
    call.db.change(row, is_done=True)
    if row.return_url:
        return Response(b"", 303, headers=(("Location", row.return_url),))
    return page_answer(_PAGE.format(body="<p>You can close this page.</p>"))


def _link(call: Call, session: LinkSession, kind: str) -> None:
    name, category, last4 = KINDS[kind]
    holder: Fields = session.account_holder
    made = new(
        call,
        ACCOUNTS,
        account=holder.get("account"),
        category=category,
        customer=holder.get("customer"),
        display_name=name,
        last4=last4,
        permissions=session.permissions,
        session=session.id,
        subcategory=kind,
    )
    record_row(call, "financial_connections.account.created", ACCOUNTS, made)
    features: Any = [each for each, permission in PERMISSIONS.items() if permission in session.prefetch]
    if features:
        begin_refresh(call, made, features)
