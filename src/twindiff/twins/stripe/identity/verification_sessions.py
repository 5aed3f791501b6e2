"""Verification sessions: a person shows a document on Stripe's page, for which `verification_page.py` stands here.

https://docs.stripe.com/api/identity/verification_sessions, https://docs.stripe.com/identity/how-sessions-work
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row, update
from ..core.objects import Fields, StripeObject, build_view, new, new_id, object_id, refer, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ..core.params import (
    ListParams,
    NestedParams,
    OptBool,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    Unset,
    collect_params,
    merge_metadata,
    value_of,
)
from ..tables.customer_tables import CUSTOMERS, check_email
from .verification_reports import REPORTS

api = Operations(prefix="/v1/identity/verification_sessions")

PERSON: Fields = {
    "address": {"city": "San Francisco", "country": "US", "line1": "1234 Main St.", "line2": None,
                "postal_code": "94111", "state": "CA"},
    "dob": {"day": 1, "month": 1, "year": 1990},
    "first_name": "Jenny",
    "last_name": "Rosen",
}  # fmt: skip
"""Who is on the document that test mode verifies."""


class VerificationSession(
    StripeObject,
    table="identity_verification_sessions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("status", "seq"), ("related_customer", "seq")),
):
    client_reference_id: Column[str | None] = column(default=None)
    client_secret: Column[str | None] = column(default=None)
    last_error: Column[Json] = column(default=None)
    last_verification_report: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    options: Column[Json] = column(default={})
    provided_details: Column[Json] = column(default=None)
    redaction: Column[Json] = column(default=None)
    related_customer: Column[str | None] = column(default=None)
    related_person: Column[Json] = column(default=None)
    return_url: Column[str | None] = column(default=None)
    status: Column[str] = column(default="requires_input")
    type: Column[str]
    url: Column[str | None] = column(default=None)


def _show_outputs(call: Call, session: Fields) -> Fields | None:
    """Return what was verified, which is shown only when it is expanded."""
    if session["status"] != "verified" or session["redaction"]:
        return None
    number = {"id_number": None, "id_number_type": "us_ssn" if session["type"] == "id_number" else None}
    return {**PERSON, **number, "email": None, "phone": None}


SESSIONS = resource(
    VerificationSession,
    "identity.verification_session",
    "vs_",
    build_view(VerificationSession, "identity.verification_session", "return_url", related_customer_account=None),
    spoken="verificationsession",
    param="session",
    expandable=("last_verification_report",),
    includes={"verified_outputs": _show_outputs},
)


class DocumentOptions(NestedParams):
    """What a document must be."""

    allowed_types: list[Literal["driving_license", "id_card", "passport"]] | UnsetType = UNSET
    require_id_number: OptBool = UNSET
    require_live_capture: OptBool = UNSET
    require_matching_selfie: OptBool = UNSET


class SessionOptions(NestedParams):
    """What is verified."""

    document: DocumentOptions | Unset | UnsetType = UNSET


class ProvidedDetails(NestedParams):
    """What is known of the person."""

    email: OptText = UNSET
    phone: OptText = UNSET


class RelatedPerson(NestedParams):
    """A person of an account."""

    account: str
    person: str


class UpdateSession(Params):
    """The parameters of an update."""

    metadata: OptMetadata = UNSET
    options: SessionOptions | UnsetType = UNSET
    provided_details: ProvidedDetails | UnsetType = UNSET
    type: Literal["document", "id_number"] | UnsetType = UNSET


class CreateSession(UpdateSession):
    """The parameters of a new session."""

    client_reference_id: OptText = UNSET
    related_customer: OptName = UNSET
    related_customer_account: OptText = UNSET
    related_person: RelatedPerson | UnsetType = UNSET
    return_url: OptName = UNSET
    verification_flow: OptName = UNSET


class ListSessions(ListParams):
    """The parameters of a list of sessions."""

    client_reference_id: OptText = UNSET
    created: OptRange = UNSET
    related_customer: OptName = UNSET
    related_customer_account: OptText = UNSET
    status: Literal["canceled", "processing", "requires_input", "verified"] | UnsetType = UNSET


@api.post("")
def create_session(call: Call, params: Annotated[CreateSession, Body]) -> Fields:
    """Create a session that waits for a document; its `url` is the page that takes it."""
    if params.verification_flow:
        raise StripeError(f"No such verification_flow: '{params.verification_flow[:500]}'", code="resource_missing")
    if not params.type:
        raise StripeError("Missing required param: type.", code="parameter_missing", param="type")
    if params.related_customer:
        refer(call, CUSTOMERS, params.related_customer, "related_customer")
    id = object_id(call, "vs_")
    secret = new_id(call, f"{id}_secret_test_", 24)
    made = new(
        call,
        SESSIONS,
        **{**collect_params(params, "related_customer_account", "verification_flow"), **_options(params, {})},
        id=id,
        client_secret=secret,
        metadata=merge_metadata({}, params.metadata),
        url=f"{call.base_url}/start/{id}?client_secret={secret}",
    )
    record_row(call, "identity.verification_session.created", SESSIONS, made)
    return SESSIONS.show(made)


def _options(params: UpdateSession, known: Fields) -> Fields:
    """Return the options column, as answers show it; raises StripeError for an invalid email address."""
    details = params.provided_details
    if isinstance(details, ProvidedDetails) and details.email:
        check_email(details.email, "provided_details[email]")
    given: Fields = value_of(params.options) if isinstance(params.options, SessionOptions) else known
    if (params.type or "") == "id_number":
        return {"options": {"id_number": {}}}
    return {"options": {"document": given.get("document") or {}}}


@api.get("/{session}")
def retrieve_session(call: Call, session: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a session; what was verified only when `verified_outputs` is expanded."""
    return SESSIONS.show(retrieve(call, SESSIONS, session))


