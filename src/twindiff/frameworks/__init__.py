"""Tests of suites as tasks of other people's frameworks; each module needs the extra of its name."""
