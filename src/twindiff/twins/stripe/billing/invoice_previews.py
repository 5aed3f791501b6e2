"""Invoice previews: the next invoice, or the one that a change would cause, without any lasting effect.

The requested change is made within a savepoint and rolled back, so a preview cannot differ from the real invoice.

https://docs.stripe.com/api/invoices/create_preview
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from msgspec.structs import replace

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..catalog.discounts import OptDiscounts, create_discounts
from ..catalog.price_params import PriceData, TaxBehavior
from ..core.currencies import parse_currency
from ..core.middleware import version_of
from ..core.objects import Fields, find, now, refer, retrieve, show
from ..core.params import (
    Address,
    Integer,
    Issuer,
    NestedParams,
    OptAutomaticTax,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    Params,
    Shipping,
    Unset,
)
from ..core.test_clocks import use_clock_time
from ..customer.customers import CreateCustomer, TaxId, create_customer
from ..tables.customer_tables import CUSTOMERS, Customer
from ..tax.automatic_tax import to_automatic_tax_columns
from ..tax.tax_rates import tax_rates_of
from .invoices import invoice_items as invoiceitems
from .invoices import invoice_lifecycle
from .subscriptions import billing_cycles, subscription_updates
from .subscriptions.schedule_phases import Phase, PhaseSettings
from .subscriptions.subscription_params import (
    Behavior,
    BillingMode,
    ChangedItem,
    CreateSubscription,
    ItemFields,
    UpdateSubscription,
)
from .subscriptions.subscription_schedules import (
    SCHEDULES,
    CreateSchedule,
    SubscriptionSchedule,
    UpdateSchedule,
    create_schedule,
    next_phase,
    update_schedule,
)
from .subscriptions.subscriptions import create_subscription
from .tables.invoice_tables import INVOICES, make_invoice
from .tables.subscription_tables import ENDED, SUBSCRIPTIONS, Subscription, items_of

api = Operations(prefix="/v1/invoices")


class PreviewPeriod(NestedParams):
    """Start and end of a period, as Unix timestamps."""

    end: Integer
    start: Integer


class PreviewItem(NestedParams, kw_only=True):
    """An invoice item that the preview shows in addition to the pending ones."""

    amount: OptInteger = UNSET
    currency: OptName = UNSET
    description: OptText = UNSET
    discountable: OptBool = UNSET
    discounts: OptDiscounts = UNSET
    metadata: OptMetadata = UNSET
    period: PreviewPeriod | UnsetType = UNSET
    price: OptName = UNSET
    price_data: PriceData | UnsetType = UNSET
    quantity: OptInteger = UNSET
    quantity_decimal: OptText = UNSET
    tax_behavior: TaxBehavior | UnsetType = UNSET
    tax_code: OptText = UNSET
    tax_rates: list[str] | Unset | UnsetType = UNSET
    unit_amount: OptInteger = UNSET
    unit_amount_decimal: OptText = UNSET


class PreviewSubscription(NestedParams, kw_only=True):
    """Requested changes of a subscription, or a new one."""

    billing_cycle_anchor: Literal["now", "unchanged"] | UnsetType = UNSET
    billing_mode: BillingMode | UnsetType = UNSET
    cancel_at: OptText = UNSET
    cancel_at_period_end: OptBool = UNSET
    cancel_now: OptBool = UNSET
    default_tax_rates: list[str] | Unset | UnsetType = UNSET
    items: list[ChangedItem] | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    proration_date: OptInteger = UNSET
    resume_at: Literal["now"] | UnsetType = UNSET
    trial_end: OptText = UNSET


class PreviewSchedule(NestedParams, kw_only=True):
    """Requested changes of a schedule, or a new one."""

    billing_mode: BillingMode | UnsetType = UNSET
    end_behavior: Literal["cancel", "release"] | UnsetType = UNSET
    phases: list[Phase] | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET


class CustomerDetails(NestedParams):
    """A customer who does not exist yet."""

    address: Address | Unset | UnsetType = UNSET
    shipping: Shipping | Unset | UnsetType = UNSET
    tax: dict[str, str] | UnsetType = UNSET
    tax_exempt: Literal["", "exempt", "none", "reverse"] | UnsetType = UNSET
    tax_ids: list[TaxId] | UnsetType = UNSET


class CreatePreview(Params, kw_only=True):
    """The parameters of a preview."""

    automatic_tax: OptAutomaticTax = UNSET
    currency: OptName = UNSET
    customer: OptName = UNSET
    customer_details: CustomerDetails | UnsetType = UNSET
    discounts: OptDiscounts = UNSET
    invoice_items: list[PreviewItem] | UnsetType = UNSET
    issuer: Issuer | UnsetType = UNSET
    preview_mode: Literal["next", "recurring"] | UnsetType = UNSET
    schedule: OptName = UNSET
    schedule_details: PreviewSchedule | UnsetType = UNSET
    subscription: OptName = UNSET
    subscription_details: PreviewSubscription | UnsetType = UNSET


class InvoicePreview(Exception):
    """An invoice that was seen."""

    def __init__(self, invoice: Fields) -> None:
        super().__init__()
        self.invoice = invoice


NOT_YET = ("number", "effective_at", "hosted_invoice_url", "invoice_pdf", "ending_balance", "webhooks_delivered_at")
"""Fields that are null in a preview, because the invoice does not exist."""


@api.post("/create_preview")
def create_preview(call: Call, params: Annotated[CreatePreview, Body]) -> Fields:
    """Preview an invoice."""
    _check_wanted(call, params)
    memo = dict(call.memo)
    try:
        with call.db.savepoint():
            made = retrieve(call, INVOICES, _build_preview(call, params))
            raise InvoicePreview(_upcoming(call, show(call, INVOICES, made)))
    except InvoicePreview as seen:
        return seen.invoice
    finally:
        call.memo.clear()
        call.memo.update(memo)


def _upcoming(call: Call, invoice: Fields) -> Fields:
    """Render an invoice as its preview: with an `upcoming_` id, as an unpaid draft."""
    id = f"upcoming_{invoice['id']}"
    lines = [{**line, "invoice": id} for line in invoice["lines"]["data"]]
    return {**invoice, **dict.fromkeys(NOT_YET), "id": id, "billing_reason": "upcoming", "status": "draft",
            "amount_paid": 0, "amount_remaining": invoice["amount_due"],
            "attempted": False, "attempt_count": 0, "parent": _parent(call, invoice["parent"], lines),
            "lines": {**invoice["lines"], "data": lines, "url": f"/v1/invoices/{id}/lines"}}  # fmt: skip


def _parent(call: Call, parent: Fields | None, lines: list[Fields]) -> Fields | None:
    """Return the `parent` of a preview, with the proration date if lines are prorated from it."""
    at = call.memo.get("prorated_at")
    prorated = [line for line in lines if line["parent"][line["parent"]["type"]]["proration"]]
    if parent is None or not any(line["period"]["start"] == at for line in prorated):
        return parent
    details: Fields = {**parent["subscription_details"], "subscription_proration_date": at}
    return {**parent, "subscription_details": details}


@contextmanager
def _of_details() -> Generator[None]:
    """Prefix the parameter names of errors with `subscription_details`, as in the preview's own parameters."""
    try:
        yield
    except StripeError as error:
        first, *rest = (error.fields.get("param") or "").split("[", 1)
        if first in PreviewSubscription.__struct_fields__:
            error.fields["param"] = "[".join([f"subscription_details[{first}]", *rest])
        raise


