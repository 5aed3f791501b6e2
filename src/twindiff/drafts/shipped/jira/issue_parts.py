"""Worklogs, links, watchers and attachments of issues.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-worklogs/
"""

from __future__ import annotations

import mimetypes
from datetime import datetime
from typing import Annotated, Any

from twindiff.kit.call import Call
from twindiff.kit.clock import iso_instant, micros_of
from twindiff.kit.downloads import file_answer
from twindiff.kit.http import json_answer
from twindiff.kit.parameter_sources import Body, Upload
from twindiff.kit.twin import Operations

from .issue_fields import InvalidField, read_duration, read_text
from .issue_views import show_attachment, show_named, show_worklog
from .issues import get_issue_or_refuse
from .site import find_named, find_user, me
from .site_views import address, show_link_type, show_person
from .tables import Attachment, Issue, IssueLink, IssueLinkType, RemoteLink, Watcher, Worklog
from .wire_style import InvalidFields, JiraError, NoSuchObject

api = Operations()
MAX_ATTACHMENT_BYTES = 20_000_000
Shown = dict[str, Any]


def read_time(said: str, field: str) -> str:
    """Return a Timestamp of `2026-01-31T09:30:00.000+0000`; raises InvalidFields."""
    try:
        return iso_instant(micros_of(datetime.fromisoformat(said))).isoformat()
    except (ValueError, OverflowError):
        raise InvalidFields(
            {field: f"Invalid date format. Expected yyyy-MM-dd'T'HH:mm:ss.SSSZ, got '{said}'."}
        ) from None


@api.get("/issue/{issueIdOrKey}/worklog")
def list_worklogs(call: Call, issue_id_or_key: str, start_at: int = 0, max_results: int = 5000) -> Shown:
    """List the work on an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    rows = call.db.rows(Worklog, Worklog.issue_key == issue.key, order=Worklog.started)
    shown = [show_worklog(call, each, issue) for each in rows[start_at : start_at + max_results]]
    return {"startAt": start_at, "maxResults": max_results, "total": len(rows), "worklogs": shown}


@api.post("/issue/{issueIdOrKey}/worklog", status=201)
def post_worklog(
    call: Call,
    issue_id_or_key: str,
    time_spent: str | None = None,
    time_spent_seconds: int | None = None,
    started: str | None = None,
    comment: Any = None,
    adjust_estimate: str = "auto",
) -> Shown:
    """Record work on an issue; the remaining estimate is lowered by it."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    now = call.clock.iso()
    seconds, text, document = _read_work(call, time_spent, time_spent_seconds, comment)
    if seconds is None:
        raise InvalidFields({"timeLogged": "You must indicate the time spent working."})
    worklog = Worklog(
        id=str(10_000 + call.db.next("worklog")),
        issue_key=issue.key,
        author=me(call).account_id,
        time_spent_seconds=seconds,
        comment=text,
        comment_document=document,
        started=read_time(started, "started") if started else now,
        created=now,
        updated=now,
    )
    left = issue.remaining_estimate_seconds
    if adjust_estimate == "auto" and left is not None:
        call.db.change(issue, remaining_estimate_seconds=max(0, left - seconds), updated=now)
    return show_worklog(call, call.db.add(worklog), issue)


def _read_work(call: Call, spent: str | None, seconds: int | None, comment: Any) -> tuple[int | None, str | None, Any]:
    try:
        known = seconds if seconds is not None else read_duration(spent) if spent else None
        return known, *read_text(call, comment)
    except InvalidField as problem:
        raise InvalidFields({"timeLogged": str(problem)}) from None


def _find_worklog(call: Call, said: str, id: str) -> tuple[Issue, Worklog]:
    issue = get_issue_or_refuse(call, said)
    worklog = call.db.find(Worklog, Worklog.id == id, Worklog.issue_key == issue.key)
    if worklog is None:
        raise NoSuchObject(f"Cannot find worklog with id: '{id}'.")
    return issue, worklog


@api.get("/issue/{issueIdOrKey}/worklog/{id}")
def get_worklog(call: Call, issue_id_or_key: str, id: str) -> Shown:
    """Return a record of work."""
    issue, worklog = _find_worklog(call, issue_id_or_key, id)
    return show_worklog(call, worklog, issue)


