"""A workspace with one of everything, and valid variables for every document of the official SDK."""

from __future__ import annotations

from typing import Any, NamedTuple

from graphql import DocumentNode, OperationDefinitionNode, TypeNode, parse, print_ast
from graphql.utilities import separate_operations

from .conftest import AGENT, Linear

NOON = "2030-01-01T12:00:00.000Z"
LATER = "2030-01-14T12:00:00.000Z"


def furnish(linear: Linear, ids: dict[str, str]) -> dict[str, str]:
    """Make one of each entity by its create mutation; ids by entity."""
    ids |= found(linear)
    for entity, values in inputs(ids):
        field = PAYLOAD_FIELDS.get(entity, entity)
        kind = entity[:1].upper() + entity[1:]
        query = f"mutation($input: {kind}CreateInput!) {{ {entity}Create(input: $input) {{ {field} {{ id }} }} }}"
        ids[entity] = linear(query, input=values)[f"{entity}Create"][field]["id"]
    assigned = linear.create("issue", teamId=ids["team"], title="Oil the crane", assigneeId=AGENT)["id"]
    linear.as_user(ids["colleague"]).create("comment", issueId=assigned, body="Hello")
    ids["notification"] = linear("{ notifications { nodes { id } } }")["notifications"]["nodes"][0]["id"]
    ids["projectStatus"] = linear("{ projectStatuses { nodes { id } } }")["projectStatuses"]["nodes"][0]["id"]
    ids["userSettings"] = linear("{ userSettings { id } }")["userSettings"]["id"]
    ids["teamMembership"] = linear("{ teamMemberships { nodes { id } } }")["teamMemberships"]["nodes"][0]["id"]
    return ids


def found(linear: Linear) -> dict[str, str]:
    """What stands in the workspace already, by what it is needed for; and a second team."""
    seen = linear("""{
        organization { id urlKey }
        issueLabels(filter: { isGroup: { eq: false } }, first: 1) { nodes { id } }
        teams(filter: { private: { eq: false } }, first: 1) {
            nodes { id states { nodes { id type } } issues(first: 3) { nodes { id identifier } } } } }""")
    (team,) = seen["teams"]["nodes"]
    names = [issue["identifier"] for issue in team["issues"]["nodes"]]
    idle = {"teamId": team["id"], "name": "Idle", "type": "started", "color": "#123456"}
    return {
        "organization": seen["organization"]["id"],
        "address": seen["organization"]["urlKey"],
        "team": team["id"],
        "other team": linear.create("team", name="Depot")["id"],
        "user": AGENT,
        "workflowState": next(state["id"] for state in team["states"]["nodes"] if state["type"] == "backlog"),
        "idle state": linear.create("workflowState", **idle)["id"],
        "issueLabel": seen["issueLabels"]["nodes"][0]["id"],
        "issue": names[0],
        "other issue": names[1],
        "third issue": names[2],
        "issue id": team["issues"]["nodes"][0]["id"],
        "third issue id": team["issues"]["nodes"][2]["id"],
    }


PAYLOAD_FIELDS = {
    "customerNeed": "need",
    "customerStatus": "status",
    "customerTier": "tier",
    "projectStatus": "status",
    "gitAutomationTargetBranch": "targetBranch",
}


