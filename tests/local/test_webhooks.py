"""In one process nothing is delivered, and that is said."""

import pytest

from twindiff.client import RequestRefused
from twindiff.local import Twindiff


def test_a_webhook_needs_a_server():
    with Twindiff() as td, td.create("slack:slack_default") as env:
        with pytest.raises(RequestRefused, match="start one with `twindiff serve`"):
            env.add_webhook("slack", "http://127.0.0.1:1/")
        assert (env.webhooks(), env.deliveries()) == ([], [])
