"""Suites of tests: tasks with the checks that judge them, made by hand or imported."""
