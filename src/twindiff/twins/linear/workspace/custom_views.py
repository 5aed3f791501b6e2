"""The contents of a custom view: the rows that match its filter.  https://linear.app/docs/custom-views"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, any_of, not_
from twindiff.kit.graphql import ConnectionRows, Entity, Section, entity_operations
from twindiff.kit.rows import Expression

from ..model.initiatives import Initiative
from ..model.issues import Issue
from ..model.projects import Project
from ..model.subscriptions import NotificationSubscription
from ..model.views import CustomView

api = Section()


def _register_view_field(entity: type[Entity], field: str, model: str, column: str) -> None:
    @api.field(CustomView, field)
    def matches(call: Call, rows: list[Any], **arguments: Any) -> list[Any]:  # pyright: ignore[reportUnusedFunction]
        return [_matching(call, entity, row, column) if row.modelName == model else [] for row in rows]


def _matching(call: Call, entity: type[Entity], view: Any, column: str) -> ConnectionRows:
    where = entity_operations.matching(call, entity, getattr(view, column) or {})
    if view.teamId and entity is Issue:
        where = (*where, Issue.row.teamId == view.teamId)
    return ConnectionRows(entity, where)


_register_view_field(Issue, "issues", "Issue", "filterData")
_register_view_field(Project, "projects", "Project", "projectFilterData")
_register_view_field(Initiative, "initiatives", "Initiative", "initiativeFilterData")


@api.query("customViewHasSubscribers(id: String!): CustomViewHasSubscribersPayload!")
def custom_view_has_subscribers(call: Call, id: str) -> dict[str, Any]:
    """Return whether users other than the caller are subscribed to a view."""
    view, row = entity_operations.find(call, CustomView, id), NotificationSubscription.row
    subscription = call.db.find(row, row.customViewId == view.id, row.subscriberId != call.actor)
    return {"hasSubscribers": subscription is not None}


@api.filter(CustomView, "hasFacet")
def has_facet(call: Call, wanted: bool) -> Expression:
    """Build the condition on facets. No view of the twin is pinned as one."""
    return any_of() if wanted else not_(any_of())
