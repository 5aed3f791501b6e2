"""Assertions of the suite for all engines explain themselves as those of any test do."""

import pytest

pytest.register_assert_rewrite("tests.storage.conformance")
