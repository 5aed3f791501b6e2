"""Billing: invoices, subscriptions and their tables."""
