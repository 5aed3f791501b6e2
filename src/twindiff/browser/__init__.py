"""Tests in a real browser: what a test is, how a prompt becomes one, and the process that runs one.

It imports nothing of the rest: the server starts `python -m twindiff.browser` and speaks with it in lines of JSON.
"""
