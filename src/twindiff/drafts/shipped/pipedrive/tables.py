"""The tables of a Pipedrive company: items, their fields, filters, pipelines and users."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class PipedriveOrganization(Row, table="organizations", key=("id",)):
    """An organization; `details` are its other fields by key, the custom ones among them."""

    id: Column[int]
    name: Column[str]
    owner_id: Column[int]
    details: Column[Json] = column(default={})
    is_active: Column[bool] = column(default=True)
    add_time: Column[Timestamp]
    update_time: Column[Timestamp] = column(derived=True)


class PipedrivePerson(Row, table="persons", key=("id",)):
    """A person; `emails` and `phones` are lists of `{"label", "value", "primary"}`."""

    id: Column[int]
    name: Column[str]
    org_id: Column[int | None] = column(default=None)
    owner_id: Column[int]
    email: Column[Json] = column(default=[])
    phone: Column[Json] = column(default=[])
    details: Column[Json] = column(default={})
    is_active: Column[bool] = column(default=True)
    add_time: Column[Timestamp]
    update_time: Column[Timestamp] = column(derived=True)


class PipedriveDeal(Row, table="deals", key=("id",)):
    """A deal in a stage of a pipeline; `status` is `open`, `won`, `lost` or `deleted`."""

    id: Column[int]
    title: Column[str]
    value: Column[float] = column(default=0)
    currency: Column[str] = column(default="USD")
    status: Column[str] = column(default="open")
    stage_id: Column[int]
    person_id: Column[int | None] = column(default=None)
    org_id: Column[int | None] = column(default=None)
    owner_id: Column[int]
    details: Column[Json] = column(default={})
    is_active: Column[bool] = column(default=True)
    add_time: Column[Timestamp]
    update_time: Column[Timestamp] = column(derived=True)


class PipedriveActivity(Row, table="activities", key=("id",)):
    """A call, a meeting, a task, …, with what it is about."""

    id: Column[int]
    subject: Column[str]
    type: Column[str] = column(default="call")
    done: Column[bool] = column(default=False)
    deal_id: Column[int | None] = column(default=None)
    person_id: Column[int | None] = column(default=None)
    org_id: Column[int | None] = column(default=None)
    owner_id: Column[int]
    details: Column[Json] = column(default={})
    is_active: Column[bool] = column(default=True)
    add_time: Column[Timestamp]
    update_time: Column[Timestamp] = column(derived=True)


class PipedriveNote(Row, table="notes", key=("id",)):
    """A note on a deal, a person or an organization."""

    id: Column[int]
    content: Column[str]
    deal_id: Column[int | None] = column(default=None)
    person_id: Column[int | None] = column(default=None)
    org_id: Column[int | None] = column(default=None)
    owner_id: Column[int]
    details: Column[Json] = column(default={})
    is_active: Column[bool] = column(default=True)
    add_time: Column[Timestamp]
    update_time: Column[Timestamp] = column(derived=True)


class PipedriveProduct(Row, table="products", key=("id",)):
    """A product."""

    id: Column[int]
    name: Column[str]
    owner_id: Column[int]
    details: Column[Json] = column(default={})
    is_active: Column[bool] = column(default=True)
    add_time: Column[Timestamp]
    update_time: Column[Timestamp] = column(derived=True)


class PipedriveField(Row, table="fields", key=("owner", "key")):
    """A field of the items that `owner` names: `organization`, `person`, …; parts of fields have no `number`."""

    owner: Column[str]
    key: Column[str]
    number: Column[int | None] = column(default=None)
    name: Column[str]
    field_type: Column[str] = column(default="varchar")
    is_custom: Column[bool] = column(default=False)
    position: Column[int] = column(default=0)
    details: Column[Json] = column(default={})
    add_time: Column[Timestamp]


class PipedriveFilter(Row, table="filters", key=("id",)):
    """A saved filter of items of a `type`: `org`, `people`, `deals`, …"""

    id: Column[int]
    name: Column[str]
    type: Column[str]
    conditions: Column[Json] = column(default={})
    details: Column[Json] = column(default={})
    user_id: Column[int]
    add_time: Column[Timestamp]
    update_time: Column[Timestamp | None] = column(default=None, derived=True)


class PipedriveStage(Row, table="stages", key=("id",)):
    """A stage of a pipeline."""

    id: Column[int]
    name: Column[str]
    pipeline_id: Column[int] = column(default=1)
    pipeline_name: Column[str] = column(default="Pipeline")
    order_nr: Column[int] = column(default=1)


class PipedriveUser(Row, table="users", key=("id",)):
    """A user of the company; the first one calls."""

    id: Column[int]
    name: Column[str] = column(default="")
    email: Column[str] = column(default="")
    company_mail: Column[str] = column(default="twindiff@pipedrivemail.com")


TABLES = (
    PipedriveOrganization, PipedrivePerson, PipedriveDeal, PipedriveActivity, PipedriveNote, PipedriveProduct,
    PipedriveField, PipedriveFilter, PipedriveStage, PipedriveUser,
)  # fmt: skip
