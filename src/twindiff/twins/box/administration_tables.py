"""What administrators keep of an enterprise: further addresses of users, allowed domains, terms of service."""

from __future__ import annotations

from twindiff.kit import Column, Row, Timestamp, column, references

from .tables import User


class EmailAlias(Row, table="box_email_aliases", key=("id",), indexes=(("user_id", "id"),)):
    id: Column[str]
    type: Column[str] = column(default="email_alias")
    user_id: Column[str] = references(User, on_delete="cascade")
    email: Column[str]
    is_confirmed: Column[bool] = column(default=True)


class Avatar(Row, table="box_user_avatars", key=("user_id",)):
    """The picture of a user, by the digest under which its bytes are kept."""

    user_id: Column[str] = references(User, on_delete="cascade")
    digest: Column[str]
    content_type: Column[str]


class AllowedDomain(Row, table="box_collaboration_whitelist_entries", key=("id",)):
    """A domain whose people may be worked with; it forbids nobody else here."""

    id: Column[str]
    type: Column[str] = column(default="collaboration_whitelist_entry")
    domain: Column[str]
    direction: Column[str]
    created_at: Column[Timestamp | None] = column(default=None)


class ExemptUser(Row, table="box_collaboration_whitelist_exempt_targets", key=("id",)):
    """A user for whom allowed domains do not hold."""

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
    """Whether a user has agreed."""

    id: Column[str]
    type: Column[str] = column(default="terms_of_service_user_status")
    tos_id: Column[str] = references(TermsOfService)
    user_id: Column[str] = references(User, on_delete="cascade")
    is_accepted: Column[bool]
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None)


TABLES = (EmailAlias, Avatar, AllowedDomain, ExemptUser, TermsOfService, TermsOfServiceStatus)
