"""What the frameworks leave behind."""

import gc
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def collect_unclosed_streams() -> Iterator[None]:
    """Collect the streams that frameworks do not close, whose warnings would fail a later test that allows none."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
