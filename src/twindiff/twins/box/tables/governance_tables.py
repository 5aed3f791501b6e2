"""Tables of retention policies, legal holds and their assignments, which protect content from deletion.

Which versions are preserved is derived from these rows and not stored with the versions.
"""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references

from .item_tables import User


class RetentionPolicy(Row, table="box_retention_policies", key=("id",)):
    id: Column[str]
    type: Column[str] = column(default="retention_policy")
    policy_name: Column[str]
    description: Column[str | None] = column(default=None)
    policy_type: Column[str]
    retention_length: Column[str | None] = column(default=None)
    """Days; NULL for an indefinite policy."""
    disposition_action: Column[str] = column(default="remove_retention")
    retention_type: Column[str] = column(default="modifiable")
    status: Column[str] = column(default="active")
    can_owner_extend_retention: Column[bool | None] = column(default=False)
    max_extension_length: Column[str | None] = column(default=None)
    are_owners_notified: Column[bool | None] = column(default=False)
    custom_notification_recipients: Column[Json | None] = column(default=None)
    created_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)


class RetentionAssignment(Row, table="box_retention_policy_assignments", key=("id",), indexes=(("policy_id", "id"),)):
    id: Column[str]
    type: Column[str] = column(default="retention_policy_assignment")
    policy_id: Column[str] = references(RetentionPolicy, on_delete="cascade")
    assigned_to_type: Column[str]
    assigned_to_id: Column[str | None] = column(default=None)
    filter_fields: Column[Json] = column(default=[])
    start_date_field: Column[str | None] = column(default=None)
    assigned_by_id: Column[str | None] = references(User, default=None)
    assigned_at: Column[Timestamp | None] = column(default=None)
    disposes_at: Column[Timestamp | None] = column(default=None, derived=True)
    """When content whose retention has ended is looked for next, if the policy deletes content."""


class LegalHold(Row, table="box_legal_hold_policies", key=("id",)):
    id: Column[str]
    type: Column[str] = column(default="legal_hold_policy")
    policy_name: Column[str]
    description: Column[str | None] = column(default=None)
    status: Column[str] = column(default="active")
    filter_started_at: Column[Timestamp | None] = column(default=None)
    filter_ended_at: Column[Timestamp | None] = column(default=None)
    release_notes: Column[str | None] = column(default=None)
    created_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)


class LegalHoldAssignment(Row, table="box_legal_hold_policy_assignments", key=("id",), indexes=(("policy_id", "id"),)):
    id: Column[str]
    type: Column[str] = column(default="legal_hold_policy_assignment")
    policy_id: Column[str] = references(LegalHold, on_delete="cascade")
    assigned_to_type: Column[str]
    assigned_to_id: Column[str]
    assigned_by_id: Column[str | None] = references(User, default=None)
    assigned_at: Column[Timestamp | None] = column(default=None)


TABLES = (RetentionPolicy, RetentionAssignment, LegalHold, LegalHoldAssignment)
