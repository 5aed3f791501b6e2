"""Every other field of every create and update that is served: ids, relations, and what is no field of the entity.

`test_inputs.py` has the plain ones. What is given is read back, or refused; what no answer shows stands in UNREAD.
"""

from __future__ import annotations

from typing import Any

import pytest
from graphql import get_named_type, is_input_object_type, is_leaf_type

from twindiff.kit.graphql.surface import input_field
from twindiff.twins.linear import twin
from twindiff.twins.linear.core.input_rules import RULES, FieldChoice

from .conftest import AGENT, Linear
from .furnished import GROUPED, LATER, NOON, PAYLOAD_FIELDS, new_inputs, updates
from .test_inputs import ADMIN, PERSONAL, REFUSED, SCHEMA, TOKENS, example, plain_fields, stocked
from .unread_inputs import UNREAD

__all__ = ["stocked"]  # a fixture of the plain fields' tests

NEW_ID = "0b7f4d1e-8a53-4d0c-9a52-6f0f1a2b3c4d"
DOCUMENT = {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "changed"}]}]}
LINK = {"label": "changed", "url": "https://example.com/changed"}
DAY = {"start": "09:00", "end": "17:00"}
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ENTRY = {"startsAt": NOON, "endsAt": LATER, "userId": AGENT}
OTHERS = {"Team": "other team", "Issue": "third issue id", "Project": "other project", "User": "colleague"}
"""Whom or what a relation is given, where it is not the one of its kind that the workspace has."""
OF_PATH = {
    "initiativeRelationCreate.relatedInitiativeId": "other initiative",
    "initiativeToProjectCreate.initiativeId": "other initiative",
    "issueRelationCreate.relatedIssueId": "issue id",
    "projectRelationCreate.projectId": "project",
    **{f"{kind}{surface}.parentId": f"{kind} group" for kind in GROUPED for surface in ("Create", "Update")},
}
"""Likewise, for one field."""
ALONE: dict[str, set[str]] = {
    "notificationSubscriptionCreate": set(),
    "integrationsSettingsCreate": set(),
    "reactionCreate": {"emoji"},
    "customerNeedCreate.projectId": {"body"},
    "customerNeedCreate.customerExternalId": {"issueId"},
    "triageResponsibilityCreate.manualSelection": {"teamId", "action"},
    "entityExternalLinkCreate": {"url", "label"},
}
"""What stays of what is given besides, where a thing stands on one other thing."""
BESIDES: dict[str, Any] = {
    "attachmentCreate": lambda ids: {"url": "https://example.com/other"},
    "entityExternalLinkCreate.id": lambda ids: {"projectId": ids["project"]},
    "integrationsSettingsCreate.id": lambda ids: {"teamId": ids["other team"]},
    "templateCreate.pipelineId": lambda ids: {"type": "releaseNote"},
    "reactionCreate.id": lambda ids: {"issueId": ids["issue"]},
    "issueUpdate.projectMilestoneId": lambda ids: {"projectId": ids["project"]},
    "notificationSubscriptionCreate.id": lambda ids: {"teamId": ids["team"]},
    "notificationSubscriptionCreate.notificationSubscriptionTypes": lambda ids: {"teamId": ids["team"]},
    **{
        f"releaseNote{surface}.range{end}ReleaseId": lambda ids, other=other: {f"range{other}ReleaseId": ids["release"]}
        for surface in ("Create", "Update")
        for end, other in (("From", "To"), ("To", "From"))
    },
}
"""What a field needs to be given with it, by its path or that of its operation."""
ELSEWHERE = {"integrationTemplate"}
"""What only a template of the twin's can bring; `test_automations.py` has it."""


def roots():
    """The entity, the surface and the input of every create and update that is served."""
    for spec in twin.model.entities.values():
        entity = spec.name[:1].lower() + spec.name[1:]
        for surface in ("create", "update"):
            root = SCHEMA.mutation_type.fields.get(f"{entity}{surface.capitalize()}")
            if root:
                yield entity, surface, spec, get_named_type(root.args["input"].type)


def others():
    """Each field that is no plain one, with the word that it comes from; None for what is no field of the entity."""
    for entity, surface, spec, kind in roots():
        words = {input_field(spec, word)[0]: word for word in getattr(twin.model.surfaces[spec.name], surface)}
        plain = plain_fields(spec, kind, surface)
        for name in kind.fields:
            field = spec.fields.get(words[name].name) if name in words else None
            relates = field is not None and (field.shape.kind in ("one", "many") or field.kind in ("one", "list"))
            if name not in plain and (name != "id" or surface == "update"):
                yield f"{entity}{surface.capitalize()}.{name}", (words[name] if relates else None)