NO_UPDATES = ("billing_mode", "cancel_now", "metadata", "resume_at")
"""Parameters of a previewed subscription that its update does not have."""

CUSTOMERS_ALONE = "2025-03-31"
"""First API version that rejects a customer as the only parameter:
https://docs.stripe.com/changelog/basil/2025-03-31/invoice-preview-api-deprecations
"""


def _check_wanted(call: Call, params: CreatePreview) -> None:
    """Raise StripeError unless the parameters determine what to preview."""
    details = params.subscription_details
    items = details.items if isinstance(details, PreviewSubscription) else UNSET
    details_of_schedule = params.schedule_details
    planned = details_of_schedule.phases if isinstance(details_of_schedule, PreviewSchedule) else UNSET
    if params.subscription and (params.schedule or details_of_schedule is not UNSET):
        other = "schedule" if params.schedule else "schedule_details"
        message = f"You may only specify one of these parameters: subscription, {other}."
        raise StripeError(message, param="subscription")
    named = (params.subscription, params.schedule, items, planned, params.invoice_items)
    if version_of(call) < CUSTOMERS_ALONE or any(each is not UNSET for each in named):
        return
    raise StripeError(
        "You must provide at least one of: `subscription`, `schedule`, `subscription_details.items`, "
        "`schedule_details.phases`, `invoice_items`."
    )


