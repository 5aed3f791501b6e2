"""Suites of tests: tasks with the checks that judge them, written by hand or imported."""