FIELDS: dict[str, Any] = dict(others())
ENTITIES = {f"{entity}{surface.capitalize()}": entity for entity, surface, _, _ in roots()}
SHOWN_AS = [
    f"{root}.{name}"
    for root in ("attachmentCreate", "commentCreate", "customerNeedCreate", "issueCreate")
    for name in ("createAsUser", "displayIconUrl")
]
CANNOT_BE_KEPT: dict[str, Any] = {
    **dict.fromkeys(SHOWN_AS, "changed"),
    "agentSessionUpdate.userState": [{"userId": AGENT}],
    "commentCreate.createOnSyncedSlackThread": True,
    "commentCreate.subscriberIds": [AGENT],
    "commentUpdate.subscriberIds": [AGENT],
    "customerNeedUpdate.id": NEW_ID,
    "documentCreate.resourceFolderId": NEW_ID,
    "documentUpdate.resourceFolderId": NEW_ID,
    "entityExternalLinkCreate.resourceFolderId": NEW_ID,
    "entityExternalLinkUpdate.resourceFolderId": NEW_ID,
    "issueCreate.referenceCommentId": NEW_ID,
    "issueCreate.sourcePullRequestCommentId": NEW_ID,
    "notificationUpdate.initiativeUpdateId": NEW_ID,
    "notificationUpdate.projectUpdateId": NEW_ID,
    "projectCreate.templateId": NEW_ID,
    "reactionCreate.pullRequestCommentId": NEW_ID,
    "reactionCreate.pullRequestId": NEW_ID,
}
"""What is refused: the twin has nothing to keep it in, or there is no such thing."""


def settings(path: str) -> tuple[Any, str, Any]:
    """Settings that are given as an object and shown as one."""
    root, _, name = path.partition(".")
    kind = get_named_type(get_named_type(SCHEMA.mutation_type.fields[root].args["input"].type).fields[name].type)
    value = filled(kind)
    return value, name, {name: value}


def filled(kind: Any) -> dict[str, Any]:
    """A value for every plain field of an input, and for what it requires besides."""
    kinds = {name: get_named_type(field.type) for name, field in kind.fields.items()}
    plain = {name: example(kind.fields[name].type, name) for name, each in kinds.items() if is_leaf_type(each)}
    inner = {name: filled(each) for name, each in kinds.items() if is_input_object_type(each)}
    required = {name: each for name, each in inner.items() if str(kind.fields[name].type).endswith("!")}
    return {name: each for name, each in {**plain, **required}.items() if each is not None}


def text_of(*paths: str, shown: str = "body", value: Any = DOCUMENT) -> dict[str, tuple[Any, str, Any]]:
    """Texts given as documents."""
    return {path: (value, shown, {shown: "changed"}) for path in paths}


