"""The billing portal: sessions, and the page on which customers manage their subscriptions.

https://docs.stripe.com/api/customer_portal/sessions
"""

from __future__ import annotations

from html import escape
from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, Response, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.subscriptions.subscription_params import CancelSubscription, UpdateSubscription
from ..billing.subscriptions.subscriptions import cancel_subscription, running, update_subscription
from ..billing.tables.invoice_tables import INVOICES, Invoice
from ..billing.tables.subscription_tables import ENDED, SUBSCRIPTIONS, Subscription
from ..core.currencies import format_amount
from ..core.events import record_row
from ..core.objects import Fields, StripeObject, build_view, new, refer, resource, show, show_all
from ..core.params import OptInteger, OptName, OptText, Params
from ..core.urls import check_url
from ..tables.customer_tables import CUSTOMERS
from .html_pages import page, redirect
from .portal_configurations import DEFAULT, retrieve_portal_configuration
from .portal_flows import Flow, build_flow
from .portal_plan_changes import change_plan, render_confirmation, render_plan_form

api = Operations()


Locale = Literal[
    "auto", "bg", "cs", "da", "de", "el", "en", "en-AU", "en-CA", "en-GB", "en-IE", "en-IN", "en-NZ", "en-SG", "es",
    "es-419", "et", "fi", "fil", "fr", "fr-CA", "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "mt", "nb", "nl",
    "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl", "sv", "th", "tr", "vi", "zh", "zh-HK", "zh-TW",
]  # fmt: skip


class PortalSession(StripeObject, table="billing_portal_sessions", key=("id",), unique=(("seq",), ("secret",))):
    completed: Column[bool] = column(default=False, derived=True)
    """Whether the customer has completed the session's flow."""
    configuration: Column[str] = column(default=DEFAULT)
    customer: Column[str]
    flow: Column[Json] = column(default=None)
    locale: Column[str | None] = column(default=None)
    return_url: Column[str | None] = column(default=None)
    secret: Column[str]


portal_object = build_view(
    PortalSession,
    "billing_portal.session",
    "completed",
    "secret",
    customer_account=None,
    on_behalf_of=None,
    url=PortalSession.secret,
)


def _fill(call: Call, objects: list[Fields]) -> None:
    for each in objects:
        each["url"] = f"{call.base_url}/p/session/{each['url']}"


PORTAL_SESSIONS = resource(
    PortalSession,
    "billing_portal.session",
    "bps_",
    portal_object,
    spoken="portal session",
    expandable=("configuration",),
    fill=_fill,
)


class CreatePortalSession(Params, kw_only=True):
    """The parameters of a new session."""

    customer: OptName = UNSET
    configuration: OptName = UNSET
    customer_account: OptText = UNSET
    flow_data: Flow | UnsetType = UNSET
    locale: Locale | UnsetType = UNSET
    on_behalf_of: OptText = UNSET
    return_url: OptName = UNSET


class Wish(Params, kw_only=True):
    """The action that a customer submits on the page."""

    subscription: str
    wish: Literal["cancel", "confirm", "keep", "update"]
    price: OptText = UNSET
    quantity: OptInteger = UNSET


@api.post("/v1/billing_portal/sessions")
def create_portal_session(call: Call, params: Annotated[CreatePortalSession, Body]) -> Fields:
    """Create a portal session, whose URL gives a customer access to the page."""
    if not isinstance(params.customer, str) or not params.customer:
        raise StripeError("Missing required param: customer.", code="parameter_missing", param="customer")
    check_url(params.return_url, "return_url")
    customer = refer(call, CUSTOMERS, params.customer, "customer")
    configuration = retrieve_portal_configuration(call, str(params.configuration or DEFAULT), status=400)
    if not configuration.active:
        raise StripeError("The configuration is not active, so that no session can use it.", param="configuration")
    made = new(
        call,
        PORTAL_SESSIONS,
        configuration=configuration.id,
        customer=customer.id,
        flow=build_flow(call, params.flow_data, customer.id, configuration.features),
        locale=params.locale or None,
        return_url=params.return_url or configuration.default_return_url,
        secret=call.ids.new("test_", 40),
    )
    record_row(call, "billing_portal.session.created", PORTAL_SESSIONS, made)
    return show(call, PORTAL_SESSIONS, made)


@api.get("/p/session/{secret}", open=True, scope="publishable")
def show_portal(call: Call, secret: str, params: Annotated[Params, Body]) -> Response:
    """Show the flow of a session until it is completed, and a customer's subscriptions and invoices otherwise."""
    session = _session(call, secret)
    features: dict[str, Fields] = retrieve_portal_configuration(call, session.configuration).features
    back = f'<p><a href="{escape(session.return_url, quote=True)}">Return</a></p>' if session.return_url else ""
    if flow := _render_flow(call, session, features):
        return page("Billing", flow + back)
    return page("Billing", _render_home(call, session, features) + back)


