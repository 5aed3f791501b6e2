"""Rules for the inputs of mutations, declared once and checked wherever an entity is created or updated.

The messages are those of class-validator, which Linear shows as `userPresentableMessage`. Each rule names its source:
`specification` is the published schema, `report` a public report of Linear's answer, `knowledge` neither.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal, NamedTuple

from twindiff.kit import Call
from twindiff.kit.emoji import is_picture
from twindiff.kit.graphql.entity import EntitySpec
from twindiff.kit.graphql.entity_operations import Given
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.graphql.run import GraphqlRun

Source = Literal["specification", "report", "knowledge"]

MAX_NAME_CHARACTERS = 255
MAX_PROJECT_NAME_CHARACTERS = 80
MAX_SUMMARY_CHARACTERS = 255
UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}")
_OTHER_IDS = {
    "Issue": re.compile(r"[A-Za-z0-9]+-\d+"),
    "Project": re.compile(r"(?![0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$).*", re.DOTALL),
}
"""Further forms of ids that filters take, by entity."""
_HEX_COLOR = re.compile(r"#?(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")

_ICON = re.compile(r"[A-Z][A-Za-z0-9]*|:[^:\s]+:")


class TextLength(NamedTuple):
    """A text has at most so many characters."""

    entity: str
    field: str
    max_characters: int
    source: Source

    def problem(self, call: Call, surface: str, given: Given) -> str | None:
        text = given.get(self.field)
        too_long = isinstance(text, str) and len(text) > self.max_characters
        return f"{self.field} must be shorter than or equal to {self.max_characters} characters." if too_long else None


class HexColor(NamedTuple):
    """A colour is hexadecimal: `#f2c94c`."""

    entity: str
    field: str
    source: Source

    def problem(self, call: Call, surface: str, given: Given) -> str | None:
        color = given.get(self.field)
        return f"{self.field} must be a hexadecimal color." if color and not _HEX_COLOR.fullmatch(color) else None


class IconName(NamedTuple):
    """An icon is one of Linear's, whose names are capitalized (`Rocket`), or an emoji, which may be a short name."""

    entity: str
    field: str
    source: Source

    def problem(self, call: Call, surface: str, given: Given) -> str | None:
        icon = given.get(self.field)
        is_valid = not icon or _ICON.fullmatch(icon) or is_picture(icon)
        return None if is_valid else f"{self.field} is not a valid icon."


class NumberRange(NamedTuple):
    """A number has a minimum, and a maximum unless that is None."""

    entity: str
    field: str
    minimum: float
    maximum: float | None
    source: Source

    def problem(self, call: Call, surface: str, given: Given) -> str | None:
        number = given.get(self.field)
        if number is None:
            return None
        if number < self.minimum:
            return f"{self.field} must not be less than {self.minimum:g}."
        too_large = self.maximum is not None and number > self.maximum
        return f"{self.field} must not be greater than {self.maximum:g}." if too_large else None


class PastInstant(NamedTuple):
    """An instant lies in the past."""

    entity: str
    field: str
    source: Source

    def problem(self, call: Call, surface: str, given: Given) -> str | None:
        instant = given.get(self.field)
        return f"{self.field} must be a date in the past." if instant and instant > call.clock.iso() else None


class FieldChoice(NamedTuple):
    """At least `minimum` and at most `maximum` of some fields are given; at least one is asked for on create only."""

    entity: str
    fields: tuple[str, ...]
    minimum: int
    maximum: int
    source: Source

    def problem(self, call: Call, surface: str, given: Given) -> str | None:
        count = sum(bool(given.get(name)) for name in self.fields)
        if count <= self.maximum and (count >= self.minimum or surface != "create"):
            return None
        how_many = "At least" if self.maximum > 1 else "Exactly" if self.minimum else "At most"
        return f"{how_many} one of {', '.join(self.fields[:-1])} or {self.fields[-1]} must be defined."


class NotEmpty(NamedTuple):
    """A list has at least one value."""

    entity: str
    field: str
    source: Source

    def problem(self, call: Call, surface: str, given: Given) -> str | None:
        return f"{self.field} should not be empty." if given.get(self.field) == [] else None


class Enumeration(NamedTuple):
    """A text is one of some values."""

    entity: str
    field: str
    values: tuple[str, ...]
    source: Source

    def problem(self, call: Call, surface: str, given: Given) -> str | None:
        text = given.get(self.field)
        is_other = text is not None and text not in self.values
        return f"{self.field} must be one of the following values: {', '.join(self.values)}." if is_other else None


