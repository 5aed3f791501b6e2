"""Billing credits: amounts that customers have prepaid or were granted for usage-based billing.

Credits are applied to metered lines when an invoice is finalized, after discounts and before taxes.

https://docs.stripe.com/billing/subscriptions/usage-based/billing-credits
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.prices import PRICES, Price
from ...core.currencies import parse_currency
from ...core.events import record_row, update
from ...core.objects import Fields, StripeObject, build_view, new, now, refer, resource, retrieve
from ...core.pagination import list_of, to_reference_conditions
from ...core.params import (
    Integer,
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    Params,
    collect_params,
    integer_or_word,
    merge_metadata,
)
from ...core.test_clocks import use_clock_time
from ...tables.customer_tables import CUSTOMERS
from ..tables.invoice_line_items import LINE_ITEMS, LineItem, lines_of
from ..tables.invoice_tables import Invoice

api = Operations(prefix="/v1/billing")

PRIORITY = 50
HIGHEST = 100


class CreditGrant(
    StripeObject, table="billing_credit_grants", key=("id",), unique=(("seq",),), indexes=(("customer", "seq"),)
):
    amount: Column[Json]
    applicability_config: Column[Json]
    category: Column[str] = column(default="promotional")
    customer: Column[str]
    effective_at: Column[int]
    expires_at: Column[int | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    name: Column[str | None] = column(default=None)
    priority: Column[int] = column(default=PRIORITY)
    test_clock: Column[str | None] = column(default=None)
    updated: Column[int] = column(derived=True)
    voided_at: Column[int | None] = column(default=None)
    remaining: Column[int] = column(default=0)
    """The amount not yet spent, in the smallest unit of the currency."""


GRANTS = resource(
    CreditGrant,
    "billing.credit_grant",
    "credgr_",
    build_view(CreditGrant, "billing.credit_grant", "remaining", customer_account=None),
    spoken="billing credit grant",
    expandable=("customer", "test_clock"),
)


class CreditTransaction(
    StripeObject,
    table="billing_credit_balance_transactions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("credit_grant", "seq")),
    visibility="derived",
):
    credit: Column[Json | None] = column(default=None)
    credit_grant: Column[str]
    debit: Column[Json | None] = column(default=None)
    effective_at: Column[int]
    test_clock: Column[str | None] = column(default=None)
    type: Column[str]
    customer: Column[str]


TRANSACTIONS = resource(
    CreditTransaction,
    "billing.credit_balance_transaction",
    "cbctxn_",
    build_view(CreditTransaction, "billing.credit_balance_transaction", "customer"),
    spoken="billing credit balance transaction",
    expandable=("credit_grant", "test_clock", "credits_applied.invoice"),
)


class Monetary(NestedParams):
    """A monetary amount."""

    currency: str
    value: Integer


class GrantAmount(NestedParams, kw_only=True):
    """The amount granted."""

    type: Literal["monetary"]
    monetary: Monetary | UnsetType = UNSET


class PriceNamed(NestedParams):
    """A reference to a price."""

    id: str


class Scope(NestedParams):
    """What the credits apply to: all metered prices, or the listed ones."""

    price_type: Literal["metered"] | UnsetType = UNSET
    prices: list[PriceNamed] | UnsetType = UNSET


class Applicability(NestedParams):
    """The applicability of the credits."""

    scope: Scope


class CreateGrant(Params, kw_only=True):
    """The parameters of a new grant."""

    amount: GrantAmount
    applicability_config: Applicability
    category: Literal["paid", "promotional"] | UnsetType = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    effective_at: OptInteger = UNSET
    expires_at: OptInteger = UNSET
    metadata: OptMetadata = UNSET
    name: OptText = UNSET
    priority: OptInteger = UNSET


class UpdateGrant(Params):
    """The parameters of an update."""

    expires_at: OptText = UNSET
    metadata: OptMetadata = UNSET


class OfCustomer(ListParams):
    """The customer whose grants are listed."""

    customer: OptName = UNSET
    customer_account: OptText = UNSET


class OfGrant(OfCustomer):
    """The customer, and optionally the grant, whose transactions are listed."""

    credit_grant: OptText = UNSET


class SummaryFilter(NestedParams, kw_only=True):
    """The credits to add up."""

    type: Literal["applicability_scope", "credit_grant"]
    applicability_scope: Scope | UnsetType = UNSET
    credit_grant: OptText = UNSET


class Summary(Params, kw_only=True):
    """The parameters of a summary."""

    customer: OptName = UNSET
    customer_account: OptText = UNSET
    filter: SummaryFilter


@api.post("/credit_grants")
def create_grant(call: Call, params: Annotated[CreateGrant, Body]) -> Fields:
    """Grant credits to a customer."""
    customer = refer(call, CUSTOMERS, _require_customer(params.customer), "customer")
    use_clock_time(call, customer.test_clock)
    value, currency = _amount(params.amount)
    _check_scope(call, params.applicability_config.scope)
    begins = params.effective_at if isinstance(params.effective_at, int) else now(call)
    if isinstance(params.expires_at, int) and params.expires_at <= max(begins, now(call)):
        raise StripeError("The `expires_at` must be in the future, and after `effective_at`.", param="expires_at")
    if isinstance(params.priority, int) and not 0 <= params.priority <= HIGHEST:
        raise StripeError(f"The priority must be from 0 to {HIGHEST}.", param="priority")
    fields = collect_params(params, "amount", "customer_account", "effective_at")
    made = new(
        call,
        GRANTS,
        **fields,
        amount=money(value, currency),
        effective_at=begins,
        metadata=merge_metadata({}, params.metadata),
        remaining=value,
        test_clock=customer.test_clock,
        updated=now(call),
    )
    if not customer.has_credits:
        call.db.change(customer, has_credits=True)
    record_row(call, "billing.credit_grant.created", GRANTS, made)
    _enter(call, made, "credit", {"amount": made.amount, "type": "credits_granted"})
    return GRANTS.show(made)


@api.get("/credit_grants/{id}")
def retrieve_grant(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a grant."""
    return GRANTS.show(retrieve(call, GRANTS, id))