@api.get("")
def list_sessions(call: Call, params: Annotated[ListSessions, Body]) -> Fields:
    """List sessions, by customer, reference or status."""
    where = to_range_conditions(VerificationSession.created, params.created)
    where += to_reference_conditions(call, (VerificationSession.related_customer, params.related_customer, CUSTOMERS))
    names = ("client_reference_id", "status")
    where += equal(*((getattr(VerificationSession, name), getattr(params, name)) for name in names))
    return list_of(call, SESSIONS, params, "/v1/identity/verification_sessions", *where)


def _waiting(call: Call, id: str, action: str) -> VerificationSession:
    """Return a session that waits for input; raises StripeError for another."""
    row = retrieve(call, SESSIONS, id)
    if row.status != "requires_input":
        raise StripeError(
            f"You cannot {action} this VerificationSession because it has a status of {row.status}. Only a "
            "VerificationSession with one of the following statuses may be changed: requires_input.",
            param="session",
        )
    return row


@api.post("/{session}")
def update_session(call: Call, session: str, params: Annotated[UpdateSession, Body]) -> Fields:
    """Update a session that waits for input."""
    row = _waiting(call, session, "update")
    fields = collect_params(params)
    if params.options is not UNSET or params.type is not UNSET:
        fields |= _options(params, row.options)
    metadata = merge_metadata(row.metadata, params.metadata)
    return SESSIONS.show(update(call, SESSIONS, row, False, **{**fields, "metadata": metadata}))


@api.post("/{session}/cancel")
def cancel_session(call: Call, session: str, params: Annotated[Params, Body]) -> Fields:
    """Cancel a session that waits for input, for good."""
    row = _waiting(call, session, "cancel")
    canceled = call.db.change(row, status="canceled", client_secret=None, url=None)
    record_row(call, "identity.verification_session.canceled", SESSIONS, canceled)
    return SESSIONS.show(canceled)


@api.post("/{session}/redact")
def redact_session(call: Call, session: str, params: Annotated[Params, Body]) -> Fields:
    """Remove what a session knows of a person; one that waits for input is canceled as well."""
    row = retrieve(call, SESSIONS, session)
    if row.redaction:
        raise StripeError("This VerificationSession has already been redacted.", param="session")
    status = "canceled" if row.status == "requires_input" else row.status
    fields: Fields = {"client_secret": None, "url": None, "provided_details": None, "last_error": None}
    redacted = call.db.change(row, redaction={"status": "redacted"}, status=status, **fields)
    if report := row.last_verification_report:
        _redact_report(call, report)
    record_row(call, "identity.verification_session.redacted", SESSIONS, redacted)
    return SESSIONS.show(redacted)


def _redact_report(call: Call, id: str) -> None:
    """Remove from a report what it says of the person."""
    report = retrieve(call, REPORTS, id)
    document: Fields | None = report.document
    if document:
        kept = {name: value if name in ("error", "status", "type") else None for name, value in document.items()}
        call.db.change(report, document={**kept, "files": []}, selfie=None)


def conclude_session(call: Call, row: VerificationSession, error: str) -> VerificationSession:
    """End an attempt: the session is verified, or waits for input again with an error by its code."""
    failure: Fields | None = {"code": error, "reason": ERRORS[error]} if error else None
    report = new(call, REPORTS, **_build_report(row, failure))
    fields: dict[str, Any] = {"last_error": failure, "last_verification_report": report.id}
    fields |= {} if error else {"status": "verified", "client_secret": None, "url": None}
    processing = call.db.change(row, status="processing")
    record_row(call, "identity.verification_session.processing", SESSIONS, processing)
    done = call.db.change(processing, **{"status": "requires_input", **fields})
    record_row(call, f"identity.verification_session.{done.status}", SESSIONS, done)
    return done


ERRORS = {
    "consent_declined": "The user declined to be verified by Stripe.",
    "document_expired": "The document is expired.",
    "document_unverified_other": "The document could not be verified.",
    "id_number_mismatch": "The information provided couldn't be verified.",
    "selfie_face_mismatch": "The selfie does not match the document.",
}
"""Reasons by code; https://docs.stripe.com/identity/handle-verification-outcomes"""


def _build_report(row: VerificationSession, failure: Fields | None) -> Fields:
    """Return the columns of the report of an attempt."""
    shared = {"verification_session": row.id, "type": row.type, "options": row.options}
    shared |= {"client_reference_id": row.client_reference_id}
    status = {"status": "unverified" if failure else "verified", "error": failure}
    person: Fields = dict.fromkeys(PERSON) if failure else PERSON
    if row.type == "id_number":
        number = {"dob": person["dob"], "first_name": person["first_name"], "last_name": person["last_name"]}
        return {**shared, "id_number": {**number, "id_number": None, "id_number_type": "us_ssn", **status}}
    card: Fields = {"expiration_date": None, "files": [], "issued_date": None, "issuing_country": "US", "number": None}
    report: Fields = {**shared, "document": {**person, **card, "type": "driving_license", **status}}
    if row.options["document"].get("require_matching_selfie"):
        report["selfie"] = {"document": None, "selfie": None, **status}
    return report