def _render_home(call: Call, session: PortalSession, features: dict[str, Fields]) -> str:
    mine = call.db.rows(Subscription, Subscription.customer == session.customer, order=-Subscription.seq)
    may_cancel: bool = features["subscription_cancel"]["enabled"]
    going = "".join(
        _subscription(each, may_cancel=may_cancel) + render_plan_form(call, each, features["subscription_update"])
        for each in mine
        if each.status not in ENDED
    )
    invoices = call.db.rows(
        Invoice, Invoice.customer == session.customer, Invoice.status != "draft", order=-Invoice.seq
    )
    listed = "".join(_invoice(each) for each in show_all(call, INVOICES, invoices[:20]))
    history = f"<h2>Invoices</h2><ul>{listed}</ul>" if features["invoice_history"]["enabled"] else ""
    return f"<h2>Subscriptions</h2>{going or '<p>No subscriptions.</p>'}{history}"


def _render_flow(call: Call, session: PortalSession, features: dict[str, Fields]) -> str:
    """Return the HTML of a session's flow, or "" if it has none, or one that is completed."""
    if not (part := _find_flow(session)):
        return ""
    row = running(call, part["subscription"])
    if session.flow["type"] == "subscription_update_confirm":
        return render_confirmation(call, row, part)
    if session.flow["type"] == "subscription_cancel":
        return _subscription(row, may_cancel=True)
    return render_plan_form(call, row, features["subscription_update"])


def _find_flow(session: PortalSession) -> Fields | None:
    """Return the parameters of a session's flow for a subscription, unless it is completed."""
    flow: Fields = session.flow or {}
    return flow.get(flow["type"]) if flow and not session.completed else None


@api.post("/p/session/{secret}", open=True, scope="publishable")
def change_subscription(call: Call, secret: str, params: Annotated[Wish, Body]) -> Response:
    """Update or cancel a subscription as the configuration says, or undo its cancellation."""
    session = _session(call, secret)
    row = running(call, params.subscription)
    if row.customer != session.customer:
        raise SUBSCRIPTIONS.missing(params.subscription)
    features: dict[str, Fields] = retrieve_portal_configuration(call, session.configuration).features
    if params.wish in ("cancel", "keep"):
        _cancel(call, row, features["subscription_cancel"], cancels=params.wish == "cancel")
    else:
        _update(call, session, row, features["subscription_update"], params)
    return _go_on(call, session)


def _cancel(call: Call, row: Subscription, feature: Fields, *, cancels: bool) -> None:
    if not feature["enabled"]:
        raise StripeError("The portal's configuration does not let customers end subscriptions.", status=403)
    if cancels and feature["mode"] == "immediately":
        cancel_subscription(call, row.id, CancelSubscription(prorate=feature["proration_behavior"] != "none"))
    else:
        update_subscription(call, row.id, UpdateSubscription(cancel_at_period_end=cancels))


def _update(call: Call, session: PortalSession, row: Subscription, feature: Fields, params: Wish) -> None:
    if not feature["enabled"]:
        raise StripeError("The portal's configuration does not let customers update subscriptions.", status=403)
    wanted: Fields = {"price": params.price or None, "quantity": params.quantity or None}
    if params.wish == "confirm":
        part = _find_flow(session)
        if part is None or part.get("subscription") != row.id or "items" not in part:
            raise StripeError("There are no changes to confirm.")
        wanted = {**part["items"][0], "discounts": part.get("discounts")}
    change_plan(call, row, feature, wanted)


def _go_on(call: Call, session: PortalSession) -> Response:
    """Complete a session's flow, if it has one, and go on as it says."""
    home = f"{call.base_url}/p/session/{session.secret}"
    if _find_flow(session) is None:
        return redirect(home)
    call.db.change(session, completed=True)
    after: Fields = session.flow["after_completion"]
    if after["type"] == "redirect":
        return redirect(after["redirect"]["return_url"])
    if after["type"] == "hosted_confirmation":
        said: Fields = after["hosted_confirmation"] or {}
        return page("Billing", f"<p>{escape(said.get('custom_message') or 'Your subscription has been updated.')}</p>")
    return redirect(home)


def _session(call: Call, secret: str) -> PortalSession:
    session = call.db.find(PortalSession, PortalSession.secret == secret)
    if session is None:
        raise StripeError("There is no such page.", status=404)
    return session


def _subscription(row: Subscription, *, may_cancel: bool) -> str:
    wish, button = ("keep", "Don't cancel") if row.cancel_at_period_end else ("cancel", "Cancel subscription")
    state = "ends with its period" if row.cancel_at_period_end else row.status
    said = f"<p>{escape(row.description or row.id)}: {escape(state)}</p>"
    if not may_cancel:
        return said
    return (
        f'<form method="post">{said}'
        f'<input type="hidden" name="subscription" value="{escape(row.id, quote=True)}">'
        f'<button name="wish" value="{wish}">{button}</button></form>'
    )


def _invoice(fields: Fields) -> str:
    url = escape(fields["hosted_invoice_url"] or "", quote=True)
    said = f"{fields['number']}: {format_amount(fields['total'], fields['currency'])}, {fields['status']}"
    return f'<li><a href="{url}">{escape(said)}</a></li>'