@api.put("/issue/{issueIdOrKey}/worklog/{id}")
def put_worklog(
    call: Call,
    issue_id_or_key: str,
    id: str,
    time_spent: str | None = None,
    time_spent_seconds: int | None = None,
    started: str | None = None,
    comment: Any = None,
) -> Shown:
    """Change a record of work."""
    issue, worklog = _find_worklog(call, issue_id_or_key, id)
    seconds, text, document = _read_work(call, time_spent, time_spent_seconds, comment)
    given: dict[str, Any] = {"time_spent_seconds": seconds, "comment": text, "comment_document": document}
    given["started"] = read_time(started, "started") if started else None
    given = {name: value for name, value in given.items() if value is not None}
    return show_worklog(call, call.db.change(worklog, **given, updated=call.clock.iso()), issue)


@api.delete("/issue/{issueIdOrKey}/worklog/{id}", status=204)
def delete_worklog(call: Call, issue_id_or_key: str, id: str) -> None:
    """Delete a record of work."""
    call.db.remove(_find_worklog(call, issue_id_or_key, id)[1])


@api.post("/issueLink", status=201)
def post_link(
    call: Call,
    type: dict[str, Any] | None = None,
    inward_issue: dict[str, Any] | None = None,
    outward_issue: dict[str, Any] | None = None,
) -> None:
    """Link two issues: the inward one blocks, clones or relates to the outward one."""
    said = str((type or {}).get("name") or (type or {}).get("id") or "")
    kind = find_named(call, IssueLinkType, said)
    if kind is None:
        raise NoSuchObject(f"No issue link type with name '{said}' found.")
    ends = [
        get_issue_or_refuse(call, str((each or {}).get("key") or (each or {}).get("id") or ""))
        for each in (inward_issue, outward_issue)
    ]
    if ends[0].key == ends[1].key:
        raise JiraError("You cannot link an issue to itself.")
    known = call.db.find(
        IssueLink,
        IssueLink.type == kind.name,
        IssueLink.inward_issue == ends[0].key,
        IssueLink.outward_issue == ends[1].key,
    )
    if known is None:
        link = str(10_000 + call.db.next("issue link") - 1)
        call.db.add(IssueLink(id=link, type=kind.name, inward_issue=ends[0].key, outward_issue=ends[1].key))


def _find_link(call: Call, id: str) -> IssueLink:
    link = call.db.find(IssueLink, IssueLink.id == id)
    if link is None:
        raise NoSuchObject(f"No issue link with id '{id}' exists.")
    return link


@api.get("/issueLink/{linkId}")
def get_link(call: Call, link_id: str) -> Shown:
    """Return a link between issues."""
    link = _find_link(call, link_id)
    ends = {name: call.db.get(Issue, getattr(link, name)) for name in ("inward_issue", "outward_issue")}
    shown = {
        name: {"id": each.id, "key": each.key, "self": address(call, f"issue/{each.id}")} for name, each in ends.items()
    }
    kind = show_named(call, IssueLinkType, link.type, show_link_type)
    return {"id": link.id, "type": kind, "inwardIssue": shown["inward_issue"], "outwardIssue": shown["outward_issue"]}


@api.delete("/issueLink/{linkId}", status=204)
def delete_link(call: Call, link_id: str) -> None:
    """Delete a link between issues."""
    call.db.remove(_find_link(call, link_id))


def _show_remote(call: Call, link: RemoteLink, issue: Issue) -> Shown:
    shown = {"id": link.id, "self": address(call, f"issue/{issue.id}/remotelink/{link.id}"), "object": link.object}
    return shown | {
        name: value for name, value in {"globalId": link.global_id, "relationship": link.relationship}.items() if value
    }


@api.get("/issue/{issueIdOrKey}/remotelink")
def list_remote_links(call: Call, issue_id_or_key: str) -> list[Shown]:
    """List the links of an issue to what is outside of Jira."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    return [_show_remote(call, each, issue) for each in call.db.rows(RemoteLink, RemoteLink.issue_key == issue.key)]


@api.post("/issue/{issueIdOrKey}/remotelink", status=201)
def post_remote_link(
    call: Call, issue_id_or_key: str, object: dict[str, Any], global_id: str = "", relationship: str | None = None
) -> Any:
    """Link an issue to an address; one with the same global id is replaced (200)."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    if not object.get("url") or not object.get("title"):
        raise InvalidFields({"object": "'url' and 'title' are required."})
    where = (RemoteLink.issue_key == issue.key, RemoteLink.global_id == global_id)
    known = call.db.find(RemoteLink, *where) if global_id else None
    if known:
        link, status = call.db.change(known, object=object, relationship=relationship), 200
    else:
        number = 10_000 + call.db.next("remote link") - 1
        link = RemoteLink(id=number, issue_key=issue.key, global_id=global_id, relationship=relationship, object=object)
        link, status = call.db.add(link), 201
    return json_answer({"id": link.id, "self": address(call, f"issue/{issue.id}/remotelink/{link.id}")}, status)