def inputs(ids: dict[str, str]) -> Any:
    """Entities in an order in which each can refer to those before, with a valid input."""
    yield "project", {"name": "Walker", "teamIds": [ids["team"]]}
    yield "projectMilestone", {"name": "First steps", "projectId": ids["project"]}
    yield "projectLabel", {"name": "Legs"}
    yield "projectUpdate", {"projectId": ids["project"], "body": "It stands", "health": "onTrack"}
    yield "initiative", {"name": "Walking"}
    yield "initiativeLabel", {"name": "Gait"}
    yield "initiativeToProject", {"initiativeId": ids["initiative"], "projectId": ids["project"]}
    yield "initiativeUpdate", {"initiativeId": ids["initiative"], "body": "Going well"}
    yield "cycle", {"teamId": ids["team"], "startsAt": NOON, "endsAt": LATER}
    yield "document", {"title": "How to walk", "projectId": ids["project"]}
    yield "comment", {"issueId": ids["issue"], "body": "Left, then right"}
    yield "reaction", {"commentId": ids["comment"], "emoji": "thumbsup"}
    yield "emoji", {"name": "robot", "url": "https://example.com/robot.png"}
    yield "attachment", {"issueId": ids["issue"], "title": "Plan", "url": "https://example.com/plan"}
    yield "issueRelation", {"issueId": ids["issue"], "relatedIssueId": ids["other issue"], "type": "related"}
    yield "template", {"name": "Fault", "type": "issue", "templateData": {"title": "Fault"}}
    yield "customView", {"name": "Mine", "filterData": {"assignee": {"isMe": {"eq": True}}}}
    yield "favorite", {"issueId": ids["issue"]}
    yield "webhook", {"url": "https://example.com/hook", "resourceTypes": ["Issue"], "teamId": ids["team"]}
    yield "customerStatus", {"name": "active", "color": "#00ff00"}
    yield "customerTier", {"name": "gold", "color": "#ffff00"}
    yield "customer", {"name": "Acme", "statusId": ids["customerStatus"], "externalIds": ["crm-1"]}
    yield "customerNeed", {"customerId": ids["customer"], "issueId": ids["issue"], "body": "Faster"}
    yield "releasePipeline", {"name": "Robots"}
    yield "releaseStage", _stage(ids)
    yield "release", {"name": "1.0", "pipelineId": ids["releasePipeline"], "stageId": ids["releaseStage"]}
    yield "releaseNote", {"pipelineId": ids["releasePipeline"], "title": "New legs"}
    yield "issueToRelease", {"issueId": ids["issue"], "releaseId": ids["release"]}
    yield "organizationInvite", {"email": "new@example.com"}
    yield "notificationSubscription", {"projectId": ids["project"]}
    yield "entityExternalLink", {"url": "https://example.com", "label": "Site", "projectId": ids["project"]}
    yield "initiativeRelation", _initiatives(ids)
    yield "projectRelation", _projects(ids)
    yield "timeSchedule", {"name": "On call", "entries": [{"startsAt": NOON, "endsAt": LATER, "userId": AGENT}]}
    yield from _beside(ids)


def _beside(ids: dict[str, str]) -> Any:
    """Agents, roadmaps and what happens by itself."""
    yield "agentSession", {"appUserId": AGENT, "issueId": ids["issue"]}
    yield "agentActivity", {"agentSessionId": ids["agentSession"], "content": {"type": "thought", "body": "Hm"}}
    yield "agentSkill", {"body": "Oil each joint twice", "title": "Oiling"}
    yield "roadmap", {"name": "Next year"}
    yield "roadmapToProject", {"roadmapId": ids["roadmap"], "projectId": ids["project"]}
    yield "gitAutomationTargetBranch", {"teamId": ids["team"], "branchPattern": "main"}
    yield "gitAutomationState", {"teamId": ids["team"], "event": "merge", "stateId": ids["workflowState"]}
    yield "triageResponsibility", {"teamId": ids["team"], "action": "notify", "manualSelection": {"userIds": [AGENT]}}
    yield "integrationsSettings", {"teamId": ids["team"], "slackIssueCreated": True}


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


GROUPED = ("issueLabel", "projectLabel", "initiativeLabel")


def others(linear: Linear) -> dict[str, str]:
    """A second initiative, project and customer, for relations, and what nothing refers to, for deletions."""
    (team,) = linear("{ teams(first: 1) { nodes { id } } }")["teams"]["nodes"]
    return {
        **{f"{kind} group": linear.create(kind, name="Group", isGroup=True)["id"] for kind in GROUPED},
        "other customer": linear.create("customer", name="Zenith")["id"],
        "other initiative": linear.create("initiative", name="Climbing")["id"],
        "other project": linear.create("project", name="Climber", teamIds=[team["id"]])["id"],
        "spare customer status": _spare(linear, "CustomerStatus", "status"),
        "spare customer tier": _spare(linear, "CustomerTier", "tier"),
        "spare project status": _spare(linear, "ProjectStatus", "status", type="started", position=9),
    }


def _spare(linear: Linear, kind: str, field: str, **more: Any) -> str:
    root = f"{kind[:1].lower()}{kind[1:]}Create"
    query = f"mutation($i: {kind}CreateInput!) {{ {root}(input: $i) {{ {field} {{ id }} }} }}"
    return linear(query, i={"name": "Spare", "color": "#123456", **more})[root][field]["id"]


class Document(NamedTuple):
    """An operation with the fragments it uses."""

    part: DocumentNode
    root: str
    """Its root field, which comes with its kind: `query issue`."""
    required: list[str]
    """The variables that it must be given."""
    optional: dict[str, TypeNode]

    @property
    def text(self) -> str:
        """It as it is sent."""
        return print_ast(self.part)


