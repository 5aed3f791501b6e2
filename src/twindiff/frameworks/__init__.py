"""Tests of suites as tasks of third-party frameworks; each module needs the extra with its name."""
