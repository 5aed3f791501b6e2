"""What every HubSpot account has: kinds of records, their usual properties, pipelines and association types.

https://developers.hubspot.com/docs/guides/api/crm/understanding-the-crm
"""

from __future__ import annotations

from typing import Any

from twindiff.kit.clock import Clock
from twindiff.kit.rows import table_of
from twindiff.kit.twin import Rows

from .tables import RECORDS

KINDS = {
    "contacts": "0-1", "companies": "0-2", "deals": "0-3", "tickets": "0-5", "products": "0-7", "line_items": "0-8",
    "notes": "0-46", "meetings": "0-47", "calls": "0-48", "emails": "0-49", "tasks": "0-27", "quotes": "0-14",
    "communications": "0-18", "postal_mail": "0-116", "leads": "0-136", "orders": "0-123", "carts": "0-142",
    "invoices": "0-53", "discounts": "0-84", "fees": "0-85", "taxes": "0-86", "goal_targets": "0-74",
    "appointments": "0-421", "courses": "0-410", "listings": "0-420", "services": "0-162",
}  # fmt: skip
_SINGULAR = {"companies": "company", "taxes": "tax"}
_OWN = ("id", "properties", "archived", "merged_into", "history", "created_at", "updated_at")
_FURTHER = {
    "contacts": "address state zip country mobilephone fax salutation industry annualrevenue hs_analytics_source"
    " closedate",
    "companies": "address state zip numberofemployees annualrevenue type founded_year timezone about_us",
    "deals": "hs_priority deal_currency_code closed_lost_reason closed_won_reason hs_deal_stage_probability",
    "tickets": "hs_ticket_category source_type hs_resolution closed_date",
    "notes": "hs_note_body hs_timestamp hubspot_owner_id hs_attachment_ids",
    "tasks": "hs_task_subject hs_task_body hs_task_status hs_task_priority hs_task_type hs_timestamp hubspot_owner_id",
    "calls": "hs_call_title hs_call_body hs_call_duration hs_call_status hs_call_direction hs_timestamp"
    " hubspot_owner_id",
    "emails": "hs_email_subject hs_email_text hs_email_html hs_email_direction hs_email_status hs_timestamp"
    " hubspot_owner_id hs_email_headers",
    "meetings": "hs_meeting_title hs_meeting_body hs_meeting_start_time hs_meeting_end_time hs_meeting_outcome"
    " hs_timestamp hubspot_owner_id hs_internal_meeting_notes hs_meeting_location",
    "products": "name description price hs_sku hs_cost_of_goods_sold hs_recurring_billing_period",
    "line_items": "name description price quantity hs_product_id amount discount hs_sku",
    "quotes": "hs_title hs_expiration_date hs_status hs_language hs_sender_firstname hs_sender_lastname"
    " hs_sender_email hs_terms hs_comments hubspot_owner_id",
    "communications": "hs_communication_channel_type hs_communication_logged_from hs_communication_body hs_timestamp"
    " hubspot_owner_id",
    "postal_mail": "hs_postal_mail_body hs_timestamp hubspot_owner_id",
    "leads": "hs_lead_name hs_lead_type hs_lead_label hs_pipeline hs_pipeline_stage hubspot_owner_id",
    "orders": "hs_order_name hs_pipeline hs_pipeline_stage hs_currency_code hs_source_store hs_fulfillment_status"
    " hs_external_order_id hs_external_order_status hs_total_price hs_shipping_address_city",
    "carts": "hs_cart_name hs_external_cart_id hs_external_status hs_source_store hs_total_price hs_currency_code"
    " hs_cart_discount hs_tax hs_tags",
    "invoices": "hs_title hs_currency hs_invoice_date hs_due_date hs_purchase_order_number hs_invoice_status",
    "discounts": "hs_label hs_type hs_value hs_duration hs_sort_order",
    "fees": "hs_label hs_type hs_value hs_sort_order",
    "taxes": "hs_label hs_type hs_value hs_sort_order",
    "goal_targets": "hs_goal_name hs_target_amount hs_start_datetime hs_end_datetime hs_created_by_user_id",
    "appointments": "hs_appointment_name hs_appointment_start hs_appointment_end hs_pipeline hs_pipeline_stage",
    "courses": "hs_course_name hs_course_id hs_pipeline hs_pipeline_stage",
    "listings": "hs_name hs_price hs_address_1 hs_city hs_bedrooms hs_bathrooms hs_pipeline hs_pipeline_stage",
    "services": "hs_name hs_status hs_category hs_pipeline hs_pipeline_stage hs_start_date hs_target_end_date",
}  # fmt: skip
_NUMBERS = frozenset(
    ["amount", "price", "quantity", "numberofemployees", "annualrevenue", "discount", "hs_call_duration"]
)
_DATES = frozenset(["closedate", "hs_timestamp", "closed_date", "hs_meeting_start_time", "hs_meeting_end_time"])
_CHOICES = {
    "lifecyclestage": "subscriber lead marketingqualifiedlead salesqualifiedlead opportunity customer evangelist other",
    "hs_lead_status": "NEW OPEN IN_PROGRESS OPEN_DEAL UNQUALIFIED ATTEMPTED_TO_CONTACT CONNECTED BAD_TIMING",
    "hs_ticket_priority": "LOW MEDIUM HIGH URGENT",
    "hs_task_status": "NOT_STARTED IN_PROGRESS COMPLETED WAITING DEFERRED",
    "hs_task_priority": "NONE LOW MEDIUM HIGH",
    "dealtype": "newbusiness existingbusiness",
}
SEARCHED = {
    "contacts": ("email", "firstname", "lastname", "phone", "company", "hs_object_id"),
    "companies": ("name", "domain", "website", "phone"),
    "deals": ("dealname", "pipeline", "dealstage", "description", "dealtype"),
    "tickets": ("subject", "content", "hs_pipeline_stage", "hs_ticket_category"),
}
DEFAULTS = {
    "contacts": ("createdate", "email", "firstname", "hs_object_id", "lastmodifieddate", "lastname"),
    "companies": ("createdate", "domain", "hs_lastmodifieddate", "hs_object_id", "name"),
    "deals": (
        "amount", "closedate", "createdate", "dealname", "dealstage", "hs_lastmodifieddate", "hs_object_id", "pipeline",
    ),
    "tickets": (
        "content", "createdate", "hs_lastmodifieddate", "hs_object_id", "hs_pipeline", "hs_pipeline_stage",
        "hs_ticket_category", "hs_ticket_priority", "subject",
    ),
}  # fmt: skip
DEAL_STAGES = (
    ("appointmentscheduled", "Appointment Scheduled", "0.2"), ("qualifiedtobuy", "Qualified To Buy", "0.4"),
    ("presentationscheduled", "Presentation Scheduled", "0.6"),
    ("decisionmakerboughtin", "Decision Maker Bought-In", "0.8"),
    ("contractsent", "Contract Sent", "0.9"), ("closedwon", "Closed Won", "1.0"), ("closedlost", "Closed Lost", "0.0"),
)  # fmt: skip
_TICKET_STAGES = (("1", "New"), ("2", "Waiting on contact"), ("3", "Waiting on us"), ("4", "Closed"))
_TYPES = {
    ("contacts", "companies"): (1, 279), ("companies", "contacts"): (2, 280), ("deals", "contacts"): (3,),
    ("contacts", "deals"): (4,), ("deals", "companies"): (5, 341), ("companies", "deals"): (6, 342),
    ("contacts", "tickets"): (15,), ("tickets", "contacts"): (16,), ("companies", "tickets"): (25, 340),
    ("tickets", "companies"): (26, 339), ("deals", "tickets"): (27,), ("tickets", "deals"): (28,),
    ("deals", "line_items"): (19,), ("line_items", "deals"): (20,), ("notes", "contacts"): (202,),
    ("contacts", "notes"): (201,), ("notes", "companies"): (190,), ("companies", "notes"): (189,),
    ("notes", "deals"): (214,), ("deals", "notes"): (213,), ("notes", "tickets"): (228,), ("tickets", "notes"): (227,),
    ("tasks", "contacts"): (204,), ("contacts", "tasks"): (203,), ("tasks", "companies"): (192,),
    ("companies", "tasks"): (191,), ("tasks", "deals"): (216,), ("deals", "tasks"): (215,),
    ("tasks", "tickets"): (230,), ("tickets", "tasks"): (229,), ("calls", "contacts"): (194,),
    ("contacts", "calls"): (193,), ("calls", "companies"): (182,), ("companies", "calls"): (181,),
    ("calls", "deals"): (206,), ("deals", "calls"): (205,), ("emails", "contacts"): (198,),
    ("contacts", "emails"): (197,), ("emails", "companies"): (186,), ("companies", "emails"): (185,),
    ("emails", "deals"): (210,), ("deals", "emails"): (209,), ("meetings", "contacts"): (200,),
    ("contacts", "meetings"): (199,), ("meetings", "companies"): (188,), ("companies", "meetings"): (187,),
    ("meetings", "deals"): (212,), ("deals", "meetings"): (211,), ("contacts", "contacts"): (449,),
    ("companies", "companies"): (450,), ("deals", "deals"): (451,), ("tickets", "tickets"): (452,),
    ("emails", "tickets"): (224,), ("tickets", "emails"): (223,), ("calls", "tickets"): (220,),
    ("tickets", "calls"): (219,), ("meetings", "tickets"): (226,), ("tickets", "meetings"): (225,),
    ("communications", "contacts"): (81,), ("contacts", "communications"): (82,),
    ("quotes", "deals"): (64,), ("deals", "quotes"): (63,), ("quotes", "line_items"): (67,),
    ("line_items", "quotes"): (68,), ("quotes", "contacts"): (69,), ("contacts", "quotes"): (70,),
    ("quotes", "companies"): (71,), ("companies", "quotes"): (72,),
}  # fmt: skip
PORTAL = 62_000_001
_BEGIN = Clock(1_767_225_600_000_000).iso()
OWNER = "71000001"


