"""The Ledger twin: books in which money moves from account to account."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Twin
from twindiff.kit.styles.base import Style

from . import accounts, entries
from .tables import Account, Entry

twin = Twin(
    "ledger",
    Style(),
    accounts.api,
    entries.api,
    tables=(Account, Entry),
    seeds=Path(__file__).with_name("seeds"),
)
