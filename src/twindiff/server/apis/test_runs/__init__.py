"""Runs that take their time: tests in a browser, saved tests, and the record, events and queue of every such run."""
