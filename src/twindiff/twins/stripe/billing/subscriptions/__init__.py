"""Subscriptions, their cycles, items, prorations and schedules."""
