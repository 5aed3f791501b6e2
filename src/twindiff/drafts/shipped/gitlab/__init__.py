"""GitLab: projects, issues, merge requests, notes and labels, served from a small description of our own."""

from __future__ import annotations

from .. import ShippedDraft

draft = ShippedDraft("gitlab", "GitLab", stands_alone=True, own=True)
