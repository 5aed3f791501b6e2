"""What the real API answered, step by step.

The recordings and the program that replays them stand in a folder `shared` beside the checkout, or where
TWINDIFF_SHARED says.
"""

import re
import subprocess
import sys

import pytest

from .conftest import SHARED

REPLAY = SHARED / "conformance" / "stripe_replay.py"
RECORDED = SHARED / "conformance" / "stripe-recorded"

pytestmark = pytest.mark.skipif(not REPLAY.exists(), reason=f"there is no program at {REPLAY}; set TWINDIFF_SHARED")

SESSIONS = (
    "02_pagination_cursor_against_deleted_id",
    "03_malformed_stripe_version",
    "04_money_path",
    "06_customers_payment_methods",
    "09_error_envelope_400s",
    "11_ledger_payouts",
    "probe_customer_payment_method_events",
    "probe_invoice_prefix",
)


@pytest.mark.parametrize("session", SESSIONS)
def test_a_session_is_answered_as_it_was(stripe, session):
    command = [sys.executable, str(REPLAY), stripe.url, str(RECORDED / f"{session}.json"), "--key", stripe.token]
    done = subprocess.run([*command, "--diffs", "30"], capture_output=True, text=True, check=False, timeout=120)
    passed, total = re.findall(r"TOTAL (\d+)/(\d+)", done.stdout)[0]
    assert passed == total, done.stdout
