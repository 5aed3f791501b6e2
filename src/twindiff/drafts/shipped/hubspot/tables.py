"""The tables of a HubSpot account.

A record has a column for each usual property, and `properties` has the others. `history` has the former values of
properties, the newest first, and `merged_into` is the id of the record that took over one that is archived.
"""

from __future__ import annotations

from typing import Any

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class CrmContact(Row, table="contacts", key=("id",)):
    """A contact."""

    id: Column[str]
    email: Column[str | None] = column(default=None)
    firstname: Column[str | None] = column(default=None)
    lastname: Column[str | None] = column(default=None)
    phone: Column[str | None] = column(default=None)
    company: Column[str | None] = column(default=None)
    jobtitle: Column[str | None] = column(default=None)
    website: Column[str | None] = column(default=None)
    city: Column[str | None] = column(default=None)
    lifecyclestage: Column[str | None] = column(default=None)
    hs_lead_status: Column[str | None] = column(default=None)
    hubspot_owner_id: Column[str | None] = column(default=None)
    properties: Column[Json] = column(default={})
    archived: Column[bool] = column(default=False)
    merged_into: Column[str | None] = column(default=None)
    history: Column[Json] = column(default={}, derived=True)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class CrmCompany(Row, table="companies", key=("id",)):
    """A company."""

    id: Column[str]
    name: Column[str | None] = column(default=None)
    domain: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    industry: Column[str | None] = column(default=None)
    phone: Column[str | None] = column(default=None)
    city: Column[str | None] = column(default=None)
    country: Column[str | None] = column(default=None)
    website: Column[str | None] = column(default=None)
    lifecyclestage: Column[str | None] = column(default=None)
    hubspot_owner_id: Column[str | None] = column(default=None)
    properties: Column[Json] = column(default={})
    archived: Column[bool] = column(default=False)
    merged_into: Column[str | None] = column(default=None)
    history: Column[Json] = column(default={}, derived=True)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class CrmDeal(Row, table="deals", key=("id",)):
    """A deal; `dealstage` is a stage of its pipeline."""

    id: Column[str]
    dealname: Column[str | None] = column(default=None)
    amount: Column[str | None] = column(default=None)
    dealstage: Column[str | None] = column(default=None)
    pipeline: Column[str | None] = column(default=None)
    closedate: Column[str | None] = column(default=None)
    dealtype: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    hubspot_owner_id: Column[str | None] = column(default=None)
    properties: Column[Json] = column(default={})
    archived: Column[bool] = column(default=False)
    merged_into: Column[str | None] = column(default=None)
    history: Column[Json] = column(default={}, derived=True)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class CrmTicket(Row, table="tickets", key=("id",)):
    """A ticket."""

    id: Column[str]
    subject: Column[str | None] = column(default=None)
    content: Column[str | None] = column(default=None)
    hs_pipeline: Column[str | None] = column(default=None)
    hs_pipeline_stage: Column[str | None] = column(default=None)
    hs_ticket_priority: Column[str | None] = column(default=None)
    hubspot_owner_id: Column[str | None] = column(default=None)
    properties: Column[Json] = column(default={})
    archived: Column[bool] = column(default=False)
    merged_into: Column[str | None] = column(default=None)
    history: Column[Json] = column(default={}, derived=True)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class CrmActivity(Row, table="activities", key=("id",)):
    """A note, task, call, email, meeting, product or line item, as `kind` says."""

    id: Column[str]
    kind: Column[str]
    properties: Column[Json] = column(default={})
    archived: Column[bool] = column(default=False)
    merged_into: Column[str | None] = column(default=None)
    history: Column[Json] = column(default={}, derived=True)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class CrmAssociation(Row, table="associations", key=("from_kind", "from_id", "to_kind", "to_id")):
    """A pair of records that belong together.

    `type_id` is the usual type of the direction from the first to the second, and `labels` are the further types.
    """

    from_kind: Column[str]
    from_id: Column[str]
    to_kind: Column[str]
    to_id: Column[str]
    type_id: Column[int]
    labels: Column[Json] = column(default=[])


class CrmAssociationLabel(Row, table="association_labels", key=("type_id",)):
    """A type of associations that the account has added, of one direction; `inverse_id` is that of the other."""

    type_id: Column[int]
    from_kind: Column[str]
    to_kind: Column[str]
    name: Column[str]
    label: Column[str]
    inverse_id: Column[int]


class CrmProperty(Row, table="property_definitions", key=("kind", "name")):
    """A property that records of a kind can have."""

    kind: Column[str]
    name: Column[str]
    label: Column[str]
    type: Column[str] = column(default="string")
    field_type: Column[str] = column(default="text")
    group_name: Column[str] = column(default="")
    description: Column[str] = column(default="")
    options: Column[Json] = column(default=[])
    is_custom: Column[bool] = column(default=False)


class CrmPropertyGroup(Row, table="property_groups", key=("kind", "name")):
    """A group of properties that the account has added."""

    kind: Column[str]
    name: Column[str]
    label: Column[str]
    display_order: Column[int] = column(default=0)
    is_own: Column[bool] = column(default=False)
    """Whether it is HubSpot's; then the kind has no other groups of HubSpot's than those that are stored."""


class CrmPipeline(Row, table="pipelines", key=("kind", "id")):
    """A pipeline that has a label of its own; the usual ones follow from their stages."""

    kind: Column[str]
    id: Column[str]
    label: Column[str]
    display_order: Column[int] = column(default=0)


class CrmOwner(Row, table="owners", key=("id",)):
    """A person who can own records."""

    id: Column[str]
    email: Column[str]
    first_name: Column[str] = column(default="")
    last_name: Column[str] = column(default="")
    created_at: Column[Timestamp]
    details: Column[Json] = column(default={})
    """What version 2 shows otherwise than it is computed, such as the ids at other vendors."""


class CrmContactList(Row, table="contact_lists", key=("id",)):
    """A list of records of a kind; one that is not dynamic has the members that it is given."""

    id: Column[int]
    name: Column[str]
    kind: Column[str] = column(default="contacts")
    processing: Column[str] = column(default="")
    """`MANUAL` or `SNAPSHOT`; empty for a list that version 1 made."""
    is_dynamic: Column[bool] = column(default=False)
    filters: Column[Json] = column(default=[])
    others: Column[int] = column(default=0)
    """How many members it has beside those that are here."""
    author_id: Column[int | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)
    deleted_at: Column[Timestamp | None] = column(default=None)


class CrmListMember(Row, table="contact_list_members", key=("list_id", "record_id")):
    """A record that is in a static list; `record_id` is its id, of the kind that the list has."""

    list_id: Column[int]
    record_id: Column[str]
    added_at: Column[Timestamp]


class CrmStage(Row, table="pipeline_stages", key=("kind", "pipeline", "id")):
    """A stage of a pipeline of deals or tickets."""

    kind: Column[str]
    pipeline: Column[str]
    id: Column[str]
    label: Column[str]
    display_order: Column[int]
    metadata: Column[Json] = column(default={})


RECORDS: dict[str, Any] = {
    "contacts": CrmContact,
    "companies": CrmCompany,
    "deals": CrmDeal,
    "tickets": CrmTicket,
}
TABLES = (
    *RECORDS.values(),
    CrmActivity,
    CrmAssociation,
    CrmAssociationLabel,
    CrmProperty,
    CrmPropertyGroup,
    CrmOwner,
    CrmPipeline,
    CrmStage,
    CrmContactList,
    CrmListMember,
)