def find_kind(said: str) -> str | None:
    """Return a kind of records by its plural, its singular or its type id, without regard to case."""
    word = said.lower()
    for kind, type_id in KINDS.items():
        if word in (kind, name_one(kind), type_id, kind.replace("_", "")):
            return kind
    return None


def name_one(kind: str) -> str:
    """Return the singular of a kind."""
    return _SINGULAR.get(kind, kind.removesuffix("s"))


def columns_of(kind: str) -> list[str]:
    """Return the properties of a kind that have a column of their own."""
    return [name for name in table_of(RECORDS[kind]).columns if name not in _OWN] if kind in RECORDS else []


def type_id_of(kind: str) -> str:
    """Return the type id of a kind; a kind that the account has added is called by its own."""
    return KINDS.get(kind, kind)


def rank_of(kind: str) -> int:
    """Return the place of a kind in the order of kinds, those that the account has added last."""
    return [*KINDS].index(kind) if kind in KINDS else 1000 + int(kind.removeprefix("2-"))


def association_types(from_kind: str, to_kind: str) -> tuple[int, ...]:
    """Return the types of associations from one kind to another, of which the last is the usual one."""
    if from_kind in KINDS and to_kind in KINDS:
        return _TYPES.get((from_kind, to_kind), ())
    return (2 * rank_of(from_kind) + 100 * rank_of(to_kind) + 10_000,)


