"""What all tests of the checkout share: how hypothesis looks for counterexamples, signals, a place for built images."""

import os
import signal
from pathlib import Path

from hypothesis import HealthCheck, settings

# A busy machine is no counterexample.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# `make mutants` runs the tests thousands of times.
settings.register_profile("mutants", parent=settings.get_profile("patient"), max_examples=15)
settings.load_profile("patient")

# A shell that runs the tests in the background has SIGINT ignored, and so would every program that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
# What tests build once is kept with the checkout, not with the user.
os.environ.setdefault("TWINDIFF_CACHE_DIR", str(Path(__file__).parent / ".tools" / "cache"))

collect_ignore = ["src/twindiff/twins/stripe/test_clocks.py"]
"""A page of Stripe's reference, which holds no tests."""
