"""Files, rate limits, webhooks and emojis.

https://linear.app/developers/graphql#file-storage · https://linear.app/developers/rate-limiting
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from twindiff.kit import Call
from twindiff.kit.graphql import Section
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.links import split_url

from ..core.actors import organization_id
from ..model.comments import Emoji
from ..model.views import TimeSchedule
from ..model.webhooks import Webhook
from .webhook_events import RESOURCES

api = Section()

MAX_FILE_BYTES = 2**31 - 1
REQUESTS_AN_HOUR = 2_500
POINTS_AN_HOUR = 3_000_000
HOUR = 3_600_000


@api.mutation(
    "fileUpload(contentType: String!, filename: String!, makePublic: Boolean, metaData: JSON, size: Int!): "
    "UploadPayload!"
)
def file_upload(
    call: Call,
    content_type: str,
    filename: str,
    size: int,
    make_public: bool | None = None,
    meta_data: Any = None,
) -> dict[str, Any]:
    """Return a URL to which a file can be uploaded. The twin does not store the bytes."""
    if not 0 < size <= MAX_FILE_BYTES:
        raise InvalidInput("size: a file has at least one byte and at most 2 GB.")
    if make_public and (not content_type.startswith("image/") or content_type == "image/svg+xml"):
        raise InvalidInput("Public uploads are only supported for images (excluding SVG)")
    folder = f"{organization_id(call)}/{call.ids.uuid()}/{quote(filename)}"
    upload = {
        "assetUrl": f"https://{'public' if make_public else 'uploads'}.linear.app/{folder}",
        "uploadUrl": f"https://uploads.linear.app/put/{folder}?signature={call.ids.new('', 16).lower()}",
        "contentType": content_type,
        "filename": filename,
        "size": size,
        "metaData": meta_data,
        "headers": [{"key": "x-goog-content-length-range", "value": f"{size},{size}"}],
    }
    return {"uploadFile": upload}


@api.query("rateLimitStatus: RateLimitPayload!")
def rate_limit_status(call: Call) -> dict[str, Any]:
    """Return the rate limits. The twin never exhausts them."""
    reset = float(call.clock.micros // 1000 + HOUR)
    limits = [_limit("api", REQUESTS_AN_HOUR, reset), _limit("complexity", POINTS_AN_HOUR, reset)]
    return {"identifier": call.actor, "kind": "user", "limits": limits}


def _limit(kind: str, allowed: int, reset: float) -> dict[str, Any]:
    amount = float(allowed)
    return {
        "type": kind,
        "allowedAmount": amount,
        "remainingAmount": amount,
        "requestedAmount": 0.0,
        "period": float(HOUR),
        "reset": reset,
    }


@api.before_create(Webhook)
def create_webhook(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new webhook: it covers one team or all public ones, and known resource types."""
    _check_webhook(values)
    if not values.get("teamId") and not values.get("allPublicTeams"):
        raise InvalidInput("teamId: a webhook needs a team, or allPublicTeams.")
    values["creatorId"] = call.actor
    values["secret"] = values.get("secret") or f"lin_wh_{call.ids.new('', 32)}"


@api.before_update(Webhook)
def update_webhook(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate the changes of a webhook."""
    _check_webhook(changes)


def _check_webhook(values: dict[str, Any]) -> None:
    url: str = values.get("url") or ""
    if url and split_url(url).scheme not in ("http", "https"):
        raise InvalidInput("url: a webhook needs an http or https address.")
    given: list[str] = values.get("resourceTypes") or []
    unknown = [each for each in given if each not in RESOURCES]
    if unknown:
        raise InvalidInput(f"resourceTypes: '{unknown[0]}' is none of {', '.join(RESOURCES)}.")


@api.before_create(Emoji)
def create_emoji(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput if an emoji with the name exists."""
    if call.db.find(Emoji.row, Emoji.row.name == values["name"]):
        raise InvalidInput(f"name: there is an emoji '{values['name']}' already.")
    values["creatorId"] = call.actor
    values["organizationId"] = organization_id(call)
    values["source"] = "custom"


@api.before_create(TimeSchedule)
def create_schedule(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the workspace of a new schedule."""
    values["organizationId"] = organization_id(call)