def association_type(from_kind: str, to_kind: str) -> int:
    """Return the usual type of associations from one kind to another; 0 if HubSpot has none."""
    return (association_types(from_kind, to_kind) or (0,))[-1]


def invert_type(from_kind: str, to_kind: str, type_id: int) -> int:
    """Return the type of the other direction of one of HubSpot's own types."""
    own, other = association_types(from_kind, to_kind), association_types(to_kind, from_kind)
    return other[own.index(type_id) - len(own)]


def kind_of_type(from_kind: str, type_id: int) -> str | None:
    """Return the kind to which associations of a type lead from a kind."""
    return next((to for (kind, to), ids in _TYPES.items() if kind == from_kind and type_id in ids), None)


def _property(kind: str, name: str) -> dict[str, Any]:
    options = [
        {"label": each, "value": each, "displayOrder": n} for n, each in enumerate(_CHOICES.get(name, "").split())
    ]
    kinds = ("enumeration", "select") if options else ("number", "number") if name in _NUMBERS else ("string", "text")
    if name in _DATES:
        kinds = ("datetime", "date")
    return {
        "kind": kind,
        "name": name,
        "label": name.removeprefix("hs_").replace("_", " ").capitalize(),
        "type": kinds[0],
        "field_type": kinds[1],
        "group_name": f"{name_one(kind).replace('_', '')}information",
        "options": options,
    }


def account_rows() -> Rows:
    """Return the rows that every account has."""
    names = {kind: [*columns_of(kind), *_FURTHER[kind].split()] for kind in KINDS}
    deals = [
        {"kind": "deals", "pipeline": "default", "id": id, "label": label, "display_order": number,
         "metadata": {"isClosed": str(id.startswith("closed")).lower(), "probability": probability}}
        for number, (id, label, probability) in enumerate(DEAL_STAGES)
    ]  # fmt: skip
    tickets = [
        {"kind": "tickets", "pipeline": "0", "id": id, "label": label, "display_order": number,
         "metadata": {"ticketState": "CLOSED" if id == "4" else "OPEN", "isClosed": str(id == "4").lower()}}
        for number, (id, label) in enumerate(_TICKET_STAGES)
    ]  # fmt: skip
    return {
        "property_definitions": [_property(kind, name) for kind, each in names.items() for name in each],
        "pipeline_stages": [*deals, *tickets],
        "owners": [{"id": OWNER, "email": "agent@example.com", "first_name": "Agent", "created_at": _BEGIN}],
    }
