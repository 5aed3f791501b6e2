"""Long-running runs: browser tests and saved tests, with the ledger, events and queue shared by all kinds of runs."""
