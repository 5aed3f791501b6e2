"""Twilio, served from its description with an overlay and a handler that sends messages."""

from __future__ import annotations

from twindiff.drafts.drafting import Draft
from twindiff.kit.twin import Operations

from .. import ShippedDraft
from .messages import declare_messages


def _declare_operations(draft: Draft) -> list[Operations]:
    return [declare_messages(draft)]


draft = ShippedDraft(
    "twilio",
    "Twilio",
    stands_alone=False,
    description="https://github.com/twilio/twilio-oai",
    unproven=("which of several refusals of a message comes first",),
    written=_declare_operations,
)