class InOrder(NamedTuple):
    """An instant is not before another one."""

    entity: str
    field: str
    earlier: str
    source: Source

    def problem(self, call: Call, surface: str, given: Given) -> str | None:
        before, after = given.get(self.earlier), given.get(self.field)
        return f"{self.field} must be after {self.earlier}." if before and after and after < before else None


InputRule = (
    TextLength | HexColor | IconName | NumberRange | PastInstant | FieldChoice | NotEmpty | Enumeration | InOrder
)


def _exactly_one(entity: str, fields: str) -> FieldChoice:
    return FieldChoice(entity, tuple(fields.split()), 1, 1, "specification")


def _at_most_one(entity: str, fields: str) -> FieldChoice:
    return FieldChoice(entity, tuple(fields.split()), 0, 1, "specification")


def _at_least_one(entity: str, fields: str) -> FieldChoice:
    return FieldChoice(entity, tuple(fields.split()), 1, len(fields.split()), "specification")


_NAMED = (
    "CustomView Customer Cycle Emoji Initiative InitiativeLabel IssueLabel ProjectLabel ProjectMilestone ProjectStatus "
    "Release ReleasePipeline ReleaseStage Roadmap Team Template TimeSchedule WorkflowState"
)
_COLORED = (
    "CustomView CustomerStatus CustomerTier Document Initiative InitiativeLabel IssueLabel Project ProjectLabel "
    "ProjectStatus ReleaseStage Roadmap Team Template WorkflowState"
)
_ICONIC = "AgentSkill CustomView Document Initiative Project Team Template"
RULES: tuple[InputRule, ...] = (
    TextLength("Project", "name", MAX_PROJECT_NAME_CHARACTERS, "report"),
    TextLength("Project", "description", MAX_SUMMARY_CHARACTERS, "report"),
    TextLength("Initiative", "description", MAX_SUMMARY_CHARACTERS, "report"),
    TextLength("Issue", "title", MAX_NAME_CHARACTERS, "report"),
    *(TextLength(each, "name", MAX_NAME_CHARACTERS, "knowledge") for each in _NAMED.split()),
    *(TextLength(each, "title", MAX_NAME_CHARACTERS, "knowledge") for each in ("Document", "ReleaseNote")),
    *(HexColor(each, "color", "knowledge") for each in _COLORED.split()),
    *(IconName(each, "icon", "report") for each in _ICONIC.split()),
    *(NumberRange(each, "priority", 0, 4, "specification") for each in ("Issue", "Project", "Initiative")),
    NumberRange("CustomerNeed", "priority", 0, 1, "specification"),
    NumberRange("Issue", "estimate", 0, None, "knowledge"),
    *(PastInstant(each, "createdAt", "specification") for each in ("Comment", "CustomerNeed", "Issue")),
    PastInstant("Issue", "completedAt", "specification"),
    *(PastInstant("Release", each, "specification") for each in ("createdAt", "startedAt", "completedAt")),
    *(InOrder("Release", each, "createdAt", "specification") for each in ("startedAt", "completedAt")),
    InOrder("Issue", "completedAt", "createdAt", "specification"),
    Enumeration(
        "Team",
        "issueEstimationType",
        ("notUsed", "exponential", "fibonacci", "linear", "tShirt"),
        "specification",
    ),
    NotEmpty("Project", "teamIds", "specification"),
    NotEmpty("Webhook", "resourceTypes", "knowledge"),
    _exactly_one(
        "Comment",
        "issueId projectUpdateId initiativeUpdateId documentContentId projectId initiativeId postId",
    ),
    _exactly_one("Document", "initiativeId teamId issueId releaseId cycleId projectId"),
    _exactly_one("EntityExternalLink", "initiativeId projectId teamId releaseId cycleId resourceFolderId"),
    _exactly_one(
        "Favorite",
        "folderName issueId facetId projectId cycleId customViewId documentId initiativeId labelId projectLabelId "
        "initiativeLabelId userId customerId dashboardId pullRequestId aiConversationId releaseId releaseNoteId "
        "releasePipelineId teamId predefinedViewType",
    ),
    _exactly_one("IntegrationsSettings", "teamId projectId customViewId initiativeId"),
    _exactly_one(
        "NotificationSubscription",
        "customerId customViewId cycleId initiativeId labelId projectId teamId userId",
    ),
    _exactly_one(
        "Reaction",
        "issueId commentId projectUpdateId initiativeUpdateId postId pullRequestId pullRequestCommentId",
    ),
    _at_least_one("CustomerNeed", "issueId projectId"),
    _at_most_one("CustomerNeed", "customerId customerExternalId"),
    _at_least_one("CustomerStatus", "name displayName"),
    _at_least_one("CustomerTier", "name displayName"),
)
OPAQUE_IDS = frozenset(["customerExternalId", "externalId", "externalIds", "mainSourceId", "slackChannelId", "slugId"])
"""Fields that hold ids of other systems, or parts of addresses."""
IDENTIFIER_FIELDS = frozenset(("issueId", "relatedIssueId"))
"""Fields that take an issue's identifier as well, as does `parentId` of an issue."""


