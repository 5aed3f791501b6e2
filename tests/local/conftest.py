from collections.abc import Iterator

import pytest

from tests.local import shop
from twindiff.environments.registry import Registry
from twindiff.local import Twindiff


@pytest.fixture
def td() -> Iterator[Twindiff]:
    """Twins in this process: Slack, and a shop that two vendors' SDKs can speak to."""
    slack = Registry.load_installed().get("slack")
    with Twindiff(twins=[slack, shop.twin]) as td:
        yield td
