"""Tables for the administration of an enterprise: email aliases, allowed domains, terms of service."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references

from .item_tables import Folder, User


class EmailAlias(Row, table="box_email_aliases", key=("id",), indexes=(("user_id", "id"),)):
    id: Column[str]
    type: Column[str] = column(default="email_alias")
    user_id: Column[str] = references(User, on_delete="cascade")
    email: Column[str]
    is_confirmed: Column[bool] = column(default=True)


class Avatar(Row, table="box_user_avatars", key=("user_id",)):
    """The picture of a user, by the digest under which its bytes are stored."""

    user_id: Column[str] = references(User, on_delete="cascade")
    digest: Column[str]
    content_type: Column[str]


class AllowedDomain(Row, table="box_collaboration_whitelist_entries", key=("id",)):
    """A domain whose users may collaborate. It is not enforced here."""

    id: Column[str]
    type: Column[str] = column(default="collaboration_whitelist_entry")
    domain: Column[str]
    direction: Column[str]
    created_at: Column[Timestamp | None] = column(default=None)


class ExemptUser(Row, table="box_collaboration_whitelist_exempt_targets", key=("id",)):
    """A user who is exempt from the allowlist."""

    id: Column[str]
    type: Column[str] = column(default="collaboration_whitelist_exempt_target")
    user_id: Column[str] = references(User, on_delete="cascade")
    created_at: Column[Timestamp | None] = column(default=None)


class TermsOfService(Row, table="box_terms_of_services", key=("id",)):
    id: Column[str]
    type: Column[str] = column(default="terms_of_service")
    status: Column[str]
    tos_type: Column[str]
    text: Column[str]
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None)


class TermsOfServiceStatus(Row, table="box_terms_of_service_user_statuses", key=("id",), indexes=(("tos_id", "id"),)):
    """Whether a user has accepted terms of service."""

    id: Column[str]
    type: Column[str] = column(default="terms_of_service_user_status")
    tos_id: Column[str] = references(TermsOfService)
    user_id: Column[str] = references(User, on_delete="cascade")
    is_accepted: Column[bool]
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None)


class StoragePolicy(Row, table="box_storage_policies", key=("id",)):
    """Where content may be stored. Policies come from Box, here from a template."""

    id: Column[str]
    type: Column[str] = column(default="storage_policy")
    name: Column[str]


class StoragePolicyAssignment(
    Row, table="box_storage_policy_assignments", key=("id",), unique=(("assigned_to_type", "assigned_to_id"),)
):
    """The storage policy of the enterprise, or of a user instead of the enterprise's."""

    id: Column[str]
    type: Column[str] = column(default="storage_policy_assignment")
    storage_policy_id: Column[str] = references(StoragePolicy, on_delete="cascade")
    assigned_to_type: Column[str]
    assigned_to_id: Column[str]


class Invite(Row, table="box_invites", key=("id",)):
    """An invitation into the enterprise. It stays pending until its row is changed."""

    id: Column[str]
    type: Column[str] = column(default="invite")
    status: Column[str] = column(default="pending")
    actionable_by_id: Column[str] = references(User, on_delete="cascade")
    invited_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)


class DevicePin(Row, table="box_device_pinners", key=("id",)):
    """A device with which a user has accessed Box."""

    id: Column[str]
    type: Column[str] = column(default="device_pinner")
    owned_by_id: Column[str] = references(User, on_delete="cascade")
    product_name: Column[str | None] = column(default=None)


class ShieldList(Row, table="box_shield_lists", key=("id",), unique=(("folded_name",),)):
    """A named list of countries, domains, addresses or networks. No rules apply it here."""

    id: Column[str]
    type: Column[str] = column(default="shield_list")
    name: Column[str]
    folded_name: Column[str | None] = column(default=None, derived=True)
    """The case-folded name, which is unique."""
    description: Column[str] = column(default="")
    content: Column[Json]
    created_at: Column[Timestamp | None] = column(default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)


class Archive(Row, table="box_archives", key=("id",), unique=(("folded_name",),)):
    id: Column[str]
    type: Column[str] = column(default="archive")
    name: Column[str]
    folded_name: Column[str | None] = column(default=None, derived=True)
    """The case-folded name, which is unique."""
    description: Column[str | None] = column(default=None)
    size: Column[int] = column(default=0)
    storage_policy_id: Column[str | None] = references(StoragePolicy, default=None)
    owned_by_id: Column[str | None] = references(User, default=None)


class IntegrationMapping(
    Row, table="box_integration_mappings", key=("id",), indexes=(("integration_type", "id"), ("box_item_id", "id"))
):
    """The folder that holds the files of a Slack or Teams channel."""

    id: Column[str]
    type: Column[str] = column(default="integration_mapping")
    integration_type: Column[str]
    partner_item: Column[Json]
    partner_item_id: Column[str]
    box_item_id: Column[str] = references(Folder, on_delete="cascade")
    is_manually_created: Column[bool] = column(default=True)
    is_access_management_disabled: Column[bool] = column(default=False)
    created_by_id: Column[str | None] = references(User, default=None)
    modified_by_id: Column[str | None] = references(User, default=None, derived=True)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)


TABLES = (
    EmailAlias,
    Avatar,
    AllowedDomain,
    ExemptUser,
    TermsOfService,
    TermsOfServiceStatus,
    StoragePolicy,
    StoragePolicyAssignment,
    Invite,
    DevicePin,
    ShieldList,
    Archive,
    IntegrationMapping,
)