@api.post("/credit_grants/{id}")
def update_grant(call: Call, id: str, params: Annotated[UpdateGrant, Body]) -> Fields:
    """Update a grant's expiry and metadata."""
    row = _open(call, id)
    until: int | UnsetType | None = UNSET
    if isinstance(params.expires_at, str):
        wanted = integer_or_word(params.expires_at, "expires_at", "")
        until = wanted if isinstance(wanted, int) else None
        if until is not None and until <= now(call):
            raise StripeError("The `expires_at` must be in the future.", param="expires_at")
    metadata = merge_metadata(row.metadata, params.metadata)
    return GRANTS.show(_update_grant(call, row, expires_at=until, metadata=metadata))


@api.get("/credit_grants")
def list_grants(call: Call, params: Annotated[OfCustomer, Body]) -> Fields:
    """List grants."""
    where = to_reference_conditions(call, (CreditGrant.customer, params.customer, CUSTOMERS))
    return list_of(call, GRANTS, params, "/v1/billing/credit_grants", *where)


@api.post("/credit_grants/{id}/expire")
def expire_grant(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Expire a grant now; its remaining credits are debited."""
    row = _open(call, id)
    if row.remaining:
        _enter(call, row, "debit", {"amount": _to_remaining_amount(row), "type": "credits_expired"})
    return GRANTS.show(_update_grant(call, row, expires_at=now(call), remaining=0))


@api.post("/credit_grants/{id}/void")
def void_grant(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Void a grant; raises StripeError once any of its credits are applied."""
    row = _open(call, id)
    if row.remaining != row.amount["monetary"]["value"]:
        raise StripeError(f"The credit grant {id} cannot be voided, since credits of it were applied.")
    _enter(call, row, "debit", {"amount": row.amount, "type": "credits_voided"})
    return GRANTS.show(_update_grant(call, row, voided_at=now(call), remaining=0))


@api.get("/credit_balance_transactions")
def list_transactions(call: Call, params: Annotated[OfGrant, Body]) -> Fields:
    """List the credit transactions of a customer."""
    table = CreditTransaction
    where = to_reference_conditions(
        call, (table.customer, params.customer, CUSTOMERS), (table.credit_grant, params.credit_grant, GRANTS)
    )
    return list_of(call, TRANSACTIONS, params, "/v1/billing/credit_balance_transactions", *where)


@api.get("/credit_balance_transactions/{id}")
def retrieve_transaction(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a credit transaction."""
    return TRANSACTIONS.show(retrieve(call, TRANSACTIONS, id))


@api.get("/credit_balance_summary")
def retrieve_summary(call: Call, params: Annotated[Summary, Body]) -> Fields:
    """Retrieve the credit balance of a customer."""
    customer = refer(call, CUSTOMERS, _require_customer(params.customer), "customer")
    use_clock_time(call, customer.test_clock)
    rows = _grants(call, customer.id)
    if params.filter.type == "credit_grant":
        wanted = retrieve(call, GRANTS, params.filter.credit_grant or "", param="filter[credit_grant]", status=400)
        rows = [row for row in rows if row.id == wanted.id]
    elif isinstance(scope := params.filter.applicability_scope, Scope) and isinstance(scope.prices, list):
        ids = {each.id for each in scope.prices}
        rows = [row for row in rows if any(_is_for(row, id) for id in ids)]
    held: dict[str, int] = {}
    for row in rows:
        name = row.amount["monetary"]["currency"]
        held[name] = held.get(name, 0) + row.remaining
    balances = [{"available_balance": money(each, name), "ledger_balance": money(each, name)}
                for name, each in held.items()]  # fmt: skip
    said = {"customer": customer.id, "customer_account": None, "livemode": False, "balances": balances}
    return {"object": "billing.credit_balance_summary", **said}


def money(value: int, currency: str) -> Fields:
    """Return the wire object of a monetary amount."""
    return {"type": "monetary", "monetary": {"currency": currency, "value": value}}


def _require_customer(customer: OptText) -> str:
    if not isinstance(customer, str) or not customer:
        raise StripeError("Missing required param: customer.", code="parameter_missing", param="customer")
    return customer


def _amount(wanted: GrantAmount) -> tuple[int, str]:
    if not isinstance(wanted.monetary, Monetary):
        name = "amount[monetary]"
        raise StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)
    if wanted.monetary.value < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="amount[monetary][value]")
    return wanted.monetary.value, parse_currency(wanted.monetary.currency, "amount[monetary][currency]")


def _check_scope(call: Call, scope: Scope) -> None:
    at = "applicability_config[scope]"
    if (scope.price_type is UNSET) == (scope.prices is UNSET):
        raise StripeError(f"You must specify one of `{at}[price_type]` or `{at}[prices]`.", param=at)
    for number, each in enumerate(scope.prices if isinstance(scope.prices, list) else []):
        price = refer(call, PRICES, each.id, f"{at}[prices][{number}][id]")
        if price.usage_type != "metered":
            message = f"Credits apply to metered prices alone; {each.id} is none."
            raise StripeError(message, param=f"{at}[prices][{number}][id]")


def _open(call: Call, id: str) -> CreditGrant:
    """Return a grant; raises StripeError if it is voided or expired."""
    row = retrieve(call, GRANTS, id)
    use_clock_time(call, row.test_clock)
    if row.voided_at is not None or (row.expires_at is not None and row.expires_at <= now(call)):
        how = "was voided" if row.voided_at else "has expired"
        raise StripeError(f"The credit grant {id} {how}, and cannot be changed.")
    return row


def _update_grant(call: Call, row: CreditGrant, **wanted: Any) -> CreditGrant:
    return update(call, GRANTS, row, "billing.credit_grant.updated", **wanted, updated=now(call))


def _to_remaining_amount(row: CreditGrant) -> Fields:
    return money(row.remaining, row.amount["monetary"]["currency"])


def _enter(call: Call, row: CreditGrant, type: Literal["credit", "debit"], details: Fields) -> CreditTransaction:
    shared: Fields = {"customer": row.customer, "credit_grant": row.id, "test_clock": row.test_clock}
    made = new(call, TRANSACTIONS, **shared, effective_at=now(call), type=type, **{type: details})
    record_row(call, "billing.credit_balance_transaction.created", TRANSACTIONS, made)
    return made


# Application to invoices


def _grants(call: Call, customer: str) -> list[CreditGrant]:
    """Return the grants that a customer can spend now, in the order in which they are spent."""
    at = now(call)
    rows = call.db.rows(CreditGrant, CreditGrant.customer == customer, CreditGrant.remaining > 0)
    holding = [row for row in rows if row.effective_at <= at and (row.expires_at is None or row.expires_at > at)]
    return sorted(holding, key=_order)


def _order(row: CreditGrant) -> tuple[int, float, bool, int, int]:
    ends = float("inf") if row.expires_at is None else row.expires_at
    return (row.priority, ends, row.category != "promotional", row.effective_at, row.seq)


def _is_for(row: CreditGrant, price: str) -> bool:
    prices: list[Fields] | None = row.applicability_config["scope"].get("prices")
    return not prices or any(each["id"] == price for each in prices)


def apply(call: Call, draft: Invoice) -> bool:
    """Apply credits to the metered lines of a draft; returns whether any were applied."""
    lines = {line.id: line for line in lines_of(call, draft.id) if line.subscription_item and line.amount > 0}
    wanted = {id: line.pricing["price_details"]["price"] for id, line in lines.items() if line.pricing}
    metered = (Price.id.in_(set(wanted.values())), Price.usage_type == "metered")
    prices = {row.id for row in call.db.rows(Price, *metered)} if wanted else set[str]()
    spent = False
    for id in [id for id, price in wanted.items() if price in prices]:
        for row in _grants(call, draft.customer):
            is_right = row.amount["monetary"]["currency"] == draft.currency and _is_for(row, wanted[id])
            spent = (is_right and _spend(call, draft, lines[id].id, row)) or spent
    return spent


def _spend(call: Call, draft: Invoice, line: str, row: CreditGrant) -> bool:
    billed: LineItem = retrieve(call, LINE_ITEMS, line)
    taken = sum(each["amount"] for each in [*billed.discount_amounts, *billed.pretax_credit_amounts])
    amount = min(row.remaining, billed.amount - taken)
    if amount <= 0:
        return False
    applied = {"invoice": draft.id, "invoice_line_item": line}
    value = money(amount, draft.currency)
    made = _enter(call, row, "debit", {"amount": value, "credits_applied": applied, "type": "credits_applied"})
    call.db.change(row, remaining=row.remaining - amount)
    said = {"amount": amount, "credit_balance_transaction": made.id, "type": "credit_balance_transaction"}
    call.db.change(billed, pretax_credit_amounts=[*billed.pretax_credit_amounts, said])
    return True


def restore_credits(call: Call, invoice: Invoice) -> None:
    """Return the credits applied to an invoice that was voided."""
    for line in lines_of(call, invoice.id):
        for each in line.pretax_credit_amounts:
            spent = retrieve(call, TRANSACTIONS, each["credit_balance_transaction"])
            row = retrieve(call, GRANTS, spent.credit_grant)
            voided = {"invoice": invoice.id, "invoice_line_item": line.id}
            kind = "credits_application_invoice_voided"
            _enter(call, row, "credit", {"amount": money(each["amount"], invoice.currency), kind: voided, "type": kind})
            call.db.change(row, remaining=row.remaining + each["amount"])
