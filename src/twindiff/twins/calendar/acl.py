"""ACL rules of calendars: https://developers.google.com/workspace/calendar/api/v3/reference/acl"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType

from twindiff.kit import Body, Call, Header, Operations, check_if_match
from twindiff.kit.styles.google import ConditionNotMet

from .access import ROLES, open_calendar
from .changes import amend, record_change, stamp
from .errors import CannotChangeOwner, Invalid, NotFound, Required, SyncTokenConflict
from .lists import ListRequest, MaxResults, render_page
from .mail import send
from .tables import Calendar, CalendarAclRule, CalendarUser

api = Operations()

SCOPES = ("default", "user", "group", "domain")


class AclScope(Struct):
    """The grantees of a rule: a `type` of `SCOPES` and, except for `default`, an email address or domain as `value`."""

    type: str | UnsetType | None = UNSET
    value: str | UnsetType | None = UNSET


class AclRuleBody(Struct):
    """An ACL rule in a request body."""

    role: str | UnsetType | None = UNSET
    scope: AclScope | UnsetType | None = UNSET


def collection_of(calendar_id: str) -> str:
    """Return the collection path under which changes of a calendar's rules are recorded and watched."""
    return f"/calendars/{calendar_id}/acl"


def rule_id(rule: CalendarAclRule) -> str:
    """Return a rule's id in the API, `TYPE:VALUE` of its scope or `default`."""
    return "default" if rule.scope_type == "default" else f"{rule.scope_type}:{rule.scope_value}"


def render_rule(rule: CalendarAclRule) -> dict[str, Any]:
    """Return an `acl` resource; a deleted rule has the role `none`."""
    scope = {"type": rule.scope_type, **({"value": rule.scope_value} if rule.scope_value else {})}
    role = "none" if rule.deleted else rule.role
    return {"kind": "calendar#aclRule", "etag": rule.etag, "id": rule_id(rule), "scope": scope, "role": role}


def _find(call: Call, calendar: Calendar, given: str) -> CalendarAclRule:
    """Find a rule by its API id or by the id of its row; raises NotFound."""
    scope_type, _, value = given.removeprefix(f"{calendar.id}:").partition(":")
    here = CalendarAclRule.calendar_id == calendar.id
    scope = CalendarAclRule.scope_type == scope_type, CalendarAclRule.scope_value == (value or None)
    rule = call.db.find(CalendarAclRule, here, *scope) or call.db.find(
        CalendarAclRule, here, CalendarAclRule.id == given
    )
    if rule is None or rule.deleted:
        raise NotFound
    return rule


def _parse_role(role: Any) -> str:
    if not role or role is UNSET:
        raise Required("Missing role.")
    if role not in ROLES:
        raise Invalid(f"Invalid value for role: '{role}'. Allowed values: [{', '.join(ROLES)}]")
    return role


def _parse_scope(scope: Any) -> tuple[str, str | None]:
    if not isinstance(scope, AclScope) or not scope.type:
        raise Required("Missing scope type.")
    if scope.type not in SCOPES:
        raise Invalid(f"Invalid scope type: '{scope.type}'. Allowed values: [{', '.join(SCOPES)}]")
    value = scope.value or None
    if scope.type == "default":
        if value:
            raise Invalid("Invalid scope value: the scope of type default has none.")
        return scope.type, None
    if not value or (scope.type != "domain") != ("@" in value):
        raise Invalid(f"Invalid scope value: '{value or ''}'.")
    return scope.type, value


@api.get("/calendars/{calendarId}/acl")
def list_rules(
    call: Call,
    calendar_id: str,
    max_results: MaxResults = 100,
    page_token: str = "",
    sync_token: str = "",
    show_deleted: bool | None = None,
) -> dict[str, Any]:
    """List the ACL rules of a calendar; requires the role `writer`."""
    calendar = open_calendar(call, calendar_id, "writer").calendar
    if sync_token and show_deleted is False:
        raise SyncTokenConflict
    rows = call.db.rows(CalendarAclRule, CalendarAclRule.calendar_id == calendar.id)
    kept = [row for row in rows if not row.deleted or show_deleted or sync_token]
    asked = ListRequest(collection_of(calendar.id), max_results, page_token, sync_token)
    return render_page(call, "calendar#acl", asked, kept, rule_id, render_rule)


@api.get("/calendars/{calendarId}/acl/{ruleId}")
def get_rule(call: Call, calendar_id: str, rule_id: str) -> dict[str, Any]:
    """Return one ACL rule; requires the role `writer`."""
    return render_rule(_find(call, open_calendar(call, calendar_id, "writer").calendar, rule_id))


