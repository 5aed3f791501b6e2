"""Receipts: files that prove an entry."""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Call, Header, Operations, Response, Upload, ValueResponse, View, file_answer

from .errors import EntryNotFound, ReceiptNotFound
from .tables import Entry, Receipt

api = Operations()

receipt_object = View(
    Receipt, id=Receipt.receipt_id, entry=Receipt.entry_id, filename=Receipt.filename, size=Receipt.size
)


@api.post("/entries/{entry_id}/receipts", status=201, body_limit=10_000_000)
def add_receipts(call: Call, entry_id: str, file: list[Upload]) -> ValueResponse:
    """Keep the files of a form with an entry."""
    entry = call.db.get(Entry, entry_id, missing=EntryNotFound)
    kept = [receipt_object(_keep(call, entry, each)) for each in file]
    return ValueResponse({"receipts": kept}, headers=(("Location", f"{call.base_url}/receipts/{kept[0]['id']}"),))


def _keep(call: Call, entry: Entry, file: Upload) -> Receipt:
    receipt = Receipt(
        receipt_id=f"R{call.db.next('receipt'):06d}",
        entry_id=entry.entry_id,
        filename=file.filename,
        content_type=file.content_type,
        size=len(file.data),
        digest=call.blobs.put(file.data),
    )
    return call.db.add(receipt)


@api.get("/receipts/{receipt_id}")
def get_receipt(call: Call, receipt_id: str) -> dict[str, Any]:
    """Look at one receipt."""
    return receipt_object(call.db.get(Receipt, receipt_id, missing=ReceiptNotFound))


@api.get("/receipts/{receipt_id}/content")
def download_receipt(call: Call, receipt_id: str, range_: Annotated[str, Header("Range")] = "") -> Response:
    """Download a receipt, or a part of it."""
    receipt = call.db.get(Receipt, receipt_id, missing=ReceiptNotFound)
    data = call.blobs.get(receipt.digest)
    return file_answer(data, receipt.content_type, range=range_, filename=receipt.filename)
