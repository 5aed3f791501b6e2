"""Notifications and subscriptions."""
