"""Accounts of others: transfers, application fees and destination charges."""
