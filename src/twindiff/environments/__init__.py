"""Environments, templates, runs and calls: what the server's surfaces are made of."""
