"""Checkout sessions and payment links."""
