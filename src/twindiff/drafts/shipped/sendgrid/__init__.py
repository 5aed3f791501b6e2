"""SendGrid: mail, contacts, lists and fields by handlers, the rest from its description with an overlay."""

from __future__ import annotations

from .. import ShippedDraft
from . import mail, marketing
from .recorded_marketing import find_marketing
from .tables import TABLES

draft = ShippedDraft(
    "sendgrid",
    "SendGrid",
    stands_alone=True,
    description="https://github.com/twilio/sendgrid-oai",
    pages=(mail.api, marketing.api),
    tables=TABLES,
    recorded_rows=find_marketing,
    unproven=("that a valid phone number has 7 to 15 digits; a recording shows that 000 is none",),
)
