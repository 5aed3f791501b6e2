"""Webhooks.  https://linear.app/developers/webhooks"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import Entity, One, column, computed_field

from .values import WebhookFailureEvent


class Webhook(Entity):
    allPublicTeams: bool = column(default=False)
    enabled: bool = column(default=False)
    label: str | None
    resourceTypes: list[str]
    secret: str | None
    teamIds: list[str] | None
    url: str | None
    creator: One[User] | None
    team: One[Team] | None
    failures: list[WebhookFailureEvent] = computed_field()

    create = "allPublicTeams enabled:Boolean=true id label resourceTypes! secret team url!"
    update = "enabled label resourceTypes secret url"
    roots = "list get create update delete"
    deletes = "hard"
