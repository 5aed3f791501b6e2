"""The account, its searches and its reports.

https://mailchimp.com/developer/marketing/api/root/, /search-members/, /reports/
"""

from __future__ import annotations

from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .campaigns import find_campaign, show_campaign
from .field_selection import select_fields
from .lists import find_list
from .members import find_member, show_member
from .tables import MailchimpCampaign, MailchimpList, MailchimpMember
from .wire_style import MailchimpError, ResourceNotFound, page_rows, show_time

api = Operations(prefix="/3.0", layers=[select_fields])
Shown = dict[str, Any]
MIN_QUERY_CHARACTERS = 2
_CONTACT = ("company", "addr1", "addr2", "city", "state", "zip", "country")


@api.get("/")
def get_root(call: Call) -> Shown:
    """Return the account and its contact."""
    members = call.db.count(MailchimpMember, MailchimpMember.status == "subscribed")
    stats = {"open_rate": 0, "sub_open_rate": 0, "click_rate": 0, "sub_click_rate": 0}
    return {
        "account_id": "8d3a3db4d97663a9074efcc16",
        "login_id": "168000001",
        "account_name": "Twindiff",
        "email": "agent@example.com",
        "first_name": "Agent",
        "last_name": "Smith",
        "username": "agent@example.com",
        "avatar_url": "",
        "role": "owner",
        "member_since": "2026-01-01T00:00:00+00:00",
        "pricing_plan_type": "monthly",
        "first_payment": "",
        "account_timezone": "UTC",
        "account_industry": "",
        "contact": dict.fromkeys(_CONTACT, ""),
        "pro_enabled": False,
        "last_login": show_time(call.clock.iso()),
        "total_subscribers": members,
        "industry_stats": {"open_rate": 0, "bounce_rate": 0, "click_rate": 0},
        "_links": [],
        "stats": stats,
    }


# -- searches ----------------------------------------------------------------------------------------------------------


def _check_query(query: str) -> str:
    if len(query) < MIN_QUERY_CHARACTERS:
        raise MailchimpError(400, f"query: The search query must have at least {MIN_QUERY_CHARACTERS} characters")
    return query.lower()


@api.get("/search-members")
def search_members(call: Call, query: str, list_id: str = "") -> Shown:
    """Find members by address and name, in all lists or in one."""
    word = _check_query(query)
    lists = [find_list(call, list_id)] if list_id else call.db.rows(MailchimpList, order=MailchimpList.position)
    exact: list[Shown] = []
    others: list[Shown] = []
    for of in lists:
        for row in call.db.rows(MailchimpMember, MailchimpMember.list_id == of.id, order=MailchimpMember.web_id):
            text = " ".join([row.email_address, *map(str, cast(Shown, row.merge_fields).values())]).lower()
            if row.email_address.lower() == word:
                exact.append(show_member(call, row))
            if word in text:
                others.append(show_member(call, row))
    matches = {"exact_matches": exact, "full_search": others}
    return {**{name: {"members": rows, "total_items": len(rows)} for name, rows in matches.items()}, "_links": []}


@api.get("/search-campaigns")
def search_campaigns(call: Call, query: str) -> Shown:
    """Find campaigns by title and subject."""
    word = _check_query(query)
    results: list[Shown] = []
    for row in call.db.rows(MailchimpCampaign, order=MailchimpCampaign.create_time):
        shown = show_campaign(call, row)
        texts = [str(shown["settings"].get(name) or "") for name in ("title", "subject_line", "from_name")]
        if any(word in each.lower() for each in texts):
            snippet = next(each for each in texts if word in each.lower())
            results.append({"campaign": shown, "snippet": snippet})
    return {"results": results, "total_items": len(results), "_links": []}


# -- what lists and members have ---------------------------------------------------------------------------------------


def _declare_empty(path: str, name: str) -> None:
    """Declare a list of a list's that has nothing in it until somebody reads mail."""

    @api.get(f"/lists/{{list_id}}/{path}")
    def list_nothing(call: Call, list_id: str, count: int = 10, offset: int = 0) -> Shown:
        row = find_list(call, list_id)
        return {name: page_rows([], count, offset), "list_id": row.id, "total_items": 0, "_links": []}


for path, name in (
    ("abuse-reports", "abuse_reports"), ("activity", "activity"), ("clients", "clients"), ("locations", "locations"),
    ("signup-forms", "signup_forms"),
):  # fmt: skip
    _declare_empty(path, name)


@api.get("/lists/{list_id}/growth-history")
def list_growth(call: Call, list_id: str, count: int = 10, offset: int = 0) -> Shown:
    """List the members of a list by month, of which there is this one."""
    row = find_list(call, list_id)
    counts = dict.fromkeys(("subscribed", "unsubscribed", "cleaned", "pending", "transactional"), 0)
    for each in call.db.rows(MailchimpMember, MailchimpMember.list_id == row.id):
        if each.status in counts:
            counts[each.status] += 1
    month = {"list_id": row.id, "month": call.clock.iso()[:7], "existing": 0, "imports": 0, "optins": 0, **counts}
    history: list[Shown] = [{**month, "reconfirm": 0, "deleted": 0, "_links": []}]
    return {"history": page_rows(history, count, offset), "list_id": row.id, "total_items": 1, "_links": []}


