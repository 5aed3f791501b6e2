"""What solutions of public tasks are written with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Solutions(dict[str, Callable[[Any], object]]):
    """Written solutions by the public ids of their tasks."""

    def of(self, test: str) -> Any:
        """Register a function as the solution of a task."""

        def register(function: Any) -> Any:
            self[test] = function
            return function

        return register


class Desk:
    """What an agent does most: look things up by name, then create and change them."""

    def __init__(self, linear: Any) -> None:
        self.linear = linear

    def team(self, name: str) -> str:
        query = "query($name: String) { teams(filter: { name: { eqIgnoreCase: $name } }) { nodes { id } } }"
        (team,) = self.linear(query, name=name)["teams"]["nodes"]
        return team["id"]

    def user(self, name: str) -> str:
        query = "query($name: String) { users(filter: { name: { containsIgnoreCase: $name } }) { nodes { id } } }"
        (user,) = self.linear(query, name=name)["users"]["nodes"]
        return user["id"]

    def found(self, title: str, fields: str = "id") -> dict[str, Any]:
        query = f"""query($title: String) {{
            issues(filter: {{ title: {{ containsIgnoreCase: $title }} }}) {{ nodes {{ {fields} }} }} }}"""
        (issue,) = self.linear(query, title=title)["issues"]["nodes"]
        return issue

    def state(self, team: str, name: str) -> str:
        query = """query($team: ID, $name: String) {
            workflowStates(filter: { team: { id: { eq: $team } }, name: { eq: $name } }) { nodes { id } } }"""
        (state,) = self.linear(query, team=team, name=name)["workflowStates"]["nodes"]
        return state["id"]

    def issue(self, team: str, title: str, **more: Any) -> str:
        return self.linear.create("issue", teamId=team, title=title, **more)["id"]

    def change(self, issue: str, **values: Any) -> None:
        self.linear.update("issue", issue, **values)

    def comment(self, issue: str, body: str) -> str:
        return self.linear.create("comment", issueId=issue, body=body)["id"]

    def blocks(self, first: str, second: str) -> str:
        return self.linear.create("issueRelation", issueId=first, relatedIssueId=second, type="blocks")["id"]

    def label(self, name: str) -> str:
        """A label by name, made when there is none."""
        query = "query($name: String) { issueLabels(filter: { name: { eq: $name } }) { nodes { id } } }"
        nodes = self.linear(query, name=name)["issueLabels"]["nodes"]
        return nodes[0]["id"] if nodes else self.linear.create("issueLabel", name=name, color="#26b5ce")["id"]
