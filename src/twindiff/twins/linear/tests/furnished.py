"""A workspace with one of everything, and valid variables for every document of the official SDK."""

from __future__ import annotations

from typing import Any

from graphql import FragmentDefinitionNode, FragmentSpreadNode, OperationDefinitionNode, parse, print_ast, visit
from graphql.language import Visitor

from .conftest import AGENT, BACKLOG, ENG, JOHN, PROD, UX, Linear

NOON = "2030-01-01T12:00:00.000Z"
LATER = "2030-01-14T12:00:00.000Z"


def furnish(linear: Linear, ids: dict[str, str]) -> dict[str, str]:
    """Make one of each entity by its create mutation; ids by entity."""
    ids |= {"team": ENG, "user": AGENT, "workflowState": BACKLOG, "issueLabel": UX, "issue": "ENG-1"}
    ids["organization"] = linear("{ organization { id } }")["organization"]["id"]
    for entity, values in inputs(ids):
        field = PAYLOAD_FIELDS.get(entity, entity)
        kind = entity[:1].upper() + entity[1:]
        query = f"mutation($input: {kind}CreateInput!) {{ {entity}Create(input: $input) {{ {field} {{ id }} }} }}"
        ids[entity] = linear(query, input=values)[f"{entity}Create"][field]["id"]
    linear.as_user(JOHN).create("comment", issueId=linear.issue(assigneeId=AGENT)["id"], body="Hello")
    ids["notification"] = linear("{ notifications { nodes { id } } }")["notifications"]["nodes"][0]["id"]
    ids["projectStatus"] = linear("{ projectStatuses { nodes { id } } }")["projectStatuses"]["nodes"][0]["id"]
    ids["teamMembership"] = linear("{ teamMemberships { nodes { id } } }")["teamMemberships"]["nodes"][0]["id"]
    return ids


PAYLOAD_FIELDS = {
    "customerNeed": "need",
    "customerStatus": "status",
    "customerTier": "tier",
    "projectStatus": "status",
}


def inputs(ids: dict[str, str]) -> Any:
    """Entities in an order in which each can refer to those before, with a valid input."""
    yield "project", {"name": "Walker", "teamIds": [ENG]}
    yield "projectMilestone", {"name": "First steps", "projectId": ids["project"]}
    yield "projectLabel", {"name": "Legs"}
    yield "projectUpdate", {"projectId": ids["project"], "body": "It stands", "health": "onTrack"}
    yield "initiative", {"name": "Walking"}
    yield "initiativeLabel", {"name": "Gait"}
    yield "initiativeToProject", {"initiativeId": ids["initiative"], "projectId": ids["project"]}
    yield "initiativeUpdate", {"initiativeId": ids["initiative"], "body": "Going well"}
    yield "cycle", {"teamId": ENG, "startsAt": NOON, "endsAt": LATER}
    yield "document", {"title": "How to walk", "projectId": ids["project"]}
    yield "comment", {"issueId": "ENG-1", "body": "Left, then right"}
    yield "reaction", {"commentId": ids["comment"], "emoji": "thumbsup"}
    yield "emoji", {"name": "robot", "url": "https://example.com/robot.png"}
    yield "attachment", {"issueId": "ENG-1", "title": "Plan", "url": "https://example.com/plan"}
    yield "issueRelation", {"issueId": "ENG-1", "relatedIssueId": "ENG-2", "type": "related"}
    yield "template", {"name": "Fault", "type": "issue", "templateData": {"title": "Fault"}}
    yield "customView", {"name": "Mine", "filterData": {"assignee": {"isMe": {"eq": True}}}}
    yield "favorite", {"issueId": "ENG-1"}
    yield "webhook", {"url": "https://example.com/hook", "resourceTypes": ["Issue"], "teamId": ENG}
    yield "customerStatus", {"name": "active", "color": "#00ff00"}
    yield "customerTier", {"name": "gold", "color": "#ffff00"}
    yield "customer", {"name": "Acme", "statusId": ids["customerStatus"]}
    yield "customerNeed", {"customerId": ids["customer"], "issueId": "ENG-1", "body": "Faster"}
    yield "releasePipeline", {"name": "Robots"}
    yield "releaseStage", _stage(ids)
    yield "release", {"name": "1.0", "pipelineId": ids["releasePipeline"], "stageId": ids["releaseStage"]}
    yield "releaseNote", {"pipelineId": ids["releasePipeline"], "title": "New legs"}
    yield "issueToRelease", {"issueId": "ENG-1", "releaseId": ids["release"]}
    yield "organizationInvite", {"email": "new@example.com"}
    yield "notificationSubscription", {"projectId": ids["project"]}
    yield "entityExternalLink", {"url": "https://example.com", "label": "Site", "projectId": ids["project"]}
    yield "initiativeRelation", _initiatives(ids)
    yield "projectRelation", _projects(ids)
    yield "timeSchedule", {"name": "On call", "entries": [{"startsAt": NOON, "endsAt": LATER, "userId": AGENT}]}


