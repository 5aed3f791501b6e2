"""Twilio, served from its description with an overlay."""

from __future__ import annotations

from .. import ShippedDraft

draft = ShippedDraft("twilio", "Twilio", stands_alone=False, description="https://github.com/twilio/twilio-oai")
