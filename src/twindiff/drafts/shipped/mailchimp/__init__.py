"""Mailchimp: lists with segments and interests, members by the hash of their address, campaigns by handlers."""

from __future__ import annotations

from twindiff.kit.seeding import Variables

from .. import ShippedDraft
from . import account, account_collections, batches, campaigns, lists, members, segments
from .recorded_lists import find_lists
from .tables import TABLES
from .wire_style import MailchimpStyle

draft = ShippedDraft(
    "mailchimp",
    "Mailchimp",
    stands_alone=True,
    pages=(lists.api, members.api, segments.api, campaigns.api, batches.api, account_collections.api, account.api),
    tables=(*TABLES, *account_collections.TABLES),
    rows=lists.list_rows,
    samples=("lists", "merge_fields"),
    recorded_rows=find_lists,
    style=MailchimpStyle,
    unproven=(
        "the texts of refusals of stores, webhooks, searches and folders",
        "what automations, authorized apps and sign-up forms list, which is empty",
        "the texts of refusals of batches",
        "that a batch shows no operations until it is read again",
    ),
    options={
        "hosts": {"*.api.mailchimp.com": "", "login.mailchimp.com": ""},
        "variables": Variables(
            tokens={"MAILCHIMP_API_KEY": "{secret}-us1", "MAILCHIMP_ACCESS_TOKEN": "{secret}"},
            urls={"MAILCHIMP_API_URL": "/3.0"},
        ),
    },
)
