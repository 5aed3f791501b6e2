"""What administers an organization: refused, once the token has passed, as in a workspace on no Enterprise plan.

https://docs.slack.dev/reference/methods?family=admin
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twindiff.kit import Call, Operations

from .token_errors import FeatureNotEnabled

api = Operations()

METHODS = tuple(Path(__file__).with_name("organization_methods.txt").read_text().split())
"""Those that Slack's own clients have."""


def _refuse(call: Call) -> dict[str, Any]:
    """Refuse whatever is asked of an organization; there is none.

    https://docs.slack.dev/reference/methods/admin.teams.admins.list
    """
    raise FeatureNotEnabled


for _name in METHODS:
    api.method(_name, reads=True)(_refuse)
