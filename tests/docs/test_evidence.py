"""The pages of evidence count every operation once, and know the operations of the vendors' specifications.

That the pages are those that the code gives is tested with the other pages that `generate.py` writes.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

import pytest

from twindiff.environments.registry import Registry

CHECKOUT = Path(__file__).parents[2]
REFERENCE = CHECKOUT / "docs" / "reference"
SHARED = Path(os.environ.get("TWINDIFF_SHARED", CHECKOUT.parent / "shared"))
TWINS = ("box", "calendar", "linear", "slack", "stripe")


@pytest.fixture(scope="module")
def evidence():
    """The module that writes the pages."""
    sys.path.insert(0, str(REFERENCE))
    try:
        return importlib.import_module("evidence")
    finally:
        sys.path.remove(str(REFERENCE))


@pytest.mark.parametrize("name", TWINS)
def test_every_operation_that_is_not_always_refused_counts_once(evidence, name):
    twin = Registry.load_installed().get(name)
    counts = evidence.evidence_of(twin).counts
    assert sum(counts.values()) == len({each.name for each in twin.dispatch.operations} - twin.refused)


@pytest.mark.skipif(not (SHARED / "specs").exists(), reason=f"there are no specifications at {SHARED}/specs")
def test_the_lists_of_operations_are_those_of_the_specifications(evidence, tmp_path, monkeypatch):
    sys.path.insert(0, str(REFERENCE))
    collector = importlib.import_module("collect_evidence")
    sys.path.remove(str(REFERENCE))
    monkeypatch.setattr(collector, "HERE", tmp_path)
    collector.main(SHARED)
    assert json.loads((tmp_path / "evidence_sources.json").read_text()) == evidence.SOURCES
