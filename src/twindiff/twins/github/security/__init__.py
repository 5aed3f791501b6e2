"""Alerts and advisories of the GitHub twin."""
