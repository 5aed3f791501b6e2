"""The tables of files and of their public links, and how both are rendered.

https://docs.stripe.com/api/files/object, https://docs.stripe.com/api/file_links/object
"""

from __future__ import annotations

from typing import Literal

from twindiff.kit import Call, Column, Json, column

from .objects import LEFT_OUT, Fields, StripeObject, build_view, now, resource, show_all
from .pagination import list_object

Purpose = Literal[
    "account_requirement", "additional_verification", "business_icon", "business_logo", "customer_signature",
    "dispute_evidence", "identity_document", "issuing_regulatory_reporting", "pci_document",
    "platform_terms_of_service", "tax_document_user_upload", "terminal_android_apk", "terminal_reader_splashscreen",
]  # fmt: skip
ListedPurpose = Purpose | Literal["finance_report_run"]
"""Purposes of files that Stripe makes too."""
LINKED = (
    "finance_report_run",
    "business_icon", "business_logo", "customer_signature", "dispute_evidence", "issuing_regulatory_reporting",
    "pci_document", "tax_document_user_upload", "terminal_android_apk",
)  # fmt: skip
"""Purposes of files that can have links."""


class File(StripeObject, table="files", key=("id",), unique=(("seq",),), indexes=(("purpose", "seq"),)):
    filename: Column[str | None] = column(default=None)
    purpose: Column[str]
    size: Column[int]
    title: Column[str | None] = column(default=None)
    type: Column[str | None] = column(default=None)
    url: Column[str | None] = column(default=None)
    content_type: Column[str] = column(default="application/octet-stream")
    digest: Column[str] = column(default="")


FOR_EVER = 2**53 - 1


class FileLink(
    StripeObject, table="file_links", key=("id",), unique=(("seq",), ("secret",)), indexes=(("file", "seq"),)
):
    expires_at: Column[int | None] = column(default=None)
    file: Column[str]
    metadata: Column[Json] = column(default={})
    secret: Column[str] = column(derived=True)
    until: Column[int] = column(default=FOR_EVER, derived=True)
    """Expiry as a number, also for a link that never expires, so that it can be filtered by range."""


def _fill_file_links(call: Call, links: list[Fields]) -> None:
    """Set the expiry flag and the URL of each rendered link."""
    for each in links:
        each["expired"] = each["expires_at"] is not None and each["expires_at"] <= now(call)
        secret = each.pop("secret")
        each["url"] = None if each["expired"] else f"{call.base_url}/links/{secret}"


FILE_LINKS = resource(
    FileLink,
    "file_link",
    "link_",
    build_view(FileLink, "file_link", "until"),
    param="link",
    expandable=("file",),
    fill=_fill_file_links,
)


def fill_links(call: Call, files: list[Fields]) -> None:
    """Set the links of each rendered file."""
    by_file: dict[str, list[FileLink]] = {each["id"]: [] for each in files}
    for row in call.db.rows(FileLink, FileLink.file.in_(list(by_file)), order=-FileLink.seq):
        by_file[row.file].append(row)
    for each in files:
        rows = by_file[each["id"]]
        url = f"/v1/file_links?file={each['id']}"
        each["links"] = list_object(show_all(call, FILE_LINKS, rows[:10]), url, has_more=len(rows) > 10)


file_object = build_view(File, "file", "content_type", "digest", expires_at=None, livemode=LEFT_OUT)
FILES = resource(File, "file", "file_", file_object, param="file", spoken="file upload", fill=fill_links)
