"""Assigns the subscriptions of a prompt to its customers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from twindiff.server.apis.twin_runs.world_prompt_groups import PromptGroup

MONTHLY = {"unit_amount": 4900, "currency": "usd", "interval": "month"}


def write_subscriptions(
    groups: Sequence[PromptGroup],
    owners: Sequence[PromptGroup],
    customers: Sequence[dict[str, Any]],
    products: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Build the subscriptions of a seed configuration; a product without a recurring price gets a monthly one."""
    allotted = _allot(owners, [_key(each) for each in customers])
    written: list[dict[str, Any]] = []
    for group in groups:
        price = _subscribed_product(group, products)
        written += [
            {"customer": customer, "price": price, "status": group.status or "active"}
            for customer in _subscribers(group, allotted, [_key(each) for each in customers])
        ]
    return written[:200]


def _is_once(price: dict[str, Any]) -> bool:
    return price["interval"] is None


def _key(customer: dict[str, Any]) -> str:
    return customer["email"]


def _allot(owners: Sequence[PromptGroup], customers: Sequence[str]) -> dict[int, list[str]]:
    """Assign customers to groups that are parts of another, by `id(group)`; no customer is in two parts."""
    taken: dict[int, list[str]] = {}
    free = [*customers]
    for group in owners:
        if group.part_of:
            taken[id(group)], free = free[: group.count or 0], free[group.count or 0 :]
    return taken


def _subscribers(group: PromptGroup, allotted: dict[int, list[str]], customers: Sequence[str]) -> Iterator[str]:
    """Yield the customer of each subscription of a group."""
    within, count = group.within, group.count if group.count is not None else 1
    if within is None:
        yield from (customers[at % len(customers)] for at in range(min(count, 200) if customers else 0))
        return
    if id(within) in allotted:
        mine = allotted[id(within)]
    elif within.names:
        mine = within.names
    else:
        mine = [*customers[: within.count if within.count is not None else len(customers)]]
    is_shared = group.is_exact and not group.is_each and len(mine) > 1
    for at in range(count if is_shared else len(mine) * count):
        yield mine[at % len(mine)]


def _subscribed_product(group: PromptGroup, products: list[dict[str, Any]]) -> str:
    """The name of a group's product, whose first price is then recurring."""
    named = group.product.names[:1] if group.product else []
    priced = group.product.prices if group.product else []
    wanted = [{"unit_amount": each.amount, "currency": each.currency, "interval": each.interval} for each in priced]
    chosen = [each for each in products if each["name"] in named or not named]
    if not named and wanted:
        chosen = [each for each in products if wanted[0] in each["prices"]]
    repeated = [each for each in chosen if any(price["interval"] for price in each["prices"])]
    if not repeated:
        name = named[0] if named else "Membership"
        repeated = [each for each in products if each["name"] == name] or [{"name": name, "prices": []}]
        products += [each for each in repeated if each not in products]
        once = wanted[:1] or [MONTHLY]
        monthly = {**once[0], "interval": once[0]["interval"] or "month"}
        repeated[0]["prices"] = [monthly, *(each for each in repeated[0]["prices"] if each not in wanted)]
    product = repeated[0]
    product["prices"] = sorted(product["prices"], key=_is_once)
    return product["name"]
