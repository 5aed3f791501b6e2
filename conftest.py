"""What all tests of the checkout share: how hypothesis looks for counterexamples."""

from hypothesis import HealthCheck, settings

# A busy machine is no counterexample.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