@api.post("/calendars/{calendarId}/acl")
def insert_rule(
    call: Call, calendar_id: str, rule: Annotated[AclRuleBody, Body], send_notifications: bool = True
) -> dict[str, Any]:
    """Share a calendar; if the scope has a rule already, change the role of that rule."""
    calendar = open_calendar(call, calendar_id, "owner").calendar
    role, (scope_type, value) = _parse_role(rule.role), _parse_scope(rule.scope)
    here = (
        CalendarAclRule.calendar_id == calendar.id,
        CalendarAclRule.scope_type == scope_type,
        CalendarAclRule.scope_value == value,
    )
    known = call.db.find(CalendarAclRule, *here)
    if known:
        return _set_role(call, calendar, known, role, mails=send_notifications)
    made = CalendarAclRule(
        id=f"{calendar.id}:{scope_type}{':' + value if value else ''}",
        calendar_id=calendar.id,
        role=role,
        scope_type=scope_type,
        scope_value=value,
        created_at=call.clock.iso(),
        **stamp(call),
    )
    call.db.add(made)
    _publish_rule(call, calendar, made, mails=send_notifications)
    return render_rule(made)


def _set_role(call: Call, calendar: Calendar, rule: CalendarAclRule, role: str, *, mails: bool) -> dict[str, Any]:
    owner = call.db.find(CalendarUser, CalendarUser.id == calendar.owner_id)
    if owner and rule.scope_type == "user" and rule.scope_value == owner.email and role != "owner":
        raise CannotChangeOwner
    after = amend(call, rule, role=role, deleted=False)
    if after.etag != rule.etag:
        _publish_rule(call, calendar, after, mails=mails)
    return render_rule(after)


def _publish_rule(call: Call, calendar: Calendar, rule: CalendarAclRule, *, mails: bool) -> None:
    """Notify watch channels of a changed rule, and mail the user or group that gains access."""
    record_change(call, collection_of(calendar.id), rule_id(rule))
    if mails and not rule.deleted and rule.role != "none" and rule.scope_type in ("user", "group"):
        send(call, "sharing", [rule.scope_value or ""], f"{calendar.summary} is shared with you", calendar.id)


@api.patch("/calendars/{calendarId}/acl/{ruleId}")
def patch_rule(
    call: Call,
    calendar_id: str,
    rule_id: str,
    rule: Annotated[AclRuleBody, Body],
    send_notifications: bool = True,
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Change the role of a rule; the scope cannot change."""
    calendar = open_calendar(call, calendar_id, "owner").calendar
    row = _find(call, calendar, rule_id)
    check_if_match(if_match, row.etag, ConditionNotMet)
    _refuse_other_scope(row, rule)
    role = row.role if rule.role is UNSET else _parse_role(rule.role)
    return _set_role(call, calendar, row, role, mails=send_notifications)


@api.put("/calendars/{calendarId}/acl/{ruleId}")
def update_rule(
    call: Call,
    calendar_id: str,
    rule_id: str,
    rule: Annotated[AclRuleBody, Body],
    send_notifications: bool = True,
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Replace a rule; only its role can differ."""
    calendar = open_calendar(call, calendar_id, "owner").calendar
    row = _find(call, calendar, rule_id)
    check_if_match(if_match, row.etag, ConditionNotMet)
    _refuse_other_scope(row, rule)
    return _set_role(call, calendar, row, _parse_role(rule.role), mails=send_notifications)


def _refuse_other_scope(row: CalendarAclRule, rule: AclRuleBody) -> None:
    if rule.scope and _parse_scope(rule.scope) != (row.scope_type, row.scope_value):
        raise Invalid("The scope of a rule cannot be changed. Delete the rule and insert another one.")


@api.delete("/calendars/{calendarId}/acl/{ruleId}", status=204)
def delete_rule(call: Call, calendar_id: str, rule_id: str, if_match: Annotated[str, Header("If-Match")] = "") -> None:
    """Delete a rule, which revokes the access it gave."""
    calendar = open_calendar(call, calendar_id, "owner").calendar
    rule = _find(call, calendar, rule_id)
    check_if_match(if_match, rule.etag, ConditionNotMet)
    owner = call.db.find(CalendarUser, CalendarUser.id == calendar.owner_id)
    if owner and rule.scope_type == "user" and rule.scope_value == owner.email:
        raise CannotChangeOwner
    _publish_rule(call, calendar, amend(call, rule, deleted=True), mails=False)
