"""Standing orders: entries that are posted again and again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from twindiff.kit import Call, Meta, Operations, Timestamp, View

from .entries import Amount, post
from .errors import AccountClosed, AccountNotFound, StandingOrderNotFound
from .tables import Account, StandingOrder

api = Operations()

order_object = View(
    StandingOrder,
    {"from": StandingOrder.from_account},
    id=StandingOrder.order_id,
    to=StandingOrder.to_account,
    amount=StandingOrder.amount,
    every_days=StandingOrder.every_days,
    next_at=StandingOrder.next_at,
)


@api.get("/standing_orders")
def list_standing_orders(call: Call) -> dict[str, Any]:
    """List all standing orders."""
    return {"data": [order_object(order) for order in call.db.rows(StandingOrder)]}


@api.post("/standing_orders", status=201)
def add_standing_order(
    call: Call,
    from_account: str,
    to_account: str,
    amount: Amount,
    first_at: Timestamp,
    every_days: Annotated[int, Meta(ge=1, le=366)] = 30,
) -> dict[str, Any]:
    """Post an entry at a time, and every so many days from then on."""
    for account_id in (from_account, to_account):
        call.db.get(Account, account_id, missing=AccountNotFound)
    order = StandingOrder(
        order_id=f"S{call.db.next('standing_order'):06d}",
        from_account=from_account,
        to_account=to_account,
        amount=amount,
        every_days=every_days,
        next_at=first_at,
    )
    return order_object(call.db.add(order))


@api.delete("/standing_orders/{order_id}", status=204)
def delete_standing_order(call: Call, order_id: str) -> None:
    """Post no more entries of an order."""
    call.db.remove(call.db.get(StandingOrder, order_id, missing=StandingOrderNotFound))


@api.due(StandingOrder.next_at)
def post_standing_order(call: Call, order: StandingOrder) -> None:
    """Post the entry of an order whose time has come; an order of an account that was closed ends."""
    try:
        post(call, order.from_account, order.to_account, order.amount, memo=f"Standing order {order.order_id}")
    except AccountClosed:
        call.db.remove(order)
        return
    then = datetime.fromisoformat(order.next_at) + timedelta(days=order.every_days)
    call.db.change(order, next_at=then.isoformat())
