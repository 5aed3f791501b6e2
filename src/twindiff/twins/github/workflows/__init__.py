"""Workflow files, and the runs that events start."""
