"""Retention, legal holds, barriers and archives."""