def documents(text: str) -> dict[str, Document]:
    """The documents of a file, by name."""
    by_name: dict[str, Document] = {}
    for name, part in separate_operations(parse(text, no_location=True)).items():
        operation: Any = next(each for each in part.definitions if isinstance(each, OperationDefinitionNode))
        kind, root = operation.operation.value, operation.selection_set.selections[0].name.value
        by_name[name] = Document(part, f"{kind} {root}", *_variables(operation))
    return {name: each for name, each in by_name.items() if not each.root.startswith("subscription")}


def _variables(operation: OperationDefinitionNode) -> tuple[list[str], dict[str, TypeNode]]:
    kinds = {each.variable.name.value: each for each in operation.variable_definitions}
    must = [name for name, each in kinds.items() if each.type.kind == "non_null_type" and each.default_value is None]
    return must, {name: each.type for name, each in kinds.items() if name not in must}


def updates(ids: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Inputs of update mutations that need one."""
    return {"attachmentUpdate": {"title": "Better plan"}, "organizationInviteUpdate": {"teamIds": [ids["team"]]}}


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
            given[name] = updates(ids).get(root, {}) if root.endswith("Update") else new_inputs(ids)[root]
    return given


def new_inputs(ids: dict[str, str]) -> dict[str, Any]:
    """Inputs of create mutations that do not clash with what there is."""
    made = {f"{entity}Create": values for entity, values in inputs(ids)}
    return made | {
        "issueCreate": {"teamId": ids["team"], "title": "One more"},
        "issueRelationCreate": {"issueId": ids["third issue"], "relatedIssueId": ids["other issue"], "type": "related"},
        "issueLabelCreate": {"name": "New"},
        "projectLabelCreate": {"name": "New"},
        "initiativeLabelCreate": {"name": "New"},
        "initiativeToProjectCreate": {"initiativeId": ids["other initiative"], "projectId": ids["project"]},
        "cycleCreate": {"teamId": ids["other team"], "startsAt": NOON, "endsAt": LATER},
        "reactionCreate": {"commentId": ids["comment"], "emoji": "heart"},
        "emojiCreate": {"name": "gear", "url": "https://example.com/gear.png"},
        "customerTierCreate": {"name": "silver", "color": "#cccccc"},
        "favoriteCreate": {"issueId": ids["other issue"]},
        "teamCreate": {"name": "Legal"},
        "teamMembershipCreate": {"teamId": ids["other team"], "userId": ids["colleague"]},
        "workflowStateCreate": {"teamId": ids["team"], "name": "Waiting", "type": "started", "color": "#123456"},
        "projectStatusCreate": {"name": "Blocked", "color": "#123456", "position": 9, "type": "paused"},
        "organizationInviteCreate": {"email": "newer@example.com"},
        "notificationSubscriptionCreate": {"teamId": ids["team"]},
        "gitAutomationTargetBranchCreate": {"teamId": ids["team"], "branchPattern": "release/*"},
        "gitAutomationStateCreate": {"teamId": ids["team"], "event": "start"},
        "roadmapToProjectCreate": {"roadmapId": ids["roadmap"], "projectId": ids["other project"]},
        "triageResponsibilityCreate": {
            "teamId": ids["other team"],
            "action": "assign",
            "timeScheduleId": ids["timeSchedule"],
        },
        "integrationsSettingsCreate": {"teamId": ids["other team"], "slackIssueCreated": True},
        "issueToReleaseCreate": {"issueId": ids["other issue"], "releaseId": ids["release"]},
        "issueBatchCreate": {"issues": [{"teamId": ids["team"], "title": "In a batch"}]},
    }


def _linked(ids: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"issueId": ids["other issue"], "url": "https://example.com/thing", **more}


SPECIAL: dict[str, Any] = {
    "attachmentsForURL": lambda ids: {"url": "https://example.com/plan"},
    "searchIssues": lambda ids: {"term": "arm"},
    "searchProjects": lambda ids: {"term": "walker"},
    "searchDocuments": lambda ids: {"term": "walk"},
    "issueVcsBranchSearch": lambda ids: {"branchName": "eng-1"},
    "issueFigmaFileKeySearch": lambda ids: {"fileKey": "plan"},
    "organizationExists": lambda ids: {"urlKey": ids["address"]},
    "slaConfigurations": lambda ids: {"teamId": ids["team"]},
    "templatesForIntegration": lambda ids: {"integrationType": "slack"},
    "userSessions": lambda ids: {"id": ids["user"]},
    "customerStatusDelete": lambda ids: {"id": ids["spare customer status"]},
    "customerTierDelete": lambda ids: {"id": ids["spare customer tier"]},
    "projectStatusArchive": lambda ids: {"id": ids["spare project status"]},
    "customerMerge": lambda ids: {"sourceCustomerId": ids["customer"], "targetCustomerId": ids["other customer"]},
    "customViewHasSubscribers": lambda ids: {"id": ids["customView"]},
    "comment": lambda ids: {"id": ids["comment"]},
    "customerNeed": lambda ids: {"id": ids["customerNeed"]},
    "attachmentIssue": lambda ids: {"id": ids["attachment"]},
    "issueAddLabel": lambda ids: {"id": ids["issue"], "labelId": ids["issueLabel"]},
    "issueRemoveLabel": lambda ids: {"id": ids["issue"], "labelId": ids["issueLabel"]},
    "projectAddLabel": lambda ids: {"id": ids["project"], "labelId": ids["projectLabel"]},
    "projectRemoveLabel": lambda ids: {"id": ids["project"], "labelId": ids["projectLabel"]},
    "initiativeAddLabel": lambda ids: {"id": ids["initiative"], "labelId": ids["initiativeLabel"]},
    "initiativeRemoveLabel": lambda ids: {"id": ids["initiative"], "labelId": ids["initiativeLabel"]},
    "issueReminder": lambda ids: {"id": ids["issue"], "reminderAt": NOON},
    "issueBatchUpdate": lambda ids: {"ids": [ids["issue id"]], "input": {"priority": 1}},
    "attachmentLinkURL": _linked,
    "attachmentLinkSlack": _linked,
    "attachmentLinkGitHubPR": _linked,
    "attachmentLinkGitHubIssue": _linked,
    "attachmentLinkDiscord": lambda ids: _linked(ids, channelId="1", messageId="2"),
    "attachmentLinkGitLabMR": lambda ids: _linked(ids, number=1, projectPathWithNamespace="a/b"),
    "fileUpload": lambda ids: {"contentType": "image/png", "filename": "a.png", "size": 10},
    "notificationMarkReadAll": lambda ids: {"input": {"issueId": ids["issue"]}, "readAt": NOON},
    "notificationMarkUnreadAll": lambda ids: {"input": {"issueId": ids["issue"]}},
    "notificationArchiveAll": lambda ids: {"input": {"issueId": ids["issue"]}},
    "notificationSnoozeAll": lambda ids: {"input": {"issueId": ids["issue"]}, "snoozedUntilAt": NOON},
    "notificationUnsnoozeAll": lambda ids: {"input": {"issueId": ids["issue"]}, "unsnoozedAt": NOON},
    "cycleShiftAll": lambda ids: {"input": {"id": ids["cycle"], "daysToShift": 1}},
    "userChangeRole": lambda ids: {"id": ids["colleague"], "role": "user"},
    "userSuspend": lambda ids: {"id": ids["colleague"]},
    "userUnsuspend": lambda ids: {"id": ids["colleague"]},
    "workflowStateArchive": lambda ids: {"id": ids["idle state"]},
    "semanticSearch": lambda ids: {"query": "walk crane"},
    "issueFilterSuggestion": lambda ids: {"prompt": "urgent issues of mine"},
    "projectFilterSuggestion": lambda ids: {"prompt": "led by me"},
    "initiativeFilterSuggestion": lambda ids: {"prompt": "owned by me"},
    "issueTitleSuggestionFromCustomerRequest": lambda ids: {"request": "The crane squeaks. Please oil it."},
    "issueRepositorySuggestions": lambda ids: {
        "issueId": ids["issue"],
        "candidateRepositories": [{"hostname": "github.com", "repositoryFullName": "acme/crane"}],
    },
    "customViewDetailsSuggestion": lambda ids: {"filter": {"priority": {"eq": 1}}},
    "agentSessionCreateOnIssue": lambda ids: {"input": {"issueId": ids["issue"]}},
    "agentSessionCreateOnComment": lambda ids: {"input": {"commentId": ids["comment"]}},
    "agentSessionUpdate": lambda ids: {"id": ids["agentSession"], "input": {"plan": {"steps": []}}},
    "agentSessionUpdateExternalUrl": lambda ids: {
        "id": ids["agentSession"],
        "input": {"addedExternalUrls": [{"label": "Log", "url": "https://example.com/log"}]},
    },
    "timeScheduleUpdate": lambda ids: {"id": ids["timeSchedule"], "input": {"name": "Off call"}},
}
