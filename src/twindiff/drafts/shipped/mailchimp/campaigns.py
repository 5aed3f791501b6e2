"""Campaigns and templates. https://mailchimp.com/developer/marketing/api/campaigns/, /templates/"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from ..number_ids import read_number_id
from .field_selection import select_fields
from .lists import find_list
from .segments import find_segment, list_segment_members
from .tables import MailchimpCampaign, MailchimpMember, MailchimpTemplate
from .wire_style import MailchimpError, ResourceNotFound, page_rows, show_time

api = Operations(prefix="/3.0", layers=[select_fields])
Shown = dict[str, Any]
Given = Annotated[dict[str, Any], Body]
_TYPES = ("regular", "plaintext", "rss", "variate")
_SETTINGS: Shown = {
    "subject_line": "", "preview_text": "", "title": "", "from_name": "", "reply_to": "", "use_conversation": False,
    "to_name": "", "folder_id": "", "authenticate": True, "auto_footer": False, "inline_css": False,
    "auto_tweet": False, "fb_comments": True, "timewarp": False, "template_id": 0, "drag_and_drop": False,
}  # fmt: skip
_TRACKING: Shown = {
    "opens": True, "html_clicks": True, "text_clicks": False, "goal_tracking": False, "ecomm360": False,
    "google_analytics": "", "clicktale": "",
}  # fmt: skip
_DETAILS = ("settings", "recipients", "tracking")


def find_campaign(call: Call, id: str) -> MailchimpCampaign:
    """Return a campaign; raises ResourceNotFound."""
    return call.db.get(MailchimpCampaign, id, missing=ResourceNotFound)


def _list_recipients(call: Call, row: MailchimpCampaign) -> list[MailchimpMember]:
    """Return the subscribed members of the list, or of the saved segment, that a campaign is for."""
    recipients = cast(Shown, row.recipients)
    list_id = str(recipients.get("list_id") or "")
    segment = cast(Shown, recipients.get("segment_opts") or {}).get("saved_segment_id")
    if segment is not None:
        members = list_segment_members(call, find_segment(call, list_id, str(segment)))
    else:
        members = call.db.rows(MailchimpMember, MailchimpMember.list_id == list_id)
    return [each for each in members if each.status == "subscribed"]


def show_campaign(call: Call, row: MailchimpCampaign) -> Shown:
    """Return a campaign."""
    number = int.from_bytes(row.id.encode()[:3])
    count = row.emails_sent if row.status == "sent" else len(_list_recipients(call, row))
    return {
        "id": row.id,
        "web_id": number,
        "type": row.type,
        "create_time": show_time(row.create_time),
        "archive_url": f"http://eepurl.com/{row.id}",
        "long_archive_url": f"https://mailchi.mp/{row.id}/campaign",
        "status": row.status,
        "emails_sent": row.emails_sent,
        "send_time": show_time(row.send_time),
        "content_type": "template" if cast(Shown, row.settings).get("template_id") else "html",
        "needs_block_refresh": False,
        "resendable": row.status == "sent",
        "recipients": {**cast(Shown, row.recipients), "list_is_active": True, "recipient_count": count},
        "settings": {**_SETTINGS, **cast(Shown, row.settings)},
        "tracking": {**_TRACKING, **cast(Shown, row.tracking)},
        "delivery_status": {"enabled": False},
        "_links": [],
    }


def _read_details(call: Call, given: Mapping[str, Any], known: MailchimpCampaign | None) -> Shown:
    """Return the parts of a campaign that are given, over what it has. Raises MailchimpError."""
    values: Shown = {}
    for name in _DETAILS:
        part = given.get(name)
        if part is None:
            continue
        if not isinstance(part, dict):
            raise MailchimpError(400, f"{name}: Schema describes object, {type(part).__name__} found instead")
        values[name] = {**(cast(Shown, getattr(known, name)) if known else {}), **cast(Shown, part)}
    recipients = values.get("recipients", {})
    if recipients.get("list_id") is not None:
        find_list(call, str(recipients["list_id"]))
    options: Any = recipients.get("segment_opts") or {}
    if not isinstance(options, dict):
        raise MailchimpError(400, "recipients.segment_opts: Schema describes object")
    if "conditions" in options:
        raise MailchimpError(501, "Campaigns for conditions are not served; name a saved_segment_id")
    if "saved_segment_id" in options:
        find_segment(call, str(recipients.get("list_id")), str(cast(Shown, options)["saved_segment_id"]))
    template = values.get("settings", {}).get("template_id")
    if template:
        _find_template(call, str(template))
    return values


@api.get("/campaigns")
def list_campaigns(
    call: Call, count: int = 10, offset: int = 0, type: str = "", status: str = "", list_id: str = ""
) -> Shown:
    """List the campaigns, or those of a type, a status or a list."""
    rows = [
        row
        for row in call.db.rows(MailchimpCampaign, order=MailchimpCampaign.create_time)
        if (not type or row.type == type)
        and (not status or row.status == status)
        and (not list_id or cast(Shown, row.recipients).get("list_id") == list_id)
    ]
    shown = [show_campaign(call, each) for each in page_rows(rows, count, offset)]
    return {"campaigns": shown, "total_items": len(rows), "_links": []}


@api.post("/campaigns")
def post_campaign(call: Call, body: Given) -> Shown:
    """Create a campaign, which is saved and not sent."""
    kind = body.get("type")
    if kind not in _TYPES:
        raise MailchimpError(400, f"type: the value must be one of {', '.join(_TYPES)}")
    if kind in ("rss", "variate"):
        raise MailchimpError(501, f"Campaigns of type {kind} are not served; regular and plaintext ones are")
    values = _read_details(call, body, None)
    row = MailchimpCampaign(
        id=call.ids.uuid().replace("-", "")[-10:], type=str(kind), create_time=call.clock.iso(), **values
    )
    return show_campaign(call, call.db.add(row))


@api.get("/campaigns/{campaign_id}")
def get_campaign(call: Call, campaign_id: str) -> Shown:
    """Return a campaign."""
    return show_campaign(call, find_campaign(call, campaign_id))


def _find_unsent(call: Call, id: str) -> MailchimpCampaign:
    row = find_campaign(call, id)
    if row.status != "save":
        raise MailchimpError(400, f"The campaign's status is '{row.status}'; only saved campaigns are changed.")
    return row


@api.patch("/campaigns/{campaign_id}")
def patch_campaign(call: Call, campaign_id: str, body: Given) -> Shown:
    """Change the settings of a campaign that is not sent."""
    row = _find_unsent(call, campaign_id)
    return show_campaign(call, call.db.change(row, **_read_details(call, body, row)))


@api.delete("/campaigns/{campaign_id}", status=204)
def delete_campaign(call: Call, campaign_id: str) -> None:
    """Remove a campaign."""
    call.db.remove(find_campaign(call, campaign_id))


@api.get("/campaigns/{campaign_id}/content")
def get_content(call: Call, campaign_id: str) -> Shown:
    """Return the text and the HTML of a campaign."""
    content = cast(Shown, find_campaign(call, campaign_id).content)
    html = str(content.get("html", ""))
    text = str(content.get("plain_text") or re.sub(r"<[^>]+>", "", html).strip())
    return {"plain_text": text, "html": html, "archive_html": html, "_links": []}


@api.put("/campaigns/{campaign_id}/content")
def put_content(call: Call, campaign_id: str, body: Given) -> Shown:
    """Set the text and the HTML of a campaign, or take the HTML of a template."""
    row = _find_unsent(call, campaign_id)
    content = {name: str(body[name]) for name in ("plain_text", "html") if body.get(name) is not None}
    template: Any = body.get("template")
    if isinstance(template, dict):
        content["html"] = _find_template(call, str(cast(Shown, template).get("id"))).html
    elif not content:
        raise MailchimpError(501, "Content is taken from plain_text, html or template; url, archive and others are not")
    call.db.change(row, content=content)
    return get_content(call, campaign_id)


def _list_missing(call: Call, row: MailchimpCampaign) -> list[str]:
    """Return what keeps a campaign from being sent."""
    settings = {**_SETTINGS, **cast(Shown, row.settings)}
    missing = [
        f"no {name.replace('_', ' ')}" for name in ("subject_line", "from_name", "reply_to") if not settings[name]
    ]
    missing += [] if cast(Shown, row.content) or settings["template_id"] else ["no content"]
    return [*missing, *([] if _list_recipients(call, row) else ["no recipients"])]


@api.get("/campaigns/{campaign_id}/send-checklist")
def get_checklist(call: Call, campaign_id: str) -> Shown:
    """Return whether a campaign can be sent, and what it lacks."""
    missing = _list_missing(call, find_campaign(call, campaign_id))
    items = [{"type": "error", "id": n, "heading": each.capitalize(), "details": f"The campaign has {each}."}
             for n, each in enumerate(missing, 500)]  # fmt: skip
    return {"is_ready": not missing, "items": items, "_links": []}


def _find_ready(call: Call, id: str) -> MailchimpCampaign:
    row = _find_unsent(call, id)
    missing = _list_missing(call, row)
    if missing:
        raise MailchimpError(400, f"Your Campaign is not ready to send. It has {', '.join(missing)}.")
    return row


@api.post("/campaigns/{campaign_id}/actions/send", status=204)
def send_campaign(call: Call, campaign_id: str) -> None:
    """Send a campaign: no mail leaves, but it is sent to each subscribed member."""
    row = _find_ready(call, campaign_id)
    count = len(_list_recipients(call, row))
    call.db.change(row, status="sent", send_time=call.clock.iso(), emails_sent=count)


@api.post("/campaigns/{campaign_id}/actions/schedule", status=204)
def schedule_campaign(call: Call, campaign_id: str, schedule_time: str) -> None:
    """Schedule a campaign for a quarter of an hour to come; it stays scheduled, since nothing sends it."""
    row = _find_ready(call, campaign_id)
    try:
        at = datetime.fromisoformat(schedule_time).replace(tzinfo=None)
    except ValueError:
        raise MailchimpError(400, f"schedule_time: {schedule_time} is not a time in ISO 8601") from None
    if at.minute % 15 or at.second:
        raise MailchimpError(400, "Campaigns may only be scheduled to send on the quarter-hour.")
    if at.isoformat() <= call.clock.iso():
        raise MailchimpError(400, "The schedule_time must be in the future.")
    call.db.change(row, status="schedule", send_time=f"{at.isoformat()}.000000")


@api.post("/campaigns/{campaign_id}/actions/unschedule", status=204)
def unschedule_campaign(call: Call, campaign_id: str) -> None:
    """Take a scheduled campaign back."""
    row = find_campaign(call, campaign_id)
    if row.status != "schedule":
        raise MailchimpError(400, f"The campaign is not scheduled; its status is '{row.status}'.")
    call.db.change(row, status="save", send_time=None)


@api.post("/campaigns/{campaign_id}/actions/replicate")
def replicate_campaign(call: Call, campaign_id: str) -> Shown:
    """Copy a campaign, sent or not, to one that is saved."""
    row = find_campaign(call, campaign_id)
    settings: Shown = {**cast(Shown, row.settings)}
    settings["title"] = f"{settings.get('title') or settings.get('subject_line', '')} (copy 01)"
    made = MailchimpCampaign(
        id=call.ids.uuid().replace("-", "")[-10:], type=row.type, create_time=call.clock.iso(), settings=settings,
        recipients=row.recipients, tracking=row.tracking, content=row.content,
    )  # fmt: skip
    return show_campaign(call, call.db.add(made))


# -- templates ---------------------------------------------------------------------------------------------------------


def _find_template(call: Call, id: str) -> MailchimpTemplate:
    return call.db.get(MailchimpTemplate, read_number_id(id), missing=ResourceNotFound)


def _show_template(row: MailchimpTemplate) -> Shown:
    at = show_time(row.date_created)
    about = {"id": row.id, "type": "user", "name": row.name, "drag_and_drop": False, "responsive": False}
    dates = {"date_created": at, "date_edited": at, "created_by": "Agent", "edited_by": "Agent"}
    return {**about, "category": "", **dates, "active": True, "folder_id": "", "content_type": "html", "_links": []}


@api.get("/templates")
def list_templates(call: Call, count: int = 10, offset: int = 0) -> Shown:
    """List the templates of the account."""
    rows = call.db.rows(MailchimpTemplate)
    shown = [_show_template(each) for each in page_rows(rows, count, offset)]
    return {"templates": shown, "total_items": len(rows), "_links": []}


@api.post("/templates")
def post_template(call: Call, name: str, html: str) -> Shown:
    """Create a template."""
    if not name or not html:
        raise MailchimpError(400, "A template has a name and its html")
    number = 10_000_000 + call.db.next("template")
    row = MailchimpTemplate(id=number, name=name, html=html, date_created=call.clock.iso())
    return _show_template(call.db.add(row))


@api.get("/templates/{template_id}")
def get_template(call: Call, template_id: str) -> Shown:
    """Return a template."""
    return _show_template(_find_template(call, template_id))


@api.patch("/templates/{template_id}")
def patch_template(call: Call, template_id: str, name: str | None = None, html: str | None = None) -> Shown:
    """Change a template."""
    row = _find_template(call, template_id)
    return _show_template(call.db.change(row, name=name or row.name, html=html or row.html))


@api.delete("/templates/{template_id}", status=204)
def delete_template(call: Call, template_id: str) -> None:
    """Remove a template."""
    call.db.remove(_find_template(call, template_id))
