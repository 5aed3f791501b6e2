"""What the twin has nothing of, and answers truly: sessions, archived integrations, histories of texts, rules of SLAs.

https://linear.app/docs/security-and-access \u00b7 https://linear.app/docs/sla
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, exists
from twindiff.kit.graphql import Section, entity_operations

from ..model.automations import Integration, IntegrationTemplate
from ..model.documents import DocumentContent, Template
from ..model.organization import AuditEntry
from ..model.teams import Team
from ..model.users import User

api = Section()


@api.query("archivedIntegrations: [ArchivedIntegrationPayload!]!")
def archived_integrations(call: Call) -> list[dict[str, Any]]:
    """List the integrations archived lately. There are none: an integration that is removed leaves no row."""
    return []


@api.query("auditEntryTypes: [AuditEntryType!]!")
def audit_entry_types(call: Call) -> list[dict[str, Any]]:
    """List the types of the workspace's audit entries."""
    kinds = sorted({kind for (kind,) in call.db.rows(AuditEntry.row, columns=(AuditEntry.row.type,))})
    return [{"type": kind, "description": kind} for kind in kinds]


@api.query("authenticationSessions: [AuthenticationSessionResponse!]!")
def authentication_sessions(call: Call) -> list[dict[str, Any]]:
    """List the caller's sessions. There are none, because a twin has no sign-in."""
    return []


@api.query("userSessions(id: String!): [AuthenticationSessionResponse!]!")
def user_sessions(call: Call, id: str) -> list[dict[str, Any]]:
    """List the sessions of a user, of which there are none; raise EntityNotFound for an unknown user."""
    entity_operations.find(call, User, id)
    return []


@api.query("documentContentHistory(id: String!): DocumentContentHistoryPayload!")
def document_content_history(call: Call, id: str) -> dict[str, Any]:
    """Return the history of a text, which is not kept; raise EntityNotFound for an unknown text."""
    entity_operations.find(call, DocumentContent, id)
    return {"history": [], "success": True}


@api.query("slaConfigurations(teamId: String!): [SlaConfiguration!]!")
def sla_configurations(call: Call, team_id: str) -> list[dict[str, Any]]:
    """List the rules of SLAs of a team, of which there are none; raise EntityNotFound for an unknown team."""
    entity_operations.find(call, Team, team_id)
    return []


@api.query("templatesForIntegration(integrationType: String!): [Template!]!")
def templates_for_integration(call: Call, integration_type: str) -> list[Any]:
    """List the templates that are used with the integrations of a service."""
    link, integration, template = IntegrationTemplate.row, Integration.row, Template.row
    of_service = exists(integration, integration.id == link.integrationId, integration.service == integration_type)
    return call.db.rows(
        template, exists(link, link.templateId == template.id, of_service), template.archivedAt.is_null()
    )
