"""Verification reports: the results of the attempts of a verification session.

https://docs.stripe.com/api/identity/verification_reports
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column

from ..core.objects import Fields, StripeObject, build_view, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions
from ..core.params import ListParams, OptName, OptRange, OptText, Params

api = Operations(prefix="/v1/identity/verification_reports")


class VerificationReport(
    StripeObject,
    table="identity_verification_reports",
    key=("id",),
    unique=(("seq",),),
    indexes=(("verification_session", "seq"),),
):
    client_reference_id: Column[str | None] = column(default=None)
    document: Column[Json] = column(default=None)
    id_number: Column[Json] = column(default=None)
    options: Column[Json] = column(default={})
    selfie: Column[Json] = column(default=None)
    type: Column[str]
    verification_flow: Column[str | None] = column(default=None)
    verification_session: Column[str]


REPORTS = resource(
    VerificationReport,
    "identity.verification_report",
    "vr_",
    build_view(VerificationReport, "identity.verification_report", email=None, phone=None),
    spoken="verification report",
    param="report",
)


class ListReports(ListParams):
    """The parameters of a list of reports."""

    client_reference_id: OptText = UNSET
    created: OptRange = UNSET
    type: Literal["document", "id_number"] | UnsetType = UNSET
    verification_session: OptName = UNSET


@api.get("/{report}")
def retrieve_report(call: Call, report: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a report."""
    return REPORTS.show(retrieve(call, REPORTS, report))


@api.get("")
def list_reports(call: Call, params: Annotated[ListReports, Body]) -> Fields:
    """List reports, of a session or a type."""
    where = to_range_conditions(VerificationReport.created, params.created)
    names = ("client_reference_id", "type", "verification_session")
    where += equal(*((getattr(VerificationReport, name), getattr(params, name)) for name in names))
    return list_of(call, REPORTS, params, "/v1/identity/verification_reports", *where)