def _build_preview(call: Call, params: CreatePreview) -> str:
    """Make the invoice to preview and return its id."""
    if params.schedule or isinstance(params.schedule_details, PreviewSchedule):
        return _preview_schedule(call, params)
    row = _subscription(call, params)
    customer = retrieve(call, CUSTOMERS, row.customer) if row else _customer(call, params)
    use_clock_time(call, customer.test_clock)
    _add_items(call, params, customer)
    details = params.subscription_details
    wanted = details if isinstance(details, PreviewSubscription) else None
    if row is None and wanted and wanted.items is not UNSET:
        with _of_details():
            return _first(call, wanted, params, customer)
    if row := row or _soonest(call, customer):
        if params.discounts is not UNSET:
            given = create_discounts(call, params.discounts, customer.id, currency=row.currency)
            row = call.db.change(row, discounts=given)
        row = call.db.change(row, **to_automatic_tax_columns(call, params.automatic_tax))
        return _next(call, row, params.subscription_details)
    currency = parse_currency(params.currency or customer.currency or "usd")
    discounts = create_discounts(call, params.discounts, customer.id, currency=currency)
    fields = {"discounts": discounts, **to_automatic_tax_columns(call, params.automatic_tax)}
    draft = make_invoice(call, customer, currency=currency, **fields)
    invoice_lifecycle.add_pending_items(call, draft)
    if not invoice_lifecycle.lines_of(call, draft.id):
        raise _none(customer.id)
    return invoice_lifecycle.publish_draft(call, draft).id


def _customer(call: Call, params: CreatePreview) -> Customer:
    """Return the customer named by the parameters, or create a temporary one from `customer_details`."""
    if isinstance(params.customer, str) and params.customer:
        return refer(call, CUSTOMERS, params.customer, "customer")
    described = params.customer_details
    if not isinstance(described, CustomerDetails):
        message = "You must pass one of customer, customer_details, schedule, or subscription."
        raise StripeError(message, code="parameter_missing", param="customer")
    said: Fields = {"address": described.address, "shipping": described.shipping, "tax_exempt": described.tax_exempt}
    made = create_customer(call, CreateCustomer(**said, tax_id_data=described.tax_ids))
    return retrieve(call, CUSTOMERS, made["id"])


def _soonest(call: Call, customer: Customer) -> Subscription | None:
    """Return the subscription of a customer that is billed next, or None."""
    rows = call.db.rows(Subscription, Subscription.customer == customer.id)
    running = [row for row in rows if row.status not in ENDED and row.status != "paused"]
    ends = {row.id: min(item.current_period_end for item in items_of(call, row.id)) for row in running}
    going = [row for row in running if row.cancel_at is None or row.cancel_at > ends[row.id]]
    return min(going, key=lambda row: ends[row.id], default=None)


def _none(customer: str) -> StripeError:
    message = f"No upcoming invoices for customer: {customer}"
    return StripeError(message, status=404, code="invoice_upcoming_none")


def _subscription(call: Call, params: CreatePreview) -> Subscription | None:
    id = params.subscription
    if not isinstance(id, str) or not id:
        return None
    row = refer(call, SUBSCRIPTIONS, id, "subscription")
    if row.status in ENDED:
        raise _none(row.customer)
    return row


