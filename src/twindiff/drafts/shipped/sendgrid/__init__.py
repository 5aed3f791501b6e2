"""SendGrid, served from its description with an overlay."""

from __future__ import annotations

from .. import ShippedDraft

draft = ShippedDraft("sendgrid", "SendGrid", stands_alone=False, description="https://github.com/twilio/sendgrid-oai")