READ: dict[str, tuple[Any, str, Any]] = {
    **text_of("commentCreate.bodyData", "commentUpdate.bodyData", "customerNeedCreate.bodyData"),
    **text_of("customerNeedUpdate.bodyData", "initiativeUpdateCreate.bodyData", "initiativeUpdateUpdate.bodyData"),
    **text_of("projectUpdateCreate.bodyData", "projectUpdateUpdate.bodyData"),
    **text_of("issueCreate.descriptionData", "issueUpdate.descriptionData", shown="description"),
    **text_of("projectMilestoneCreate.descriptionData", "projectMilestoneUpdate.descriptionData", shown="description"),
    **{
        f"agentSessionUpdate.{name}": ([LINK], "externalLinks { label url }", {"externalLinks": [LINK]})
        for name in ("addedExternalUrls", "externalUrls")
    },
    "agentSessionUpdate.removedExternalUrls": ([LINK["url"]], "externalLinks { url }", {"externalLinks": []}),
    "agentSessionUpdate.dismissedAt": (NOON, "dismissedAt", {"dismissedAt": NOON}),
    "agentSessionUpdate.externalLink": (LINK["url"], "externalLink", {"externalLink": LINK["url"]}),
    "agentSessionUpdate.plan": ({"a": 1}, "plan", {"plan": {"a": 1}}),
    "agentActivityCreate.content": (
        {"type": "thought", "body": "changed"},
        "content { ... on AgentActivityThoughtContent { type body } }",
        {"content": {"type": "thought", "body": "changed"}},
    ),
    **{
        f"attachmentCreate.{name}": (
            value,
            'issue { comments(filter: { body: { eq: "changed" } }) { nodes { body } } }',
            {"issue": {"comments": {"nodes": [{"body": "changed"}]}}},
        )
        for name, value in (("commentBody", "changed"), ("commentBodyData", DOCUMENT))
    },
    **{
        f"triageResponsibility{surface}.manualSelection": (
            {"userIds": [AGENT], "assignmentIndex": 0},
            "manualSelection { userIds assignmentIndex }",
            {"manualSelection": {"userIds": [AGENT], "assignmentIndex": 0}},
        )
        for surface in ("Create", "Update")
    },
    **{
        f"customerNeed{surface}.attachmentUrl": (LINK["url"], "url", {"url": LINK["url"]})
        for surface in ("Create", "Update")
    },
    **{
        f"customerNeed{surface}.customerExternalId": ("crm-1", "customer { name }", {"customer": {"name": "Acme"}})
        for surface in ("Create", "Update")
    },
    **{
        f"document{surface}.subscriberIds": (
            [AGENT], "subscribers { nodes { id } }", {"subscribers": {"nodes": [{"id": AGENT}]}},
        )
        for surface in ("Create", "Update")
    },
    "initiativeUpdate.customIdentifier": ("changed", "identifier", {"identifier": "changed"}),
    "issueCreate.templateId": ("template", "lastAppliedTemplate { name }", {"lastAppliedTemplate": {"name": "Fault"}}),
    **{
        f"organizationUpdate.{name}": settings(f"organizationUpdate.{name}")
        for name in (
            "authSettings", "codingAgentSettings", "customersConfiguration", "linearAgentSettings", "securitySettings",
            "themeSettings",
        )
    },
    "organizationUpdate.ipRestrictions": (
        [{"range": "10.0.0.0/8", "description": "changed", "type": "allow", "enabled": True}],
        "ipRestrictions { range description type enabled }",
        {"ipRestrictions": [{"range": "10.0.0.0/8", "description": "changed", "type": "allow", "enabled": True}]},
    ),
    **{
        f"releaseNote{surface}.content": (
            "changed", "documentContent { content }", {"documentContent": {"content": "changed"}},
        )
        for surface in ("Create", "Update")
    },
    **{
        f"releaseNote{surface}.range{end}ReleaseId": ("release", "releases { name }", {"releases": [{"name": "1.0"}]})
        for surface in ("Create", "Update")
        for end in ("From", "To")
    },
    "userSettingsUpdate.notificationChannelPreferences": (
        {"slack": True},
        "notificationChannelPreferences { slack }",
        {"notificationChannelPreferences": {"slack": True}},
    ),
    "userSettingsUpdate.notificationCategoryPreferences": (
        {"triage": {"slack": True}},
        "notificationCategoryPreferences { triage { slack } }",
        {"notificationCategoryPreferences": {"triage": {"slack": True}}},
    ),
    "userSettingsUpdate.notificationDeliveryPreferences": (
        {"mobile": {"schedule": dict.fromkeys(WEEK, DAY)}},
        "notificationDeliveryPreferences { mobile { schedule { sunday { start end } } } }",
        {"notificationDeliveryPreferences": {"mobile": {"schedule": {"sunday": DAY}}}},
    ),
    **{
        f"notificationSubscription{surface}.notificationSubscriptionTypes": (
            ["changed"],
            f"... on {kind}NotificationSubscription {{ notificationSubscriptionTypes }}",
            {"notificationSubscriptionTypes": ["changed"]},
        )
        for surface, kind in (("Create", "Team"), ("Update", "Project"))
    },
    "teamUpdate.securitySettings": settings("teamUpdate.securitySettings"),
    **{
        f"customView{surface}.{name}": (value, name, {name: value})
        for surface in ("Create", "Update")
        for name, value in (
            ("feedItemFilterData", {"updateType": {"eq": "changed"}}), ("filterData", {"priority": {"eq": 1}}),
            ("initiativeFilterData", {"name": {"eq": "changed"}}), ("projectFilterData", {"name": {"eq": "changed"}}),
        )
    },
    **{
        f"timeSchedule{surface}.entries": ([ENTRY], "entries { startsAt endsAt userId }", {"entries": [ENTRY]})
        for surface in ("Create", "Update")
    },
}  # fmt: skip
"""What is given, asked for and answered; a text that names something in the workspace stands for its id."""
CREATED = sorted(
    entity
    for entity, surface, _, kind in roots()
    if surface == "create" and "id" in kind.fields and entity not in ELSEWHERE
)
RELATIONS = sorted(
    path
    for path, word in FIELDS.items()
    if word and path not in {*CANNOT_BE_KEPT, *UNREAD} and ENTITIES[path.partition(".")[0]] not in ELSEWHERE
)
REFUSED_RELATIONS = {
    "commentCreate.documentContentId", "commentCreate.postId", "favoriteCreate.aiConversationId",
    "favoriteCreate.dashboardId", "favoriteCreate.facetId", "favoriteCreate.pullRequestId",
    "organizationUpdate.slackProjectChannelIntegrationId", "reactionCreate.postId",
}  # fmt: skip
"""Relations to what the workspace has none of, most of it declared and not modelled."""