def _preview_schedule(call: Call, params: CreatePreview) -> str:
    """Make the invoice of a schedule: its next one, or the one issued when it starts or changes."""
    details = params.schedule_details if isinstance(params.schedule_details, PreviewSchedule) else PreviewSchedule()
    known = refer(call, SCHEDULES, params.schedule, "schedule") if params.schedule else None
    customer = retrieve(call, CUSTOMERS, known.customer) if known else _customer(call, params)
    use_clock_time(call, customer.test_clock)
    _add_items(call, params, customer)
    owner = find(call, SUBSCRIPTIONS, known.subscription) if known and known.subscription else None
    details = _with_discounts(params, details, owner)
    if owner and params.discounts is not UNSET:
        given = create_discounts(call, params.discounts, customer.id, currency=owner.currency)
        owner = call.db.change(owner, discounts=given)
    if owner:
        owner = call.db.change(owner, **to_automatic_tax_columns(call, params.automatic_tax))
    plan = _changed_plan(call, known, details) if known else _new_plan(call, customer, details, params.automatic_tax)
    if plan.status == "not_started":
        call.memo["now"] = max(plan.phases[0]["start_date"], now(call))
        next_phase(call, plan.id)
    begun = find(call, SUBSCRIPTIONS, retrieve(call, SCHEDULES, plan.id).subscription or "")
    if begun is None:
        raise _none(customer.id)
    if begun.latest_invoice and begun.latest_invoice != (owner.latest_invoice if owner else None):
        return begun.latest_invoice
    return _next(call, begun, UNSET)


def _with_discounts(params: CreatePreview, details: PreviewSchedule, owner: Subscription | None) -> PreviewSchedule:
    """Add the requested discounts to the phases that have none; a running schedule has its own already."""
    if owner or params.discounts is UNSET:
        return details
    if not isinstance(details.phases, list):
        message = "The discounts of a schedule that has not begun are those of its phases; pass these with them."
        raise StripeError(message, param="discounts")
    phases = [replace(each, discounts=each.discounts or params.discounts) for each in details.phases]
    return replace(details, phases=phases)


def _changed_plan(call: Call, row: SubscriptionSchedule, details: PreviewSchedule) -> SubscriptionSchedule:
    """Apply the requested changes to a schedule."""
    wanted: Fields = {name: getattr(details, name) for name in ("end_behavior", "phases", "proration_behavior")}
    if all(value is UNSET for value in wanted.values()):
        return row
    update_schedule(call, row.id, UpdateSchedule(**wanted))
    return retrieve(call, SCHEDULES, row.id)


def _new_plan(call: Call, customer: Customer, details: PreviewSchedule, taxes: OptAutomaticTax) -> SubscriptionSchedule:
    """Create the schedule that the parameters describe."""
    phases = details.phases if isinstance(details.phases, list) else []
    start = (phases[0].start_date or "now") if phases else "now"
    wanted = CreateSchedule(
        customer=customer.id,
        billing_mode=details.billing_mode,
        default_settings=PhaseSettings(automatic_tax=taxes),
        end_behavior=details.end_behavior,
        phases=details.phases,
        start_date=start,
    )
    return retrieve(call, SCHEDULES, create_schedule(call, wanted)["id"])


def _add_items(call: Call, params: CreatePreview, customer: Customer) -> None:
    for item in params.invoice_items if isinstance(params.invoice_items, list) else []:
        pricing = invoiceitems.Pricing(price=item.price) if item.price else UNSET
        period = invoiceitems.Period(end=item.period.end, start=item.period.start) if item.period else UNSET
        invoiceitems.create_invoiceitem(
            call,
            invoiceitems.CreateItem(
                customer=customer.id,
                amount=item.amount,
                currency=item.currency,
                description=item.description,
                discountable=item.discountable,
                metadata=item.metadata,
                period=period,
                price_data=item.price_data,
                pricing=pricing,
                discounts=item.discounts,
                quantity=item.quantity,
                quantity_decimal=item.quantity_decimal,
                tax_behavior=item.tax_behavior,
                tax_code=item.tax_code,
                tax_rates=item.tax_rates,
                unit_amount_decimal=_unit_amount(item),
            ),
        )


