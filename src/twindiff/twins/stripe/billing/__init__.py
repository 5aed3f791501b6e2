"""Invoices and subscriptions."""
