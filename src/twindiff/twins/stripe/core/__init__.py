"""Shared parts of the Stripe twin: events, lists, parameters, files, test clocks and webhooks."""
