"""Notifications, stars, subscriptions and events of the GitHub twin."""
