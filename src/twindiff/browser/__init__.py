"""Tests in a real browser: the form of a test, its planning from a prompt, and the process that runs one.

The package imports nothing else of Twindiff: the server starts `python -m twindiff.browser` and exchanges lines of JSON
with it.
"""