@pytest.fixture
def answered(platform, stocked):
    """What the answer to a create or an update shows of a selection when a field is given; REFUSED if it is refused."""
    name, ids = stocked

    def ask(path, value, selection):
        root, _, field = path.partition(".")
        entity = ENTITIES[root]
        user = AGENT if entity in PERSONAL else ADMIN
        linear = Linear(platform.environment(f"linear:{name}", user, tokens=TOKENS), user)
        takes = SCHEMA.mutation_type.fields[root].args
        payload, key = PAYLOAD_FIELDS.get(entity, entity), f'id: "{ids[entity]}", ' if "id" in takes else ""
        kind = get_named_type(takes["input"].type).name
        query = f"mutation($input: {kind}!) {{ {root}({key}input: $input) {{ {payload} {{ {selection} }} }} }}"
        answer = linear.ask(query, input={**besides(path, ids), field: value})
        codes = [error["extensions"]["code"] for error in answer.get("errors", ())]
        assert codes in ([], ["INVALID_INPUT"], ["INPUT_ERROR"]), answer
        return REFUSED if codes else answer["data"][root][payload]

    return ask


def besides(path, ids):
    """What is given besides a field."""
    root, _, name = path.partition(".")
    given = updates(ids).get(root, {})
    if root in new_inputs(ids) and root.endswith("Create"):
        given = new_inputs(ids)[root]
    kept = ALONE.get(path, ALONE.get(root, given.keys())) - {name.removesuffix("Data"), *rivals(root, name)}
    wanted = BESIDES.get(path) or BESIDES.get(root)
    return {each: value for each, value in given.items() if each in kept} | (wanted(ids) if wanted else {})


def rivals(root, name):
    """The fields that an input cannot have beside a field."""
    entity = ENTITIES[root][:1].upper() + ENTITIES[root][1:]
    choices = [rule for rule in RULES if isinstance(rule, FieldChoice) and rule.entity == entity and rule.maximum == 1]
    return {each for rule in choices if name in rule.fields for each in rule.fields}


def test_every_field_of_every_input_is_known():
    others = {path for path, word in FIELDS.items() if not word} | CANNOT_BE_KEPT.keys()
    known = [*READ, *(path for path in UNREAD if not FIELDS[path]), *CANNOT_BE_KEPT]
    assert sorted(known) == sorted(others)


def test_what_cannot_be_kept_is_refused(answered):
    shown = {path: answered(path, value, "id") for path, value in CANNOT_BE_KEPT.items()}
    assert {path: answer for path, answer in shown.items() if answer is not REFUSED} == {}


def test_what_is_no_field_of_the_entity_is_read_back(answered, stocked):
    def read_back(path):
        value, selection, _ = READ[path]
        return answered(path, stocked[1].get(value, value) if isinstance(value, str) else value, selection)

    assert {path: read_back(path) for path in READ} == {path: expected for path, (_, _, expected) in READ.items()}


def test_an_id_that_is_given_is_kept(answered):
    kept = {entity: answered(f"{entity}Create.id", NEW_ID, "id") for entity in CREATED}
    assert kept == {entity: {"id": NEW_ID} for entity in CREATED}


def led_to(path, ids):
    """What a relation is given, and how the answer shows where it leads."""
    word, entity = FIELDS[path], ENTITIES[path.partition(".")[0]]
    field = twin.model.entities[entity[:1].upper() + entity[1:]].fields[word.name]
    target = field.target
    usual = OTHERS.get(target, target[:1].lower() + target[1:])
    key = ids.get(OF_PATH.get(path, usual), NEW_ID)
    return (
        key,
        f"found: {field.name} {{ nodes {{ id }} }}" if field.shape.kind == "many" else f"found: {field.name} {{ id }}",
    )


def leads_as_given(path, key, answer):
    """Whether the answer to a relation shows what it was given; that a field takes ids away shows by their absence."""
    if answer is REFUSED or path in REFUSED_RELATIONS:
        return answer is REFUSED and path in REFUSED_RELATIONS
    found = answer["found"]["nodes"] if "nodes" in answer["found"] else answer["found"]
    ids = {each["id"] for each in (found if isinstance(found, list) else [found])}
    return (key in ids) != (FIELDS[path].sign == "-")


def test_a_relation_leads_to_what_it_is_given(answered, stocked):
    shown: dict[str, Any] = {}
    for path in RELATIONS:
        key, selection = led_to(path, stocked[1])
        shown[path] = key, answered(path, [key] if path.endswith("Ids") else key, selection)
    assert {path: each for path, each in shown.items() if not leads_as_given(path, *each)} == {}
