"""Environments, templates, runs and calls: the services behind the server's APIs."""
