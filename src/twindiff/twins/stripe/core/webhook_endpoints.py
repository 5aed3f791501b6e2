"""Webhook endpoints: URLs that receive events.

https://docs.stripe.com/api/webhook_endpoints
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column, revise
from twindiff.twins.stripe.core.wire_style import StripeError, join_choices

from .api_versions import API_VERSIONS
from .event_types import EVENT_TYPES
from .middleware import version_of
from .objects import Fields, StripeObject, build_view, new, new_id, resource, retrieve
from .pagination import list_of
from .params import ListParams, OptBool, OptMetadata, OptText, Params, collect_params, merge_metadata
from .urls import check_url

api = Operations(prefix="/v1/webhook_endpoints")

EVERY = "*"
MAX_ENDPOINTS = 16
"""Maximum number of endpoints; https://docs.stripe.com/webhooks"""


class WebhookEndpoint(StripeObject, table="webhook_endpoints", key=("id",), unique=(("seq",),)):
    url: Column[str]
    enabled_events: Column[Json]
    secret: Column[str]
    status: Column[str] = column(default="enabled")
    api_version: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})


endpoint_object = build_view(WebhookEndpoint, "webhook_endpoint", "secret", application=None)
ENDPOINTS = resource(WebhookEndpoint, "webhook_endpoint", "we_", endpoint_object, spoken="webhook endpoint", param="id")


class UpdateEndpoint(Params):
    """The parameters of an update."""

    url: OptText = UNSET
    enabled_events: list[str] | UnsetType = UNSET
    description: OptText = UNSET
    disabled: OptBool = UNSET
    metadata: OptMetadata = UNSET


class CreateEndpoint(Params):
    """The parameters of a new endpoint."""

    enabled_events: list[str]
    url: str
    api_version: OptText = UNSET
    description: OptText = UNSET
    connect: OptBool = UNSET
    metadata: OptMetadata = UNSET


@api.post("")
def create_webhook_endpoint(call: Call, params: Annotated[CreateEndpoint, Body]) -> Fields:
    """Create a webhook endpoint; only this response includes its signing secret."""
    check_url(params.url, "url")
    _check_events(params.enabled_events)
    fields = collect_params(params, "connect")
    _check_version(call, fields.get("api_version"))
    if call.db.count(WebhookEndpoint) >= MAX_ENDPOINTS:
        raise StripeError(f"You have reached the maximum of {MAX_ENDPOINTS} test webhook endpoints.")
    metadata = merge_metadata({}, params.metadata)
    secret = call.tokens.signing.get("stripe") or new_id(call, "whsec_", 32)
    made = new(call, ENDPOINTS, **fields, secret=secret, metadata=metadata)
    return {**endpoint_object(made), "secret": secret}


@api.post("/{id}")
def update_webhook_endpoint(call: Call, id: str, params: Annotated[UpdateEndpoint, Body]) -> Fields:
    """Update or disable a webhook endpoint."""
    endpoint = retrieve(call, ENDPOINTS, id)
    if isinstance(params.url, str):
        check_url(params.url, "url")
    if isinstance(params.enabled_events, list):
        _check_events(params.enabled_events)
    wanted = collect_params(params, "disabled")
    if params.disabled is not UNSET:
        wanted["status"] = "disabled" if params.disabled else "enabled"
    metadata = merge_metadata(endpoint.metadata, params.metadata)
    return endpoint_object(revise(call.db, endpoint, **wanted, metadata=metadata))


@api.get("/{id}")
def retrieve_webhook_endpoint(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a webhook endpoint."""
    return endpoint_object(retrieve(call, ENDPOINTS, id))


@api.get("")
def list_webhook_endpoints(call: Call, params: Annotated[ListParams, Body]) -> Fields:
    """List webhook endpoints."""
    return list_of(call, ENDPOINTS, params, "/v1/webhook_endpoints")


@api.delete("/{id}")
def delete_webhook_endpoint(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a webhook endpoint."""
    call.db.remove(retrieve(call, ENDPOINTS, id))
    return {"id": id, "object": "webhook_endpoint", "deleted": True}


def wants(endpoint: WebhookEndpoint, type: str) -> bool:
    """Return whether an endpoint receives events of a type."""
    return endpoint.status == "enabled" and any(each in (EVERY, type) for each in endpoint.enabled_events)


def listening(call: Call, type: str) -> int:
    """Return the number of endpoints that receive events of a type."""
    if "endpoints" not in call.memo:
        call.memo["endpoints"] = call.db.rows(WebhookEndpoint) if call.db.count(WebhookEndpoint) else []
    endpoints: list[WebhookEndpoint] = call.memo["endpoints"]
    return sum([wants(endpoint, type) for endpoint in endpoints]) if endpoints else 0


def _check_version(call: Call, version: str | None) -> None:
    """Raise StripeError for an unknown API version; the version of the request is known."""
    if version and version not in (*API_VERSIONS, version_of(call)):
        raise StripeError(f"Invalid api_version: must be one of {join_choices(API_VERSIONS)}", param="api_version")


def _check_events(names: list[str]) -> None:
    for number, name in enumerate(names):
        if name != EVERY and name not in EVENT_TYPES:
            param = f"enabled_events[{number}]"
            choices = join_choices([EVERY, *sorted(EVENT_TYPES)])
            raise StripeError(f"Invalid {param}: must be one of {choices}", param=param)
