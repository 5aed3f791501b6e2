"""Tables that join two types; relations declared with `through` read and write them."""

from __future__ import annotations

from twindiff.kit import Column, Row


class IssueLabelling(
    Row,
    table="issue_label_issue_association",
    key=("issue_id", "issue_label_id"),
    indexes=(("issue_label_id", "issue_id"),),
):
    issue_id: Column[str]
    issue_label_id: Column[str]


class IssueSubscription(
    Row,
    table="issue_subscriber_user_association",
    key=("issue_id", "user_id"),
    indexes=(("user_id", "issue_id"),),
):
    issue_id: Column[str]
    user_id: Column[str]


class IssueFollower(
    Row,
    table="issue_followers",
    key=("issue_id", "user_id"),
    indexes=(("user_id", "issue_id"),),
    visibility="derived",
):
    """A user subscribed to an issue by their activity rather than by an explicit subscription."""

    issue_id: Column[str]
    user_id: Column[str]


class ProjectLabelling(
    Row,
    table="project_label_project_association",
    key=("project_id", "project_label_id"),
    indexes=(("project_label_id", "project_id"),),
):
    project_id: Column[str]
    project_label_id: Column[str]


class ProjectMember(
    Row,
    table="project_members_association",
    key=("project_id", "user_id"),
    indexes=(("user_id", "project_id"),),
):
    project_id: Column[str]
    user_id: Column[str]


class ProjectTeam(
    Row,
    table="team_project_association",
    key=("team_id", "project_id"),
    indexes=(("project_id", "team_id"),),
):
    team_id: Column[str]
    project_id: Column[str]


class InvitedTeam(
    Row,
    table="organization_invite_team",
    key=("organization_invite_id", "team_id"),
    indexes=(("team_id", "organization_invite_id"),),
):
    organization_invite_id: Column[str]
    team_id: Column[str]
