"""Web addresses of a workspace."""

from __future__ import annotations

import re
from functools import lru_cache

from .tables import Team


def workspace_url(team: Team) -> str:
    """Return the address of a workspace: `https://acme-robotics.slack.com/` for the team Acme Robotics."""
    return f"https://{workspace_domain(team)}.slack.com/"


def workspace_domain(team: Team) -> str:
    """Return the subdomain of a workspace: `acme-robotics` for the team Acme Robotics."""
    return _plain(team.team_name) or team.team_id.lower()


@lru_cache(maxsize=64)
def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
