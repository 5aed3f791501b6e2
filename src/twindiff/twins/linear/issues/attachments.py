"""Attachments: links from issues to external resources. An issue has at most one attachment per URL.

https://linear.app/developers/attachments
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, all_of, not_
from twindiff.kit.graphql import ConnectionRows, Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput, UnfitReference
from twindiff.kit.links import split_url
from twindiff.kit.rows import Expression

from ..core.rich_text import read_text_input
from ..model.attachments import Attachment, EntityExternalLink
from ..model.comments import Comment
from ..model.issues import Issue

api = Section()

_SHOWN_AS = {"createAsUser": "create_as_user", "displayIconUrl": "display_icon_url"}
_UNKNOWN_SOURCE = "unknown"
_SOURCES = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "slack.com": "slack",
    "zendesk.com": "zendesk",
    "intercom.com": "intercom",
    "frontapp.com": "front",
    "discord.com": "discord",
    "figma.com": "figma",
    "sentry.io": "sentry",
    "notion.so": "notion",
    "salesforce.com": "salesforce",
    "atlassian.net": "jira",
}


@api.query(
    "attachmentsForURL(after: String, before: String, first: Int, includeArchived: Boolean, last: Int, "
    "orderBy: PaginationOrderBy, url: String!): AttachmentConnection!"
)
def attachments_for_url(call: Call, url: str, **paging: Any) -> ConnectionRows:
    """List the attachments with a URL, on any issue."""
    return ConnectionRows(Attachment, (Attachment.row.url == url,))


@api.mutation("attachmentCreate")
def attachment_create(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """Attach a URL to an issue. If it is attached already, the existing attachment is updated."""
    entity_operations.check_input(call, Attachment, "create", input)
    issue = entity_operations.find(call, Issue, input["issueId"])
    attachment = _upsert_attachment(call, issue, input)
    comment = read_text_input(input, "commentBody")
    if comment:
        entity_operations.create(call, Comment, {"issueId": issue.id, "body": comment})
    return {"attachment": attachment}


def _upsert_attachment(call: Call, issue: Any, given: dict[str, Any]) -> Any:
    row = Attachment.row
    present = call.db.find(row, row.issueId == issue.id, row.url == given["url"], row.archivedAt.is_null())
    if present is None:
        return entity_operations.create(call, Attachment, {**given, "issueId": issue.id})
    changes = {name: given[name] for name in ("title", "subtitle", "metadata", "iconUrl", *_SHOWN_AS) if name in given}
    changed = entity_operations.update(call, Attachment, present, changes)
    grouped = given.get("groupBySource")
    if grouped is None or grouped == changed.groupBySource:
        return changed
    return call.db.change(changed, groupBySource=grouped, updatedAt=call.clock.iso())


@api.before_create(Attachment)
def create_attachment(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate the URL of a new attachment and set its source type."""
    url: str = values["url"]
    address = split_url(url)
    if not address.scheme or not (address.netloc or address.path):
        raise InvalidInput("url: an attachment needs an address such as https://example.com/page.")
    values["creatorId"] = call.actor
    values["sourceType"] = source_of(values["url"])
    if values["sourceType"] != _UNKNOWN_SOURCE:
        values.setdefault("source", {"type": values["sourceType"]})


def source_of(url: str) -> str:
    """Return the service of a URL, such as `github`, or `unknown` if no known service matches."""
    host = split_url(url).netloc.lower()
    services = (name for domain, name in _SOURCES.items() if host == domain or host.endswith(f".{domain}"))
    return next(services, _UNKNOWN_SOURCE)


@api.filter(Attachment, "sourceType")
def source_type(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the service of an attachment, which no operator matches if it is unknown.

    https://github.com/brekkylab/backlot/pull/116
    """
    column = Attachment.row.sourceType
    known = not_(column == _UNKNOWN_SOURCE)
    return all_of(known, entity_operations.compare_column(call, Attachment, column, comparator))


@api.mutation(
    "attachmentLinkURL(createAsUser: String, displayIconUrl: String, id: String, issueId: String!, title: String, "
    "url: String!): AttachmentPayload!"
)
def attachment_link_url(
    call: Call, issue_id: str, url: str, title: str | None = None, id: str | None = None, **shown_as: Any
) -> dict[str, Any]:
    """Attach any URL to an issue that it does not have yet."""
    issue = entity_operations.find(call, Issue, issue_id)
    _refuse_second_link(call, issue, url)
    given = {"url": url, "title": title or url} | ({"id": id} if id else {})
    given |= {camel: shown_as[name] for camel, name in _SHOWN_AS.items() if shown_as.get(name)}
    return {"attachment": _upsert_attachment(call, issue, given)}


def _refuse_second_link(call: Call, issue: Any, url: str) -> None:
    """Raise UnfitReference if the issue has the link already, which `attachmentCreate` alone changes.

    https://github.com/MercuryTechnologies/slacklinker/blob/main/src/Slacklinker/Linear/Sender.hs
    """
    row = Attachment.row
    if call.db.find(row, row.issueId == issue.id, row.url == url, row.archivedAt.is_null()):
        raise UnfitReference(
            "An attachment with the same URL already exists.", title="Duplicate attachment for duplicate url"
        )


def _linking(name: str, arguments: str) -> None:
    """Register a mutation that attaches a URL of one service. The service itself is not called."""

    @api.mutation(
        f"{name}(createAsUser: String, displayIconUrl: String, id: String, issueId: String!, {arguments}, "
        "title: String, url: String!): AttachmentPayload!"
    )
    def link(call: Call, issue_id: str, url: str, **more: Any) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        kept = {key: more[key] for key in ("title", "id", *_SHOWN_AS.values()) if more.get(key)}
        return attachment_link_url(call, issue_id, url, **kept)


_linking("attachmentLinkSlack", "syncToCommentThread: Boolean")
_linking("attachmentLinkDiscord", "channelId: String!, messageId: String!")
_linking("attachmentLinkGitLabMR", "number: Float!, projectPathWithNamespace: String!")
_linking("attachmentLinkGitHubPR", "linkKind: GitLinkKind")


@api.mutation(
    "attachmentLinkGitHubIssue(createAsUser: String, displayIconUrl: String, id: String, issueId: String!, "
    "title: String, url: String!): AttachmentPayload!"
)
def attachment_link_github_issue(call: Call, issue_id: str, url: str, **more: Any) -> dict[str, Any]:
    """Attach a GitHub issue to an issue."""
    kept = {key: more[key] for key in ("title", "id", *_SHOWN_AS.values()) if more.get(key)}
    return attachment_link_url(call, issue_id, url, **kept)


@api.query("attachmentIssue(id: String!): Issue!")
def attachment_issue(call: Call, id: str) -> Any:
    """Get the issue of an attachment."""
    return entity_operations.find(call, Issue, entity_operations.find(call, Attachment, id).issueId)


@api.before_create(EntityExternalLink)
def create_external_link(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput unless a new external link names the thing it is on."""
    if not any(given.get(name) for name in ("projectId", "initiativeId", "teamId", "releaseId", "cycleId")):
        raise InvalidInput("projectId: a link needs something that it is on.")
    values["creatorId"] = call.actor
