"""The billing portal: sessions, and the page on which customers manage their subscriptions.

https://docs.stripe.com/api/customer_portal/sessions
"""

from __future__ import annotations

from html import escape
from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, Response, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.subscriptions.subscription_params import CancelSubscription, UpdateSubscription
from ..billing.subscriptions.subscriptions import cancel_subscription, running, update_subscription
from ..billing.tables.invoice_tables import INVOICES, Invoice
from ..billing.tables.subscription_tables import ENDED, SUBSCRIPTIONS, Subscription
from ..core.currencies import format_amount
from ..core.events import record_row
from ..core.objects import Fields, StripeObject, build_view, new, refer, resource, show, show_all
from ..core.params import NestedParams, OptInteger, OptText, Params, value_of
from ..core.urls import check_url
from ..customer.customers import CUSTOMERS
from .html_pages import page, redirect
from .portal_configurations import DEFAULT, retrieve_portal_configuration

api = Operations()


Locale = Literal[
    "auto", "bg", "cs", "da", "de", "el", "en", "en-AU", "en-CA", "en-GB", "en-IE", "en-IN", "en-NZ", "en-SG", "es",
    "es-419", "et", "fi", "fil", "fr", "fr-CA", "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "mt", "nb", "nl",
    "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl", "sv", "th", "tr", "vi", "zh", "zh-HK", "zh-TW",
]  # fmt: skip


class PortalSession(StripeObject, table="billing_portal_sessions", key=("id",), unique=(("seq",), ("secret",))):
    configuration: Column[str] = column(default=DEFAULT)
    customer: Column[str]
    flow: Column[Json] = column(default=None)
    locale: Column[str | None] = column(default=None)
    return_url: Column[str | None] = column(default=None)
    secret: Column[str]


portal_object = build_view(
    PortalSession,
    "billing_portal.session",
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


class UpdateFlow(NestedParams):
    """The subscription to update."""

    subscription: str


class CancelFlow(UpdateFlow):
    """The subscription to cancel."""

    retention: dict[str, Any] | UnsetType = UNSET


class FlowItem(NestedParams):
    """The new state of an item."""

    id: str
    price: OptText = UNSET
    quantity: OptInteger = UNSET


class ConfirmFlow(UpdateFlow, kw_only=True):
    """The update to confirm."""

    items: list[FlowItem]
    discounts: list[dict[str, str]] | UnsetType = UNSET


class Flow(NestedParams):
    """The flow that the customer is sent to."""

    type: Literal[
        "customer_update",
        "payment_method_update",
        "subscription_cancel",
        "subscription_update",
        "subscription_update_confirm",
    ]
    after_completion: dict[str, Any] | UnsetType = UNSET
    subscription_cancel: CancelFlow | UnsetType = UNSET
    subscription_update: UpdateFlow | UnsetType = UNSET
    subscription_update_confirm: ConfirmFlow | UnsetType = UNSET


class CreatePortalSession(Params, kw_only=True):
    """The parameters of a new session."""

    customer: OptText = UNSET
    configuration: OptText = UNSET
    customer_account: OptText = UNSET
    flow_data: Flow | UnsetType = UNSET
    locale: Locale | UnsetType = UNSET
    on_behalf_of: OptText = UNSET
    return_url: OptText = UNSET


class Wish(Params, kw_only=True):
    """The action that a customer submits on the page."""

    subscription: str
    wish: Literal["cancel", "keep"]


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
        flow=_flow(call, params),
        locale=params.locale or None,
        return_url=params.return_url or configuration.default_return_url,
        secret=call.ids.new("test_", 40),
    )
    record_row(call, "billing_portal.session.created", PORTAL_SESSIONS, made)
    return show(call, PORTAL_SESSIONS, made)


def _flow(call: Call, params: CreatePortalSession) -> Fields | None:
    if not isinstance(params.flow_data, Flow):
        return None
    kind = params.flow_data.type
    if kind.startswith("subscription"):
        param, part = f"flow_data[{kind}]", getattr(params.flow_data, kind)
        if part is UNSET:
            raise StripeError(f"Missing required param: {param}.", code="parameter_missing", param=param)
        refer(call, SUBSCRIPTIONS, part.subscription, f"{param}[subscription]")
    names = ("after_completion", "subscription_cancel", "subscription_update", "subscription_update_confirm")
    after: Fields = {"type": "portal_homepage", "hosted_confirmation": None, "redirect": None}
    return {**dict.fromkeys(names), "after_completion": after, **value_of(params.flow_data)}


@api.get("/p/session/{secret}", open=True, scope="publishable")
def show_portal(call: Call, secret: str, params: Annotated[Params, Body]) -> Response:
    """Show a customer's subscriptions and invoices."""
    session = _session(call, secret)
    features: dict[str, Fields] = retrieve_portal_configuration(call, session.configuration).features
    mine = call.db.rows(Subscription, Subscription.customer == session.customer, order=-Subscription.seq)
    may_cancel: bool = features["subscription_cancel"]["enabled"]
    going = "".join(_subscription(each, may_cancel=may_cancel) for each in mine if each.status not in ENDED)
    invoices = call.db.rows(
        Invoice, Invoice.customer == session.customer, Invoice.status != "draft", order=-Invoice.seq
    )
    listed = "".join(_invoice(each) for each in show_all(call, INVOICES, invoices[:20]))
    history = f"<h2>Invoices</h2><ul>{listed}</ul>" if features["invoice_history"]["enabled"] else ""
    back = f'<p><a href="{escape(session.return_url, quote=True)}">Return</a></p>' if session.return_url else ""
    return page("Billing", f"<h2>Subscriptions</h2>{going or '<p>No subscriptions.</p>'}{history}{back}")


@api.post("/p/session/{secret}", open=True, scope="publishable")
def change_subscription(call: Call, secret: str, params: Annotated[Wish, Body]) -> Response:
    """Cancel a subscription as the configuration says, or undo its cancellation."""
    session = _session(call, secret)
    if running(call, params.subscription).customer != session.customer:
        raise SUBSCRIPTIONS.missing(params.subscription)
    cancel: Fields = retrieve_portal_configuration(call, session.configuration).features["subscription_cancel"]
    if not cancel["enabled"]:
        raise StripeError("The portal's configuration does not let customers end subscriptions.", status=403)
    if params.wish == "cancel" and cancel["mode"] == "immediately":
        cancel_subscription(
            call, params.subscription, CancelSubscription(prorate=cancel["proration_behavior"] != "none")
        )
    else:
        update_subscription(call, params.subscription, UpdateSubscription(cancel_at_period_end=params.wish == "cancel"))
    return redirect(f"{call.base_url}/p/session/{secret}")


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