def check_input(run: GraphqlRun, spec: EntitySpec, surface: str, given: Given) -> None:
    """Raise InvalidInput for an input of a create or update that breaks a rule, or has an id of another form.

    An id of another form is taken if a row has it, since templates may be written with such ids.
    """
    for name, value in given.items():
        if value and is_id_field(spec.name, name):
            _check_ids(run, spec, name, value)
    for rule in _rules_of(spec.name):
        problem = rule.problem(run.call, surface, given)
        if problem:
            raise InvalidInput(problem, **_broken(rule, given))


_CONSTRAINTS = {
    "TextLength": "maxLength",
    "HexColor": "isHexColor",
    "IconName": "customValidation",
    "NumberRange": "min",
    "PastInstant": "maxDate",
    "NotEmpty": "arrayNotEmpty",
    "Enumeration": "isIn",
    "InOrder": "minDate",
    "FieldChoice": "isDefinedOnce",
}
"""Names of the rules' kinds in class-validator, or, for those that it lacks, in its manner."""


def _broken(rule: InputRule, given: Given) -> dict[str, Any]:
    """Return the details of an error about a broken rule: `property`, `value` and `constraint`."""
    field = rule.fields[0] if isinstance(rule, FieldChoice) else rule.field
    constraint = _CONSTRAINTS[type(rule).__name__]
    if isinstance(rule, NumberRange):
        constraint = "min" if given[field] < rule.minimum else "max"
    return {"property": field, "value": given.get(field), "constraint": constraint}


@cache
def _rules_of(entity: str) -> tuple[InputRule, ...]:
    return tuple(rule for rule in RULES if rule.entity == entity)


@cache
def is_id_field(entity: str, name: str) -> bool:
    """Whether a field of an entity's inputs takes UUIDs only."""
    if name in OPAQUE_IDS or name in IDENTIFIER_FIELDS or (entity, name) == ("Issue", "parentId"):
        return False
    return name == "id" or name.endswith(("Id", "Ids"))


def _check_ids(run: GraphqlRun, spec: EntitySpec, name: str, value: Any) -> None:
    for each in [value] if isinstance(value, str) else value:
        if not UUID.fullmatch(each) and (name == "id" or not _is_known(run, spec, name, each)):
            subject = f"each value in {name}" if isinstance(value, list) else name
            raise InvalidInput(f"{subject} must be a UUID.", property=name, value=each, constraint="isUuid")


def check_filter_id(run: GraphqlRun, spec: EntitySpec, given: str, id: str) -> None:
    """Raise InvalidInput for an operand of an id comparator that is no UUID.

    Issues have identifiers as well, and projects are looked up by any text that does not look like a UUID. Lenient
    environments take names that stand for an entity, such as a team's key. An id of a template may have another form.
    https://github.com/PipedreamHQ/pipedream/pull/21903, https://github.com/initializ/forge/pull/67
    https://github.com/brekkylab/backlot/pull/116
    """
    if UUID.fullmatch(given) or (UUID.fullmatch(id) and not run.call.strict):
        return
    other_form = _OTHER_IDS.get(spec.name)
    if other_form and other_form.fullmatch(given):
        return
    key = given if run.call.strict else id
    if spec.row is None or run.db.find(spec.row, spec.row.id == key) is None:
        raise InvalidInput("id must be a UUID.", property="id", value=given, constraint="isUuid")


def _is_known(run: GraphqlRun, spec: EntitySpec, name: str, key: str) -> bool:
    target = run.model.input_target(spec, name)
    return target is not None and run.db.find(target.row, target.row.id == key) is not None