def _stage(ids: dict[str, str]) -> dict[str, Any]:
    return {
        "pipelineId": ids["releasePipeline"], "name": "Building", "color": "#0000ff", "position": 1, "type": "started",
    }  # fmt: skip


def _initiatives(ids: dict[str, str]) -> dict[str, Any]:
    return {"initiativeId": ids["initiative"], "relatedInitiativeId": ids["other initiative"]}


def _projects(ids: dict[str, str]) -> dict[str, Any]:
    return {
        "projectId": ids["project"], "relatedProjectId": ids["other project"], "type": "dependency",
        "anchorType": "end", "relatedAnchorType": "start",
    }  # fmt: skip


def others(linear: Linear) -> dict[str, str]:
    """A second initiative, project and customer, for relations."""
    return {
        "other customer": linear.create("customer", name="Zenith")["id"],
        "other initiative": linear.create("initiative", name="Climbing")["id"],
        "other project": linear.create("project", name="Climber", teamIds=[ENG])["id"],
    }


def documents(text: str) -> dict[str, tuple[str, str, list[str]]]:
    """Each operation with the fragments it uses: its text, its root field, its required variables."""
    document = parse(text, no_location=True)
    fragments = {each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)}
    found: dict[str, tuple[str, str, list[str]]] = {}
    for operation in document.definitions:
        if isinstance(operation, OperationDefinitionNode) and operation.operation.value != "subscription":
            used = _used(operation, fragments)
            whole = "\n".join([print_ast(operation), *(print_ast(fragments[name]) for name in used)])
            root: Any = operation.selection_set.selections[0]
            name: Any = operation.name
            required = [
                each.variable.name.value
                for each in operation.variable_definitions
                if each.type.kind == "non_null_type" and each.default_value is None
            ]
            found[name.value] = (whole, f"{operation.operation.value} {root.name.value}", required)
    return found


def _used(node: Any, fragments: dict[str, Any]) -> dict[str, None]:
    found: dict[str, None] = {}

    class Spreads(Visitor):
        def enter_fragment_spread(self, spread: FragmentSpreadNode, *_: Any) -> None:
            name = spread.name.value
            if name not in found:
                found[name] = None
                visit(fragments[name], Spreads())

    visit(node, Spreads())
    return found


UPDATES: dict[str, dict[str, Any]] = {
    "attachmentUpdate": {"title": "Better plan"},
    "organizationInviteUpdate": {"teamIds": [ENG]},
}


def variables_for(operation: str, required: list[str], ids: dict[str, str]) -> dict[str, Any]:
    """Valid variables for a document by its root field, which comes with its kind: `query issue`."""
    kind, _, root = operation.partition(" ")
    special = SPECIAL.get(root)
    if special:
        return special(ids)
    subject = root.removesuffix("Update") if kind == "mutation" else root
    entity = next((name for name in sorted(ids, key=len, reverse=True) if subject.startswith(name)), "")
    given: dict[str, Any] = {}
    for name in required:
        if name == "id":
            given[name] = ids[entity]
        elif name == "input":
            given[name] = UPDATES.get(root, {}) if root.endswith("Update") else new_inputs(ids)[root]
    return given


def new_inputs(ids: dict[str, str]) -> dict[str, Any]:
    """Inputs of create mutations that do not clash with what there is."""
    made = {f"{entity}Create": values for entity, values in inputs(ids)}
    return made | {
        "issueCreate": {"teamId": ENG, "title": "One more"},
        "issueRelationCreate": {"issueId": "ENG-3", "relatedIssueId": "ENG-2", "type": "related"},
        "issueLabelCreate": {"name": "New"},
        "projectLabelCreate": {"name": "New"},
        "initiativeLabelCreate": {"name": "New"},
        "initiativeToProjectCreate": {"initiativeId": ids["other initiative"], "projectId": ids["project"]},
        "cycleCreate": {"teamId": PROD, "startsAt": NOON, "endsAt": LATER},
        "reactionCreate": {"commentId": ids["comment"], "emoji": "heart"},
        "emojiCreate": {"name": "gear", "url": "https://example.com/gear.png"},
        "favoriteCreate": {"issueId": "ENG-2"},
        "teamCreate": {"name": "Legal"},
        "teamMembershipCreate": {"teamId": PROD, "userId": AGENT},
        "workflowStateCreate": {"teamId": ENG, "name": "Waiting", "type": "started", "color": "#123456"},
        "projectStatusCreate": {"name": "Blocked", "color": "#123456", "position": 9, "type": "paused"},
        "organizationInviteCreate": {"email": "newer@example.com"},
        "notificationSubscriptionCreate": {"teamId": ENG},
        "issueToReleaseCreate": {"issueId": "ENG-2", "releaseId": ids["release"]},
        "issueBatchCreate": {"issues": [{"teamId": ENG, "title": "In a batch"}]},
    }


