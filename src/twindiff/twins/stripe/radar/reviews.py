"""Reviews: payments of elevated risk for manual inspection.

https://docs.stripe.com/api/radar/reviews, https://docs.stripe.com/radar/reviews
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Column, Operations, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row
from ..core.objects import Fields, StripeObject, build_view, find, new, resource, retrieve
from ..core.pagination import list_of, to_range_conditions
from ..core.params import ListParams, OptRange, Params
from ..tables.charge_tables import Charge

api = Operations(prefix="/v1/reviews")


class Review(StripeObject, table="reviews", key=("id",), unique=(("seq",),), indexes=(("open", "seq"),)):
    billing_zip: Column[str | None] = column(default=None)
    charge: Column[str]
    closed_reason: Column[str | None] = column(default=None)
    open: Column[bool] = column(default=True)
    opened_reason: Column[str] = column(default="rule")
    payment_intent: Column[str | None] = column(default=None)
    reason: Column[str] = column(default="rule")


review_object = build_view(Review, "review", ip_address=None, ip_address_location=None, session=None)
REVIEWS = resource(Review, "review", "prv_", review_object, param="review", expandable=("charge", "payment_intent"))


class ListReviews(ListParams):
    """The parameters of a list of reviews."""

    created: OptRange = UNSET


def open_review(call: Call, charge: Charge) -> Review:
    """Open a review of a charge."""
    address: Fields = charge.billing_details.get("address") or {}
    place = address.get("postal_code")
    made = new(call, REVIEWS, charge=charge.id, payment_intent=charge.payment_intent, billing_zip=place)
    call.db.change(charge, review=made.id)
    record_row(call, "review.opened", REVIEWS, made)
    return made


def close_review(call: Call, id: str, reason: str) -> None:
    """Close a review that is still open, for a reason such as the refund of its payment."""
    row = find(call, REVIEWS, id)
    if row and row.open:
        _close(call, row, reason)


def _close(call: Call, row: Review, reason: str) -> Review:
    closed = call.db.change(row, open=False, closed_reason=reason, reason=reason)
    record_row(call, "review.closed", REVIEWS, closed)
    return closed


@api.get("/{review}")
def retrieve_review(call: Call, review: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a review."""
    return review_object(retrieve(call, REVIEWS, review))


@api.post("/{review}/approve")
def approve_review(call: Call, review: str, params: Annotated[Params, Body]) -> Fields:
    """Approve a review, which closes it."""
    row = retrieve(call, REVIEWS, review)
    if not row.open:
        raise StripeError(f"The review {row.id} has already been closed: {row.closed_reason}.", param="review")
    return review_object(_close(call, row, "approved"))


@api.get("")
def list_reviews(call: Call, params: Annotated[ListReviews, Body]) -> Fields:
    """List open reviews."""
    return list_of(
        call, REVIEWS, params, "/v1/reviews", Review.open, *to_range_conditions(Review.created, params.created)
    )
