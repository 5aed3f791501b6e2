"""Labels of issues and projects.  https://linear.app/docs/labels"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, Many, One, column, derived_field, inverse, through

from .enums import LabelGroupType


class IssueLabel(Entity):
    color: str = column(default="")
    description: str | None
    isGroup: bool = column(default=False)
    lastAppliedAt: datetime | None = derived_field()
    name: str
    retiredAt: datetime | None
    creator: One[User] | None
    inheritedFrom: One[IssueLabel] | None
    organization: One[Organization]
    parent: One[IssueLabel] | None
    retiredBy: One[User] | None
    team: One[Team] | None
    children: Many[IssueLabel] = inverse("parent")
    issues: Many[Issue] = through("issue_label_issue_association")
    groupType: LabelGroupType | None

    filters = "creator isGroup name parent~ team"
    filter_variants = "collection collection_null"
    create = "color description id isGroup name! parent retiredAt team"
    update = "color description isGroup name parent retiredAt"
    roots = "list get create(replaceTeamLabels:Boolean) update(replaceTeamLabels:Boolean) delete"


class ProjectLabel(Entity):
    color: str = column(default="")
    description: str | None
    isGroup: bool = column(default=False)
    lastAppliedAt: datetime | None = derived_field()
    name: str
    retiredAt: datetime | None
    creator: One[User] | None
    inheritedFrom: One[ProjectLabel] | None
    organization: One[Organization]
    parent: One[ProjectLabel] | None
    retiredBy: One[User] | None
    team: One[Team] | None
    children: Many[ProjectLabel] = inverse("parent")
    projects: Many[Project] = through("project_label_project_association", sort=True)
    groupType: LabelGroupType | None

    filters = "creator isGroup name parent~"
    filter_variants = "collection collection_null"
    create = "color description id isGroup name! parent retiredAt team"
    update = "color description isGroup name parent retiredAt"
    roots = "list get create(replaceTeamLabels:Boolean) update(replaceTeamLabels:Boolean) delete"


class InitiativeLabel(Entity):
    color: str = column(default="")
    description: str | None
    isGroup: bool = column(default=False)
    lastAppliedAt: datetime | None
    name: str
    retiredAt: datetime | None
    creator: One[User] | None
    organization: One[Organization]
    parent: One[InitiativeLabel] | None
    retiredBy: One[User] | None
    children: Many[InitiativeLabel] = inverse("parent")
    initiatives: Many[Initiative] = through("initiative_label_initiative_association", sort=True)
    groupType: LabelGroupType | None

    filters = "creator isGroup name parent~"
    filter_variants = "collection collection_null"
    create = "color description id isGroup name! parent retiredAt"
    update = "color description isGroup name parent retiredAt"
    roots = "list get create update delete"