def _linked(ids: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"issueId": "ENG-2", "url": "https://example.com/thing", **more}


SPECIAL: dict[str, Any] = {
    "attachmentsForURL": lambda ids: {"url": "https://example.com/plan"},
    "searchIssues": lambda ids: {"term": "arm"},
    "searchProjects": lambda ids: {"term": "walker"},
    "searchDocuments": lambda ids: {"term": "walk"},
    "issueVcsBranchSearch": lambda ids: {"branchName": "eng-1"},
    "issueFigmaFileKeySearch": lambda ids: {"fileKey": "plan"},
    "organizationExists": lambda ids: {"urlKey": "test-org"},
    "customerMerge": lambda ids: {"sourceCustomerId": ids["customer"], "targetCustomerId": ids["other customer"]},
    "customViewHasSubscribers": lambda ids: {"id": ids["customView"]},
    "comment": lambda ids: {"id": ids["comment"]},
    "customerNeed": lambda ids: {"id": ids["customerNeed"]},
    "attachmentIssue": lambda ids: {"id": ids["attachment"]},
    "issueAddLabel": lambda ids: {"id": "ENG-1", "labelId": UX},
    "issueRemoveLabel": lambda ids: {"id": "ENG-1", "labelId": UX},
    "projectAddLabel": lambda ids: {"id": ids["project"], "labelId": ids["projectLabel"]},
    "projectRemoveLabel": lambda ids: {"id": ids["project"], "labelId": ids["projectLabel"]},
    "initiativeAddLabel": lambda ids: {"id": ids["initiative"], "labelId": ids["initiativeLabel"]},
    "initiativeRemoveLabel": lambda ids: {"id": ids["initiative"], "labelId": ids["initiativeLabel"]},
    "issueReminder": lambda ids: {"id": "ENG-1", "reminderAt": NOON},
    "issueBatchUpdate": lambda ids: {"ids": ["c6e168e3-fed4-45d0-b03f-a1c1f89ee7ab"], "input": {"priority": 1}},
    "attachmentLinkURL": _linked,
    "attachmentLinkSlack": _linked,
    "attachmentLinkGitHubPR": _linked,
    "attachmentLinkGitHubIssue": _linked,
    "attachmentLinkDiscord": lambda ids: _linked(ids, channelId="1", messageId="2"),
    "attachmentLinkGitLabMR": lambda ids: _linked(ids, number=1, projectPathWithNamespace="a/b"),
    "fileUpload": lambda ids: {"contentType": "image/png", "filename": "a.png", "size": 10},
    "notificationMarkReadAll": lambda ids: {"input": {"issueId": "ENG-1"}, "readAt": NOON},
    "notificationMarkUnreadAll": lambda ids: {"input": {"issueId": "ENG-1"}},
    "notificationArchiveAll": lambda ids: {"input": {"issueId": "ENG-1"}},
    "notificationSnoozeAll": lambda ids: {"input": {"issueId": "ENG-1"}, "snoozedUntilAt": NOON},
    "notificationUnsnoozeAll": lambda ids: {"input": {"issueId": "ENG-1"}, "unsnoozedAt": NOON},
    "cycleShiftAll": lambda ids: {"input": {"id": ids["cycle"], "daysToShift": 1}},
    "userChangeRole": lambda ids: {"id": JOHN, "role": "user"},
    "userSuspend": lambda ids: {"id": JOHN},
    "userUnsuspend": lambda ids: {"id": JOHN},
    "workflowStateArchive": lambda ids: {"id": "d4f59a6d-33cb-45d1-8f4e-3e57536f912d"},
    "timeScheduleUpdate": lambda ids: {"id": ids["timeSchedule"], "input": {"name": "Off call"}},
}
