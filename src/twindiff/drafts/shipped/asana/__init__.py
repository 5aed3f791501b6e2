"""Asana, served from its description with an overlay."""

from __future__ import annotations

from .. import ShippedDraft

draft = ShippedDraft("asana", "Asana", stands_alone=False, description="https://github.com/Asana/openapi")
