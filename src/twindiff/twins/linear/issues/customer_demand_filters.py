"""Filters and sorts of issues and projects by their customers: number, names and revenue.

https://linear.app/docs/customer-requests
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Column
from twindiff.kit.computed_values import coalesce, count, join_texts, total
from twindiff.kit.graphql import Entity, Section, entity_operations
from twindiff.kit.rows import Expression, Source, Step, TransitiveClosure

from ..model.customers import Customer, CustomerNeed
from ..model.issues import Issue
from ..model.projects import Project

api = Section()

IMPORTANT = CustomerNeed.row.priority == 1.0
"""A need that is important to its customer."""


def _needing(key: Column[Any], thing: Column[Any], *which: Expression) -> Source:
    """Return the distinct customers who need a thing. `key` is the column of a need that refers to the thing."""
    need = CustomerNeed.row
    return TransitiveClosure(Customer.row, thing, (Step(key, need.customerId, (need.archivedAt.is_null(), *which)),))


def _register_count_filter(entity: type[Entity], name: str, key: Column[Any], *which: Expression) -> None:
    needing = _needing(key, entity.row.id, *which)

    @api.filter(entity, name)
    def how_many(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return entity_operations.collection(call, Customer, {"length": comparator}, source=needing)


for _entity, _key in ((Issue, CustomerNeed.row.issueId), (Project, CustomerNeed.row.projectId)):
    _register_count_filter(_entity, "customerCount", _key)
    _register_count_filter(_entity, "customerImportantCount", _key, IMPORTANT)


def _register_sort(name: str, value: Column[Any]) -> None:
    @api.sort(Issue, name)
    def order(call: Call, options: dict[str, Any]) -> Column[Any]:  # pyright: ignore[reportUnusedFunction]
        return value


_kept = Customer.row.archivedAt.is_null()
_customers = (_needing(CustomerNeed.row.issueId, Issue.row.id), _kept)
_register_sort("customer", join_texts(Customer.row.name, *_customers))
_register_sort("customerCount", count(*_customers))
_register_sort("customerImportantCount", count(_needing(CustomerNeed.row.issueId, Issue.row.id, IMPORTANT), _kept))
_register_sort("customerRevenue", total(coalesce(Customer.row.revenue, 0), *_customers))


@api.sort(Customer, "approximateNeedCount")
def by_needs(call: Call, options: dict[str, Any]) -> Column[Any]:
    """Sort customers by their number of needs."""
    need = CustomerNeed.row
    return count(need, need.customerId == Customer.row.id, need.archivedAt.is_null())