def _unit_amount(item: PreviewItem) -> OptText:
    return str(item.unit_amount) if isinstance(item.unit_amount, int) else item.unit_amount_decimal


def _next(call: Call, row: Subscription, wanted: PreviewSubscription | UnsetType) -> str:
    """Return the id of the invoice of a subscription's change if it is billed at once, or else of the next one."""
    latest = row.latest_invoice
    row = _resume(call, row, wanted)
    if isinstance(wanted, PreviewSubscription):
        call.memo["prorated_at"] = wanted.proration_date or now(call)
        with _of_details():
            row = _apply_preview_changes(call, row, wanted)
    if row.latest_invoice and row.latest_invoice != latest:
        return row.latest_invoice
    if row.status not in ENDED:
        ends = [item.current_period_end for item in items_of(call, row.id)]
        ends += [] if row.cancel_at is None else [row.cancel_at]
        call.memo["now"] = max(min(ends), now(call))
        billing_cycles.renew(call, row.id)
    seen = retrieve(call, SUBSCRIPTIONS, row.id).latest_invoice
    if seen is None or seen == latest:
        raise _none(row.customer)
    return seen


def _resume(call: Call, row: Subscription, wanted: PreviewSubscription | UnsetType) -> Subscription:
    """Resume a paused subscription if that is requested; raises StripeError otherwise, because it is not billed."""
    resumes = isinstance(wanted, PreviewSubscription) and wanted.resume_at == "now"
    if row.status == "paused" and not resumes:
        raise StripeError(
            "The subscription is paused and will not generate invoices until it has been resumed. Pass the "
            "`subscription_details[resume_at]` parameter to view the invoice that will be generated if the "
            "subscription is resumed."
        )
    if resumes and row.status != "paused":
        raise StripeError(subscription_updates.NOT_PAUSED, param="subscription_details[resume_at]")
    return subscription_updates.resume(call, row) if resumes else row


def _apply_preview_changes(call: Call, row: Subscription, wanted: PreviewSubscription) -> Subscription:
    if wanted.cancel_now is True:
        prorate = wanted.proration_behavior != "none"
        return subscription_updates.cancel(call, row, prorate=prorate, invoice_now=True)
    if wanted.default_tax_rates is not UNSET:
        rates = tax_rates_of(call, wanted.default_tax_rates or [], "subscription_details[default_tax_rates]")
        row = call.db.change(row, default_tax_rates=rates)
    names = [name for name in wanted.__struct_fields__ if name not in NO_UPDATES]
    fields: dict[str, Any] = {name: getattr(wanted, name) for name in names}
    return subscription_updates.apply(call, row, UpdateSubscription(**fields))


def _first(call: Call, wanted: PreviewSubscription, params: CreatePreview, customer: Customer) -> str:
    """Create the described subscription and return the id of its first invoice."""
    names = ("discounts", "metadata", "price", "price_data", "quantity", "tax_rates")
    given_items = wanted.items if isinstance(wanted.items, list) else []
    items = [ItemFields(**{name: getattr(item, name) for name in names}) for item in given_items]
    made = create_subscription(
        call,
        CreateSubscription(
            customer=customer.id,
            items=items,
            automatic_tax=params.automatic_tax,
            billing_mode=wanted.billing_mode,
            cancel_at=wanted.cancel_at,
            currency=params.currency,
            default_tax_rates=wanted.default_tax_rates,
            discounts=params.discounts,
            metadata=wanted.metadata,
            payment_behavior="default_incomplete",
            proration_behavior=wanted.proration_behavior,
            trial_end=wanted.trial_end,
        ),
    )
    if not made["latest_invoice"]:
        raise _none(customer.id)
    return str(made["latest_invoice"])