@api.delete("/issue/{issueIdOrKey}/remotelink/{linkId}", status=204)
def delete_remote_link(call: Call, issue_id_or_key: str, link_id: int) -> None:
    """Delete a link to something outside of Jira."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    link = call.db.find(RemoteLink, RemoteLink.id == link_id, RemoteLink.issue_key == issue.key)
    if link is None:
        raise NoSuchObject(f"No remote link with id '{link_id}' exists.")
    call.db.remove(link)


@api.get("/issue/{issueIdOrKey}/watchers")
def list_watchers(call: Call, issue_id_or_key: str) -> Shown:
    """List who watches an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    accounts = [each.account_id for each in call.db.rows(Watcher, Watcher.issue_key == issue.key)]
    people = [user for account in accounts if (user := find_user(call, account))]
    return {
        "self": address(call, f"issue/{issue.key}/watchers"),
        "isWatching": me(call).account_id in accounts,
        "watchCount": len(accounts),
        "watchers": [show_person(call, each) for each in people],
    }


@api.post("/issue/{issueIdOrKey}/watchers", status=204)
def post_watcher(call: Call, issue_id_or_key: str, body: Annotated[Any, Body] = None) -> None:
    """Have a person watch an issue: the account id as a JSON text, or the caller without a body."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    user = find_user(call, body) if isinstance(body, str) and body else me(call)
    if user is None:
        raise NoSuchObject(f"The user '{body}' does not exist.")
    where = (Watcher.issue_key == issue.key, Watcher.account_id == user.account_id)
    if call.db.find(Watcher, *where) is None:
        call.db.add(Watcher(issue_key=issue.key, account_id=user.account_id))


@api.delete("/issue/{issueIdOrKey}/watchers", status=204)
def delete_watcher(call: Call, issue_id_or_key: str, account_id: str = "", username: str = "") -> None:
    """Have a person no longer watch an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    user = find_user(call, account_id or username)
    if user is None:
        raise JiraError("Specify the account id of the user.")
    watcher = call.db.find(Watcher, Watcher.issue_key == issue.key, Watcher.account_id == user.account_id)
    if watcher:
        call.db.remove(watcher)


@api.post("/issue/{issueIdOrKey}/attachments", body_limit=MAX_ATTACHMENT_BYTES)
def post_attachments(call: Call, issue_id_or_key: str, file: list[Upload]) -> list[Shown]:
    """Attach files to an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    shown: list[Shown] = []
    for each in file:
        name = each.filename or "file"
        row = Attachment(
            id=str(10_000 + call.db.next("attachment") - 1),
            issue_key=issue.key,
            filename=name,
            mime_type=mimetypes.guess_type(name)[0] or "application/octet-stream",
            size=len(each.data),
            author=me(call).account_id,
            blob=call.blobs.put(each.data),
            created=call.clock.iso(),
        )
        shown.append(show_attachment(call, call.db.add(row)))
    return shown


def _find_attachment(call: Call, id: str) -> Attachment:
    row = call.db.find(Attachment, Attachment.id == id)
    if row is None:
        raise NoSuchObject(f"The attachment with id '{id}' does not exist")
    return row


@api.get("/attachment/{id}")
def get_attachment(call: Call, id: str) -> Shown:
    """Return what is known of an attachment."""
    return show_attachment(call, _find_attachment(call, id))


@api.get("/attachment/content/{id}")
def get_attachment_content(call: Call, id: str) -> Any:
    """Download an attachment."""
    row = _find_attachment(call, id)
    return file_answer(call.blobs.get(row.blob), row.mime_type, filename=row.filename)


@api.delete("/attachment/{id}", status=204)
def delete_attachment(call: Call, id: str) -> None:
    """Delete an attachment."""
    call.db.remove(_find_attachment(call, id))
