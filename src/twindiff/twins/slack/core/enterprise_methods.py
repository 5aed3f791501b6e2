"""Methods that administer an organization: they fail as in a workspace without an Enterprise plan.

https://docs.slack.dev/reference/methods?family=admin
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twindiff.kit import Call, Operations

from .token_errors import FeatureNotEnabled

api = Operations()

METHODS = tuple(Path(__file__).with_name("organization_methods.txt").read_text().split())
"""The organization methods in Slack's own clients."""


def _refuse(call: Call) -> dict[str, Any]:
    """Raise FeatureNotEnabled, as the workspace belongs to no organization.

    https://docs.slack.dev/reference/methods/admin.teams.admins.list
    """
    raise FeatureNotEnabled


for _name in METHODS:
    api.method(_name, reads=True)(_refuse)