@api.get("/lists/{list_id}/members/{subscriber_hash}/activity")
def list_activity(call: Call, list_id: str, subscriber_hash: str) -> Shown:
    """List what a member did with campaigns."""
    row = find_member(call, list_id, subscriber_hash)
    about: Shown = {"email_id": row.id, "list_id": row.list_id, "total_items": 0, "_links": []}
    return {"activity": [], **about}


@api.get("/lists/{list_id}/members/{subscriber_hash}/activity-feed")
def list_activity_feed(call: Call, list_id: str, subscriber_hash: str) -> Shown:
    """List what a member did, in full."""
    row = find_member(call, list_id, subscriber_hash)
    return {"activity": [], "email_id": row.id, "list_id": row.list_id, "_links": []}


@api.get("/lists/{list_id}/members/{subscriber_hash}/goals")
def list_goals(call: Call, list_id: str, subscriber_hash: str) -> Shown:
    """List the goals that a member reached."""
    row = find_member(call, list_id, subscriber_hash)
    return {"goals": [], "list_id": row.list_id, "email_id": row.id, "total_items": 0, "_links": []}


# -- campaigns and reports ---------------------------------------------------------------------------------------------


@api.post("/campaigns/{campaign_id}/actions/test", status=204)
def post_test(call: Call, campaign_id: str, body: Annotated[dict[str, Any], Body]) -> None:
    """Send a test of a campaign, which changes nothing."""
    find_campaign(call, campaign_id)
    missing = [name for name in ("test_emails", "send_type") if not body.get(name)]
    if missing:
        raise MailchimpError(400, f"Required fields were not provided: {', '.join(missing)}")
    if body["send_type"] not in ("html", "plaintext"):
        raise MailchimpError(400, "send_type: the value must be one of html, plaintext")


@api.get("/campaigns/{campaign_id}/feedback")
def list_feedback(call: Call, campaign_id: str) -> Shown:
    """List what people said of a campaign."""
    row = find_campaign(call, campaign_id)
    return {"feedback": [], "campaign_id": row.id, "total_items": 0, "_links": []}


def _show_report(call: Call, row: MailchimpCampaign) -> Shown:
    shown = show_campaign(call, row)
    sent, recipients, settings = row.emails_sent, shown["recipients"], shown["settings"]
    forwards = {"forwards_count": 0, "forwards_opens": 0}
    opens = {"opens_total": 0, "proxy_excluded_opens": 0, "unique_opens": 0, "open_rate": 0, "last_open": ""}
    clicks = {"clicks_total": 0, "unique_clicks": 0, "unique_subscriber_clicks": 0, "click_rate": 0, "last_click": ""}
    return {
        "id": row.id, "campaign_title": settings["title"], "type": row.type,
        "list_id": str(recipients.get("list_id") or ""), "list_is_active": True,
        "list_name": str(recipients.get("list_name") or ""), "subject_line": settings["subject_line"],
        "preview_text": settings["preview_text"], "emails_sent": sent, "abuse_reports": 0, "unsubscribed": 0,
        "send_time": shown["send_time"], "bounces": {"hard_bounces": 0, "soft_bounces": 0, "syntax_errors": 0},
        "forwards": forwards, "opens": opens, "clicks": clicks,
        "facebook_likes": {"recipient_likes": 0, "unique_likes": 0, "facebook_likes": 0},
        "list_stats": {"sub_rate": 0, "unsub_rate": 0, "open_rate": 0, "click_rate": 0}, "timeseries": [],
        "ecommerce": {"total_orders": 0, "total_spent": 0, "total_revenue": 0},
        "delivery_status": {"enabled": False}, "_links": [],
    }  # fmt: skip


@api.get("/reports")
def list_reports(call: Call, count: int = 10, offset: int = 0, type: str = "") -> Shown:
    """List the reports of the campaigns that are sent."""
    rows = [
        row
        for row in call.db.rows(MailchimpCampaign, order=MailchimpCampaign.create_time)
        if row.status == "sent" and (not type or row.type == type)
    ]
    shown = [_show_report(call, row) for row in page_rows(rows, count, offset)]
    return {"reports": shown, "total_items": len(rows), "_links": []}


@api.get("/reports/{campaign_id}")
def get_report(call: Call, campaign_id: str) -> Shown:
    """Return the report of a campaign that is sent."""
    row = find_campaign(call, campaign_id)
    if row.status != "sent":
        raise ResourceNotFound
    return _show_report(call, row)


@api.get("/automations")
def list_automations(call: Call, count: int = 10, offset: int = 0) -> Shown:
    """List the classic automations, which new accounts cannot have."""
    return {"automations": page_rows([], count, offset), "total_items": 0, "_links": []}


@api.get("/authorized-apps")
def list_apps(call: Call, count: int = 10, offset: int = 0) -> Shown:
    """List the applications that may use the account."""
    return {"apps": page_rows([], count, offset), "total_items": 0, "_links": []}


@api.get("/verified-domains")
def list_domains(call: Call) -> Shown:
    """List the domains from which the account may send."""
    return {"domains": [], "total_items": 0, "_links": []}
